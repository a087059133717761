import type { SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say, sayEach } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { enter } from '#lib/management/operations.ts';
import { pageSubscriptions } from '#lib/management/subscriptions.ts';
import { SUBSCRIPTION_STATES, type SubscriptionState } from '#lib/registry/subscription.ts';
import { path as pathOf } from '../../_kit/console-form.ts';
import { Dots, dayFilters, List, Ordered, Row, Search } from '../../_kit/list.tsx';
import { Empty, Managed, Pill, StatePill, Title, When } from '../../_kit/pieces.tsx';
import { visit } from '../../_kit/visit.tsx';

export const generateMetadata = pageTitle('Subscriptions');

const path = '/admin/subscriptions';
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

export default function SubscriptionsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: path, path, searchParams }, async ({ actor, query }) => {
    await enter(actor, { action: 'subscriptions.decide' });
    const { search = '', cursor = '', order = '', state = '', trusted = '', machine = '' } = query;
    const days = await dayFilters(actor, query, [
      { name: 'requested', label: say('Requested') },
      { name: 'decided', label: say('Decided') },
    ]);
    const page = await pageSubscriptions(actor, {
      ...days.asked,
      counted: true,
      search,
      cursor,
      order,
      state: SUBSCRIPTION_STATES.find((stateName) => stateName === state),
      trusted: trusted === '' ? undefined : trusted === 'yes',
      machine: machine === '' ? undefined : machine === 'yes',
    });
    return (
      <>
        <Title lead={say('Which client can use which API, and with which rights.')}>
          {say('Subscriptions')}
        </Title>
        <Search
          action={path}
          search={search}
          placeholder={say('Search by client or API')}
          order={order}
          days={days}
          filters={[
            { name: 'state', label: say('State'), value: state, options: sayEach(STATES) },
            { name: 'trusted', label: say('Trust'), value: trusted, options: sayEach(TRUST) },
            { name: 'machine', label: say('Machine'), value: machine, options: sayEach(MACHINE) },
          ]}
        />
        <Ordered
          path={path}
          query={{ search, state, trusted, machine, order, ...days.query, cursor }}
          page={page}
          orders={{ changed: say('Last change'), name: say('Client') }}
        >
          {page.rows.length === 0 &&
          (search || state || trusted || machine || Object.values(days.query).some(Boolean)) ? (
            <p className="soft nothing">{say('No matches. Search for something else.')}</p>
          ) : page.rows.length === 0 ? (
            <Empty heading={say('No subscriptions yet')}>
              <p>
                {say('Subscriptions appear on this page when developers request them in the API catalogue.')}
              </p>
            </Empty>
          ) : (
            <List label={say('Subscriptions')}>
              {page.rows.map((row) => (
                <Row
                  key={`${row.clientId} ${row.api}`}
                  href={pathOf('admin', 'subscriptions', row.clientId, row.api)}
                  title={
                    <>
                      <Name>{row.clientName}</Name> → <Name>{row.apiName}</Name>
                    </>
                  }
                  pills={
                    <>
                      <StatePill state={row.state} />
                      {row.trusted && <Pill tone="neutral">{say('trusted')}</Pill>}
                      {row.machine && <Pill tone="neutral">{say('machine')}</Pill>}
                      {row.device && <Pill tone="neutral">{say('device')}</Pill>}
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
              ))}
            </List>
          )}
        </Ordered>
      </>
    );
  });
}
