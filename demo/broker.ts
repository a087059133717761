// An OpenID Connect provider that the demo federates with, for a laptop: the real `oidc-provider`, with a sign-in
// page that accepts any name. `npm run quickstart` and the tests start it. Not for production.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair } from 'jose';
import { escapeHtml } from '#lib/http/page.ts';
import { answerFile, documentOf, headersFor, type Reader, readerOf, show } from './page.ts';

export type BrokerOptions = {
  /** 0: any free port */
  port: number;
  clientId: string;
  clientSecret: string;
  redirectUris: string[];
  /** additional claims of the user; `names`: claims that the scope `profile` contains */
  claims?: { names: string[]; of: (id: string) => Record<string, unknown> };
  /** adds the claims to the ID token, and not only to userinfo */
  inIdToken?: boolean;
  /** how users authenticated */
  proof?: { acr: string; amr: string[] };
};
export type Broker = { issuer: string; close: () => Promise<void> };

export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await quietly(issuer, await configuration(options));
  const callback = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (answerFile(request, response)) return;
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    if (uid === undefined) return callback(request, response);
    interact(provider, request, response, options.proof).catch((error: Error) => {
      const reader = readerOf(request);
      show(response, reader, { status: 400, ...faultPage(reader, error.message) });
    });
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, close };
}

/** Suppresses oidc-provider's warning about storage in memory, which is sufficient on a laptop. */
async function quietly(issuer: string, settings: object) {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    // @ts-expect-error: the package ships no types
    const { Provider } = await import('oidc-provider');
    return new Provider(issuer, settings);
  } finally {
    console.warn = warn;
  }
}

async function configuration({ clientId, clientSecret, redirectUris, claims, inIdToken }: BrokerOptions) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'demo' };
  return {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    jwks: { keys: [key] },
    cookies: { keys: ['only for the laptop'] },
    claims: {
      openid: ['sub', 'acr', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['name', ...(claims?.names ?? [])],
    },
    conformIdTokenClaims: inIdToken !== true,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { Session: 3_600, Grant: 3_600, Interaction: 600, AccessToken: 600, IdToken: 600 },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: id,
        email: id.includes('@') ? id : `${id}@partner.example`,
        email_verified: false,
        ...claims?.of(id),
      }),
    }),
    loadExistingGrant: grantEverything,
    renderError: renderFault,
  };
}

/** Skips the consent of the provider, because Gatehouse asks for consent. */
// biome-ignore lint/suspicious/noExplicitAny: the package ships no types
async function grantEverything({ oidc }: any) {
  const { clientId } = oidc.client;
  const known = oidc.session.grantIdFor(clientId);
  if (known) return oidc.provider.Grant.find(known);
  const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

async function interact(
  // biome-ignore lint/suspicious/noExplicitAny: the package ships no types
  provider: any,
  request: IncomingMessage,
  response: ServerResponse,
  proof: BrokerOptions['proof'],
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  if (request.method !== 'POST') {
    showSignIn(request, response, params);
    return;
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  const form = new URLSearchParams(body);
  const accountId = form.get('name')?.trim();
  const result =
    form.has('cancel') || !accountId
      ? { error: 'access_denied', error_description: 'The person pressed Cancel.' }
      : { login: { accountId, ...proof } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

function showSignIn(
  request: IncomingMessage,
  response: ServerResponse,
  { login_hint: hint, ui_locales: uiLocales }: { login_hint?: string; ui_locales?: string },
): void {
  const reader = readerOf(request, uiLocales);
  const { say, words } = reader;
  const body = `<h1>${say('partner')}</h1>
<p class="lead">${say('partner_about')}</p>
<form method="post" class="stack">
<label class="field"><span>${say('name')}</span>
<input name="name" value="${escapeHtml(hint ?? '')}" autocomplete="off" autofocus></label>
<button class="button">${words.t('sign_in.heading')}</button>
<button class="button quiet" name="cancel" value="1">${words.t('frame.cancel')}</button>
</form>`;
  show(response, reader, { title: say('partner'), body: card(body) });
}

const card = (content: string) => `<div class="hosted"><main class="card">${content}</main></div>`;

/** Returns the error page. `fault`: English text of a protocol error. */
function faultPage({ say }: Reader, fault: string) {
  const title = say('failed');
  const said = `<p class="lead" lang="en" dir="ltr">${escapeHtml(fault)}</p>`;
  return { title, body: card(`<h1>${title}</h1>${said}`) };
}

// biome-ignore lint/suspicious/noExplicitAny: the package ships no types
function renderFault(context: any, { error, error_description }: Record<string, string>): void {
  const reader = readerOf(context.req);
  context.set(headersFor(reader));
  context.body = documentOf(reader, faultPage(reader, [error, error_description].filter(Boolean).join(': ')));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [port, clientId, clientSecret, ...redirectUris] = process.argv.slice(2);
  const broker = await startBroker({
    port: Number(port),
    clientId: clientId ?? '',
    clientSecret: clientSecret ?? '',
    redirectUris,
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void broker.close());
  process.stdout.write(`${broker.issuer}\n`);
}
