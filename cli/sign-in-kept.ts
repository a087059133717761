// The sign-ins that this machine keeps, a file for each server, and what renews and proves them: the issuer of a server
// (RFC 9728, RFC 8414), its token endpoint, the key of a sign-in (DPoP, RFC 9449), and a lock that lets one command renew.
import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as openid from 'openid-client';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { isSafeAddress } from '#lib/kit/loopback.ts';
import { parseAs } from '#lib/kit/seal.ts';
import { resourceMetadataAddress } from '#lib/registry/well-known.ts';
import { environment } from '#lib/settings/environment.ts';
import { PROGRAM } from './program.ts';
import { bearer, type Credentials } from './service.ts';
import { CommandFailed, inOneLine, printable, WrongUsage } from './typed.ts';

// The key of a sign-in (DPoP, RFC 9449), which is kept beside its tokens: they are good only with a proof by it, so one
// that leaks through a log or a proxy opens nothing.

const ALG = 'ES256';
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };

/** A private JWK of P-256. */
const keptKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
export type KeptKey = z.output<typeof keptKey>;

/** Null: the issuer binds no tokens to such a key. */
export async function newKey({ config }: Issuer): Promise<KeptKey | null> {
  const algs = config.serverMetadata()['dpop_signing_alg_values_supported'];
  if (!Array.isArray(algs) || !algs.includes(ALG)) return null;
  const { privateKey } = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  return keptKey.parse(await crypto.subtle.exportKey('jwk', privateKey));
}

/** What the calls to an issuer take; nothing for a sign-in without a key. */
export async function provingBy({ config }: Issuer, key: KeptKey | null): Promise<openid.DPoPOptions> {
  if (key === null) return {};
  const { d: _, ...open } = key;
  const [privateKey, publicKey, client] = await Promise.all([
    crypto.subtle.importKey('jwk', key, CURVE, false, ['sign']),
    crypto.subtle.importKey('jwk', open, CURVE, true, ['verify']),
    import('openid-client'),
  ]);
  return { DPoP: client.getDPoPHandle(config, { privateKey, publicKey }) };
}

type Call = { method: string; url: string; token: string; nonce: string | null };

/** The proof of one request with a token (RFC 9449 §4.2). */
function proofOfCall(key: KeptKey, { method, url, token, nonce }: Call): string {
  const { d: _, ...jwk } = key;
  const { origin, pathname } = new URL(url);
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: origin + pathname,
    iat: Math.floor(now().getTime() / 1000),
    ath: createHash('sha256').update(token).digest('base64url'),
    ...(nonce === null ? {} : { nonce }),
  };
  const signed = `${encoded({ alg: ALG, typ: 'dpop+jwt', jwk })}.${encoded(claims)}`;
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

const kept = z.object({
  server: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  access_token: z.string(),
  expires_at: z.iso.datetime(),
  /** null: the server gave none, so the sign-in ends with its access token */
  refresh_token: z.string().nullable(),
  scope: z.string(),
  /** null: the tokens are good without a proof */
  dpop_key: keptKey.nullable().default(null),
});
export type KeptSignIn = z.output<typeof kept>;

/** XDG Base Directory Specification: a relative one is ignored. */
function folder(): string {
  const { XDG_CONFIG_HOME: configured = '' } = environment();
  const base = path.isAbsolute(configured) ? configured : path.join(homedir(), '.config');
  return path.join(base, 'gatehouse');
}

const SUFFIX = '.sign-in.json';

export function fileOf(server: string): string {
  const { protocol, host } = new URL(server);
  return path.join(folder(), `${protocol.slice(0, -1)}_${host.replaceAll(/[^\w.-]/g, '_')}${SUFFIX}`);
}

/** Null: none is kept. Refused where others may read it, or it is damaged. */
export async function readKept(server: string): Promise<KeptSignIn | null> {
  const found = await readFileOf(server);
  if (found === null) return null;
  const { file, mode, isOwn } = found;
  const instead = `sign in again: ${signInCommand(server)}`;
  if (!isOwn) throw new CommandFailed(`${file} is no file of your own: delete it, and ${instead}`);
  if ((mode & 0o077) !== 0)
    throw new CommandFailed(
      `${file} is open to others (mode ${mode.toString(8)}), so it is not used: ${instead}`,
    );
  if (found.kept?.server !== server) throw new CommandFailed(`${file} is damaged: ${instead}`);
  return found.kept;
}

/** What there is to revoke, however it was kept. */
export async function readAnyKept(server: string): Promise<KeptSignIn | null> {
  const found = await readFileOf(server).catch(() => null);
  return found?.kept ?? null;
}

async function readFileOf(server: string) {
  const file = fileOf(server);
  const opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new CommandFailed(`${file} can not be read (${code})`);
  });
  if (opened === null) return null;
  try {
    const { mode, uid } = await opened.stat();
    const isOwn = process.getuid === undefined || uid === process.getuid();
    return { file, mode: mode & 0o777, isOwn, kept: parseAs(kept, await opened.readFile('utf8')) };
  } finally {
    await opened.close();
  }
}

/** The folder is made, and closed to others. */
export async function ensureFolder(): Promise<void> {
  try {
    await makeFolder(folder());
    await chmod(folder(), 0o700);
  } catch (error) {
    throw new CommandFailed(`${folder()} can not be made (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Each folder of the path by itself: Node's `recursive` never ends where a file system has none to make, as /proc. */
async function makeFolder(whole: string): Promise<void> {
  const isThere = await stat(whole).catch(() => null);
  if (isThere?.isDirectory()) return;
  const parent = path.dirname(whole);
  if (parent !== whole) await makeFolder(parent);
  await mkdir(whole, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** All of it or nothing, under the lock of the file. */
export async function keep(signIn: KeptSignIn): Promise<void> {
  const file = fileOf(signIn.server);
  const part = `${file}.${randomUUID()}`;
  try {
    const opened = await open(part, 'wx', 0o600);
    try {
      await opened.writeFile(`${JSON.stringify(signIn, null, 2)}\n`);
      await opened.sync();
    } finally {
      await opened.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new CommandFailed(`${file} can not be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

export const forget = (server: string): Promise<void> => rm(fileOf(server), { force: true });

/** The servers that this machine keeps a sign-in for. */
export async function keptServers(): Promise<string[]> {
  const names = await readdir(folder()).catch(() => []);
  const files = names.filter((name) => name.endsWith(SUFFIX)).map((name) => path.join(folder(), name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.flatMap((text) => parseAs(kept, text)?.server ?? []).toSorted();
}

/** As it is typed. */
const signInCommand = (server: string): string => `${PROGRAM} login --server ${server}`;

// Where a person signs in for the management API of a server: its protected resource metadata (RFC 9728) name its
// issuers, and the metadata of an issuer (RFC 8414) the rest. No address of them is made up here.

export type Issuer = { config: openid.Configuration; url: string };

export const TIMEOUT_SECONDS = 30;

const document = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).default([]),
  scopes_supported: z.array(z.string()).default([]),
});

/** The management API of a server, as tokens for it name it (RFC 8707). */
export const resourceOf = (server: string): string => `${server}/api/v1`;

/** What the server says of its management API. */
export type Resource = { issuers: string[]; scopes: string[] };

export async function readResource(server: string): Promise<Resource> {
  const own = resourceOf(server);
  const address = resourceMetadataAddress(own);
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  const answer = await fetch(address, { redirect: 'manual', signal }).catch((error: unknown) => {
    throw new CommandFailed(`${server} is not reachable: ${inOneLine(error)}`);
  });
  const found = answer.ok ? parseAs(document, await answer.text()) : null;
  if (!found)
    throw new CommandFailed(
      `${server} does not say where people sign in: ${address} answers ${answer.status}`,
    );
  // RFC 9728 §3.3: the document of another resource is not used
  if (found.resource !== own)
    throw new CommandFailed(
      `${address} is about ${printable(found.resource)}, and not about ${own}: is --server right?`,
    );
  const unsafe = found.authorization_servers.find(
    (issuer) => !isSafeAddress(issuer) || printable(issuer) !== issuer,
  );
  if (unsafe !== undefined)
    throw new CommandFailed(`${server} names the issuer ${printable(unsafe)}, which is no https address`);
  return { issuers: found.authorization_servers, scopes: found.scopes_supported };
}

/** The issuer of this sign-in method. Without a method: the only issuer. */
export function chooseIssuer(server: string, issuers: readonly string[], method: string | undefined): string {
  const methods = new Map(issuers.map((issuer) => [methodOf(issuer), issuer]));
  const [first, ...more] = issuers;
  if (first === undefined) throw new CommandFailed(`${server} has no sign-in method for its management API`);
  if (method === undefined && more.length === 0) return first;
  const chosen = method === undefined ? undefined : methods.get(method);
  if (chosen !== undefined) return chosen;
  const wrong = method === undefined ? 'several sign-in methods' : `no sign-in method ${method}`;
  throw new CommandFailed(`${server} has ${wrong}: choose one by --method ${[...methods.keys()].join(', ')}`);
}

/** Its name in the issuer's path; of an issuer with a host of its own, the host. */
export function methodOf(issuer: string): string {
  const { pathname, host } = new URL(issuer);
  return /^\/auth\/([^/]+)\//.exec(pathname)?.[1] ?? host;
}

export async function openIssuer(url: string, clientId: string): Promise<Issuer> {
  const client = await import('openid-client');
  try {
    if (!isSafeAddress(url)) throw new Error('it is not https');
    const config = await client.discovery(new URL(url), clientId, undefined, client.None(), {
      algorithm: 'oauth2',
      timeout: TIMEOUT_SECONDS,
      // on this very machine only
      execute: url.startsWith('http:') ? [client.allowInsecureRequests] : [],
    });
    const { authorization_endpoint, token_endpoint, revocation_endpoint, ...more } = config.serverMetadata();
    const { pushed_authorization_request_endpoint: par } = more;
    for (const address of [authorization_endpoint, token_endpoint, revocation_endpoint, par])
      if (address !== undefined && !isSafeAddress(address)) throw new Error(`${address} is not https`);
    return { config, url };
  } catch (error) {
    throw new CommandFailed(`the issuer ${url} can not be used: ${inOneLine(error)}`);
  }
}

// The calls to the token and revocation endpoints, and what is kept of their answers.

/** Where an answer does not say how long its token lives. */
const SHORTEST_SECONDS = 60;

type Answer = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;
type Given = Pick<KeptSignIn, 'access_token' | 'expires_at' | 'refresh_token' | 'scope'>;
export type Asked = {
  state: string;
  verifier: string;
  scope: string;
  resource: string;
  /** that the tokens are to be bound to */
  key: KeptKey | null;
};

/** For a code, once `state` and `iss` are right (RFC 6749 §4.1.2, RFC 9207). Refused with what the issuer said. */
export async function redeem(
  issuer: Issuer,
  answer: URL,
  { state, verifier, scope, resource, key }: Asked,
): Promise<Given & Pick<KeptSignIn, 'dpop_key'>> {
  const { config, url } = issuer;
  const client = await import('openid-client');
  try {
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    const proving = await provingBy(issuer, key);
    const tokens = await client.authorizationCodeGrant(config, answer, checks, { resource }, proving);
    return { ...given(tokens, scope), dpop_key: tokens.token_type === 'dpop' ? key : null };
  } catch (error) {
    const denied = error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
    throw new CommandFailed(denied ? 'the sign-in was denied' : `${url} gave no token: ${inOneLine(error)}`);
  }
}

/** Null: the sign-in has ended. */
async function refresh(kept: KeptSignIn & { refresh_token: string }): Promise<KeptSignIn | null> {
  const issuer = await openIssuer(kept.issuer, kept.client_id);
  const { config, url } = issuer;
  const client = await import('openid-client');
  try {
    const asked = { resource: resourceOf(kept.server) };
    const proving = await provingBy(issuer, kept.dpop_key);
    const answer = await client.refreshTokenGrant(config, kept.refresh_token, asked, proving);
    const { refresh_token, ...tokens } = given(answer, kept.scope);
    return { ...kept, ...tokens, refresh_token: refresh_token ?? kept.refresh_token };
  } catch (error) {
    const ended = error instanceof client.ResponseBodyError && error.error === 'invalid_grant';
    if (ended) return null;
    throw new CommandFailed(`${url} gave no new token: ${inOneLine(error)}`);
  }
}

/** RFC 7009: ends all that this sign-in gave. False: the issuer revokes nothing. */
export async function revoke(kept: KeptSignIn): Promise<boolean> {
  const { config, url } = await openIssuer(kept.issuer, kept.client_id);
  if (config.serverMetadata().revocation_endpoint === undefined) return false;
  const client = await import('openid-client');
  await client.tokenRevocation(config, kept.refresh_token ?? kept.access_token).catch((error: unknown) => {
    throw new CommandFailed(`${url} revoked nothing: ${inOneLine(error)}`);
  });
  return true;
}

function given(answer: Answer, asked: string): Given {
  const seconds = answer.expiresIn() ?? SHORTEST_SECONDS;
  return {
    access_token: answer.access_token,
    expires_at: new Date(now().getTime() + seconds * 1000).toISOString(),
    refresh_token: answer.refresh_token ?? null,
    scope: answer.scope ?? asked,
  };
}

// One process at a time works with a file: a refresh token is used once, and its successor must not be lost to another
// command. The lock is a file beside it, whose time its holder renews; one that is no longer renewed was left behind.

const RENEWED_MS = 1_000;
const LEFT_BEHIND_MS = 30_000;
const PATIENCE_MS = 120_000;
const PAUSE_MS = 50;

/** The folder of the file is there. A process that was suspended for long has lost the lock: `work` looks again. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const own = randomUUID();
  await take(lock, own);
  const isOurs = async () => (await readFile(lock, 'utf8').catch(() => '')) === own;
  const renewing = setInterval(() => void renewLock(lock, isOurs), RENEWED_MS);
  renewing.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // one that was taken from us is another's
    if (await isOurs()) await rm(lock, { force: true });
  }
}

async function take(lock: string, own: string): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(PAUSE_MS)) {
    if (await makes(lock, own)) return;
    if (await isLeftBehind(lock)) await remove(lock);
  }
  throw new CommandFailed(`another command holds ${lock}: end it, or delete this file`);
}

async function makes(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Another's is not kept alive. */
async function renewLock(lock: string, isOurs: () => Promise<boolean>): Promise<void> {
  if (await isOurs()) await utimes(lock, new Date(), new Date()).catch(() => {});
}

async function isLeftBehind(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > LEFT_BEHIND_MS;
}

/** One process at a time looks again and removes it, so that none removes the lock that another has just made. */
async function remove(lock: string): Promise<void> {
  const guard = `${lock}.removal`;
  if (!(await makes(guard, ''))) {
    if (await isLeftBehind(guard)) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isLeftBehind(lock)) await rm(lock, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

// The kept sign-in of a server as what proves who acts there. An access token that ends is renewed, by one command at a
// time: a refresh token works once.

/** A request that is sent before the end must not arrive after it. */
const AHEAD_MS = 30_000;

/** `token`: what was typed, or is in the environment, comes before a sign-in that is kept. */
export async function credentialsOf(server: string, token: string | null): Promise<Credentials> {
  if (token !== null) return bearer(token);
  const found = await readKept(server);
  if (found === null)
    throw new WrongUsage(
      `no one is signed in at ${server}: ${signInCommand(server)}, or --token TOKEN (or GATEHOUSE_TOKEN, which no list of processes shows)`,
    );
  let current: KeptSignIn = found;
  let nonce: string | null = null;
  return {
    again: signInCommand(server),
    async headersFor(request) {
      if (endsSoon(current)) current = await renewSignIn(current);
      const { access_token: token, dpop_key: key } = current;
      if (key === null) return { authorization: `Bearer ${token}` };
      const proof = proofOfCall(key, { ...request, token, nonce });
      return { authorization: `DPoP ${token}`, dpop: proof };
    },
    takeNonce(given) {
      nonce = given;
      return current.dpop_key !== null;
    },
    async renew() {
      current = await renewSignIn(current);
      return true;
    },
  };
}

const endsSoon = ({ expires_at }: KeptSignIn) => Date.parse(expires_at) - AHEAD_MS < now().getTime();

/** `seen`: whose access token is of no use. */
async function renewSignIn(seen: KeptSignIn): Promise<KeptSignIn> {
  const { server } = seen;
  await ensureFolder();
  return withFileLock(fileOf(server), async () => {
    const current = await readKept(server);
    if (current === null) throw ended(server);
    // another command was first
    if (current.access_token !== seen.access_token && !endsSoon(current)) return current;
    const { refresh_token } = current;
    const next = refresh_token === null ? null : await refreshAt(server, { ...current, refresh_token });
    // a process that was suspended for long has lost the lock, and another command may have kept a successor
    const meanwhile = await readKept(server);
    if (meanwhile !== null && meanwhile.refresh_token !== refresh_token) return meanwhile;
    if (next === null) {
      await forget(server);
      throw ended(server);
    }
    await keep(next);
    return next;
  });
}

/** The refresh token goes to no issuer that the server does not name any more. */
async function refreshAt(server: string, current: KeptSignIn & { refresh_token: string }) {
  const { issuers } = await readResource(server);
  if (!issuers.includes(current.issuer))
    throw new CommandFailed(
      `${server} no longer names the issuer ${current.issuer}: sign in again: ${signInCommand(server)}`,
    );
  return refresh(current);
}

const ended = (server: string) =>
  new CommandFailed(`the sign-in at ${server} has ended: sign in again: ${signInCommand(server)}`);
