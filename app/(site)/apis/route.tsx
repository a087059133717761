import { SitePage } from '#app/_components/frame.tsx';
import { Tile } from '#app/_components/hosted-parts.tsx';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';
import { listPublishedApis } from '#lib/oauth/metadata.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(ApisPage);

async function ApisPage({ frameFor }: Visit) {
  const apis = await listPublishedApis();
  return (
    <SitePage frame={frameFor({ title: { text: 'APIs' } })} here="apis">
      <h1>APIs</h1>
      {apis.length === 0 ? (
        <div className="empty">
          <h2>No API is published yet</h2>
          <p>
            Describe one in the configuration file, under <code>apis</code>, and bring it in:
          </p>
          <pre>
            <code>npm run -s gatehouse -- apply gatehouse.yaml</code>
          </pre>
          <p>
            Then it appears here. <a href="/documentation">The documentation</a> says what its clients do
            next.
          </p>
        </div>
      ) : (
        <>
          <p className="lead">
            Choose one to see how people sign in to it, its addresses and what it allows.
          </p>
          <ul className="api-list">
            {apis.map((api) => (
              <li key={api.id}>
                <Tile of="api" id={api.id} name={api.name} logoUri={api.brand?.logo ?? null} />
                <div>
                  <h2>
                    <a href={`/apis/${encodeURIComponent(api.id)}`}>{api.name}</a>
                  </h2>
                  {api.description && <p>{api.description}</p>}
                  <p className="soft">{waysIn(api.issuers.map(({ method }) => method.name))}</p>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </SitePage>
  );
}

function waysIn(names: string[]): string {
  return names.length === 0 ? 'No sign-in method yet' : `Sign in with: ${names.join(' · ')}`;
}
