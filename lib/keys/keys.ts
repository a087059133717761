// Signing keys: the key that signs now, and the public keys that every issuer publishes. The database stores private
// keys sealed, each for its kid. A process opens each key once.
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { z } from 'zod';
import { idTokenAlgs } from '#lib/catalogue/apis/definition.ts';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { parseAs } from '#lib/kit/seal.ts';
import {
  addKey,
  createFirstKey,
  createSubjectSalt,
  type KeyAuthor,
  MAX_PUBLISHED_KEYS,
  markKeyRetired,
  type NewKey,
  oldestDueKey,
  SUBJECT_SALT_ID,
} from '#lib/store/keys.ts';
import { openFromRow, sealForRow } from '#lib/store/sealed.ts';
import { currentSnapshot, type Snapshot, type SnapshotKey } from '#lib/store/snapshot.ts';

// Creates a key pair, whose kid is the JWK thumbprint (RFC 7638). The private key is sealed immediately.

type SigningAlg = 'ES256' | 'RS256';

/** Author of automatic actions in the audit log. */
const SYSTEM: KeyAuthor = { actor: 'system' };

export async function generateKey(alg: SigningAlg): Promise<NewKey> {
  const pair = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  // a command line would parse such a kid as an option
  if (kid.startsWith('-')) return generateKey(alg);
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
  const sealedPrivate = sealForRow('signing_keys', kid, privateJwk);
  return { kid, alg, publicJwk: { ...publicJwk, kid, alg, use: 'sig' }, sealedPrivate };
}

export type SigningKey = { kid: string; alg: SigningAlg; privateKey: KeyObject };
export type VerifyingKey = { kid: string; alg: SigningAlg; publicKey: KeyObject };

type Opened = { signing: Map<string, SigningKey>; verifying: WeakMap<SnapshotKey, VerifyingKey> };

const jwkShape = z.looseObject({ kty: z.string() });

const slot = processWide<Opened>('keys');

function openedKeys(): Opened {
  slot.value ??= { signing: new Map(), verifying: new WeakMap() };
  return slot.value;
}

/** Returns the current signing key, and creates the first key if none exists. */
export async function currentKey(alg: SigningAlg, snapshot: Snapshot): Promise<SigningKey> {
  const row = signingKey(snapshot, alg) ?? signingKey(await withFirstKeys([alg], snapshot), alg);
  if (!row) throw new Error(`no signing key for ${alg}`);
  return open(row);
}

/** Creates the first key of each algorithm if it is missing. Returns the updated snapshot. */
export async function withFirstKeys(
  algs: Iterable<SigningAlg>,
  snapshot: Snapshot,
  by = SYSTEM,
): Promise<Snapshot> {
  const missing = [...algs].filter((alg) => !signingKey(snapshot, alg));
  if (missing.length === 0) return snapshot;
  for (const alg of missing) await makeFirst(alg, by);
  return currentSnapshot();
}

const beingMade = new Map<SigningAlg, Promise<unknown>>();

/**
 * Creates the first key of an algorithm. Concurrent callers wait for the same key, because generating an RSA key
 * keeps a CPU core busy for a second.
 */
async function makeFirst(alg: SigningAlg, by: typeof SYSTEM): Promise<void> {
  const creation =
    beingMade.get(alg) ??
    generateKey(alg)
      .then((key) => createFirstKey(key, by))
      .finally(() => beingMade.delete(alg));
  beingMade.set(alg, creation);
  await creation;
}

/**
 * The algorithms that the issuers can sign with: those of each API’s access tokens, and those of the ID tokens in its
 * discovery document. A client reads the key set before its first ID token.
 */
export function algsInUse({ apis }: Snapshot): Set<SigningAlg> {
  const algs = new Set<SigningAlg>();
  for (const api of apis.values()) {
    if (api.accessTokenFormat === 'jwt') algs.add(api.signingAlg);
    for (const alg of idTokenAlgs(api)) algs.add(alg);
  }
  return algs;
}

/** Returns the JWKS (RFC 7517 §5): every key that may still have valid tokens. */
export function publicKeys(snapshot: Snapshot): { keys: JWK[] } {
  return { keys: snapshot.keys.filter(isPublished).map((key) => jwkShape.parse(key.publicJwk)) };
}

/** Returns the time at which the first published key retires, in milliseconds since 1970, or Infinity. */
export function publicKeysEnd(snapshot: Snapshot): number {
  const ends = snapshot.keys
    .filter(isPublished)
    .flatMap(({ retiresAt }) => (retiresAt === null ? [] : Date.parse(retiresAt)));
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}

/** Returns null if there is no published key with this kid. */
export function findPublicKey(snapshot: Snapshot, kid: string): VerifyingKey | null {
  const row = snapshot.keys.find((candidate) => candidate.kid === kid && isPublished(candidate));
  return row ? verifyingKey(row) : null;
}

function verifyingKey(row: SnapshotKey): VerifyingKey {
  const { verifying } = openedKeys();
  let key = verifying.get(row);
  if (!key) {
    const publicKey = createPublicKey({ key: jwkShape.parse(row.publicJwk), format: 'jwk' });
    key = { kid: row.kid, alg: row.alg, publicKey };
    verifying.set(row, key);
  }
  return key;
}

/** Days for which a key that left the JWKS still verifies ID token hints. */
const HINT_DAYS = 90;

/** Returns the public key for an ID token hint. Keys that left the JWKS within the last 90 days are included. */
export function findHintKey(snapshot: Snapshot, kid: string): VerifyingKey | null {
  const row = snapshot.keys.find((candidate) => candidate.kid === kid);
  const end = row?.retiredAt ?? row?.retiresAt ?? null;
  if (!row || (end !== null && Date.parse(end) < now().getTime() - HINT_DAYS * 86_400_000)) return null;
  return verifyingKey(row);
}

/** Returns true if the JWKS contains the key: the key is not retired, and its last token has not expired yet. */
export function isPublished(key: SnapshotKey): boolean {
  return key.retiredAt === null && (key.retiresAt === null || Date.parse(key.retiresAt) > now().getTime());
}

/** Returns the newest key that may already sign. If none remains after a removal, the next key signs early. */
export function signingKey(snapshot: Snapshot, alg: SigningAlg): SnapshotKey | undefined {
  const usable = snapshot.keys.filter((key) => key.alg === alg && isPublished(key));
  return usable.findLast((key) => Date.parse(key.signsFrom) <= now().getTime()) ?? usable[0];
}

function open(row: SnapshotKey): SigningKey {
  const { signing } = openedKeys();
  let key = signing.get(row.kid);
  if (!key) {
    key = openPrivate(row);
    signing.set(row.kid, key);
  }
  return key;
}

function openPrivate(row: SnapshotKey): SigningKey {
  const plain = openFromRow('signing_keys', row.kid, row.sealedPrivate);
  if (plain === null) throw new Error(`signing key ${row.kid} was sealed with another GATEHOUSE_SECRET`);
  const jwk = parseAs(jwkShape, plain);
  if (jwk === null) throw new Error(`signing key ${row.kid} is not a JWK`);
  return { kid: row.kid, alg: row.alg, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) };
}

// Rotation: a new key is published first, and signs once every cache contains it, which is a day later in a planned
// rotation. The previous key leaves the JWKS after its last token has expired. A retired key leaves the JWKS
// immediately, which invalidates its tokens.

/**
 * Seconds for which a new key is published before it signs. This is longer than the sum of two times: a JWKS is
 * cached for 60 s, and common clients wait 30 s before they fetch it again.
 */
const PUBLISH_SECONDS = 150;
const DAY_SECONDS = 86_400;
export const ROTATE_AFTER_DAYS = 90;

type NamedKey = { kid: string; alg: SigningAlg };

/** Thrown if the JWKS already contains `MAX_PUBLISHED_KEYS` keys of this algorithm. */
export class TooManyKeys extends Error {
  readonly alg: SigningAlg;
  constructor(alg: SigningAlg) {
    super(`${MAX_PUBLISHED_KEYS} keys of ${alg} are in the JWKS`);
    this.alg = alg;
  }
}

/**
 * Creates a key for every algorithm in use. Throws `TooManyKeys` without creating a key. `by`: author in the audit
 * log. `publishSeconds`: only tests set other values.
 */
export async function rotateKeys({
  publishSeconds = PUBLISH_SECONDS,
  by = SYSTEM,
} = {}): Promise<NamedKey[]> {
  const snapshot = await currentSnapshot();
  for (const [alg, { length }] of Map.groupBy(snapshot.keys.filter(isPublished), (key) => key.alg))
    if (length >= MAX_PUBLISHED_KEYS) throw new TooManyKeys(alg);
  const { keys } = await withFirstKeys(algsInUse(snapshot), snapshot, by);
  const newKeys = keys.filter(({ kid }) => !snapshot.keys.some((key) => key.kid === kid));
  const first = new Set(newKeys.map((key) => key.alg));
  const algs = new Set<SigningAlg>(snapshot.keys.map((key) => key.alg)).difference(first);
  const next: NamedKey[] = [];
  for (const alg of algs) next.push(await rotate(alg, publishSeconds, by));
  return [...newKeys.map(({ kid, alg }) => ({ kid, alg })), ...next];
}

/**
 * Publishes the next key one day before the current key has signed for 90 days. The reason is that some verifiers fetch
 * the key set only by a timer (OpenID Connect Core §10.1.1). A timer calls this function.
 */
export async function rotateDueKeys(): Promise<void> {
  for (const alg of ['ES256', 'RS256'] as const) {
    if (await oldestDueKey(alg, ROTATE_AFTER_DAYS - 1)) await rotate(alg, DAY_SECONDS, SYSTEM);
  }
}

/** Retires a key immediately. Returns `false` if the key is unknown or already retired. */
export async function retireKey(kid: string, by = SYSTEM): Promise<boolean> {
  return markKeyRetired(kid, by);
}

async function rotate(alg: SigningAlg, publishSeconds: number, by: KeyAuthor): Promise<NamedKey> {
  const key = await generateKey(alg);
  if (!(await addKey(key, publishSeconds, by))) throw new TooManyKeys(alg);
  return { kid: key.kid, alg };
}

// Salt of pairwise subject identifiers (OpenID Connect Core §8.1): 256 random bits, created at first use, never
// replaced, and shared by all instances. A process opens the salt once.

const openedSalt = processWide<{ sealed: string; salt: Buffer }>('subject-salt');

/**
 * Throws if no known GATEHOUSE_SECRET opens the salt: a new salt would change every `sub`, so clients would recognise
 * nobody.
 */
export async function subjectSalt({ sealedSubjectSalt }: Snapshot): Promise<Buffer> {
  const sealed = sealedSubjectSalt ?? (await createSubjectSalt(randomBytes(32).toString('base64url')));
  if (openedSalt.value?.sealed !== sealed) {
    const plain = openFromRow('subject_salt', SUBJECT_SALT_ID, sealed);
    if (plain === null)
      throw new Error('the salt of pairwise subjects was sealed with another GATEHOUSE_SECRET');
    openedSalt.value = { sealed, salt: Buffer.from(plain, 'base64url') };
  }
  return openedSalt.value.salt;
}
