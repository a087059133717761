// Playground: registers its own address at the client, and runs a sign-in with an issuer of the client.

import { Form } from '#app/(console)/_kit/form.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Empty, Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { consolePage, type Visit } from '#app/(console)/_kit/visit.tsx';
import { playgroundAddress } from '#app/(console)/_subjects/client-forms.tsx';
import { catalogueFor, clientPath } from '#app/(console)/_subjects/client-kinds.ts';
import { Consequences } from '#app/(console)/_subjects/object-forms.tsx';
import { inBrowser, PLAYGROUND_TEXTS } from '#app/(console)/_texts/browser-texts.ts';
import { TextsInBrowser } from '#app/(console)/_texts/in-browser.tsx';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import type { ClientRow } from '#lib/catalogue/clients/definition.ts';
import {
  type ClientDetail,
  pageClients,
  previewClientChange,
  readClient,
} from '#lib/catalogue/clients/operations.ts';
import { reachOf } from '#lib/catalogue/subscriptions/definition.ts';
import { pageSubscriptions } from '#lib/catalogue/subscriptions/operations.ts';
import type { Actor } from '#lib/management/policy.ts';
import { readPublishedApi } from '#lib/oauth/metadata.ts';
import { OPENID_SCOPES } from '#lib/registry/claims.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { type Combination, clientOfState } from './attempt.ts';
import { reasonToLeave, withPlayground } from './forms.ts';
import { Playground } from './playground.tsx';

export const generateMetadata = pageTitle('Playground');

const path = '/developer/playground';

export default consolePage(path, async (visited) => {
  const { actor, query } = visited;
  const { rows } = await pageClients(actor, { own: true, limit: 200 });
  const clientId = query['client'] ?? clientOfState(query['state']) ?? rows[0]?.clientId;
  if (clientId === undefined) {
    return (
      <>
        <Head />
        <Empty heading={say('Register an application first')}>
          <p>
            {say(
              'In the playground you sign in to one of your own applications, for an API that it is subscribed to.',
            )}
          </p>
          <p>
            <a className="button" href="/developer/clients/new">
              {say('Register an application')}
            </a>
          </p>
        </Empty>
      </>
    );
  }
  const client = await readClient(actor, { clientId });
  const { combinations, machine } = await combinationsOf(actor, client);
  const redirectUri = playgroundAddress();
  const { name, kind, tokenEndpointAuthMethod: by, dpopBoundAccessTokens: bound } = client;
  const pushes = client.requirePushedAuthorizationRequests;
  const isRegistered = client.redirectUris.includes(redirectUri);
  const isMachine = machine && client.redirectUris.length === 0;
  const reason = isRegistered || isMachine ? null : await reasonToLeave(actor, client);
  const [confidential, basic] = [kind === 'confidential', by === 'client_secret_basic'];
  return (
    <>
      <Head />
      {rows.length > 1 && <Chooser rows={rows} chosen={clientId} />}
      <noscript>
        <p className="alert">
          {say(
            'The playground runs in the browser and requires JavaScript. The same requests with curl are on the page Code of your application.',
          )}
        </p>
      </noscript>
      {by === 'private_key_jwt' ? (
        <Signs name={plainText(name)} />
      ) : combinations.length === 0 ? (
        <Unsubscribed client={client} />
      ) : isRegistered ? (
        <section
          className="panel"
          aria-label={say('Run for {application}', { application: plainText(name) })}
        >
          <TextsInBrowser texts={inBrowser(visited.words, PLAYGROUND_TEXTS)}>
            <Playground
              client={{ clientId, name: plainText(name), confidential, basic, bound, pushes, redirectUri }}
              combinations={combinations}
              openIdScopes={OPENID_SCOPES.map((scope) => ({
                ...scope,
                description: say(scope.description),
              }))}
            />
          </TextsInBrowser>
          <p className="soft">
            <Say
              text="The address of this page is a redirect address of {application}. It stays registered until you {remove}."
              values={{
                application: plainText(name),
                remove: <a href={`${clientPath('developer', clientId)}#registered`}>{say('remove it')}</a>,
              }}
            />
          </p>
        </section>
      ) : isMachine ? (
        <Machine client={client} />
      ) : reason !== null ? (
        <Untouched client={client} reason={reason} />
      ) : (
        <Register client={client} redirectUri={redirectUri} {...visited} />
      )}
    </>
  );
});

function Head() {
  return (
    <Title
      lead={say(
        'The whole exchange in this browser, before you write code: the code grant with PKCE, each step as sent over the wire.',
      )}
    >
      {say('Playground')}
    </Title>
  );
}

function Signs({ name }: { name: string }) {
  return (
    <Empty heading={say('{application} signs with its own key', { application: name })}>
      <p>
        {say(
          'This key must never be in a browser. The code for the application’s server is on the page Code of your application.',
        )}
      </p>
    </Empty>
  );
}

function Unsubscribed({ client: { clientId, name } }: { client: ClientRow }) {
  return (
    <Empty heading={say('{application} cannot use any API yet', { application: plainText(name) })}>
      <p>{say('The application needs an approved subscription to an API that people can sign in to.')}</p>
      <p>
        <a className="button" href={catalogueFor(clientId)}>
          {say('Choose an API')}
        </a>
      </p>
    </Empty>
  );
}

/** Panel for a machine client, whose tokens need no sign-in of a user. */
function Machine({ client: { clientId, name } }: { client: ClientRow }) {
  return (
    <Empty heading={say('{application} does not sign people in', { application: plainText(name) })}>
      <p>
        {say(
          'The application gets tokens in its own name, with its secret, from its server. The request is on the page Code.',
        )}
      </p>
      <p>
        <a className="button" href={clientPath('developer', clientId, 'code')}>
          {say('Starter code')}
        </a>
      </p>
    </Empty>
  );
}

type UntouchedProps = { client: ClientRow; reason: 'approval' | 'used' };

/** Shown if another redirect address would end the approval or the consents of the client. */
function Untouched({ client: { clientId, name }, reason }: UntouchedProps) {
  return (
    <Empty heading={say('The playground does not change {application}', { application: plainText(name) })}>
      <p>
        {reason === 'approval'
          ? say(
              'The playground needs its own redirect address. A new address ends the approval of this application, and it gets no tokens until it is approved again.',
            )
          : say(
              'The playground needs its own redirect address. Other people already use this application, and a new address would ask all of them for consent again.',
            )}
      </p>
      <p>{say('Register a second application for experiments, and subscribe it to the same API.')}</p>
      <p className="form-actions">
        <a className="button" href="/developer/clients/new">
          {say('Register an application')}
        </a>
        <a className="button plain" href={clientPath('developer', clientId, 'code')}>
          {say('Starter code')}
        </a>
      </p>
    </Empty>
  );
}

function Chooser({ rows, chosen }: { rows: ClientRow[]; chosen: string }) {
  return (
    <form action={path} className="search">
      <label>
        <span className="unseen">{say('Application')}</span>
        <select name="client" defaultValue={chosen}>
          {rows.map(({ clientId, name }) => (
            <option key={clientId} value={clientId}>
              {plainText(name)} ({clientId})
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="button plain small">
        {say('Use')}
      </button>
    </form>
  );
}

type RegisterProps = Visit & { client: ClientDetail; redirectUri: string };

/** Registers the playground's address, because the playground works only if it is a redirect URI of the client. */
async function Register({ client, redirectUri, actor, form, typed }: RegisterProps) {
  const { clientId, version } = client;
  const redirectUris = withPlayground(client);
  const back = typed('playground-register');
  const { confirming } = back;
  return (
    <Panel
      id="register"
      heading={say('Let {application} return to this page', { application: plainText(client.name) })}
      lead={say(
        'People are redirected only to registered addresses. The playground uses the address of this page, which you can remove on the page of the application:',
      )}
    >
      <p>
        <code>{redirectUri}</code>
      </p>
      <Form
        {...(await form('playground-register'))}
        fields={{ clientId, version }}
        submit={confirming ? say('Register anyway') : say('Register')}
        leave={{ href: clientPath('developer', clientId, 'edit'), label: say('Edit the addresses myself') }}
      >
        {confirming && (
          <Consequences
            of={await previewClientChange(actor, { clientId, redirectUris })}
            heading={say('Registering this address has consequences')}
            agreed={back.one('confirmed')}
          />
        )}
      </Form>
    </Panel>
  );
}

type Approved = {
  combinations: Combination[];
  /** the subscription allows tokens in the client's own name */
  machine: boolean;
};

/** The issuers of the client's approved subscriptions, with their scopes. */
async function combinationsOf(actor: Actor, { clientId }: ClientDetail): Promise<Approved> {
  const { rows } = await pageSubscriptions(actor, { clientId, own: true, state: 'approved', limit: 200 });
  const combinationLists = await Promise.all(
    rows.map(async (row) => {
      const api = await readPublishedApi(row.api);
      return (api?.issuers ?? []).map((issuer) => ({
        label: `${row.apiName}, ${issuer.method.name}`,
        issuer: issuer.issuer,
        authorize: issuer.authorizationEndpoint,
        token: issuer.tokenEndpoint,
        par: issuer.pushedAuthorizationRequestEndpoint,
        revoke: issuer.revocationEndpoint,
        userinfo: issuer.userinfoEndpoint,
        jwks: issuer.jwksUri,
        scopes: reachOf(row).map((scope) => ({ ...scope, description: plainText(scope.description) })),
        bound: api?.dpop === 'required',
      }));
    }),
  );
  return { combinations: combinationLists.flat(), machine: rows.some(({ machine }) => machine) };
}
