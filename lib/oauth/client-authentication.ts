// Client authentication: by Basic, body or assertion, or without credentials, but never by two methods (RFC 6749 §2.3).
// Secrets are compared as SHA-256 in constant time. Message and timing are the same for an unknown client and a wrong
// secret.

import { networkOf } from '#lib/auth-methods/attempts.ts';
import { replaceKeptSecret } from '#lib/catalogue/clients/rows.ts';
import { now } from '#lib/kit/clock.ts';
import { cutsPassword } from '#lib/kit/kept-hashes/kept-hash.ts';
import { log } from '#lib/kit/log.ts';
import { type HashRequest, PasswordHashBusy, verifyPassword } from '#lib/kit/password-hash.ts';
import { processWide } from '#lib/kit/process.ts';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import { settings } from '#lib/settings/settings.ts';
import { noteAssertionAudience, touchClientSecret } from '#lib/store/hot/credentials.ts';
import { RegistryChanged, type SnapshotApi, type SnapshotClient } from '#lib/store/snapshot.ts';
import { checkAssertion } from '#lib/tokens/client-assertion.ts';
import {
  type AuthenticatedClient,
  asAuthenticated,
  CHALLENGE,
  type ClientCredentials,
  type ClientRequest,
  failedAssertion,
  isApprovedSomewhere,
  isFirstUse,
  namedClient,
  underSecretLimit,
} from './client.ts';
import { type ClientDocument, isDocumentUrl, keepRecent, readClientDocument } from './client-documents.ts';
import { InvalidClient, type RefusalReason, TemporarilyUnavailable } from './errors.ts';
import { type Issuer, isIssuer, issuerEndpoints } from './issuer.ts';
import { FAPI2_ALGS, followsFapi2, followsOAuth21 } from './rules.ts';
import { refreshDocumentClient } from './unregistered.ts';

// Keys of a document client, from the current document, because the stored row may be older. Keys that the owner added
// must work, and removed keys must not. If the host is unavailable, the row’s keys are used, so that an outage breaks
// no sign-in.

const PAUSE_MS = 30_000;
const MAX_PAUSES = 1_000;

type ClientKeys = Pick<SnapshotClient, 'jwks' | 'jwksUri'>;

/** Keys of a client whose current document contains none. Keys of its earlier documents are no longer valid. */
const NO_KEYS: ClientKeys = { jwks: { keys: [] }, jwksUri: null };

/** For each client: time of the next fetch after a failed one, in milliseconds since 1970. */
const pausesSlot = processWide<Map<string, number>>('client-document-pauses');

/**
 * Options for the keys. `newer`: the cached document lacks the key that signed the request. `caller`: the IP address
 * of the request.
 */
type Asks = { newer?: boolean; caller?: string | null };

/** Returns the client’s keys from its current document. Never rejects. */
async function currentKeys(client: SnapshotClient, asks: Asks = {}): Promise<ClientKeys> {
  const document = await currentDocument(client, asks);
  if (document === null) return client;
  return document.tokenEndpointAuthMethod === 'private_key_jwt' ? document : NO_KEYS;
}

/**
 * Returns the client’s current document. `null`: the document is missing or unreadable, so the stored row applies.
 * Never rejects.
 */
async function currentDocument(
  client: SnapshotClient,
  { newer = false, caller = null }: Asks = {},
): Promise<ClientDocument | null> {
  const { clientId } = client;
  pausesSlot.value ??= new Map();
  const pauses = pausesSlot.value;
  if (!isDocumentUrl(clientId) || now().getTime() < (pauses.get(clientId) ?? 0)) return null;
  try {
    return await readClientDocument(clientId, { known: isApprovedSomewhere(client), newer, caller });
  } catch (error) {
    keepRecent(pauses, clientId, now().getTime() + PAUSE_MS, MAX_PAUSES);
    const reason = error instanceof Error ? error.message : '';
    log().info({ clientId, reason }, 'the document of a client was not to be had; its keys of before count');
    return null;
  }
}

// Client authentication by signed assertion (RFC 7521 §4.2, RFC 7523 §2.2). An invalid assertion counts like a wrong
// secret, also for unknown clients. All failures return the same message. Above the limit, no signature is verified.

const UNREACHABLE = 'The keys at the jwks_uri of this client cannot be fetched. Try again in a moment.';

/**
 * `issuer`: the called issuer, for endpoints under an issuer. `api`: the API that the request names, for other
 * endpoints. `isStored`: false for a client that is known only by its document and has no row.
 */
type Asserted = ClientRequest & { issuer?: Issuer; api?: SnapshotApi | null; isStored?: boolean };

/**
 * Returns the client that the assertion proves. Throws InvalidClient, or SlowDown after too many invalid assertions.
 */
async function authenticateByAssertion(
  request: Asserted,
  client: SnapshotClient | undefined,
  { clientId, assertion }: { clientId: string; assertion: string },
): Promise<SnapshotClient> {
  const { snapshot, ip, http } = request;
  let refusal: Promise<RefusalReason | 'unknown' | null> | undefined;
  const check = async () => {
    refusal ??= client ? refusalOf(request, client, assertion) : Promise.resolve('unknown');
    return (await refusal) === null ? client : null;
  };
  const caller = {
    clientId,
    known: client !== undefined,
    version: snapshot.version,
    address: ip,
    requestId: http.requestId,
    costly: true,
  };
  const snapshotClient = await underSecretLimit(caller, check);
  if (snapshotClient) return snapshotClient;
  const reason = await refusal;
  throw failedAssertion(reason === undefined || reason === 'unknown' ? null : reason, true);
}

async function refusalOf(
  request: Asserted,
  client: SnapshotClient,
  assertion: string,
): Promise<RefusalReason | null> {
  if (client.disabled) return 'client-disabled';
  if (client.tokenEndpointAuthMethod !== 'private_key_jwt') return 'assertion-not-expected';
  const { audiences, takesList } = audiencesOf(request, client);
  const isAudience = (audience: string) => audiences.some((is) => is(audience));
  const checkedAssertion = await checkedByKeys(request, client, { assertion, isAudience, takesList });
  // an outage of the client’s host is not a guess and does not count as an attempt
  if (checkedAssertion.fault === 'keys-unreachable')
    throw new TemporarilyUnavailable(UNREACHABLE, { reason: checkedAssertion.fault });
  if (checkedAssertion.fault !== null) return checkedAssertion.fault;
  if (request.isStored === false) return null;
  if (!(await isFirstUse(request.http, checkedAssertion))) return 'assertion-used';
  noteAssertionAudience(
    client.clientId,
    isOfIssuer(request, checkedAssertion.audience) ? 'issuer' : 'token_endpoint',
  );
  return null;
}

type Is = (audience: string) => boolean;

type Presented = { assertion: string; isAudience: Is; takesList: boolean };

/**
 * Verifies the assertion with the client’s keys. For document clients, also uses keys published since the last
 * fetch.
 */
async function checkedByKeys(
  request: Asserted,
  client: SnapshotClient,
  { assertion, isAudience, takesList }: Presented,
) {
  const { clientId } = client;
  const check = ({ jwks, jwksUri }: ClientKeys) =>
    checkAssertion(assertion, { clientId, jwks, jwksUri, isAudience, takesList, ...algorithmsAt(request) });
  const caller = request.ip;
  let keys = await currentKeys(client, { caller });
  let checkedAssertion = await check(keys);
  if (checkedAssertion.fault !== null && OF_KEYS.has(checkedAssertion.fault)) {
    const before = keys;
    keys = await currentKeys(client, { newer: true, caller });
    if (keys !== before) checkedAssertion = await check(keys);
  }
  // the row of an unapproved client is updated later, when a user arrives with the client
  if (checkedAssertion.fault === null && keys !== client && isApprovedSomewhere(client))
    await bringUpToDate(request, client);
  return checkedAssertion;
}

/**
 * Updates the row from the document, so users see a key change immediately. The client has authenticated, even if the
 * request fails later.
 */
async function bringUpToDate({ ip, http }: Asserted, client: SnapshotClient): Promise<void> {
  try {
    await refreshDocumentClient(client, { address: ip, requestId: http.requestId });
  } catch (err) {
    log().warn({ err, clientId: client.clientId }, 'the row of a client was not brought up to date');
  }
}

const apiOf = ({ issuer, api }: Asserted) => issuer?.api ?? api ?? null;

function isForFapi2(request: Asserted): boolean {
  const api = apiOf(request);
  return api !== null && followsFapi2(api);
}

/** Accepted signature algorithms. FAPI 2.0 §5.4.1 restricts them. */
const algorithmsAt = (request: Asserted) => (isForFapi2(request) ? { algorithms: FAPI2_ALGS } : {});

const OF_KEYS = new Set<RefusalReason>(['assertion-key', 'assertion-signature', 'keys-unreachable']);

const isOfIssuer = ({ issuer, snapshot }: Asserted, audience: string): boolean =>
  issuer ? audience === issuer.url : isIssuer(snapshot, audience);

/**
 * The accepted audiences: the called issuer or, at the service-wide endpoint, every issuer. Without a profile, the
 * token endpoint and a list with one audience are also valid (OpenID Connect Core §9, RFC 7523 §3). With `oauth-2.1`
 * they are valid only for clients with that setting. With `fapi-2.0` they are never valid (FAPI 2.0 Security Profile
 * §5.3.2.1, 8). A request without an API, such as an ID-JAG request, follows the `oauth-2.1` rule.
 */
function audiencesOf(
  request: Asserted,
  { tokenEndpointAsAudience }: SnapshotClient,
): { audiences: Is[]; takesList: boolean } {
  const { issuer } = request;
  const ofIssuer: Is = (audience) => isOfIssuer(request, audience);
  const api = apiOf(request);
  const isPlain = api !== null && !followsOAuth21(api);
  const isWide = isPlain || (tokenEndpointAsAudience && !isForFapi2(request));
  if (!isWide) return { audiences: [ofIssuer], takesList: false };
  const endpoint = issuer ? issuerEndpoints(issuer).tokenEndpoint : `${settings().baseUrl}/auth/token`;
  return { audiences: [ofIssuer, (audience) => audience === endpoint], takesList: true };
}

// A secret that was imported as a hash of another service. Checking such a hash is expensive, so a process runs few
// checks per client and caches results. The first correct secret replaces the hash with SHA-256.

/**
 * Limits for checks of an imported hash. They apply per client and network, so that wrong secrets from one
 * network do not delay callers elsewhere.
 */
const MAX_CHECKS = 4;
const MAX_WRONG = 16;
const MAX_REMEMBERED = 1_000;

/** Results of checks against an imported hash, which this process has cached. */
type Known = {
  right: Buffer | null;
  wrong: Set<string>;
  running: Map<string, { from: string | null; check: Promise<boolean> }>;
};
const slot = processWide<Map<string, Known>>('kept-secrets');

function knownOf(key: string): Known {
  slot.value ??= new Map();
  const all = slot.value;
  const secretChecks = all.get(key) ?? { right: null, wrong: new Set(), running: new Map() };
  if (!all.has(key) && all.size >= MAX_REMEMBERED) all.delete(all.keys().next().value ?? '');
  all.set(key, secretChecks);
  return secretChecks;
}

const keptHashesOf = ({ secrets }: SnapshotClient) =>
  secrets.flatMap(({ hash, keptHash, expiresAt }) =>
    keptHash !== null && (expiresAt === null || expiresAt > now()) ? [{ hash, keptHash }] : [],
  );

const hasKeptSecret = (client: SnapshotClient | undefined): client is SnapshotClient =>
  client?.secrets.some(({ keptHash }) => keptHash !== null) ?? false;

/**
 * Throws PasswordHashBusy if too many checks are running, and RegistryChanged if the secret became invalid meanwhile.
 */
export async function provesKeptSecret(
  client: SnapshotClient,
  presented: string,
  address: string | null,
): Promise<boolean> {
  const secret = readTypedPassword(presented);
  if (secret === null) return false;
  const asking: HashRequest = { asker: 'client', from: networkOf(address) };
  for (const { hash, keptHash } of keptHashesOf(client)) {
    if (!(await proves(client.clientId, keptHash, secret, asking))) continue;
    // bcrypt reads only a part of a long secret, so its hash is kept and the use is recorded separately; other
    // hashes are replaced, which also records the use
    if (cutsPassword(keptHash, secret)) touchClientSecret(client.clientId, hash);
    return true;
  }
  return false;
}

async function proves(
  clientId: string,
  keptHash: string,
  secret: TypedPassword,
  asking: HashRequest,
): Promise<boolean> {
  const secretChecks = knownOf(`${clientId} ${keptHash}`);
  const digest = sha256(secret);
  if (secretChecks.right !== null && equalDigests(secretChecks.right, digest)) return true;
  const name = digest.toString('hex');
  if (secretChecks.wrong.has(name)) return false;
  const running = secretChecks.running.get(name);
  if (running) return running.check;
  const ofPlace = [...secretChecks.running.values()].filter(({ from }) => from === asking.from);
  if (ofPlace.length >= MAX_CHECKS) throw new PasswordHashBusy('too many secrets of a client are checked');
  const check = settle(clientId, keptHash, secret, asking).finally(() => secretChecks.running.delete(name));
  secretChecks.running.set(name, { from: asking.from, check });
  const right = await check;
  if (right) secretChecks.right = digest;
  else if (secretChecks.wrong.size < MAX_WRONG) secretChecks.wrong.add(name);
  return right;
}

async function settle(
  clientId: string,
  keptHash: string,
  secret: TypedPassword,
  asking: HashRequest,
): Promise<boolean> {
  if (!(await verifyPassword(keptHash, secret, asking))) return false;
  // a caller who knows only the first 72 bytes must not choose the remaining bytes of the secret
  if (cutsPassword(keptHash, secret)) return true;
  if (!(await replaceKeptSecret(clientId, keptHash, sha256(secret))))
    throw new RegistryChanged('the secret has ended');
  return true;
}

const FAILED =
  'Client authentication failed: unknown client, or its secret is wrong, missing or not expected.';

export async function requireCredentials(request: ClientRequest): Promise<ClientCredentials> {
  const credentials = await request.credentials();
  if (credentials.contradiction) throw credentials.contradiction;
  return credentials;
}

/** Returns the authenticated client. Throws InvalidClient, or SlowDown after too many wrong secrets or assertions. */
export async function authenticateClient(request: Asserted): Promise<AuthenticatedClient> {
  const credentials = await requireCredentials(request);
  const client = await namedClient(request);
  if (client) await requireCurrentMethod(request, client, credentials);
  const { clientId, assertion } = credentials;
  if (assertion !== null)
    return asAuthenticated(await authenticateByAssertion(request, client, { clientId, assertion }));
  const isPublic = client?.confidential === false;
  const accepted = isPublic
    ? // HTTP Basic with an empty password names only the client_id (golang.org/x/oauth2 tries this first)
      credentials.secret === null
    : await provesSecret(request, client !== undefined, hasKeptSecret(client), () =>
        hasRightSecret(client, credentials, request.ip),
      );
  if (!client || client.disabled || !accepted) {
    const counted = !isPublic && !accepted && credentials.secret !== null;
    throw authenticationFailed(credentials, counted, reasonOf(client, credentials));
  }
  return asAuthenticated(client);
}

/**
 * A document can change from public to keys, or from keys to public, after Gatehouse stored its row. Gatehouse then
 * updates the row and repeats the request (RegistryChanged). If the update fails, a client that now has keys is not
 * accepted as public.
 */
async function requireCurrentMethod(
  { ip, http }: ClientRequest,
  client: SnapshotClient,
  credentials: ClientCredentials,
): Promise<void> {
  if (client.origin !== 'document' || client.disabled || !isApprovedSomewhere(client)) return;
  const newer = credentials.assertion !== null && !client.confidential;
  const document = await currentDocument(client, { caller: ip, newer });
  if (document === null || document.tokenEndpointAuthMethod === client.tokenEndpointAuthMethod) return;
  if (await refreshDocumentClient(client, { address: ip, requestId: http.requestId }))
    throw new RegistryChanged('the document says something else');
  if (document.confidential && !client.confidential)
    throw authenticationFailed(credentials, false, 'assertion-expected');
}

/**
 * Checks the secret under the limit for wrong secrets; a request without a secret does not count. `costly`: see
 * `underSecretLimit`.
 */
export async function provesSecret(
  request: ClientRequest,
  isKnown: boolean,
  costly: boolean,
  check: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const { clientId, secret } = await request.credentials();
  if (secret === null) return check();
  const { snapshot, ip, http } = request;
  const caller = {
    clientId,
    known: isKnown,
    version: snapshot.version,
    address: ip,
    requestId: http.requestId,
    costly,
  };
  const right = (isRight: boolean) => (isRight ? true : null);
  const proved = await underSecretLimit(caller, () => {
    const result = check();
    return result instanceof Promise ? result.then(right) : right(result);
  });
  return proved ?? false;
}

/** Returns the error for a failed authentication. `counted`: the failure was counted as a wrong secret. */
export function authenticationFailed(
  { basic }: ClientCredentials,
  counted: boolean,
  reason: RefusalReason | null = null,
): InvalidClient {
  return new InvalidClient(FAILED, { ...(basic ? CHALLENGE : {}), counted, reason });
}

function reasonOf(client: SnapshotClient | undefined, credentials: ClientCredentials): RefusalReason | null {
  if (!client) return null;
  if (client.disabled) return 'client-disabled';
  if (!client.confidential) return 'secret-not-expected';
  if (client.tokenEndpointAuthMethod === 'private_key_jwt') return 'assertion-expected';
  if (credentials.secret === null) return 'secret-missing';
  if (isMisplaced(client, credentials)) return 'secret-misplaced';
  const { unencoded } = credentials;
  return unencoded !== null && isLivingSecret(client, unencoded) ? 'secret-not-encoded' : 'secret-wrong';
}

/** True if the client sent its secret by another method than the registered one, which RFC 7591 §2 forbids. */
function isMisplaced({ tokenEndpointAuthMethod: by }: SnapshotClient, { basic }: ClientCredentials): boolean {
  return by !== null && by !== (basic ? 'client_secret_basic' : 'client_secret_post');
}

/** Hash that is compared for unknown clients and clients without secrets, so that the timing is equal. */
const DUMMY = [{ hash: Buffer.alloc(32), expiresAt: null }];

function hasRightSecret(
  client: SnapshotClient | undefined,
  credentials: ClientCredentials,
  address: string | null,
): boolean | Promise<boolean> {
  const { secret } = credentials;
  const isLiving = isLivingSecret(client, secret ?? '');
  if (!client || secret === null || isMisplaced(client, credentials)) return false;
  if (!isLiving)
    return !client.disabled && hasKeptSecret(client) && provesKeptSecret(client, secret, address);
  touchClientSecret(client.clientId, sha256(secret));
  return true;
}

/**
 * Returns true if this is an unexpired secret of the client. Takes equal time for every client, even without secrets.
 */
function isLivingSecret(client: SnapshotClient | undefined, secret: string): boolean {
  const digest = sha256(secret);
  let isLiving = false;
  for (const candidate of client && client.secrets.length > 0 ? client.secrets : DUMMY) {
    const equal = equalDigests(digest, candidate.hash);
    if (equal && (candidate.expiresAt === null || candidate.expiresAt > now())) isLiving = true;
  }
  return isLiving;
}
