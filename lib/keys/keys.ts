// Signing keys: which one signs now, and the public set that every issuer publishes. Private keys are sealed at rest
// (associated data: the kid) and opened once a process.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { now, processWide } from '#lib/kit/index.ts';
import {
  createFirstKey,
  currentSnapshot,
  openFromRow,
  type Snapshot,
  type SnapshotKey,
} from '#lib/store/index.ts';
import { generateKey, type SigningAlg, SYSTEM } from './generate.ts';

export type SigningKey = { kid: string; alg: SigningAlg; privateKey: KeyObject };
export type VerifyingKey = { kid: string; alg: SigningAlg; publicKey: KeyObject };

type Opened = { signing: Map<string, SigningKey>; verifying: WeakMap<SnapshotKey, VerifyingKey> };

const slot = processWide<Opened>('keys');

function opened(): Opened {
  slot.value ??= { signing: new Map(), verifying: new WeakMap() };
  return slot.value;
}

/** The key that signs now; made on first need. */
export async function currentKey(alg: SigningAlg, snapshot: Snapshot): Promise<SigningKey> {
  const row = signingKey(snapshot, alg) ?? signingKey(await withFirstKeys([alg], snapshot), alg);
  if (!row) throw new Error(`no signing key for ${alg}`);
  return open(row);
}

/** The registry with a key for each of these algorithms: what is missing is made. */
export async function withFirstKeys(
  algs: Iterable<SigningAlg>,
  snapshot: Snapshot,
  by = SYSTEM,
): Promise<Snapshot> {
  const missing = [...algs].filter((alg) => !signingKey(snapshot, alg));
  if (missing.length === 0) return snapshot;
  for (const alg of missing) await createFirstKey(await generateKey(alg), by);
  return currentSnapshot();
}

/** What the APIs sign their tokens with. */
export function algsInUse(snapshot: Snapshot): Set<SigningAlg> {
  const signing = [...snapshot.apis.values()].filter((api) => api.accessTokenFormat === 'jwt');
  return new Set(signing.map((api) => api.signingAlg));
}

/** The JWKS (RFC 7517 §5): every key that may still verify something. */
export function publicKeys(snapshot: Snapshot): { keys: JWK[] } {
  return { keys: snapshot.keys.filter(isPublished).map((key) => key.publicJwk as JWK) };
}

/** When the JWKS of this registry changes by itself; milliseconds since 1970, or Infinity. */
export function publicKeysEnd(snapshot: Snapshot): number {
  const ends = snapshot.keys
    .filter(isPublished)
    .flatMap(({ retiresAt }) => (retiresAt === null ? [] : Date.parse(retiresAt)));
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}

/** The published key with this id, or null. */
export function findPublicKey(snapshot: Snapshot, kid: string): VerifyingKey | null {
  const row = snapshot.keys.find((candidate) => candidate.kid === kid && isPublished(candidate));
  if (!row) return null;
  const { verifying } = opened();
  let key = verifying.get(row);
  if (!key) {
    const publicKey = createPublicKey({ key: row.publicJwk as JsonWebKey, format: 'jwk' });
    key = { kid, alg: row.alg, publicKey };
    verifying.set(row, key);
  }
  return key;
}

/** In the JWKS: neither taken out, nor left behind by a rotation for longer than its last token lives. */
export function isPublished(key: SnapshotKey): boolean {
  return key.retiredAt === null && (key.retiresAt === null || Date.parse(key.retiresAt) > now().getTime());
}

/** The newest that may sign already; after an emergency the one that was to be next, ahead of its time. */
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
  const jwk = JSON.parse(plain) as JsonWebKey;
  return { kid: row.kid, alg: row.alg, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) };
}
