// Signing keys: listed, rotated, retired by administrators. lib/keys does the work.
import { isPublished, retireKey, rotateKeys, signingKey, TooManyKeys } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { english } from '#lib/language/message.ts';
import type { KeyRow } from '#lib/registry/keys.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { type Consequences, consequencesOf } from './consequences.ts';
import { operation } from './operations.ts';
import { authorOf } from './record.ts';
import { Refused } from './refused.ts';
import { resealStored } from './reseal.ts';

export const listSigningKeys = operation('listSigningKeys', async (): Promise<KeyRow[]> => {
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
});

export const rotateSigningKeys = operation('rotateSigningKeys', async ({ actor }): Promise<void> => {
  try {
    await rotateKeys({ by: authorOf(actor) });
  } catch (error) {
    if (!(error instanceof TooManyKeys)) throw error;
    throw new Refused('key.too_many', { published: error.message });
  }
});

const RETIREMENT = {
  signs: english('This key signs now: every token it signed is refused from then on, and another key signs.'),
  next: english('This key was to sign next: none of its tokens are out yet.'),
  verifies: english('Tokens that this key signed and that have not expired are refused from then on.'),
  expired: english('This key signs and verifies nothing any more.'),
  retired: english('This key was taken out already.'),
};

/** Retiring a key invalidates at once every token that it signed. */
export const previewKeyRetirement = operation(
  'previewKeyRetirement',
  async ({ actor }, input: { kid: string }): Promise<Consequences> => {
    const key = (await listSigningKeys(actor)).find((one) => one.kid === input.kid);
    if (!key) throw new Refused('key.unknown', { key: input.kid });
    return consequencesOf(false, [[RETIREMENT[key.state], true]]);
  },
);

export const retireSigningKey = operation(
  'retireSigningKey',
  async ({ actor }, input: { kid: string }): Promise<void> => {
    if (await retireKey(input.kid, authorOf(actor))) return;
    throw new Refused('key.none_to_retire', { key: input.kid });
  },
);

/** Seals with the first GATEHOUSE_SECRET what an older one sealed; returns the number of values. */
export const resealSecrets = operation('resealSecrets', resealStored);
