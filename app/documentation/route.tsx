import { CopyField, Prose } from '#app/_components/pieces.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { htmlPage } from '#app/_html/html-page.ts';
import { DOCUMENTATION_SCRIPTS } from '#app/_html/scripts.ts';
import { listPublishedApis, type PublishedApi } from '#lib/oauth/metadata.ts';
import { sections } from '#lib/reference/described.ts';
import { settings } from '#lib/settings/settings.ts';
import { guidePath } from './_guides/addresses.ts';
import { Contents, DocumentationFrame, Endpoint } from './_guides/frame.tsx';
import { guideGroups } from './_guides/guides.tsx';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(
  async ({ frame }) => {
    const apis = await listPublishedApis();
    const { baseUrl, authUrl, serviceName } = settings();
    const { language, theme } = frame.words;
    return {
      title: 'Documentation',
      content: <DocumentationPage apis={apis} frame={frame} />,
      scripts: DOCUMENTATION_SCRIPTS,
      keptBy: JSON.stringify(['documentation', language, theme, baseUrl, authUrl, serviceName, apis]),
    };
  },
  { translated: true },
);

function DocumentationPage({ apis, frame }: { apis: PublishedApi[]; frame: HostedFrame }) {
  const { baseUrl, authUrl } = settings();
  const combinations = apis.flatMap((api) => api.issuers.map((issuer) => ({ api, ...issuer })));
  return (
    <DocumentationFrame
      frame={frame}
      title="Documentation"
      lead={
        <>
          Guides, and everything a client or an API can ask of this service, each with a command to paste.
          Programs read the same in <a href="/openapi.json">openapi.json</a>.
        </>
      }
      menu={<Contents words={frame.words} />}
    >
      <div className="documentation-text">
        <section id="guides" aria-labelledby="guides-title">
          <h2 id="guides-title">Guides</h2>
          <dl className="rows guide-groups">
            {guideGroups().map(({ title, guides }) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  <ul>
                    {guides.map((guide) => (
                      <li key={guide.id}>
                        <a href={guidePath(guide.id)}>{guide.title}</a>
                      </li>
                    ))}
                  </ul>
                </dd>
              </div>
            ))}
          </dl>
        </section>
        <section id="combinations" aria-labelledby="combinations-title">
          <h2 id="combinations-title">Valid combinations</h2>
          {combinations.length === 0 ? (
            <p>
              There is none yet: no API is published. <a href="/apis">What to do about it</a>
            </p>
          ) : (
            <>
              <p>
                These issuers exist here, now. Any other combination of a method and an API is answered with
                404.
              </p>
              <dl className="rows combinations">
                {combinations.map(({ api, method, issuer }) => (
                  <div key={issuer}>
                    <dt>
                      <a href={`/apis/${encodeURIComponent(api.id)}`}>{api.name}</a>
                      <span>{method.name}</span>
                    </dt>
                    <dd>
                      <CopyField label={`issuer of ${api.name} with ${method.name}`} value={issuer} />
                    </dd>
                  </div>
                ))}
              </dl>
            </>
          )}
        </section>
        {sections.map(({ id, title, intro, endpoints }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`}>
            <h2 id={`${id}-title`}>{title}</h2>
            <p>
              <Prose>{intro}</Prose>
            </p>
            {endpoints.map((endpoint) => (
              <Endpoint key={endpoint.id} endpoint={endpoint} addresses={{ baseUrl, authUrl }} />
            ))}
          </section>
        ))}
      </div>
    </DocumentationFrame>
  );
}
