import type { SearchParams } from '#app/_components/page-input.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageClients } from '#lib/management/clients.ts';
import { enter } from '#lib/management/operations.ts';
import { CLIENT_KIND_WORDS, CLIENT_KINDS } from '#lib/registry/client.ts';
import { dayFilters, Search } from '../../_kit/list.tsx';
import { Empty, Title } from '../../_kit/pieces.tsx';
import { visit } from '../../_kit/visit.tsx';
import { ClientList } from '../../_subjects/client-lists.tsx';

export const generateMetadata = pageTitle('Clients');

const path = '/admin/clients';

export default function ClientsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: path, path, searchParams }, async ({ actor, query }) => {
    await enter(actor, { action: 'clients.see-all' });
    const { search = '', cursor = '', order = '', kind = '', state = '' } = query;
    const days = await dayFilters(actor, query, [{ name: 'created', label: say('Created') }]);
    const page = await pageClients(actor, {
      ...days.asked,
      counted: true,
      search,
      cursor,
      order: order || 'name',
      kind: CLIENT_KINDS.find((clientKind) => clientKind === kind),
      state: state === 'active' || state === 'disabled' ? state : undefined,
    });
    const none =
      page.rows.length === 0 &&
      [search, cursor, kind, state, ...Object.values(days.query)].every((value) => value === '');
    return (
      <>
        <Title
          lead={say('All applications that can request tokens, of all owners.')}
          actions={
            <a className="button" href="/admin/clients/new">
              {say('Register a client')}
            </a>
          }
        >
          {say('Clients')}
        </Title>
        {none ? (
          <Empty heading={say('No clients yet')}>
            <p>
              {say(
                'Register a client, grant developers their role so that they can register clients, or add clients to the configuration file.',
              )}
            </p>
          </Empty>
        ) : (
          <>
            <Search
              action={path}
              search={search}
              placeholder={say('Search by name or client id')}
              order={order}
              days={days}
              filters={[
                {
                  name: 'kind',
                  label: say('Kind'),
                  value: kind,
                  options: [
                    ['', say('Any kind')],
                    ...CLIENT_KINDS.map(
                      (clientKind) => [clientKind, say(CLIENT_KIND_WORDS[clientKind].label)] as const,
                    ),
                  ],
                },
                {
                  name: 'state',
                  label: say('State'),
                  value: state,
                  options: [
                    ['', say('Any state')],
                    ['active', say('Enabled')],
                    ['disabled', say('Disabled')],
                  ],
                },
              ]}
            />
            <ClientList
              actor={actor}
              path={path}
              query={{ search, kind, state, order, ...days.query, cursor }}
              page={page}
              area="admin"
            />
          </>
        )}
      </>
    );
  });
}
