// Keys of the service: signing keys (implemented in lib/keys), and values that were sealed with an older
// GATEHOUSE_SECRET.

import { isPublished, retireKey, rotateKeys, signingKey, TooManyKeys } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { english } from '#lib/language/message.ts';
import { type KeyRow, keyRow } from '#lib/registry/keys.ts';
import { MAX_PUBLISHED_KEYS, SUBJECT_SALT_ID } from '#lib/store/keys.ts';
import { database } from '#lib/store/prisma.ts';
import { countPepperSeals, countTotpSeals, resealPeppers, resealTotpSecrets } from '#lib/store/reseal.ts';
import { isSealedByOlder, knownSealingKeys, resealRow, type SealedTable } from '#lib/store/sealed.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { type Consequences, consequencesOf, consequencesOutput } from './consequences.ts';
import { operation, wholeList } from './operations.ts';
import { authorOf } from './record.ts';
import { Refused } from './refused.ts';

// Rotation of GATEHOUSE_SECRET: values that were sealed with an older secret are sealed again with the first one, so
// that operators can remove the older one.

type Sealed = { table: SealedTable; id: string; value: string };

/** Counts the values that are not sealed with the first secret. */
export async function countOldSeals(): Promise<number> {
  const db = database();
  const [totps, peppers] = [await countTotpSeals(db), await countPepperSeals(db)];
  return (await listOldSeals()).length + totps.older + peppers.older;
}

/** Values in the snapshot with an old seal: keys, methods and the salt, which are only a few rows. */
async function listOldSeals(): Promise<Sealed[]> {
  const { keys, methods, sealedSubjectSalt: salt } = await currentSnapshot();
  const all: Sealed[] = keys.map(({ kid, sealedPrivate: value }) => ({
    table: 'signing_keys',
    id: kid,
    value,
  }));
  for (const { id, sealedSecret: value } of methods.values()) {
    if (value !== null) all.push({ table: 'auth_methods', id, value });
  }
  if (salt !== null) all.push({ table: 'subject_salt', id: SUBJECT_SALT_ID, value: salt });
  return all.filter(({ value }) => isSealedByOlder(value));
}

/**
 * Several instances can run this at the same time. A value that was sealed with an unknown secret stays unchanged;
 * `doctor` reports it.
 */
export async function resealStored(): Promise<number> {
  let count = 0;
  for (const { table, id, value } of await listOldSeals()) {
    if (await resealRow(table, id, value)) count += 1;
  }
  // with a single secret there is nothing to seal again
  if (knownSealingKeys().length > 1) {
    const db = database();
    count += (await resealTotpSecrets(db)) + (await resealPeppers(db));
  }
  if (count > 0) log().info({ count }, 'stored secrets were sealed anew by the first GATEHOUSE_SECRET');
  return count;
}

// Operations on signing keys: administrators list, rotate and retire them.

export const listSigningKeys = operation(
  { name: 'listSigningKeys', right: 'keys.read', output: wholeList('Key', keyRow) },
  async (): Promise<KeyRow[]> => {
    const snapshot = await currentSnapshot();
    const algs = new Set(snapshot.keys.map(({ alg }) => alg));
    const signing = new Set([...algs].map((alg) => signingKey(snapshot, alg)?.kid));
    return snapshot.keys.map((key): KeyRow => {
      const { kid, alg, signsFrom, retiresAt } = key;
      const signs = signing.has(kid);
      const waiting = new Date(signsFrom) > now() ? 'next' : 'verifies';
      const state = key.retiredAt ? 'retired' : !isPublished(key) ? 'expired' : signs ? 'signs' : waiting;
      return { kid, alg, state, signsFrom, retiresAt };
    });
  },
);

export const rotateSigningKeys = operation(
  { name: 'rotateSigningKeys', right: 'keys.manage', fresh: 'always' },
  async ({ actor }): Promise<void> => {
    try {
      await rotateKeys({ by: authorOf(actor) });
    } catch (error) {
      if (!(error instanceof TooManyKeys)) throw error;
      throw new Refused('key.too_many', { alg: error.alg, most: MAX_PUBLISHED_KEYS });
    }
  },
);

const RETIREMENT = {
  signs: english(
    'This key is signing now: all tokens that it signed will be rejected, and another key will sign.',
  ),
  next: english('This key was to sign next: it has not signed any tokens yet.'),
  verifies: english('Tokens that this key signed and that have not expired will be rejected.'),
  expired: english('This key no longer signs or verifies anything.'),
  retired: english('This key is already retired.'),
};

/** Previews the retirement of a key, which immediately invalidates every token that the key signed. */
export const previewKeyRetirement = operation(
  { name: 'previewKeyRetirement', right: 'keys.read', output: consequencesOutput },
  async ({ actor }, input: { kid: string }): Promise<Consequences> => {
    const key = (await listSigningKeys(actor)).find((signingKey) => signingKey.kid === input.kid);
    if (!key) throw new Refused('key.unknown', { key: input.kid });
    return consequencesOf(false, [[RETIREMENT[key.state], true]]);
  },
);

export const retireSigningKey = operation(
  { name: 'retireSigningKey', right: 'keys.manage', fresh: 'always' },
  async ({ actor }, input: { kid: string }): Promise<void> => {
    if (await retireKey(input.kid, authorOf(actor))) return;
    throw new Refused('key.none_to_retire', { key: input.kid });
  },
);

/** Seals the values of an older GATEHOUSE_SECRET again with the first one. Returns the number of these values. */
export const resealSecrets = operation({ name: 'resealSecrets', right: 'keys.manage' }, resealStored);
