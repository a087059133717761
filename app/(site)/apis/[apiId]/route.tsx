import { CodeBlock } from '#app/_components/copy.tsx';
import { SitePage } from '#app/_components/frame.tsx';
import { highlight } from '#app/_components/highlight.tsx';
import { ApiAddresses, CopyField } from '#app/_components/pieces.tsx';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';
import { firstSnippet } from '#app/_snippets/snippets.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { COPY_SCRIPT } from '#lib/http/page.ts';
import { readPublishedApi } from '#lib/oauth/metadata.ts';
import { Protection, ResourceMetadata, Rules } from './parts.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(ApiPage);

async function ApiPage({ path, frameFor }: Visit<{ apiId: string }>) {
  const api = await readPublishedApi(path.apiId);
  if (!api) return null;
  const example = firstSnippet(api);
  const frame = frameFor({ title: { text: `${api.name} API` }, scripts: [COPY_SCRIPT] });
  return (
    <SitePage frame={frame} here="apis">
      <p className="crumb">
        <a href="/apis">APIs</a>
      </p>
      <h1>{api.name}</h1>
      {api.description && <p className="lead">{api.description}</p>}
      <ApiAddresses api={api} />
      <p className="api-next">
        <a className="button" href="/developer/clients/new">
          Register an application
        </a>
        <a className="button plain" href={`/developer/catalogue?search=${encodeURIComponent(api.id)}`}>
          Subscribe
        </a>
      </p>

      <section aria-labelledby="ways">
        <h2 id="ways">Sign-in methods</h2>
        <p>
          Each is an issuer of its own. A standard client library needs its issuer address and finds the rest
          by itself.
        </p>
        {api.issuers.length === 0 && <p className="alert">This API has no sign-in method yet.</p>}
        {api.issuers.map((issuer, index) => (
          <article className="issuer" key={issuer.issuer}>
            <h3>
              {issuer.method.name}{' '}
              <span className="badge">{methodKind(issuer.method.type).words.catalogue}</span>
            </h3>
            <h4>Issuer</h4>
            <CopyField label={`issuer of ${issuer.method.name}`} value={issuer.issuer} />
            {issuer.host !== null && (
              <>
                <h4>The same issuer on a host of its own</h4>
                <p className="note">For a client that drops the path of an issuer. Use one of the two.</p>
                <CopyField label={`host of ${issuer.method.name}`} value={issuer.host} />
              </>
            )}
            <details open={index === 0}>
              <summary>All its addresses</summary>
              <dl className="addresses">
                {(
                  [
                    ['Authorize', issuer.authorizationEndpoint],
                    ['Token', issuer.tokenEndpoint],
                    ['Revoke', issuer.revocationEndpoint],
                    ['Introspect', issuer.introspectionEndpoint],
                    ['Keys (JWKS)', issuer.jwksUri],
                    ['Metadata', issuer.metadataUrl],
                  ] as const
                ).map(([label, address]) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      <CopyField label={`${label} address of ${issuer.method.name}`} value={address} />
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          </article>
        ))}
      </section>

      <Rules api={api} />
      <Protection api={api} />
      <ResourceMetadata api={api} />

      {example && (
        <section aria-labelledby="start">
          <h2 id="start">Start with openid-client</h2>
          <p>
            Your client needs a{' '}
            <a href={`/developer/catalogue?search=${encodeURIComponent(api.id)}`}>subscription</a> to{' '}
            {api.name}
            {api.requireApproval ? '; it waits for approval.' : '.'} Words in capitals are yours to replace. A
            public client has no secret: pass <code>undefined</code> in its place, then{' '}
            <code>client.None()</code>.
          </p>
          <CodeBlock label={example.label} code={highlight(example.code, example.language)} />
        </section>
      )}
    </SitePage>
  );
}
