// A run of the playground, stored in the browser during the sign-in: PKCE (RFC 7636), the key that tokens are bound
// to and its proofs (RFC 9449), the requests that the page displays, and the content of the tokens.
import {
  calculateJwkThumbprint,
  createRemoteJWKSet,
  errors,
  exportJWK,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import { toSay } from '#app/(console)/_texts/to-say.ts';

export type Combination = {
  label: string;
  issuer: string;
  authorize: string;
  token: string;
  par: string;
  revoke: string;
  userinfo: string;
  jwks: string;
  scopes: Scope[];
  /** the API accepts only tokens that are bound to a key */
  bound: boolean;
};
export type Scope = { name: string; description: string };
export type PlaygroundClient = {
  clientId: string;
  name: string;
  confidential: boolean;
  /** the client authenticates with the `Authorization` header only */
  basic: boolean;
  /** the client receives only tokens that are bound to a key */
  bound: boolean;
  /** the client must push its requests (RFC 9126) */
  pushes: boolean;
  /** the address of the playground page, to which the authorization response is redirected */
  redirectUri: string;
};
export type Attempt = {
  clientId: string;
  combination: Combination;
  redirectUri: string;
  confidential: boolean;
  basic: boolean;
  state: string;
  verifier: string;
  /** the ID token must contain this value; it is sent with the scope `openid` */
  nonce: string;
  /** the requested tokens must be bound to the key of this browser */
  bound: boolean;
  request: string;
  /** request and response of a pushed request; empty: the request was not pushed */
  pushed: Exchange[];
};

const KEY = 'gatehouse-playground';

/**
 * The `state` of a request for this client (RFC 6749 §4.1.1): `random.client_id`. The address of the response does
 * not contain the client, and the server renders the page before a script can read the stored run.
 */
export const stateFor = (clientId: string, random: string): string => `${random}.${clientId}`;

/** Returns the client named by a response's `state`; undefined: none. `random` is base64url and contains no dot. */
export function clientOfState(state: string | undefined): string | undefined {
  const dot = state?.indexOf('.') ?? -1;
  return dot < 0 ? undefined : state?.slice(dot + 1);
}

export function keep(attempt: Attempt): void {
  sessionStorage.setItem(KEY, JSON.stringify(attempt));
}

export function readAttempt(): Attempt | null {
  const text = sessionStorage.getItem(KEY);
  return text === null ? null : (JSON.parse(text) as Attempt);
}

export function forget(): void {
  sessionStorage.removeItem(KEY);
}

/** The response to the authorization request, compared with that request. */
export type Answer = {
  code: string | null;
  error: string | null;
  description: string | null;
  checks: Check[];
};
export type Check = { name: string; ok: boolean; words: string; values?: { reason: string } };

export function readAnswer(search: string, attempt: Attempt): Answer | null {
  const params = new URLSearchParams(search);
  const [code, error] = [params.get('code'), params.get('error')];
  if (code === null && error === null) return null;
  const sameState = params.get('state') === attempt.state;
  const sameIssuer = params.get('iss') === attempt.combination.issuer;
  return {
    code,
    error,
    description: params.get('error_description'),
    checks: [
      {
        name: 'state',
        ok: sameState,
        words: sameState
          ? toSay('matches the value that we sent: the response belongs to our request')
          : toSay('does not match the value that we sent: do not continue'),
      },
      {
        name: 'iss',
        ok: sameIssuer,
        words: sameIssuer
          ? toSay('is the expected issuer')
          : toSay('is not the expected issuer: do not continue'),
      },
    ],
  };
}

// PKCE in the browser (RFC 7636), computed with Web Crypto.

export function randomText(bytes = 32): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

export const challengeOf = (verifier: string): Promise<string> => sha256Text(verifier);

async function sha256Text(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64url(new Uint8Array(digest));
}

function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// DPoP proof for one request (RFC 9449 §4.2).

type ProofOf = {
  method: 'GET' | 'POST';
  address: string;
  /** the last nonce that the service sent; null: none yet */
  nonce: string | null;
  /** the token that is sent with the proof; null for token requests */
  accessToken: string | null;
};

async function proofFor(
  { pair }: Pick<BrowserKey, 'pair'>,
  { method, address, nonce, accessToken }: ProofOf,
) {
  const jwk = await exportJWK(pair.publicKey);
  return new SignJWT({
    htm: method,
    htu: address,
    jti: randomText(16),
    ...(nonce === null ? {} : { nonce }),
    ...(accessToken === null ? {} : { ath: await sha256Text(accessToken) }),
  })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .setIssuedAt()
    .sign(pair.privateKey);
}

// A request, without its secrets, and its response, as the page displays them.

export type Exchange = {
  sent: string;
  /** the DPoP proof that was sent; null: the request contained none */
  proof: string | null;
  /** status of the response; null: there was no response, and `received` contains the reason */
  status: number | null;
  received: string;
  body: Record<string, unknown>;
  /** the service requires a nonce that it chose in the proof (RFC 9449 §8) */
  asksForNonce: boolean;
};
type Request = {
  method: ProofOf['method'];
  address: string;
  headers?: Record<string, string>;
  /** the headers as the page displays them */
  shown?: string[];
  fields?: Record<string, string>;
  /** the token that the proof belongs to */
  accessToken?: string;
};

const COVERED = new Set(['client_secret']);

/** The last nonce that the service sent; the next proof contains it. */
let nonce: string | null = null;

type Client = { clientId: string; confidential: boolean; basic: boolean };

/**
 * Sends a POST request, authenticated as this client. The displayed request does not contain the secret. `key`:
 * creates the DPoP proof.
 */
export function post(
  { clientId, confidential, basic }: Client,
  address: string,
  parameters: Record<string, string>,
  { secret, key }: { secret: string; key: BrowserKey | null },
): Promise<Exchange[]> {
  const headers = basic ? { authorization: basicOf(clientId, secret) } : {};
  const headerLines = basic ? ['Authorization: Basic …'] : [];
  const inBody = { client_id: clientId, ...(confidential ? { client_secret: secret } : {}) };
  const fields = basic ? parameters : { ...parameters, ...inBody };
  return sendWithKey({ method: 'POST', address, headers, shown: headerLines, fields }, key);
}

/**
 * Value of the `Authorization` header (RFC 6749 §2.3.1): client id and secret are form-encoded before they are
 * joined.
 */
function basicOf(clientId: string, secret: string): string {
  const encoded = [clientId, secret].map((half) => new URLSearchParams({ x: half }).toString().slice(2));
  return `Basic ${btoa(encoded.join(':'))}`;
}

/** Sends a GET request with the access token in a header. `key`: the key that the token is bound to. */
export function getWith(accessToken: string, address: string, key: BrowserKey | null): Promise<Exchange[]> {
  const authorization = key ? `DPoP ${accessToken}` : `Bearer ${accessToken}`;
  const headerLines = [`Authorization: ${authorization}`];
  return sendWithKey(
    { method: 'GET', address, headers: { authorization }, shown: headerLines, accessToken },
    key,
  );
}

/**
 * Sends a request with a proof. Retries once with the nonce that the service requires: the first request has not used
 * up the code.
 */
async function sendWithKey(request: Request, key: BrowserKey | null): Promise<Exchange[]> {
  const first = await exchange(request, key);
  return first.asksForNonce ? [first, await exchange(request, key)] : [first];
}

async function exchange(request: Request, key: BrowserKey | null): Promise<Exchange> {
  const { method, address, headers, fields, accessToken = null } = request;
  const proof = key && (await proofFor(key, { method, address, nonce, accessToken }));
  const sentRequest = { sent: shownOf(request, proof), proof };
  try {
    const response = await fetch(address, {
      method,
      headers: { ...headers, ...(proof === null ? {} : { dpop: proof }) },
      ...(fields && { body: new URLSearchParams(fields) }),
    });
    nonce = response.headers.get('dpop-nonce') ?? nonce;
    const { received, body } = readReceived(response.status, await response.text());
    const asksForNonce = proof !== null && body['error'] === 'use_dpop_nonce';
    return { ...sentRequest, status: response.status, received, body, asksForNonce };
  } catch (error) {
    return {
      ...sentRequest,
      status: null,
      received: (error as Error).message,
      body: {},
      asksForNonce: false,
    };
  }
}

function shownOf({ method, address, shown = [], fields }: Request, proof: string | null): string {
  const url = new URL(address);
  const type = fields ? ['Content-Type: application/x-www-form-urlencoded'] : [];
  const proved = proof === null ? [] : [`DPoP: ${proof}`];
  const head = [`${method} ${url.pathname}`, `Host: ${url.host}`, ...shown, ...proved, ...type].join('\n');
  if (!fields) return head;
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${COVERED.has(name) ? '…' : value}`);
  return `${head}\n\n${lines.join('\n&')}`;
}

function readReceived(status: number, text: string): Pick<Exchange, 'received' | 'body'> {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    return { received: `${status}\n\n${JSON.stringify(body, null, 2)}`, body };
  } catch {
    return { received: `${status}\n\n${text}`, body: {} };
  }
}

// The key that tokens are bound to (RFC 9449). IndexedDB stores it, so that it survives the redirect of the sign-in.
// No page, including this one, can export its private key.

export type BrowserKey = { pair: CryptoKeyPair; thumbprint: string };

const [DATABASE, STORE, NAME] = ['gatehouse-playground', 'keys', 'key'];

/** The key of this browser, created on first use. */
export async function browserKey(): Promise<BrowserKey> {
  const database = await openDatabase();
  const cryptoKeyPair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'sign',
  ]);
  const pair = await keptOr(database, cryptoKeyPair);
  database.close();
  return { pair, thumbprint: await calculateJwkThumbprint(await exportJWK(pair.publicKey)) };
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return requestResult(request);
}

/**
 * Returns the stored key, or stores this key. A single transaction ensures that pages that load at the same time
 * share one key.
 */
async function keptOr(database: IDBDatabase, cryptoKeyPair: CryptoKeyPair): Promise<CryptoKeyPair> {
  const keys = database.transaction(STORE, 'readwrite').objectStore(STORE);
  const storedKeyPair = await requestResult<CryptoKeyPair | undefined>(keys.get(NAME));
  if (storedKeyPair) return storedKeyPair;
  await requestResult(keys.add(cryptoKeyPair, NAME));
  return cryptoKeyPair;
}

function requestResult<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// Decodes a JWT for display, without verifying it.

export type Decoded = { header: object; payload: Record<string, unknown> };

/** Returns null if the token is opaque, not a JWT. */
export function decodeJwt(token: string): Decoded | null {
  const [header, payload, signature, ...more] = token.split('.');
  if (!header || !payload || !signature || more.length > 0) return null;
  try {
    return { header: readPart(header), payload: readPart(payload) as Record<string, unknown> };
  } catch {
    return null;
  }
}

function readPart(part: string): object {
  const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0);
  return JSON.parse(new TextDecoder().decode(bytes)) as object;
}

const MEANINGS = new Map<string, string>(
  Object.entries(
    toSay({
      iss: 'the issuer: this combination of sign-in method and API',
      aud: 'the audience: an API, or the application for an ID token',
      sub: 'the person, the same for every application',
      client_id: 'the application',
      scope: 'what the application can do',
      jti: 'the token’s own id',
      iat: 'created',
      exp: 'valid until',
      auth_time: 'time of the person’s sign-in',
      nonce: 'the value sent in the request',
      at_hash: 'the access token issued with it',
      sid: 'the sign-in session',
      acr: 'the strength of the sign-in',
      amr: 'the method of the sign-in',
      cnf: 'the thumbprint of the key that the token is bound to',
    }),
  ),
);

/** Lists each claim with its meaning; times are in words. */
export function claimsOf(
  payload: Record<string, unknown>,
): { name: string; value: string; meaning: string }[] {
  return Object.entries(payload).map(([name, value]) => {
    const time = ['iat', 'exp', 'auth_time'].includes(name) && typeof value === 'number';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const valueText = time
      ? `${text} (${new Date((value as number) * 1000).toISOString().slice(0, 19)}Z)`
      : text;
    return { name, value: valueText, meaning: MEANINGS.get(name) ?? '' };
  });
}

// The checks that an application makes on an ID token (OpenID Connect Core §3.1.3.7, §3.1.3.8), made in this browser.

type Given = { idToken: string; accessToken: string; attempt: Attempt };

/** Checks the ID token. `keys`: set only in tests; the default is the key set of the issuer. */
export async function checkIdToken(
  { idToken, accessToken, attempt }: Given,
  keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(attempt.combination.jwks)),
): Promise<Check[]> {
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      issuer: attempt.combination.issuer,
      audience: attempt.clientId,
      algorithms: ['RS256', 'ES256'],
      typ: 'JWT',
    });
    const checkWords = toSay(
      'is signed by a key of the issuer, issued for this application, and not expired',
    );
    return [
      { name: 'signature, iss, aud, exp', ok: true, words: checkWords },
      // ID tokens from a refresh contain no nonce
      ...(payload['nonce'] === undefined ? [] : [nonceCheck(payload['nonce'] === attempt.nonce)]),
      atHashCheck(payload['at_hash'] === (await halfHash(accessToken))),
    ];
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    const words = toSay('cannot be trusted: {reason}');
    return [{ name: 'id_token', ok: false, words, values: { reason: error.message } }];
  }
}

const nonceCheck = (ok: boolean): Check => ({
  name: 'nonce',
  ok,
  words: ok
    ? toSay('matches the value that we sent: the sign-in belongs to our request')
    : toSay('does not match the value that we sent: do not continue'),
});

const atHashCheck = (ok: boolean): Check => ({
  name: 'at_hash',
  ok,
  words: ok
    ? toSay('belongs to the access token next to it')
    : toSay('belongs to a different access token: do not continue'),
});

async function halfHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...digest.subarray(0, 16)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
