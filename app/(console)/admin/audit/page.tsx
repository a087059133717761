import type { SearchParams } from '#app/_components/page-input.ts';
import { List, Ordered } from '#app/(console)/_kit/list.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Callout, Title } from '#app/(console)/_kit/pieces.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { pageAudit } from '#lib/management/audit.ts';
import { enter } from '#lib/management/operations.ts';
import { EventItem } from './events.tsx';
import { FilterForm, type Given, givenOf, understand } from './filter.tsx';

export const generateMetadata = pageTitle('Audit log');

const HERE = '/admin/audit';

export default function AuditPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: HERE, path: HERE, searchParams }, async ({ actor, query }) => {
    await enter(actor, { action: 'audit.read' });
    const filterValues = givenOf(query);
    const { filter, faults } = await understand(actor, filterValues);
    const { cursor = '', order = '' } = query;
    const page = await pageAudit(actor, { counted: true, ...filter, cursor, order });
    return (
      <>
        <Title
          lead={say(
            'Every action, with its actor, the affected person and the time. Entries cannot be changed.',
          )}
        >
          {say('Audit log')}
        </Title>
        <FilterForm action={HERE} given={filterValues} order={order} />
        {faults.length > 0 && (
          <Callout tone="refused">
            {faults.map((fault) => (
              <p key={fault}>{fault}</p>
            ))}
          </Callout>
        )}
        {faults.length === 0 && page.rows.length > 0 && <Export given={filterValues} />}
        <Ordered
          path={HERE}
          query={{ ...filterValues, order, cursor }}
          page={page}
          orders={{ at: say('Time') }}
        >
          {page.rows.length === 0 ? (
            <p className="soft nothing">
              {Object.values(filterValues).some(Boolean)
                ? say('No matching events. Remove a filter.')
                : say('No events yet.')}
              {filterValues.request !== '' &&
                ` ${say(
                  'Refused client requests are not events: they are listed on the client’s page, under Requests, and in the log.',
                )}`}
            </p>
          ) : (
            <List label={say('Events')}>
              {page.rows.map((row) => (
                <EventItem key={row.id} row={row} />
              ))}
            </List>
          )}
        </Ordered>
      </>
    );
  });
}

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
