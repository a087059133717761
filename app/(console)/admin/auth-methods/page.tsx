import type { SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { currentWords, say } from '#app/(console)/_texts/say.tsx';
import { pageAuthMethods } from '#lib/management/methods.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { methodKind } from '#lib/registry/methods/questions.ts';
import { path as pathOf } from '../../_kit/console-form.ts';
import { Dots, List, Ordered, Row, Search } from '../../_kit/list.tsx';
import { Empty, Managed, Pill, Title } from '../../_kit/pieces.tsx';
import { visit } from '../../_kit/visit.tsx';

export const generateMetadata = pageTitle('Sign-in methods');

const path = '/admin/auth-methods';

/** Lower case inside English sentences; unchanged in other languages. */
function kindOf(type: AuthMethodType): string {
  const { label } = methodKind(type).words;
  return currentWords().language === 'en' ? label.toLowerCase() : say(label);
}

export default function MethodsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: path, path, searchParams }, async ({ actor, query }) => {
    const { search = '', cursor = '', order = '' } = query;
    const page = await pageAuthMethods(actor, { counted: true, search, cursor, order: order || 'name' });
    return (
      <>
        <Title
          lead={say('The ways in which people can prove who they are.')}
          actions={
            <a className="button" href="/admin/auth-methods/new">
              {say('Add method')}
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
                  ? say('No matching name.')
                  : say('Add a local method so that people can sign in with a password.')}
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
                      <Pill tone="neutral">{kindOf(method.type)}</Pill>
                      {method.managed && <Managed />}
                    </>
                  }
                  side={say('{count} signed in', { count: method.sessions })}
                >
                  <Dots>
                    <code>{method.id}</code>
                    {method.apis.length > 0
                      ? say('for {apis}', { apis: method.apis.join(', ') })
                      : say('no API uses it')}
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
