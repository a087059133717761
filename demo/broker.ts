// A federated OpenID Connect provider for the laptop: the real `oidc-provider` with a sign-in page that accepts any
// name. `npm run quickstart` and the tests start it. Never for a server.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair } from 'jose';

export type BrokerOptions = {
  /** 0: any free one */
  port: number;
  clientId: string;
  clientSecret: string;
  redirectUris: string[];
  /** the person's other claims; the scope `profile` gives these names */
  claims?: { names: string[]; of: (id: string) => Record<string, unknown> };
  /** claims are in the ID token too, not only at userinfo */
  inIdToken?: boolean;
  /** how people prove who they are */
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
    if (request.url === '/favicon.ico') return response.writeHead(204).end();
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    if (uid === undefined) return callback(request, response);
    interact(provider, request, response, options.proof).catch((error: Error) => {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(error.message);
    });
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, close };
}

/** It warns that it forgets everything when it stops, which is what a laptop wants. */
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
  };
}

/** Consent is Gatehouse's to ask, so this page never asks. */
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
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(page(String(params.login_hint ?? '')));
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

function page(name: string): string {
  const value = name.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Demo broker</title></head>
<body style="max-width: 24rem; margin: 10vh auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif">
<h1>Demo broker</h1>
<p>Another service that Gatehouse trusts. Whatever name you type is who you are.</p>
<form method="post">
<p><label>Name <input name="name" value="${value}" autofocus></label></p>
<p><button>Sign in</button> <button name="cancel" value="1">Cancel</button></p>
</form></body></html>
`;
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
