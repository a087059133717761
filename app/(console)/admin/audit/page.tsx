import { listPage } from '#app/(console)/_kit/list-page.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Callout } from '#app/(console)/_kit/pieces.tsx';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { pageAudit } from '#lib/management/audit.ts';
import { enter } from '#lib/management/operations.ts';
import { EventItem } from './events.tsx';
import { FilterForm, type Given, givenOf, understand } from './filter.tsx';

export const generateMetadata = pageTitle('Audit log');

const HERE = '/admin/audit';

export default listPage(HERE, async ({ actor, query, listOptions: { search: _, ...listOptions } }) => {
  await enter(actor, { action: 'audit.read' });
  const filterValues = givenOf(query);
  const { filter, faults } = await understand(actor, filterValues);
  const page = await pageAudit(actor, { ...filter, ...listOptions });
  const none = Object.values(filterValues).some(Boolean)
    ? say('No matching events. Remove a filter.')
    : say('No events yet.');
  const hint =
    filterValues.request !== '' &&
    say(
      'Refused client requests are not events: they are listed on the client’s page, under Requests, and in the log.',
    );
  return {
    title: say('Audit log'),
    lead: say('Every action, with its actor, the affected person and the time. Entries cannot be changed.'),
    placeholder: null,
    above: (
      <>
        <FilterForm action={HERE} given={filterValues} order={listOptions.order} />
        {faults.length > 0 && (
          <Callout tone="refused">
            {faults.map((fault) => (
              <p key={fault}>{fault}</p>
            ))}
          </Callout>
        )}
        {faults.length === 0 && page.rows.length > 0 && <Export given={filterValues} />}
      </>
    ),
    page,
    kept: { ...filterValues, order: listOptions.order },
    orders: { at: say('Time') },
    label: say('Events'),
    empty: hint ? `${none} ${hint}` : none,
    rows: page.rows.map((row) => <EventItem key={row.id} row={row} />),
  };
});

/** Exports every page of the displayed list, starting with the oldest event. */
function Export({ given }: { given: Given }) {
  const file = (form: 'csv' | 'json') => (
    <a href={withQuery(`${HERE}/file`, { ...given, form })}>{form.toUpperCase()}</a>
  );
  return (
    <p className="exports soft">
      <Say
        text="Export all matching events: {csv} {json}"
        values={{ csv: file('csv'), json: file('json') }}
      />
    </p>
  );
}
