import { Name } from '#app/_components/pieces.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say, sayText } from '#app/(console)/_texts/say.tsx';
import { listCatalogue } from '#lib/catalogue/apis/operations.ts';
import type { CatalogueEntry } from '#lib/catalogue/apis/rows.ts';
import { pageClients } from '#lib/catalogue/clients/operations.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { List, Row, Search } from '../../_kit/list.tsx';
import { Empty, Pill, StatePills, Title } from '../../_kit/pieces.tsx';
import { consolePage } from '../../_kit/visit.tsx';
import { clientPath } from '../../_subjects/client-kinds.ts';

export const generateMetadata = pageTitle('API catalogue');

const path = '/developer/catalogue';

export default consolePage(path, async ({ actor, query }) => {
  const { search = '' } = query;
  const clients = (await pageClients(actor, { own: true, limit: 200 })).rows;
  const clientId = query['client'] || (clients.length === 1 ? clients[0]?.clientId : undefined);
  const apis = await listCatalogue(actor, { search, clientId });
  const options = [
    ['', say('No application')],
    ...clients.map(({ clientId: id, name }) => [
      id,
      say('For {application}', { application: plainText(name) }),
    ]),
  ] as [string, string][];
  return (
    <>
      <Title
        lead={say('APIs that an application can request. Choose an application, then an API, to subscribe.')}
      >
        {say('API catalogue')}
      </Title>
      <Search
        action={path}
        search={search}
        placeholder={say('Search APIs')}
        filters={
          clients.length > 0
            ? [{ name: 'client', label: say('Application'), value: clientId ?? '', options }]
            : []
        }
      />
      {apis.length === 0 ? (
        <Empty heading={search ? say('No matching APIs') : say('No APIs published yet')}>
          <p>
            {search
              ? say('Search for something else.')
              : say('APIs appear on this page when an administrator publishes them.')}
          </p>
        </Empty>
      ) : (
        <List label={say('APIs')}>
          {apis.map((api) => (
            <Row
              key={api.id}
              href={
                clientId
                  ? clientPath('developer', clientId, 'apis', api.id)
                  : `/apis/${encodeURIComponent(api.id)}`
              }
              title={<Name>{api.name}</Name>}
              pills={<State of={api} />}
              side={api.methods.map(({ name }) => sayText(name)).join(' · ')}
            >
              {api.description && <p>{sayText(api.description)}</p>}
              <p>{scopesOf(api)}</p>
            </Row>
          ))}
        </List>
      )}
      {clients.length === 0 && (
        <Empty heading={say('To subscribe, register an application first')}>
          <p>
            <a className="button" href="/developer/clients/new">
              {say('Register an application')}
            </a>
          </p>
        </Empty>
      )}
    </>
  );
});

const MOST = 5;

/** Describes the first few scopes of an API. The page of the subscription shows all scopes. */
function scopesOf({ scopes }: CatalogueEntry): string {
  const words = scopes.map(({ name, description }) => sayText(description) || name);
  const more = words.length - MOST;
  return [...words.slice(0, MOST), ...(more > 0 ? [say('{count} more', { count: more })] : [])].join(' · ');
}

function State({ of: { subscription, requireApproval } }: { of: CatalogueEntry }) {
  if (subscription) {
    return <StatePills of={subscription} />;
  }
  return requireApproval ? <Pill tone="waiting">{say('needs approval')}</Pill> : null;
}
