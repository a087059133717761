// Signing keys, for people who may: list, rotate, retire. The keys room does the work.
import { isPublished, retireKey, rotateKeys, signingKey } from '#lib/keys/index.ts';
import { now } from '#lib/kit/index.ts';
import { currentSnapshot } from '#lib/store/index.ts';
import { type Consequences, noConsequences } from './consequences.ts';
import { operation } from './operation.ts';
import { type Actor, requireAction } from './policy.ts';
import { authorOf } from './record.ts';
import { Refused } from './refused.ts';
import { resealStored } from './reseal.ts';

export type KeyListing = {
  kid: string;
  alg: string;
  state: 'signs' | 'next' | 'verifies' | 'expired' | 'retired';
  signsFrom: string;
  retiresAt: string | null;
};

export const listSigningKeys = operation('listSigningKeys', async (actor: Actor): Promise<KeyListing[]> => {
  requireAction(actor, 'keys.read');
  const snapshot = await currentSnapshot();
  const rows = snapshot.keys;
  return rows.map((key): KeyListing => {
    const { kid, alg, signsFrom, retiresAt } = key;
    const signs = signingKey(snapshot, alg)?.kid === kid;
    const waiting = new Date(signsFrom) > now() ? 'next' : 'verifies';
    const state = key.retiredAt ? 'retired' : !isPublished(key) ? 'expired' : signs ? 'signs' : waiting;
    return { kid, alg, state, signsFrom, retiresAt };
  });
});

export const rotateSigningKeys = operation('rotateSigningKeys', async (actor: Actor): Promise<void> => {
  requireAction(actor, 'keys.manage');
  await rotateKeys({ by: authorOf(actor) });
});

/** What taking a key out breaks: every token that it signed, at once. */
export const previewKeyRetirement = operation(
  'previewKeyRetirement',
  async (actor: Actor, input: { kid: string }): Promise<Consequences> => {
    const key = (await listSigningKeys(actor)).find((one) => one.kid === input.kid);
    if (!key) throw new Refused(`there is no key ${input.kid}`, 'not-found');
    const words = {
      signs: 'This key signs now: every token it signed is refused from then on, and another key signs.',
      next: 'This key was to sign next: none of its tokens are out yet.',
      verifies: 'Tokens that this key signed and that have not expired are refused from then on.',
      expired: 'This key signs and verifies nothing any more.',
      retired: 'This key was taken out already.',
    };
    return { ...noConsequences(), warnings: [words[key.state]] };
  },
);

export const retireSigningKey = operation(
  'retireSigningKey',
  async (actor: Actor, input: { kid: string }): Promise<void> => {
    requireAction(actor, 'keys.manage');
    if (await retireKey(input.kid, authorOf(actor))) return;
    throw new Refused(`there is no key ${input.kid} to retire`, 'not-found');
  },
);

/** Seals anew what an older GATEHOUSE_SECRET sealed; gives how many values. */
export const resealSecrets = operation('resealSecrets', async (actor: Actor): Promise<number> => {
  requireAction(actor, 'keys.manage');
  return resealStored();
});
