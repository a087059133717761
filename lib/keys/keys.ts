// Signing keys: which one signs now, and the public set that every issuer publishes. Private keys are sealed at rest
// (associated data: the kid) and opened once a process.
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { unseal } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { createFirstKey, type Directory, type DirectoryKey, directory } from '#lib/store/index.ts';
import { generateKey, type SigningAlg } from './rotation.ts';

export type SigningKey = { kid: string; alg: SigningAlg; privateKey: CryptoKey };

const SLOT = Symbol.for('gatehouse.keys');
const slot = globalThis as unknown as { [SLOT]?: Map<string, Promise<SigningKey>> };

/** The key that signs now; made on first need. */
export async function currentKey(alg: SigningAlg, registry: Directory): Promise<SigningKey> {
  let row = newest(registry, alg);
  if (!row) {
    await createFirstKey(await generateKey(alg));
    row = newest(await directory(), alg);
  }
  if (!row) throw new Error(`no signing key for ${alg}`);
  return open(row);
}

/** The JWKS (RFC 7517 §5): every key that may still verify something. */
export function publicKeys(registry: Directory): { keys: JWK[] } {
  return {
    keys: registry.keys.filter((key) => isPublished(key, registry)).map((key) => key.publicJwk as JWK),
  };
}

/** The published key with this id, or null. */
export function findPublicKey(registry: Directory, kid: string): { alg: SigningAlg; jwk: JWK } | null {
  const key = registry.keys.find((candidate) => candidate.kid === kid && isPublished(candidate, registry));
  return key ? { alg: key.alg, jwk: key.publicJwk as JWK } : null;
}

function isPublished(key: DirectoryKey, registry: Directory): boolean {
  return key.retiredAt === null && (key.retiresAt === null || new Date(key.retiresAt) > registry.now());
}

function newest(registry: Directory, alg: SigningAlg): DirectoryKey | undefined {
  return registry.keys
    .filter(
      (key) => key.alg === alg && isPublished(key, registry) && new Date(key.signsFrom) <= registry.now(),
    )
    .at(-1);
}

function open(row: DirectoryKey): Promise<SigningKey> {
  slot[SLOT] ??= new Map();
  let opened = slot[SLOT].get(row.kid);
  if (!opened) {
    opened = importPrivate(row);
    slot[SLOT].set(row.kid, opened);
  }
  return opened;
}

async function importPrivate(row: DirectoryKey): Promise<SigningKey> {
  const plain = unseal(row.sealedPrivate, `signing key ${row.kid}`, settings().secrets);
  if (plain === null) throw new Error(`signing key ${row.kid} was sealed with another GATEHOUSE_SECRET`);
  return {
    kid: row.kid,
    alg: row.alg,
    privateKey: (await importJWK(JSON.parse(plain), row.alg)) as CryptoKey,
  };
}
