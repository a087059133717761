import type { SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageApis } from '#lib/management/apis.ts';
import { path as pathOf } from '../../_kit/console-form.ts';
import { Dots, List, Ordered, Row, Search } from '../../_kit/list.tsx';
import { Empty, Managed, Pill, Title } from '../../_kit/pieces.tsx';
import { visit } from '../../_kit/visit.tsx';

export const generateMetadata = pageTitle('APIs');

const path = '/admin/apis';

export default function ApisPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: path, path, searchParams }, async ({ actor, query }) => {
    const { search = '', cursor = '', order = '' } = query;
    const page = await pageApis(actor, { counted: true, search, cursor, order: order || 'name' });
    return (
      <>
        <Title
          lead={say(
            'The services that tokens are issued for. Each API lists its sign-in methods, and every pair is a separate issuer.',
          )}
          actions={
            <a className="button" href="/admin/apis/new">
              {say('Publish an API')}
            </a>
          }
        >
          {say('APIs')}
        </Title>
        <Search action={path} search={search} placeholder={say('Search by name or id')} order={order} />
        <Ordered
          path={path}
          query={{ search, order, cursor }}
          page={page}
          orders={{ name: say('Name'), id: say('Id') }}
        >
          {page.rows.length === 0 ? (
            <Empty heading={say('No APIs')}>
              <p>
                {search
                  ? say('No matching name.')
                  : say('Publish an API so that developers can subscribe to it.')}
              </p>
            </Empty>
          ) : (
            <List label={say('APIs')}>
              {page.rows.map((api) => (
                <Row
                  key={api.id}
                  href={pathOf('admin', 'apis', api.id)}
                  title={<Name>{api.name}</Name>}
                  pills={
                    <>
                      {api.pending > 0 && (
                        <Pill tone="waiting">{say('{count} waiting', { count: api.pending })}</Pill>
                      )}
                      {api.managed && <Managed />}
                    </>
                  }
                  side={say('{count, plural, one {# subscription} other {# subscriptions}}', {
                    count: api.subscriptions,
                  })}
                >
                  <Dots>
                    <code>{api.id}</code>
                    {api.authMethods.join(', ') || say('sign-in is not possible yet')}
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
