// Code examples for applications, by library.
import { Fragment, type ReactNode } from 'react';
import { CodeBlock } from '#app/_components/copy.tsx';
import { highlight } from '#app/_components/highlight.tsx';
import { ProtectionCode } from '#app/_components/protection-code.tsx';
import { asksForMore, snippetsFor } from '#app/_snippets/snippets.ts';
import type { Snippet } from '#app/_snippets/texts.ts';
import type { ClientDetail } from '#lib/catalogue/clients/operations.ts';
import { pageSubscriptions } from '#lib/catalogue/subscriptions/operations.ts';
import { type PublishedApi, readPublishedApi } from '#lib/oauth/metadata.ts';
import type { Area } from '../_kit/console-form.ts';
import { Callout, Empty, Panel } from '../_kit/pieces.tsx';
import { IDLE_WORDS, STATE_WORDS } from '../_kit/subscription-words.ts';
import { withQuery } from '../_kit/with-query.ts';
import { copyWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { catalogueFor, clientPath, isBackground } from './client-kinds.ts';
import type { ObjectVisit } from './object-page.tsx';

/** Value of the address parameter that selects all frameworks. */
const ALL = 'all';

export async function renderClientCode(
  client: ClientDetail,
  { area, actor, query }: ObjectVisit,
): Promise<ReactNode> {
  const { clientId } = client;
  const { rows } = await pageSubscriptions(actor, { clientId, own: area === 'developer', limit: 200 });
  const publishedApis = await Promise.all(rows.map(({ api }) => readPublishedApi(api)));
  const apis = publishedApis.filter((api) => api !== null && api.issuers.length > 0) as PublishedApi[];
  const stateOf = ({ id }: { id: string }) => rows.find((row) => row.api === id)?.state ?? 'pending';
  const api = apiToShow(apis, query['api'], stateOf);
  if (!api) {
    return (
      <Empty heading={say('Subscribe to an API first')}>
        <p>
          {say('This page then shows code for common libraries, with your addresses and names filled in.')}
        </p>
        {area === 'developer' && (
          <p>
            <a className="button" href={catalogueFor(clientId)}>
              {say('Choose an API')}
            </a>
          </p>
        )}
      </Empty>
    );
  }
  const issuer = api.issuers.find(({ method }) => method.id === query['method']) ?? api.issuers[0];
  if (!issuer) return null;
  const { scopes = [], machine = false } = rows.find((row) => row.api === api.id) ?? {};
  const background = isBackground(client);
  const all = snippetsFor({ client, api, issuer, scopes: scopes ?? [], machine: machine || background });
  const frameworks = [...new Set(all.map(({ framework }) => framework))];
  const picked = [...frameworks, ALL].find((framework) => framework === query['for']) ?? frameworks[0] ?? ALL;
  const snippets = all.filter(({ framework }) => picked === ALL || framework === picked);
  const path = clientPath(area, clientId, 'code');
  const chosen = { api: api.id, method: issuer.method.id };
  return (
    <>
      <Combination {...{ path, apis, api, picked }} method={issuer.method.id} />
      {stateOf(api) !== 'approved' && (
        <Callout>
          <p>
            <strong>{say('The code on this page gets no tokens for {api} yet.', { api: api.name })}</strong>{' '}
            {say(STATE_WORDS[stateOf(api)])}
          </p>
        </Callout>
      )}
      {stateOf(api) === 'approved' && background && !machine && (
        <Callout>
          <p>
            <strong>{say('The code on this page gets no tokens for {api} yet.', { api: api.name })}</strong>{' '}
            {say(IDLE_WORDS)}{' '}
            {area === 'developer' && (
              <a href={`${clientPath(area, clientId, 'apis', api.id)}#request`}>
                {say('Change subscription')}
              </a>
            )}
          </p>
        </Callout>
      )}
      <Panel
        id="code"
        heading={
          background
            ? say('Application token for {api}', { api: api.name })
            : say('Sign-in with {method} for {api}', { method: issuer.method.name, api: api.name })
        }
        lead={leadOf(client)}
      >
        <nav className="switch frameworks" aria-label={say('Framework')}>
          {[...frameworks, ALL].map((framework) => (
            <a
              key={framework}
              translate={framework === ALL ? undefined : 'no'}
              href={withQuery(path, { ...chosen, for: framework })}
              aria-current={framework === picked ? 'true' : undefined}
            >
              {framework === ALL ? say('All') : framework}
            </a>
          ))}
        </nav>
        {asksForMore({ client, api }) && (
          <p>
            {say(
              'This application or the API requires pushed authorization requests (PAR) or bound tokens (DPoP). Libraries without support for these are not listed.',
            )}
          </p>
        )}
        {snippets.map((snippet) => {
          const label = labelOf(snippet);
          return (
            <Fragment key={label}>
              <CodeBlock
                label={label}
                code={highlight(snippet.code, snippet.language)}
                said={copyWords(label)}
              />
              {snippet.unrun && <p className="soft">{say('Not covered by Gatehouse’s tests.')}</p>}
            </Fragment>
          );
        })}
      </Panel>
      <Panel
        id="protection"
        heading={say('Verify tokens in {api}', { api: api.name })}
        lead={say('For API operators: the package needs one address and discovers the rest.')}
      >
        <ProtectionCode api={api} copyWords={copyWords} />
        <p>
          <a href="/documentation/guides/protect-an-api">{say('Other frameworks, languages and gateways')}</a>
        </p>
      </Panel>
    </>
  );
}

const PURPOSES = toSay({
  'signed-in-user': '{library}: read the signed-in user',
  'application-token': '{library}: get a token for the application',
});

const labelOf = ({ label, for: purpose }: Snippet): string =>
  purpose === undefined ? label : say(PURPOSES[purpose], { library: label });

/** Returns the API that the address selects; by default the first approved API. */
export const apiToShow = <Of extends { id: string }>(
  apis: readonly Of[],
  chosen: string | undefined,
  stateOf: (api: Of) => string,
): Of | undefined =>
  apis.find(({ id }) => id === chosen) ?? apis.find((api) => stateOf(api) === 'approved') ?? apis[0];

function leadOf({ kind, tokenEndpointAuthMethod }: ClientDetail): string {
  if (tokenEndpointAuthMethod === 'private_key_jwt')
    return say('Replace PRIVATE_KEY in the code with the private key, as a JWK, from the environment.');
  if (kind === 'confidential')
    return say('Replace CLIENT_SECRET in the code with the secret, from the environment.');
  return say('There is no secret: PKCE proves that the sign-in is completed by the party that started it.');
}

type CombinationProps = {
  path: string;
  apis: PublishedApi[];
  api: PublishedApi;
  method: string;
  /** the selected framework */
  picked: string;
};

function Combination({ path, apis, api, method, picked }: CombinationProps) {
  return (
    <form action={path} className="search">
      <input type="hidden" name="for" value={picked} />
      <label>
        <span className="unseen">{say('API')}</span>
        <select name="api" defaultValue={api.id}>
          {apis.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span className="unseen">{say('Sign-in method')}</span>
        <select name="method" defaultValue={method}>
          {api.issuers.map((issuer) => (
            <option key={issuer.method.id} value={issuer.method.id}>
              {issuer.method.name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="button plain small">
        {say('Show')}
      </button>
    </form>
  );
}
