// Signing keys: which one signs now, and the public keys that every issuer publishes. Private keys are sealed in the
// database, each for its kid, and opened once in a process.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { parseAs } from '#lib/kit/seal.ts';
import { idTokenAlgs } from '#lib/registry/objects/api-tokens.ts';
import { openFromRow } from '#lib/store/database/sealed.ts';
import { createFirstKey } from '#lib/store/registry/keys.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Snapshot, SnapshotKey } from '#lib/store/registry/snapshot-rows.ts';
import { generateKey, type SigningAlg, SYSTEM } from './generate.ts';

export type SigningKey = { kid: string; alg: SigningAlg; privateKey: KeyObject };
export type VerifyingKey = { kid: string; alg: SigningAlg; publicKey: KeyObject };

type Opened = { signing: Map<string, SigningKey>; verifying: WeakMap<SnapshotKey, VerifyingKey> };

const jwkShape = z.looseObject({ kty: z.string() });

const slot = processWide<Opened>('keys');

function opened(): Opened {
  slot.value ??= { signing: new Map(), verifying: new WeakMap() };
  return slot.value;
}

/** The key that signs now. The first one is made here. */
export async function currentKey(alg: SigningAlg, snapshot: Snapshot): Promise<SigningKey> {
  const row = signingKey(snapshot, alg) ?? signingKey(await withFirstKeys([alg], snapshot), alg);
  if (!row) throw new Error(`no signing key for ${alg}`);
  return open(row);
}

/** Makes the first key of each algorithm that has none; returns the snapshot with them. */
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

/** Callers meanwhile wait for the same key: an RSA key takes a second of a core. */
async function makeFirst(alg: SigningAlg, by: typeof SYSTEM): Promise<void> {
  const made =
    beingMade.get(alg) ??
    generateKey(alg)
      .then((key) => createFirstKey(key, by))
      .finally(() => beingMade.delete(alg));
  beingMade.set(alg, made);
  await made;
}

/**
 * The algorithms that the issuers can sign with: access tokens of each API, and the ID tokens that its discovery document
 * promises. A client reads the key set before its first ID token.
 */
export function algsInUse({ apis }: Snapshot): Set<SigningAlg> {
  const algs = new Set<SigningAlg>();
  for (const api of apis.values()) {
    if (api.accessTokenFormat === 'jwt') algs.add(api.signingAlg);
    for (const alg of idTokenAlgs(api)) algs.add(alg);
  }
  return algs;
}

/** The JWKS (RFC 7517 §5): every key that may still have valid tokens. */
export function publicKeys(snapshot: Snapshot): { keys: JWK[] } {
  return { keys: snapshot.keys.filter(isPublished).map((key) => jwkShape.parse(key.publicJwk)) };
}

/** When the first published key retires: milliseconds since 1970, or Infinity. */
export function publicKeysEnd(snapshot: Snapshot): number {
  const ends = snapshot.keys
    .filter(isPublished)
    .flatMap(({ retiresAt }) => (retiresAt === null ? [] : Date.parse(retiresAt)));
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}

/** Null: no published key has this kid. */
export function findPublicKey(snapshot: Snapshot, kid: string): VerifyingKey | null {
  const row = snapshot.keys.find((candidate) => candidate.kid === kid && isPublished(candidate));
  return row ? verifyingKey(row) : null;
}

function verifyingKey(row: SnapshotKey): VerifyingKey {
  const { verifying } = opened();
  let key = verifying.get(row);
  if (!key) {
    const publicKey = createPublicKey({ key: jwkShape.parse(row.publicJwk), format: 'jwk' });
    key = { kid: row.kid, alg: row.alg, publicKey };
    verifying.set(row, key);
  }
  return key;
}

/** How long a key still verifies hints after it has left the JWKS. */
const HINT_DAYS = 90;

/** The public key of this kid, for ID token hints: also one that has retired in the last 90 days. */
export function findHintKey(snapshot: Snapshot, kid: string): VerifyingKey | null {
  const row = snapshot.keys.find((candidate) => candidate.kid === kid);
  const end = row?.retiredAt ?? row?.retiresAt ?? null;
  if (!row || (end !== null && Date.parse(end) < now().getTime() - HINT_DAYS * 86_400_000)) return null;
  return verifyingKey(row);
}

/** In the JWKS: not taken out, and not replaced for longer than its last token lives. */
export function isPublished(key: SnapshotKey): boolean {
  return key.retiredAt === null && (key.retiresAt === null || Date.parse(key.retiresAt) > now().getTime());
}

/** The newest key that may sign; if there is none (the last one was taken out), the next one early. */
export function signingKey(snapshot: Snapshot, alg: SigningAlg): SnapshotKey | undefined {
  const usable = snapshot.keys.filter((key) => key.alg === alg && isPublished(key));
  return usable.findLast((key) => Date.parse(key.signsFrom) <= now().getTime()) ?? usable[0];
}

function open(row: SnapshotKey): SigningKey {
  const { signing } = opened();
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
