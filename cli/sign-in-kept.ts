// Stores one sign-in per server in a file. The module also finds the issuer (RFC 9728, RFC 8414), renews tokens,
// creates DPoP proofs (RFC 9449), and locks the file during renewal.
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

// The DPoP key of a sign-in (RFC 9449), stored with its tokens. Each token requires a proof, so a token that leaks
// through a log or proxy cannot be used.

const ALG = 'ES256';
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };

/** A stored private key: P-256, as JWK. */
const keptKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
export type KeptKey = z.output<typeof keptKey>;

/** Creates a key. Returns null if the issuer does not support DPoP with keys of this type. */
export async function newKey({ config }: Issuer): Promise<KeptKey | null> {
  const algs = config.serverMetadata()['dpop_signing_alg_values_supported'];
  if (!Array.isArray(algs) || !algs.includes(ALG)) return null;
  const { privateKey } = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  return keptKey.parse(await crypto.subtle.exportKey('jwk', privateKey));
}

/** Returns the options that add DPoP proofs to calls to an issuer; empty without a key. */
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

/** Creates the DPoP proof for one API request (RFC 9449 §4.2). */
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
  const signed = `${encodePart({ alg: ALG, typ: 'dpop+jwt', jwk })}.${encodePart(claims)}`;
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const encodePart = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

const signInSchema = z.object({
  server: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  access_token: z.string(),
  expires_at: z.iso.datetime(),
  /** `null`: there is no refresh token, so the sign-in ends with its access token */
  refresh_token: z.string().nullable(),
  scope: z.string(),
  /** null: the tokens are not bound to a key */
  dpop_key: keptKey.nullable().default(null),
});
export type KeptSignIn = z.output<typeof signInSchema>;

/**
 * Returns the folder of stored sign-ins. A relative path in an environment variable must be ignored (XDG Base
 * Directory Specification).
 */
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

/** Reads a stored sign-in. `null`: no file. Throws if the file is damaged or its permissions are unsafe. */
export async function readKept(server: string): Promise<KeptSignIn | null> {
  const signInFile = await readFileOf(server);
  if (signInFile === null) return null;
  const { file, mode, isOwn } = signInFile;
  const instead = `sign in again: ${signInCommand(server)}`;
  if (!isOwn) throw new CommandFailed(`${file} does not belong to you: delete it, and ${instead}`);
  if ((mode & 0o077) !== 0)
    throw new CommandFailed(
      `${file} can be read by others (mode ${mode.toString(8)}), so it is not used: ${instead}`,
    );
  if (signInFile.kept?.server !== server) throw new CommandFailed(`${file} is damaged: ${instead}`);
  return signInFile.kept;
}

/** Reads a sign-in in order to revoke it, regardless of the file's permissions. */
export async function readAnyKept(server: string): Promise<KeptSignIn | null> {
  const signInFile = await readFileOf(server).catch(() => null);
  return signInFile?.kept ?? null;
}

async function readFileOf(server: string) {
  const file = fileOf(server);
  const fileHandle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new CommandFailed(`${file} cannot be read (${code})`);
  });
  if (fileHandle === null) return null;
  try {
    const { mode, uid } = await fileHandle.stat();
    const isOwn = process.getuid === undefined || uid === process.getuid();
    return {
      file,
      mode: mode & 0o777,
      isOwn,
      kept: parseAs(signInSchema, await fileHandle.readFile('utf8')),
    };
  } finally {
    await fileHandle.close();
  }
}

/** Creates the folder; only its owner can access it. */
export async function ensureFolder(): Promise<void> {
  try {
    await makeFolder(folder());
    await chmod(folder(), 0o700);
  } catch (error) {
    throw new CommandFailed(`${folder()} cannot be created (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Creates each folder of the path separately: Node's `recursive` loops forever on file systems such as /proc. */
async function makeFolder(whole: string): Promise<void> {
  const isThere = await stat(whole).catch(() => null);
  if (isThere?.isDirectory()) return;
  const parent = path.dirname(whole);
  if (parent !== whole) await makeFolder(parent);
  await mkdir(whole, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Writes the file atomically, while the caller holds its lock. */
export async function keep(signIn: KeptSignIn): Promise<void> {
  const file = fileOf(signIn.server);
  const part = `${file}.${randomUUID()}`;
  try {
    const fileHandle = await open(part, 'wx', 0o600);
    try {
      await fileHandle.writeFile(`${JSON.stringify(signIn, null, 2)}\n`);
      await fileHandle.sync();
    } finally {
      await fileHandle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new CommandFailed(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

export const forget = (server: string): Promise<void> => rm(fileOf(server), { force: true });

/** Returns the servers that have a stored sign-in. */
export async function keptServers(): Promise<string[]> {
  const names = await readdir(folder()).catch(() => []);
  const files = names.filter((name) => name.endsWith(SUFFIX)).map((name) => path.join(folder(), name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.flatMap((text) => parseAs(signInSchema, text)?.server ?? []).toSorted();
}

/** Returns the login command as operators type it. */
const signInCommand = (server: string): string => `${PROGRAM} login --server ${server}`;

// The issuer for a server's management API. The protected resource metadata (RFC 9728) lists the issuers, and the
// metadata of an issuer (RFC 8414) lists its endpoints. The command line never guesses a URL.

export type Issuer = { config: openid.Configuration; url: string };

export const TIMEOUT_SECONDS = 30;

const document = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).default([]),
  scopes_supported: z.array(z.string()).default([]),
});

/** Returns the resource identifier of a server's management API, for token requests (RFC 8707). */
export const resourceOf = (server: string): string => `${server}/api/v1`;

/** Protected resource metadata of the management API. */
export type Resource = { issuers: string[]; scopes: string[] };

export async function readResource(server: string): Promise<Resource> {
  const resource = resourceOf(server);
  const address = resourceMetadataAddress(resource);
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  const answer = await fetch(address, { redirect: 'manual', signal }).catch((error: unknown) => {
    throw new CommandFailed(`${server} is not reachable: ${inOneLine(error)}`);
  });
  const metadata = answer.ok ? parseAs(document, await answer.text()) : null;
  if (!metadata)
    throw new CommandFailed(
      `${server} returns no metadata of its sign-in: ${address} responds with ${answer.status}`,
    );
  // RFC 9728 §3.3: metadata about another resource must be rejected
  if (metadata.resource !== resource)
    throw new CommandFailed(
      `${address} is about ${printable(metadata.resource)}, and not about ${resource}: is --server right?`,
    );
  const unsafe = metadata.authorization_servers.find(
    (issuer) => !isSafeAddress(issuer) || printable(issuer) !== issuer,
  );
  if (unsafe !== undefined)
    throw new CommandFailed(`${server} has the issuer ${printable(unsafe)}, which is not an https address`);
  return { issuers: metadata.authorization_servers, scopes: metadata.scopes_supported };
}

/** Chooses the issuer for the requested method. If no method is requested, the server must have a single issuer. */
export function chooseIssuer(server: string, issuers: readonly string[], method: string | undefined): string {
  const methods = new Map(issuers.map((issuer) => [methodOf(issuer), issuer]));
  const [first, ...more] = issuers;
  if (first === undefined) throw new CommandFailed(`${server} has no sign-in method for its management API`);
  if (method === undefined && more.length === 0) return first;
  const chosen = method === undefined ? undefined : methods.get(method);
  if (chosen !== undefined) return chosen;
  const wrong = method === undefined ? 'several sign-in methods' : `no sign-in method ${method}`;
  throw new CommandFailed(
    `${server} has ${wrong}: choose one with --method ${[...methods.keys()].join(', ')}`,
  );
}

/** Returns the name of the method in the path of the issuer. For an issuer with a separate host, returns the host. */
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
      // http is allowed only for an issuer on this machine
      execute: url.startsWith('http:') ? [client.allowInsecureRequests] : [],
    });
    const { authorization_endpoint, token_endpoint, revocation_endpoint, ...more } = config.serverMetadata();
    const { pushed_authorization_request_endpoint: par } = more;
    for (const address of [authorization_endpoint, token_endpoint, revocation_endpoint, par])
      if (address !== undefined && !isSafeAddress(address)) throw new Error(`${address} is not https`);
    return { config, url };
  } catch (error) {
    throw new CommandFailed(`the issuer ${url} cannot be used: ${inOneLine(error)}`);
  }
}

// Calls the token and revocation endpoints, and stores the results.

/** Assumed lifetime of an access token if the response contains no `expires_in`. */
const SHORTEST_SECONDS = 60;

type Answer = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;
type Given = Pick<KeptSignIn, 'access_token' | 'expires_at' | 'refresh_token' | 'scope'>;
export type Asked = {
  state: string;
  verifier: string;
  scope: string;
  resource: string;
  /** the key that the tokens are bound to */
  key: KeptKey | null;
};

/**
 * Redeems the code, after checking `state` and `iss` (RFC 6749 §4.1.2, RFC 9207). Throws the error that the issuer
 * returned.
 */
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
    return { ...storedTokens(tokens, scope), dpop_key: tokens.token_type === 'dpop' ? key : null };
  } catch (error) {
    const denied = error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
    throw new CommandFailed(
      denied ? 'the sign-in was denied' : `${url} returned no token: ${inOneLine(error)}`,
    );
  }
}

/** Refreshes the tokens. Returns null if the sign-in has ended. */
async function refresh(storedSignIn: KeptSignIn & { refresh_token: string }): Promise<KeptSignIn | null> {
  const issuer = await openIssuer(storedSignIn.issuer, storedSignIn.client_id);
  const { config, url } = issuer;
  const client = await import('openid-client');
  try {
    const parameters = { resource: resourceOf(storedSignIn.server) };
    const proving = await provingBy(issuer, storedSignIn.dpop_key);
    const answer = await client.refreshTokenGrant(config, storedSignIn.refresh_token, parameters, proving);
    const { refresh_token, ...tokens } = storedTokens(answer, storedSignIn.scope);
    return { ...storedSignIn, ...tokens, refresh_token: refresh_token ?? storedSignIn.refresh_token };
  } catch (error) {
    const ended = error instanceof client.ResponseBodyError && error.error === 'invalid_grant';
    if (ended) return null;
    throw new CommandFailed(`${url} returned no new token: ${inOneLine(error)}`);
  }
}

/** Revokes all tokens of this sign-in (RFC 7009). False: the issuer has no revocation endpoint. */
export async function revoke(storedSignIn: KeptSignIn): Promise<boolean> {
  const { config, url } = await openIssuer(storedSignIn.issuer, storedSignIn.client_id);
  if (config.serverMetadata().revocation_endpoint === undefined) return false;
  const client = await import('openid-client');
  await client
    .tokenRevocation(config, storedSignIn.refresh_token ?? storedSignIn.access_token)
    .catch((error: unknown) => {
      throw new CommandFailed(`${url} revoked nothing: ${inOneLine(error)}`);
    });
  return true;
}

function storedTokens(answer: Answer, requestedScope: string): Given {
  const seconds = answer.expiresIn() ?? SHORTEST_SECONDS;
  return {
    access_token: answer.access_token,
    expires_at: new Date(now().getTime() + seconds * 1000).toISOString(),
    refresh_token: answer.refresh_token ?? null,
    scope: answer.scope ?? requestedScope,
  };
}

// Lock of a sign-in's file: only one process at a time uses a sign-in, because a refresh token works once and a
// second command must not lose the token that replaced it. The lock is a file whose modification time the holder
// updates. If the time is old, the holder has abandoned the lock.

const RENEWED_MS = 1_000;
const LEFT_BEHIND_MS = 30_000;
const PATIENCE_MS = 120_000;
const PAUSE_MS = 50;

/**
 * Requires that the folder exists. A process that was suspended for too long loses the lock, so `work` must read the
 * file again.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const lockId = randomUUID();
  await take(lock, lockId);
  const isOurs = async () => (await readFile(lock, 'utf8').catch(() => '')) === lockId;
  const renewing = setInterval(() => void renewLock(lock, isOurs), RENEWED_MS);
  renewing.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // deletes the lock file only if it contains the id of this command
    if (await isOurs()) await rm(lock, { force: true });
  }
}

async function take(lock: string, lockId: string): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(PAUSE_MS)) {
    if (await makes(lock, lockId)) return;
    if (await isLeftBehind(lock)) await remove(lock);
  }
  throw new CommandFailed(`another command holds ${lock}: stop it, or delete this file`);
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

/** Renews only this command's own lock. */
async function renewLock(lock: string, isOurs: () => Promise<boolean>): Promise<void> {
  if (await isOurs()) await utimes(lock, new Date(), new Date()).catch(() => {});
}

async function isLeftBehind(lock: string): Promise<boolean> {
  const stats = await stat(lock).catch(() => null);
  return stats !== null && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS;
}

/**
 * Only one process at a time removes an abandoned lock: a guard file prevents the deletion of another process's new
 * lock.
 */
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

// Credentials from a stored sign-in. Only one command at a time renews an access token that will expire, because a
// refresh token works once.

/** Milliseconds before the expiry of an access token at which it is renewed, because requests take time. */
const AHEAD_MS = 30_000;

/** Returns the credentials for a server. A `token` from an option or the environment replaces the stored sign-in. */
export async function credentialsOf(server: string, token: string | null): Promise<Credentials> {
  if (token !== null) return bearer(token);
  const storedSignIn = await readKept(server);
  if (storedSignIn === null)
    throw new WrongUsage(
      `no one is signed in at ${server}: run ${signInCommand(server)}, or use --token TOKEN (or GATEHOUSE_TOKEN, which process lists do not show)`,
    );
  let current: KeptSignIn = storedSignIn;
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
    takeNonce(newNonce) {
      nonce = newNonce;
      return current.dpop_key !== null;
    },
    async renew() {
      current = await renewSignIn(current);
      return true;
    },
  };
}

const endsSoon = ({ expires_at }: KeptSignIn) => Date.parse(expires_at) - AHEAD_MS < now().getTime();

/** Renews the stored sign-in. `seen`: the sign-in whose access token no longer works. */
async function renewSignIn(seen: KeptSignIn): Promise<KeptSignIn> {
  const { server } = seen;
  await ensureFolder();
  return withFileLock(fileOf(server), async () => {
    const current = await readKept(server);
    if (current === null) throw signInEnded(server);
    // another command renewed the sign-in first
    if (current.access_token !== seen.access_token && !endsSoon(current)) return current;
    const { refresh_token } = current;
    const next = refresh_token === null ? null : await refreshAt(server, { ...current, refresh_token });
    // while this process was suspended, another command may have taken the lock and stored a newer token
    const meanwhile = await readKept(server);
    if (meanwhile !== null && meanwhile.refresh_token !== refresh_token) return meanwhile;
    if (next === null) {
      await forget(server);
      throw signInEnded(server);
    }
    await keep(next);
    return next;
  });
}

/** Refreshes the tokens at their issuer. The refresh token is sent only to an issuer that the server lists. */
async function refreshAt(server: string, current: KeptSignIn & { refresh_token: string }) {
  const { issuers } = await readResource(server);
  if (!issuers.includes(current.issuer))
    throw new CommandFailed(
      `${server} no longer names the issuer ${current.issuer}: sign in again: ${signInCommand(server)}`,
    );
  return refresh(current);
}

const signInEnded = (server: string) =>
  new CommandFailed(`the sign-in at ${server} has ended: sign in again: ${signInCommand(server)}`);
