// List of clients, and list of a client's requests.
import type { ReactNode } from 'react';
import { guidePath } from '#app/documentation/_guides/addresses.ts';
import { CLIENT_KINDS } from '#lib/catalogue/clients/definition.ts';
import { type ClientDetail, pageClients } from '#lib/catalogue/clients/operations.ts';
import { type InspectedRequest, pageClientRequests } from '#lib/management/inspector.ts';
import type { Area } from '../_kit/console-form.ts';
import { dayFilters, type Filter, Pager } from '../_kit/list.tsx';
import { type ListVisit, ObjectRow } from '../_kit/list-page.tsx';
import { Empty, Kind, Pill, When } from '../_kit/pieces.tsx';
import { currentWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { clientPath, SHORT_KINDS } from './client-kinds.ts';
import type { ObjectVisit } from './object-page.tsx';

/**
 * Reads the list of clients: all clients for administrators, own clients for developers. `isUnused`: there is no
 * client, and no filter is set.
 */
export async function describeClients(
  area: Area,
  { actor, query, listOptions }: Pick<ListVisit, 'actor' | 'query' | 'listOptions'>,
  filters: readonly Filter[] = [],
) {
  const days = await dayFilters(actor, query, [{ name: 'created', label: say('Created') }]);
  const values = Object.fromEntries(filters.map(({ name, value }) => [name, value]));
  const page = await pageClients(actor, {
    ...days.asked,
    ...listOptions,
    order: listOptions.order || 'name',
    own: area === 'developer',
    kind: CLIENT_KINDS.find((kind) => kind === values['kind']),
    state: (['active', 'disabled'] as const).find((state) => state === values['state']),
  });
  const choices = [
    listOptions.search,
    listOptions.cursor,
    ...Object.values(values),
    ...Object.values(days.query),
  ];
  return {
    page,
    filters,
    days,
    isUnused: page.rows.length === 0 && choices.every((value) => value === ''),
    placeholder: say('Search by name or client id'),
    orders: { name: say('Name'), created: say('Created'), id: say('Client id') },
    empty: say('No matches. Try part of a name or an id.'),
    rows: page.rows.map((row) => (
      <ObjectRow
        key={row.clientId}
        href={clientPath(area, row.clientId)}
        id={row.clientId}
        of={row}
        pills={
          <>
            <Kind>{say(SHORT_KINDS[row.kind])}</Kind>
            {row.disabled && <Pill tone="refused">{say('disabled')}</Pill>}
            {row.pending > 0 && <Pill tone="waiting">{say('{count} waiting', { count: row.pending })}</Pill>}
          </>
        }
        side={<When at={row.createdAt} />}
      >
        {say('{count, plural, =0 {no API yet} one {# API} other {# APIs}}', { count: row.subscriptions })}
        {area === 'admin' && row.ownerEmail}
      </ObjectRow>
    )),
  };
}

export async function renderClientRequests(
  { clientId }: ClientDetail,
  { area, actor, query }: ObjectVisit,
): Promise<ReactNode> {
  const { cursor = '', show = '' } = query;
  const failedOnly = show === 'failed';
  const { rows, ...pages } = await pageClientRequests(actor, {
    counted: true,
    clientId,
    cursor,
    failedOnly,
  });
  const path = clientPath(area, clientId, 'requests');
  return (
    <>
      <p className="switch">
        <a href={path} aria-current={failedOnly ? undefined : 'true'}>
          {say('All')}
        </a>
        <a href={`${path}?show=failed`} aria-current={failedOnly ? 'true' : undefined}>
          {say('Failures')}
        </a>
      </p>
      {rows.length === 0 ? (
        <Empty heading={failedOnly ? say('No failures') : say('No requests yet')}>
          <p>
            {say(
              'The application’s requests to the authorize and token addresses, with the errors and how to fix them. Secrets, tokens and passwords are never shown.',
            )}
          </p>
          {!failedOnly && (
            <p>
              <a href={clientPath(area, clientId, 'code')}>{say('Starter code')}</a>
            </p>
          )}
        </Empty>
      ) : (
        <ul className="list" aria-label={say('Requests')}>
          {rows.map((row) => (
            <Request key={row.id} row={row} />
          ))}
        </ul>
      )}
      <Pager path={path} query={{ cursor, show }} {...pages} />
    </>
  );
}

/** Names of facts that have a translation. Other facts are names and values from the request. */
const FACT_WORDS: ReadonlySet<string> = new Set(
  toSay(['registered', 'times in ten minutes', 'sent', 'not sent', '(none)']),
);

/** The error code links to its remedy. */
function Refusal({ error }: Pick<InspectedRequest, 'error'>) {
  const pill = <Pill tone="refused">{error ?? say('failed')}</Pill>;
  return error === null ? pill : <a href={`${guidePath('errors')}#${error}`}>{pill}</a>;
}

function Request({ row }: { row: InspectedRequest }) {
  return (
    <li className="row request">
      <div className="row-text">
        <p className="row-title">
          <span>{say(row.title)}</span>
          {row.ok ? <Pill tone="good">{say('succeeded')}</Pill> : <Refusal error={row.error} />}
        </p>
        {row.explanation.length > 0 && (
          <p className="explanation">{row.explanation.map(currentWords().told).join(' ')}</p>
        )}
        <p className="soft">
          {[row.endpoint, row.api, row.authMethodId].filter(Boolean).join(' · ')} · <When at={row.at} />
        </p>
        {(row.facts.length > 0 || row.requestId) && (
          <details>
            <summary>{say('Request details')}</summary>
            <dl className="facts-table">
              {row.facts.map(({ name, value }) => (
                <div key={`${name} ${value}`}>
                  <dt>{FACT_WORDS.has(name) ? say(name) : name}</dt>
                  <dd>
                    <code>{FACT_WORDS.has(value) ? say(value) : value}</code>
                  </dd>
                </div>
              ))}
              {row.requestId && (
                <div>
                  <dt>{say('Request id')}</dt>
                  <dd>
                    <code>{row.requestId}</code>
                  </dd>
                </div>
              )}
            </dl>
          </details>
        )}
      </div>
    </li>
  );
}
