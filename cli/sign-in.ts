// Signs a user in through the browser for a server's management API: native app code flow with PKCE (RFC 8252). First
// checks the request, then opens the browser and receives the response on a port of 127.0.0.1.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { escapeHtml } from '#lib/http/page.ts';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { languageOf } from '#lib/language/negotiate.ts';
import { wordsOf } from '#lib/language/words.ts';
import { RECENT_SECONDS } from '#lib/sessions/page-state.ts';
import { environment } from '#lib/settings/environment.ts';
import {
  chooseIssuer,
  ensureFolder,
  fileOf,
  type Issuer,
  type KeptKey,
  type KeptSignIn,
  keep,
  newKey,
  openIssuer,
  provingBy,
  readAnyKept,
  readResource,
  redeem,
  resourceOf,
  revoke,
  TIMEOUT_SECONDS,
  withFileLock,
} from './sign-in-kept.ts';
import { CommandFailed, inOneLine } from './typed.ts';

// Authorization request of a sign-in. A trial request comes first: if the issuer rejects it, the terminal prints the
// error, so that the browser shows no error page. The request is pushed (RFC 9126) if required.

/** The scopes of all commands for a remote server. The roles of the user limit what the tokens can do. */
const SCOPES = [
  'account:read',
  'people:read',
  'people:write',
  'people:decide',
  'clients:read',
  'clients:write',
  'subscriptions:read',
  'subscriptions:write',
  'subscriptions:decide',
  'registry:read',
  'keys:read',
];

type Wanted = {
  /** the API that the tokens are for; an issuer rejects other APIs (RFC 8707) */
  resource: string;
  redirectUri: string;
  /** scopes that replace the default */
  scope: string | undefined;
  /** the scopes that the server offers */
  offered: readonly string[];
  /** the authentication class that the sign-in must reach (RFC 9470) */
  acr: string | undefined;
  /** the key that the code is bound to (RFC 9449 §10), if any */
  key: KeptKey | null;
};

/** `scope`: the requested scopes. Empty: all scopes of the client's subscription. */
type SignInRequest = {
  address: URL;
  state: string;
  verifier: string;
  scope: string;
  resource: string;
  key: KeptKey | null;
};

async function prepareRequest(issuer: Issuer, wanted: Wanted): Promise<SignInRequest> {
  const needed = SCOPES.filter((scope) => wanted.offered.includes(scope)).join(' ');
  const { request, refused } = await begin(issuer, wanted, wanted.scope ?? needed);
  if (refused === null) return request;
  if (refused.error !== 'invalid_scope' || wanted.scope !== undefined) throw refusal(issuer, refused);
  // the subscription has fewer scopes than requested, so an empty scope requests all scopes of the subscription
  const narrower = await begin(issuer, wanted, '');
  if (narrower.refused !== null) throw refusal(issuer, narrower.refused);
  return narrower.request;
}

type Begun = { request: SignInRequest; refused: Refusal | null };

async function begin(issuer: Issuer, wanted: Wanted, scope: string): Promise<Begun> {
  const client = await import('openid-client');
  const { config } = issuer;
  const state = client.randomState();
  const verifier = client.randomPKCECodeVerifier();
  const proving = await provingBy(issuer, wanted.key);
  const parameters = {
    redirect_uri: wanted.redirectUri,
    resource: wanted.resource,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // commands that grant permissions require a recent sign-in
    max_age: String(RECENT_SECONDS),
    ...(scope === '' ? {} : { scope }),
    ...(wanted.acr === undefined ? {} : { acr_values: wanted.acr }),
    ...(proving.DPoP && { dpop_jkt: await proving.DPoP.calculateThumbprint() }),
  };
  const address = client.buildAuthorizationUrl(config, parameters);
  const request = { address, state, verifier, scope, resource: wanted.resource, key: wanted.key };
  const refusal = await tryOut(issuer, request, wanted);
  const isOffered = config.serverMetadata().pushed_authorization_request_endpoint !== undefined;
  // the metadata cannot announce that this client must use PAR, so the client learns it only from this error
  if (refusal?.error !== 'invalid_request' || !isOffered) return { request, refused: refusal };
  try {
    const pushed = await client.buildAuthorizationUrlWithPAR(config, parameters, proving);
    return { request: { ...request, address: pushed }, refused: null };
  } catch (error) {
    if (!(error instanceof client.ResponseBodyError)) throw error;
    return { request, refused: { error: error.error, error_description: error.error_description ?? null } };
  }
}

type Refusal = { error: string; error_description: string | null };

/** Sends the authorization request like a browser without cookies. `null`: the issuer would show its sign-in page. */
async function tryOut(
  { config, url }: Issuer,
  { address }: SignInRequest,
  { redirectUri }: Wanted,
): Promise<Refusal | null> {
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  const headers = { accept: 'text/html' };
  const answer = await fetch(address, { redirect: 'manual', headers, signal }).catch((error: unknown) => {
    throw new CommandFailed(`${url} is not reachable: ${inOneLine(error)}`);
  });
  await answer.body?.cancel();
  const header = answer.headers.get('location');
  const location = header === null ? null : URL.parse(header, address);
  const { client_id: id } = config.clientMetadata();
  if (location === null)
    throw new CommandFailed(
      answer.status === 400
        ? `${url} has no client ${id} with the redirect address ${withoutPort(redirectUri)}: ask an administrator to register it, or set --client (docs/reference/commands.md)`
        : `${url} responds to the sign-in with ${answer.status}`,
    );
  const error = location.href.startsWith(redirectUri) ? location.searchParams.get('error') : null;
  return error === null ? null : { error, error_description: location.searchParams.get('error_description') };
}

const refusal = ({ url }: Issuer, refused: Refusal) =>
  new CommandFailed(`${url} rejects the sign-in: ${inOneLine(refused)}`);

const withoutPort = (address: string) => address.replace(/:\d+\//, '/');

// The page in the browser after the redirect. The command line serves it, so it has its own styles.

/** What the browser shows after the redirect. `stranger`: the request does not belong to this sign-in. */
type Outcome = 'done' | 'failed' | 'stranger';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;
background:#f7f5f0;color:#1c1f1a}main{max-width:28rem;padding:1.5rem}h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
p{margin:0}@media(prefers-color-scheme:dark){body{background:#141613;color:#e9e7e1}}`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

const TEXTS = {
  done: ['sign_in.signed_in', 'terminal.close'],
  failed: ['sign_in.not_signed_in', 'terminal.why'],
  stranger: ['sign_in.not_signed_in', 'terminal.other'],
} as const;

function answerPage(outcome: Outcome, acceptLanguage: string | undefined) {
  const words = wordsOf(languageOf({ acceptLanguage }, 'en'));
  const [heading, message] = TEXTS[outcome].map((text) => escapeHtml(words.t(text)));
  const page = `<!doctype html>
<html lang="${words.language}" dir="${words.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${heading}</h1><p>${message}</p></main></body>
</html>
`;
  return { page, headers: { ...HEADERS, 'content-language': words.language } };
}

// The redirect endpoint: a port of 127.0.0.1 (RFC 8252 §7.3), open for one sign-in. Local programs and pages in the
// browser can call it, so only a request with the correct `state` is accepted.

const HOST = '127.0.0.1';
/** The redirect URI that is registered for the client, without a port. */
export const REDIRECT_URI = `http://${HOST}/callback`;

/** The redirect that the browser sent. `finish` shows the outcome in the browser. */
type LoopbackAnswer = { url: URL; finish(outcome: Outcome): Promise<void> };

type Loopback = {
  redirectUri: string;
  /** waits for the redirect with this state; `onStranger` is called for every other request */
  answer(state: string, onStranger: () => void): Promise<LoopbackAnswer>;
  close(): void;
};

/** Opens the redirect endpoint. `port`: 0 selects a free port. A tunnel requires a fixed port. */
async function openLoopback(port: number): Promise<Loopback> {
  let take: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown = (_, outgoing) =>
    outgoing.writeHead(404).end();
  const server = createServer({ maxHeaderSize: 16_384 }, (incoming, outgoing) => take(incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      `port ${port} of ${HOST} cannot be opened (${code}): choose another one, or omit --port`,
    );
  });
  const origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const redirectUri = origin + new URL(REDIRECT_URI).pathname;
  return {
    redirectUri,
    answer: (state, onStranger) =>
      new Promise((resolve) => {
        let isTaken = false;
        take = (incoming, outgoing) => {
          const language = incoming.headers['accept-language'];
          const url = answerIn(incoming, redirectUri);
          if (url === null) return outgoing.writeHead(404).end();
          if (isTaken || !hasState(url, state)) {
            if (!isTaken) onStranger();
            return show(outgoing, 'stranger', language);
          }
          isTaken = true;
          resolve({ url, finish: (outcome) => show(outgoing, outcome, language) });
        };
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Returns null if the request is for another URL, for example for another host name that resolves to this
 * machine (DNS rebinding).
 */
function answerIn({ method, url = '', headers }: IncomingMessage, redirectUri: string): URL | null {
  const { host, pathname } = new URL(redirectUri);
  const called = method === 'GET' && headers.host === host ? URL.parse(url, redirectUri) : null;
  return called?.host === host && called.pathname === pathname ? called : null;
}

function hasState({ searchParams }: URL, state: string): boolean {
  const [only, ...more] = searchParams.getAll('state');
  return only !== undefined && more.length === 0 && equalDigests(sha256(only), sha256(state));
}

const PATIENCE_MS = 2_000;
const STATUS = { done: 200, failed: 200, stranger: 400 } as const;

/**
 * Shows the outcome in the browser, and resolves after the response is sent. Stops waiting if the browser does not
 * read it.
 */
async function show(
  outgoing: ServerResponse,
  outcome: Outcome,
  acceptLanguage: string | undefined,
): Promise<void> {
  const { page, headers } = answerPage(outcome, acceptLanguage);
  if (outgoing.destroyed) return;
  const left = once(outgoing, 'close');
  outgoing.writeHead(STATUS[outcome], { ...headers, connection: 'close' }).end(page);
  await Promise.race([left, sleep(PATIENCE_MS, undefined, { ref: false })]);
}

/** Default client id of the command line. An administrator registers this client. */
export const CLIENT_ID = 'gatehouse-cli';

export type SignInAsked = {
  server: string;
  clientId: string;
  method?: string | undefined;
  scope?: string | undefined;
  acr?: string | undefined;
  /** port of the loopback address; 0: any free port */
  port: number;
  patienceMs: number;
  /** receives the address at which the user signs in */
  onAddress: (address: string) => void;
  /** called if another request reached the loopback address */
  onStranger: () => void;
};

export async function signIn(options: SignInAsked): Promise<KeptSignIn> {
  const { server, clientId, scope, acr } = options;
  await ensureFolder();
  const { issuers, scopes } = await readResource(server);
  const issuer = await openIssuer(chooseIssuer(server, issuers, options.method), clientId);
  const loopback = await openLoopback(options.port);
  try {
    const { redirectUri } = loopback;
    const resource = resourceOf(server);
    const key = await newKey(issuer);
    const request = await prepareRequest(issuer, { resource, redirectUri, scope, offered: scopes, acr, key });
    const answered = within(options.patienceMs, loopback.answer(request.state, options.onStranger));
    options.onAddress(request.address.href);
    const answer = await answered;
    try {
      const tokens = await redeem(issuer, answer.url, request);
      const signedIn = { server, issuer: issuer.url, client_id: clientId, ...tokens };
      const former = await replace(signedIn);
      await answer.finish('done');
      // revokes the replaced sign-in at the issuer of its tokens; an error does not affect the new sign-in
      if (former) await revoke(former).catch(() => {});
      return signedIn;
    } catch (error) {
      await answer.finish('failed');
      throw error;
    }
  } finally {
    loopback.close();
  }
}

async function replace(signedIn: KeptSignIn): Promise<KeptSignIn | null> {
  return withFileLock(fileOf(signedIn.server), async () => {
    const former = await readAnyKept(signedIn.server);
    await keep(signedIn);
    return former;
  });
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    const minutes = Math.round(milliseconds / 60_000);
    const timedOut = new CommandFailed(`no one signed in within ${minutes} minutes`);
    timer = setTimeout(() => reject(timedOut), milliseconds);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

// Opens the user's browser. If that fails, users open the printed address themselves.

const OPENERS: Partial<Record<NodeJS.Platform, [command: string, ...before: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Starts the browser, without waiting for it and without reporting errors. */
export function openBrowser(address: string): void {
  const { DISPLAY, WAYLAND_DISPLAY, BROWSER } = environment();
  const [command, ...before] = OPENERS[process.platform] ?? ['xdg-open'];
  // without a display, xdg-open would start a browser in the terminal
  if (command === 'xdg-open' && !DISPLAY && !WAYLAND_DISPLAY && !BROWSER) return;
  const opener = spawn(command, [...before, address], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
