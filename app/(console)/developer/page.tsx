import type { SearchParams } from '#app/_components/page-input.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageClients } from '#lib/management/clients.ts';
import { dayFilters, Search } from '../_kit/list.tsx';
import { Empty, Title } from '../_kit/pieces.tsx';
import { visit } from '../_kit/visit.tsx';
import { ClientList } from '../_subjects/client-lists.tsx';
import { FirstToken } from '../_subjects/upkeep.tsx';

export const generateMetadata = pageTitle('Applications');

export default function DeveloperPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'developer', here: '/developer', path: '/developer', searchParams } as const;
  return visit(page, async (visited) => {
    const { actor, query } = visited;
    const { search = '', cursor = '', order = '' } = query;
    const days = await dayFilters(actor, query, [{ name: 'created', label: say('Created') }]);
    const page = await pageClients(actor, {
      ...days.asked,
      counted: true,
      own: true,
      search,
      cursor,
      order: order || 'name',
    });
    const filterValues = [search, cursor, ...Object.values(days.query)];
    const none = page.rows.length === 0 && filterValues.every((value) => value === '');
    return (
      <>
        <Title
          lead={say(
            'Your applications, with their registration, the APIs that they can use, and their failed requests.',
          )}
          actions={
            !none && (
              <a className="button" href="/developer/clients/new">
                {say('Register an application')}
              </a>
            )
          }
        >
          {say('Applications')}
        </Title>
        <FirstToken {...visited} />
        {none ? (
          <Empty heading={say('Register your first application')}>
            <p>
              {say(
                'The application gets a client id, and a secret if it runs on a server. It then subscribes to an API, and the playground shows the whole exchange before you write any code.',
              )}
            </p>
            <p>
              <a className="button" href="/developer/clients/new">
                {say('Register an application')}
              </a>
            </p>
          </Empty>
        ) : (
          <>
            <Search
              action="/developer"
              search={search}
              placeholder={say('Search by name or client id')}
              order={order}
              days={days}
            />
            <ClientList
              actor={actor}
              path="/developer"
              query={{ search, order, ...days.query, cursor }}
              page={page}
              area="developer"
            />
          </>
        )}
      </>
    );
  });
}
