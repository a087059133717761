// A secret of which only the hash of another service is known. Its check is dear: a process runs few at a time for each
// client, remembers what it found, and puts SHA-256 in the place of the hash at the first right one.
import { networkOf } from '#lib/auth-methods/attempts.ts';
import { now } from '#lib/kit/clock.ts';
import { cutsPassword } from '#lib/kit/kept-hashes/kept-hash.ts';
import { type HashRequest, PasswordHashBusy, verifyPassword } from '#lib/kit/password-hash.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import { replaceKeptSecret } from '#lib/store/registry/client-secrets.ts';
import { RegistryChanged } from '#lib/store/registry/snapshot.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { touchClientSecret } from '#lib/store/tokens/credentials.ts';

/** Of a client from one place: a stranger with wrong secrets holds up no caller from elsewhere. */
const MAX_CHECKS = 4;
const MAX_WRONG = 16;
const MAX_REMEMBERED = 1_000;

/** What this process knows of a kept hash. */
type Known = {
  right: Buffer | null;
  wrong: Set<string>;
  running: Map<string, { from: string | null; check: Promise<boolean> }>;
};
const slot = processWide<Map<string, Known>>('kept-secrets');

function knownOf(key: string): Known {
  slot.value ??= new Map();
  const all = slot.value;
  const known = all.get(key) ?? { right: null, wrong: new Set(), running: new Map() };
  if (!all.has(key) && all.size >= MAX_REMEMBERED) all.delete(all.keys().next().value ?? '');
  all.set(key, known);
  return known;
}

const keptHashesOf = ({ secrets }: SnapshotClient) =>
  secrets.flatMap(({ hash, keptHash, expiresAt }) =>
    keptHash !== null && (expiresAt === null || expiresAt > now()) ? [{ hash, keptHash }] : [],
  );

export const hasKeptSecret = (client: SnapshotClient | undefined): client is SnapshotClient =>
  client?.secrets.some(({ keptHash }) => keptHash !== null) ?? false;

/** PasswordHashBusy while too many are being checked; RegistryChanged where the secret has ended meanwhile. */
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
    // the row of every other one is replaced, and tells its use so
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
  const known = knownOf(`${clientId} ${keptHash}`);
  const digest = sha256(secret);
  if (known.right !== null && equalDigests(known.right, digest)) return true;
  const name = digest.toString('hex');
  if (known.wrong.has(name)) return false;
  const running = known.running.get(name);
  if (running) return running.check;
  const ofPlace = [...known.running.values()].filter(({ from }) => from === asking.from);
  if (ofPlace.length >= MAX_CHECKS) throw new PasswordHashBusy('too many secrets of a client are checked');
  const check = settle(clientId, keptHash, secret, asking).finally(() => known.running.delete(name));
  known.running.set(name, { from: asking.from, check });
  const right = await check;
  if (right) known.right = digest;
  else if (known.wrong.size < MAX_WRONG) known.wrong.add(name);
  return right;
}

async function settle(
  clientId: string,
  keptHash: string,
  secret: TypedPassword,
  asking: HashRequest,
): Promise<boolean> {
  if (!(await verifyPassword(keptHash, secret, asking))) return false;
  // a caller who knows the first 72 bytes must not decide what the rest is
  if (cutsPassword(keptHash, secret)) return true;
  if (!(await replaceKeptSecret(clientId, keptHash, sha256(secret))))
    throw new RegistryChanged('the secret has ended');
  return true;
}
