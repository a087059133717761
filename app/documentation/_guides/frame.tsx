// Layout of the documentation: search form, guide menu, contents of the API reference.
import type { ReactNode } from 'react';
import { CodeBlock } from '#app/_components/copy.tsx';
import { Prose } from '#app/_components/pieces.tsx';
import { SitePage } from '#app/_components/site-page.tsx';
import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { Words } from '#lib/language/words.ts';
import { type Described, sections } from '#lib/reference/described.ts';
import type { Addresses } from '#lib/reference/endpoint.ts';
import { GUIDES_PATH, guidePath } from './addresses.ts';
import { type Guide, guideGroups } from './guides.tsx';
import { MAX_QUERY } from './search.ts';

type DocumentationFrameProps = {
  frame: HostedFrame;
  title: string;
  /** below the title; without one a link leads back to the documentation */
  lead?: ReactNode;
  /** what was searched for */
  query?: string;
  menu: ReactNode;
  children: ReactNode;
};

/** Documentation page: title, search, text and guide menu. Wide screens show the menu beside the text. */
export function DocumentationFrame({
  frame,
  title,
  lead,
  query = '',
  menu,
  children,
}: DocumentationFrameProps) {
  const { t, language, direction } = frame.words;
  return (
    <SitePage frame={frame} here="documentation" wide>
      <div className="documentation">
        <div className="documentation-head">
          {!lead && (
            <p className="crumb" lang={language} dir={direction}>
              <a href="/documentation">{t('console.documentation')}</a>
            </p>
          )}
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
          <Search query={query} words={frame.words} />
        </div>
        {children}
        {menu}
      </div>
    </SitePage>
  );
}

/** Separate form element: search works without scripts. */
function Search({ query, words: { t, language, direction } }: { query: string; words: Words }) {
  const label = t('site.search_documentation');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a form is the landmark here, and <search> has no styles of ours
    <form className="field guide-search" action={GUIDES_PATH} role="search" lang={language} dir={direction}>
      <label className="unseen" htmlFor="guide-search">
        {label}
      </label>
      <input
        id="guide-search"
        type="search"
        name="q"
        defaultValue={query}
        maxLength={MAX_QUERY}
        dir="auto"
        placeholder={label}
      />
      <button type="submit" className="button plain">
        {t('site.search')}
      </button>
    </form>
  );
}

/** Menu of all guides by group. The open guide also shows its sections. */
export function GuideMenu({ here, words }: { here?: Guide; words: Words }) {
  const { t, language, direction } = words;
  return (
    <nav className="contents" aria-label={t('site.guides')}>
      <p lang={language} dir={direction}>
        <a href="/documentation">{t('site.all_endpoints')}</a>
      </p>
      {guideGroups().map(({ title, guides }) => (
        <div key={title}>
          <p>{title}</p>
          <ul>
            {guides.map((guide) => (
              <li key={guide.id}>
                <a href={guidePath(guide.id)} aria-current={guide === here ? 'page' : undefined}>
                  {guide.title}
                </a>
                {guide === here && <Sections of={guide} />}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Sections({ of }: { of: Guide }) {
  const sections = of.headings.filter(({ depth }) => depth === 2);
  if (sections.length === 0) return null;
  return (
    <ul>
      {sections.map(({ id, text }) => (
        <li key={id}>
          <a href={`#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

/** Table of contents for the endpoint page. */
export function Contents({ words: { t, language, direction } }: { words: Words }) {
  return (
    <nav className="contents" aria-label={t('site.contents')}>
      <h2 lang={language} dir={direction}>
        {t('site.contents')}
      </h2>
      <ul>
        <li>
          <a href="#guides">Guides</a>
        </li>
        <li>
          <a href="#combinations">Valid combinations</a>
        </li>
      </ul>
      <p>Endpoints</p>
      <ul>
        {sections.map(({ id, title, endpoints }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
            <ul>
              {endpoints.map((endpoint) => (
                <li key={endpoint.id}>
                  <a href={`#endpoint-${endpoint.id}`}>{endpoint.summary}</a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type EndpointProps = { endpoint: Described; addresses: Addresses };

/** Renders one endpoint: summary, example command, parameters, responses and errors. */
export function Endpoint({ endpoint, addresses }: EndpointProps) {
  const { id, method, path, summary, description, parameters, answers, declares } = endpoint;
  return (
    <article className="endpoint" id={`endpoint-${id}`} aria-labelledby={`endpoint-${id}-title`}>
      <h3 id={`endpoint-${id}-title`}>{summary}</h3>
      <p className="endpoint-address">
        <span className="badge">{method}</span> <code>{path}</code>
      </p>
      <p>
        <Prose>{description}</Prose>
      </p>
      <CodeBlock label={`Try it: ${summary}`} code={endpoint.command(addresses)} />
      <Rows title="Parameters" none={parameters.length === 0}>
        {parameters.map(({ name, in: place, required, description }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code>
              <span>{`${place}, ${demand(required)}`}</span>
            </dt>
            <dd>
              <Prose>{description}</Prose>
            </dd>
          </div>
        ))}
      </Rows>
      <Rows title="Answers" none={answers.length === 0}>
        {answers.map(({ status, description, example }) => (
          <div key={`${status} ${description}`}>
            <dt>
              <code>{status}</code>
            </dt>
            <dd>
              <Prose>{description}</Prose>
              {example !== undefined && <CodeBlock label={`Example of ${status}`} code={example} />}
            </dd>
          </div>
        ))}
      </Rows>
      <Rows title="Errors" none={declares.errors.length === 0}>
        {declares.errors.map(({ status, error, when }) => (
          <div key={`${status} ${error} ${when}`}>
            <dt>
              <ErrorCode code={error} />
              <span>{status}</span>
            </dt>
            <dd>
              <Prose>{when}</Prose>
            </dd>
          </div>
        ))}
      </Rows>
    </article>
  );
}

/** Links a code of the wire to its section; others, such as `no redirect`, have none. */
function ErrorCode({ code }: { code: string }) {
  if (!/^[a-z_]+$/.test(code)) return <code>{code}</code>;
  return (
    <a href={`${guidePath('errors')}#${code}`}>
      <code>{code}</code>
    </a>
  );
}

function Rows({ title, none, children }: { title: string; none: boolean; children: ReactNode }) {
  if (none) return null;
  return (
    <>
      <h4>{title}</h4>
      <dl className="rows">{children}</dl>
    </>
  );
}

function demand(required: string): string {
  if (required === 'yes') return 'required';
  return required === 'no' ? 'optional' : `required: ${required}`;
}
