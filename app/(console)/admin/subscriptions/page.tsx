import { Name } from '#app/_components/pieces.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say, sayEach } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { SUBSCRIPTION_STATES, type SubscriptionState } from '#lib/catalogue/subscriptions/definition.ts';
import { pageSubscriptions } from '#lib/catalogue/subscriptions/operations.ts';
import { enter } from '#lib/management/operations.ts';
import { path } from '../../_kit/console-form.ts';
import { Dots, dayFilters, Row } from '../../_kit/list.tsx';
import { listPage } from '../../_kit/list-page.tsx';
import { Managed, StatePills, When } from '../../_kit/pieces.tsx';

export const generateMetadata = pageTitle('Subscriptions');

const STATES = toSay({
  '': 'Any state',
  pending: 'waiting',
  approved: 'approved',
  rejected: 'rejected',
  suspended: 'suspended',
  revoked: 'revoked',
}) satisfies Record<SubscriptionState | '', string>;
const MACHINE = toSay({ '': 'Machine: any', yes: 'Machine', no: 'Not a machine' });
const TRUST = toSay({ '': 'Trusted: any', yes: 'Trusted', no: 'Not trusted' });

export default listPage('/admin/subscriptions', async ({ actor, query, listOptions }) => {
  await enter(actor, { action: 'subscriptions.decide' });
  const { state = '', trusted = '', machine = '' } = query;
  const days = await dayFilters(actor, query, [
    { name: 'requested', label: say('Requested') },
    { name: 'decided', label: say('Decided') },
  ]);
  const values = [listOptions.search, state, trusted, machine, ...Object.values(days.query)];
  const page = await pageSubscriptions(actor, {
    ...days.asked,
    ...listOptions,
    state: SUBSCRIPTION_STATES.find((stateName) => stateName === state),
    trusted: trusted === '' ? undefined : trusted === 'yes',
    machine: machine === '' ? undefined : machine === 'yes',
  });
  return {
    title: say('Subscriptions'),
    lead: say('Which client can use which API, and with which rights.'),
    placeholder: say('Search by client or API'),
    filters: [
      { name: 'state', label: say('State'), value: state, options: sayEach(STATES) },
      { name: 'trusted', label: say('Trust'), value: trusted, options: sayEach(TRUST) },
      { name: 'machine', label: say('Machine'), value: machine, options: sayEach(MACHINE) },
    ],
    days,
    page,
    orders: { changed: say('Last change'), name: say('Client') },
    empty: values.some(Boolean)
      ? say('No matches. Search for something else.')
      : [
          say('No subscriptions yet'),
          say('Subscriptions appear on this page when developers request them in the API catalogue.'),
        ],
    rows: page.rows.map((row) => (
      <Row
        key={`${row.clientId} ${row.api}`}
        href={path('admin', 'subscriptions', row.clientId, row.api)}
        title={
          <>
            <Name>{row.clientName}</Name> → <Name>{row.apiName}</Name>
          </>
        }
        pills={
          <>
            <StatePills of={row} />
            {row.managed && <Managed />}
          </>
        }
        side={<When at={row.updatedAt} />}
      >
        <Dots>
          <code>{row.clientId}</code>
          {row.requestedByEmail}
        </Dots>
      </Row>
    )),
  };
});
