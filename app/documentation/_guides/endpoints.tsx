// Pages about the endpoints, and about the resources of the management API.
import type { ReactNode } from 'react';
import { CodeBlock } from '#app/_components/copy.tsx';
import { highlight } from '#app/_components/highlight.tsx';
import { markBreaks, Prose } from '#app/_components/pieces.tsx';
import type { Words } from '#lib/language/words.ts';
import { listResources, type Resource, type ResourceOperation } from '#lib/management-api/resources.ts';
import { type Described, sections } from '#lib/reference/described.ts';
import { type Addresses, ISSUER } from '#lib/reference/endpoint.ts';
import { endpointPath, guidePath, resourcePath } from './addresses.ts';
import type { Section } from './guides.tsx';

export const findEndpoint = (id: string): Described | undefined =>
  sections.flatMap(({ endpoints }) => endpoints).find((endpoint) => endpoint.id === id);

export const findResource = (id: string): Resource | undefined =>
  listResources().find((resource) => resource.id === id);

/** Path relative to the address of the issuer: `/token`. */
const shortPath = ({ pattern, path }: Described): string =>
  pattern.startsWith(`${ISSUER}/`) ? path.replace(/^\/auth\/\{\w+\}\/api\/\{\w+\}/, '') : path;

/** `POST /token` */
export const endpointTitle = (endpoint: Described): string => `${endpoint.method} ${shortPath(endpoint)}`;

/** Headings of the sections on the page about an endpoint. */
export const partsOf = ({ parameters, answers, declares }: Described): Section[] =>
  [
    { text: 'Parameters', rows: parameters },
    { text: 'Responses', rows: answers },
    { text: 'Errors', rows: declares.errors },
  ].flatMap(({ text, rows }) => (rows.length > 0 ? [{ id: text.toLowerCase(), text }] : []));

/** Menu of all endpoints and resources. On pages about a resource, the resources come first. */
export function EndpointMenu({ here, words }: { here: string; words: Words }) {
  const { t, language, direction } = words;
  const link = (id: string, href: string, text: string) => (
    <li key={id}>
      <a href={href} aria-current={id === here ? 'page' : undefined}>
        {markBreaks(text)}
      </a>
    </li>
  );
  const resources = (
    <div>
      <p>Management API</p>
      <ul>{listResources().map(({ id, title }) => link(id, resourcePath(id), title))}</ul>
    </div>
  );
  return (
    <nav className="contents" aria-label={t('site.contents')}>
      <p lang={language} dir={direction}>
        <a href="/documentation/guides">{t('site.guides')}</a>
      </p>
      {findResource(here) && resources}
      {sections.map(({ id, title, endpoints }) => (
        <div key={id}>
          <p>{title}</p>
          <ul>
            {endpoints.map((endpoint) =>
              link(endpoint.id, endpointPath(endpoint.id), endpointTitle(endpoint)),
            )}
          </ul>
        </div>
      ))}
      {!findResource(here) && resources}
    </nav>
  );
}

type EndpointProps = { endpoint: Described; addresses: Addresses };

/** The page about one endpoint: address, description, example command, parameters, responses and errors. */
export function EndpointText({ endpoint, addresses }: EndpointProps) {
  const { method, pattern, path, summary, description, parameters, answers, declares } = endpoint;
  const host = pattern.includes(ISSUER) ? addresses.authUrl : addresses.baseUrl;
  const namedErrors = new Set<string>();
  return (
    <article className="documentation-text endpoint">
      <Address method={method} url={`${host}${path}`} />
      <p>
        <Prose>{description}</Prose>
      </p>
      <CodeBlock label={`Try it: ${summary}`} code={highlight(endpoint.command(addresses), 'sh')} />
      <Rows title="Parameters">
        {parameters.map(({ name, in: place, required, description }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{markBreaks(name)}</code>
              <span>{`${place}, ${demand(required)}`}</span>
            </dt>
            <dd>
              <Prose>{description}</Prose>
            </dd>
          </div>
        ))}
      </Rows>
      <Rows title="Responses">
        {answers.map(({ status, description, example }) => (
          <div key={`${status} ${description}`}>
            <dt>
              <code>{status}</code>
            </dt>
            <dd>
              <Prose>{description}</Prose>
              {example !== undefined && (
                <CodeBlock label={`Example of ${status}`} code={highlight(example, 'json')} />
              )}
            </dd>
          </div>
        ))}
      </Rows>
      <Rows title="Errors">
        {declares.errors.map(({ status, error, when }) => {
          const isFirst = !namedErrors.has(error);
          namedErrors.add(error);
          return (
            <div
              key={`${status} ${error} ${when}`}
              id={isFirst && isCode(error) ? `error-${error}` : undefined}
            >
              <dt>
                <ErrorCode code={error} />
                <span>{status}</span>
              </dt>
              <dd>
                <Prose>{when}</Prose>
              </dd>
            </div>
          );
        })}
      </Rows>
    </article>
  );
}

/** The page about a resource: the list of its operations, then each operation with its command. */
export function ResourceText({ resource, baseUrl }: { resource: Resource; baseUrl: string }) {
  const { operations } = resource;
  return (
    <article className="documentation-text endpoint">
      <ul className="operations">
        {operations.map(({ id, method, path, summary }) => (
          <li key={id}>
            <a href={`#${id}`}>
              <code>{method}</code> <code>{markBreaks(path.replace('/api/v1', ''))}</code>
            </a>
            <span>
              <Prose>{summary}</Prose>
            </span>
          </li>
        ))}
      </ul>
      {operations.map((operation) => (
        <Operation key={operation.id} operation={operation} baseUrl={baseUrl} />
      ))}
    </article>
  );
}

function Operation({ operation, baseUrl }: { operation: ResourceOperation; baseUrl: string }) {
  const { id, method, path, summary, roles, scopes, parameters, status, returns, command } = operation;
  const name = `${method} ${path.replace('/api/v1', '')}`;
  return (
    <section id={id}>
      <h2>
        <a className="anchor" href={`#${id}`}>
          {markBreaks(name)}
        </a>
      </h2>
      <p>
        <Prose>{summary}</Prose>.
      </p>
      <p className="soft">
        {roles.includes('everybody') ? 'Role: any.' : `Roles: ${roles.join(', ')}.`} Scope:{' '}
        {scopes.map((scope, n) => (
          <span key={scope}>
            {n > 0 && ' or '}
            <code>{scope}</code>
          </span>
        ))}
        . Returns {[status, ...(returns === '' ? [] : [returns])].join(': ')}.
      </p>
      <CodeBlock label="Shell" code={highlight(command(baseUrl), 'sh')} />
      {parameters.length > 0 && (
        <dl className="rows">
          {parameters.map(({ name, in: place, type, required, description }) => (
            <div key={`${place} ${name}`}>
              <dt>
                <code>{markBreaks(name)}</code>
                <span>{`${place}, ${required ? 'required' : 'optional'}`}</span>
              </dt>
              <dd>
                <span className="soft">{type}</span>
                {description !== '' && (
                  <>
                    <br />
                    <Prose>{description}</Prose>
                  </>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

const Address = ({ method, url }: { method: string; url: string }) => (
  <p className="endpoint-address">
    <span className="badge">{method}</span> <code>{markBreaks(url)}</code>
  </p>
);

function Rows({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  const id = title.toLowerCase();
  return (
    <>
      <h2 id={id}>
        <a className="anchor" href={`#${id}`}>
          {title}
        </a>
      </h2>
      <dl className="rows">{children}</dl>
    </>
  );
}

/** False for placeholders such as `no redirect`, which are not protocol error codes. */
const isCode = (error: string) => /^[a-z_]+$/.test(error);

/** Links an error code to its section in the guide about errors. */
const ErrorCode = ({ code }: { code: string }) =>
  isCode(code) ? (
    <a href={`${guidePath('errors')}#${code}`}>
      <code>{markBreaks(code)}</code>
    </a>
  ) : (
    <code>{code}</code>
  );

function demand(required: string): string {
  if (required === 'yes') return 'required';
  return required === 'no' ? 'optional' : `required: ${required}`;
}
