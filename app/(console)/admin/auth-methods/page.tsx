import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { pageAuthMethods } from '#lib/management/index.ts';
import { methodKind } from '#lib/registry/index.ts';
import { path as pathOf } from '../../_forms/form.ts';
import { List, Ordered, Row, Search } from '../../_ui/list.tsx';
import { Empty, Managed, Pill, Title } from '../../_ui/pieces.tsx';
import { visit } from '../../_visit/visit.tsx';

export const generateMetadata = titled('Sign-in methods');

const path = '/admin/auth-methods';

export default function MethodsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: path, path, searchParams }, async ({ actor, query }) => {
    const { search = '', cursor = '', order = '' } = query;
    const page = await pageAuthMethods(actor, { counted: true, search, cursor, order: order || 'name' });
    return (
      <>
        <Title
          lead={say('The ways in which people prove who they are.')}
          actions={
            <a className="button" href="/admin/auth-methods/new">
              {say('Add a method')}
            </a>
          }
        >
          {say('Sign-in methods')}
        </Title>
        <Search action={path} search={search} placeholder={say('Search by name or id')} order={order} />
        <Ordered
          path={path}
          query={{ search, order, cursor }}
          page={page}
          orders={{ name: say('Name'), id: say('Id') }}
        >
          {page.rows.length === 0 ? (
            <Empty heading={say('No method')}>
              <p>
                {search
                  ? say('None is called that.')
                  : say('Add a local one; then people can sign in with a password.')}
              </p>
            </Empty>
          ) : (
            <List label={say('Sign-in methods')}>
              {page.rows.map((method) => (
                <Row
                  key={method.id}
                  href={pathOf('admin', 'auth-methods', method.id)}
                  title={<Name>{method.name}</Name>}
                  pills={
                    <>
                      <Pill tone="neutral">{methodKind(method.type).words.label.toLowerCase()}</Pill>
                      {method.managed && <Managed />}
                    </>
                  }
                  side={`${method.sessions} signed in`}
                >
                  <code>{method.id}</code>
                  {method.apis.length > 0 ? ` · for ${method.apis.join(', ')}` : ' · no API uses it'}
                </Row>
              ))}
            </List>
          )}
        </Ordered>
      </>
    );
  });
}
