import type { SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { Dots, List, Ordered, Row, Search } from '#app/(console)/_kit/list.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Empty, Managed, Title } from '#app/(console)/_kit/pieces.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { groupPath } from '#app/(console)/_subjects/group-forms.ts';
import { memberCount } from '#app/(console)/_subjects/object-pages.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageGroups } from '#lib/management/groups.ts';

export const generateMetadata = pageTitle('Groups');

const path = '/admin/groups';

export default function GroupsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: path, path, searchParams }, async ({ actor, query }) => {
    const { search = '', cursor = '', order = '' } = query;
    const page = await pageGroups(actor, { counted: true, search, cursor, order: order || 'name' });
    return (
      <>
        <Title
          lead={say(
            'A group is a named set of people. APIs and scopes can be limited to groups, and tokens contain the person’s groups.',
          )}
          actions={
            <a className="button" href={`${path}/new`}>
              {say('Add group')}
            </a>
          }
        >
          {say('Groups')}
        </Title>
        <Search action={path} search={search} placeholder={say('Search by name or id')} order={order} />
        <Ordered
          path={path}
          query={{ search, order, cursor }}
          page={page}
          orders={{ name: say('Name'), id: say('Id') }}
        >
          {page.rows.length === 0 ? (
            <Empty heading={say('No groups')}>
              <p>
                {search
                  ? say('No matching name.')
                  : say('Add a group, then select it at an API or one of its scopes.')}
              </p>
            </Empty>
          ) : (
            <List label={say('Groups')}>
              {page.rows.map((group) => (
                <Row
                  key={group.id}
                  href={groupPath(group.id)}
                  title={<Name>{group.name}</Name>}
                  pills={group.managed && <Managed />}
                  side={memberCount(group)}
                >
                  <Dots>
                    <code>{group.id}</code>
                    {group.apis.length > 0
                      ? say('for {apis}', { apis: group.apis.join(', ') })
                      : say('not used by any API')}
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
