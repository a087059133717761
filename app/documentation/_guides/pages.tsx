// Page components of the documentation; routes and tests render them.
import { CodeBlock } from '#app/_components/copy.tsx';
import type { HostedFrame } from '#app/_components/frame.tsx';
import { CopyField, Prose } from '#app/_components/pieces.tsx';
import { VERSION } from '#lib/kit/version.ts';
import { listResources, type Resource } from '#lib/management-api/resources.ts';
import type { PublishedApi } from '#lib/oauth/metadata.ts';
import { type Described, sections } from '#lib/reference/described.ts';
import { settings } from '#lib/settings/settings.ts';
import { endpointPath, guidePath, resourcePath } from './addresses.ts';
import { EndpointMenu, EndpointText, endpointTitle, partsOf, ResourceText } from './endpoints.tsx';
import { DocumentationFrame, GuideMenu, sectionsOf } from './frame.tsx';
import { allGuides, type Guide, GuideText, guideGroups } from './guides.tsx';

export function DocumentationPage({ apis, frame }: { apis: PublishedApi[]; frame: HostedFrame }) {
  return (
    <DocumentationFrame
      frame={frame}
      title="Documentation"
      isIndex
      lead={
        <>
          Guides, and every endpoint with a command to paste. For programs:{' '}
          <a href="/openapi.json">openapi.json</a>.
        </>
      }
    >
      <div className="documentation-text">
        <section id="guides" className="guide-index">
          {guideGroups().map(({ title, guides }) => (
            <div key={title}>
              <h2>{title}</h2>
              <ul>
                {guides.map(({ id, title: name, about }) => (
                  <li key={id}>
                    <a href={guidePath(id)}>{name}</a> <span>{about}</span>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </section>
        <section aria-labelledby="endpoints">
          <h2 id="endpoints">Endpoints</h2>
          <p className="soft">
            Addresses without a host begin with an issuer, such as <code>/auth/local/api/orders</code>, or
            with the address of the service.
          </p>
          <div className="endpoint-index">
            {sections.map(({ id, title, endpoints }) => (
              <div key={id} id={id}>
                <h3>{title}</h3>
                <ul>
                  {endpoints.map((endpoint) => (
                    // earlier versions described all endpoints on this page, so old links contain this id
                    <li key={endpoint.id} id={`endpoint-${endpoint.id}`}>
                      <a href={endpointPath(endpoint.id)}>
                        <code>{endpointTitle(endpoint)}</code>
                      </a>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
            <div>
              <h3>Management API</h3>
              <ul>
                {listResources().map(({ id, title }) => (
                  <li key={id}>
                    <a href={resourcePath(id)}>{title}</a>
                  </li>
                ))}
              </ul>
            </div>
          </div>
        </section>
        <Combinations apis={apis} />
      </div>
    </DocumentationFrame>
  );
}

/** The list is collapsed, so that the page stays short even with many combinations. */
function Combinations({ apis }: { apis: PublishedApi[] }) {
  const combinations = apis.flatMap((api) => api.issuers.map((issuer) => ({ api, ...issuer })));
  const [first] = combinations;
  return (
    <section id="combinations" aria-labelledby="combinations-title">
      <h2 id="combinations-title">Valid combinations</h2>
      {first === undefined ? (
        <p>
          No API is published yet. <a href="/apis">Publish one</a>
        </p>
      ) : (
        <>
          <details>
            <summary>{combinations.length === 1 ? '1 issuer' : `${combinations.length} issuers`}</summary>
            <p>Every other combination of an API and a sign-in method returns 404.</p>
            <CodeBlock
              label="Metadata of an issuer"
              code={`curl -sS '${first.issuer}/.well-known/openid-configuration'`}
            />
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
          </details>
        </>
      )}
    </section>
  );
}

export function GuidePage({ guide, frame }: { guide: Guide; frame: HostedFrame }) {
  const { words } = frame;
  const { t, language, direction } = words;
  const languageAttributes = { lang: language, dir: direction };
  const all = allGuides();
  const at = all.indexOf(guide);
  const [before, after] = at < 0 ? [] : [all[at - 1], all[at + 1]];
  return (
    <DocumentationFrame
      frame={frame}
      title={guide.title}
      contents={sectionsOf(guide)}
      menu={<GuideMenu here={guide} words={words} />}
    >
      <article className="documentation-text guide-text">
        <GuideText guide={guide} />
        <p className="guide-foot">
          Gatehouse {VERSION} · <a href={`${guidePath(guide.id)}.md`}>Markdown</a>
        </p>
        <nav className="guide-next" aria-label={`${t('site.previous')}, ${t('site.next')}`}>
          {before && (
            <a href={guidePath(before.id)} rel="prev">
              <span {...languageAttributes}>{t('site.previous')}</span> {before.title}
            </a>
          )}
          {after && (
            <a href={guidePath(after.id)} rel="next">
              <span {...languageAttributes}>{t('site.next')}</span> {after.title}
            </a>
          )}
        </nav>
      </article>
    </DocumentationFrame>
  );
}

export function EndpointPage({ endpoint, frame }: { endpoint: Described; frame: HostedFrame }) {
  return (
    <DocumentationFrame
      frame={frame}
      title={endpointTitle(endpoint)}
      lead={<Prose>{endpoint.summary}</Prose>}
      contents={partsOf(endpoint)}
      menu={<EndpointMenu here={endpoint.id} words={frame.words} />}
    >
      <EndpointText endpoint={endpoint} addresses={settings()} />
    </DocumentationFrame>
  );
}

export function ResourcePage({ resource, frame }: { resource: Resource; frame: HostedFrame }) {
  const { baseUrl } = settings();
  return (
    <DocumentationFrame
      frame={frame}
      title={resource.title}
      lead={
        <>
          Management API, at <code>{baseUrl}/api/v1</code>.{' '}
          <a href={guidePath('management-api')}>Tokens, lists, versions and errors</a>
        </>
      }
      menu={<EndpointMenu here={resource.id} words={frame.words} />}
    >
      <ResourceText resource={resource} baseUrl={baseUrl} />
    </DocumentationFrame>
  );
}
