// Signing keys, for people who may: list, rotate, retire. The keys room does the work.
import { retireKey, rotateKeys, signingKey } from '#lib/keys/index.ts';
import { now } from '#lib/kit/index.ts';
import { directory } from '#lib/store/index.ts';
import { type Actor, Refused, requireAction } from './policy.ts';
import { resealStored } from './reseal.ts';

export type KeyListing = {
  kid: string;
  alg: string;
  state: 'signs' | 'next' | 'verifies' | 'expired' | 'retired';
  signsFrom: string;
  retiresAt: string | null;
};

export async function listSigningKeys(actor: Actor): Promise<KeyListing[]> {
  requireAction(actor, 'keys.manage');
  const registry = await directory();
  const rows = registry.keys;
  const usable = rows.filter((key) => !key.retiredAt && (!key.retiresAt || new Date(key.retiresAt) > now()));
  return rows.map((key): KeyListing => {
    const { kid, alg, signsFrom, retiresAt } = key;
    const signs = signingKey(registry, alg)?.kid === kid;
    const waiting = new Date(signsFrom) > now() ? 'next' : 'verifies';
    const state = key.retiredAt ? 'retired' : !usable.includes(key) ? 'expired' : signs ? 'signs' : waiting;
    return { kid, alg, state, signsFrom, retiresAt };
  });
}

export async function rotateSigningKeys(actor: Actor): Promise<void> {
  requireAction(actor, 'keys.manage');
  await rotateKeys();
}

export async function retireSigningKey(actor: Actor, input: { kid: string }): Promise<void> {
  requireAction(actor, 'keys.manage');
  if (!(await retireKey(input.kid))) throw new Refused(`there is no key ${input.kid} to retire`);
}

/** Seals anew what an older GATEHOUSE_SECRET sealed; gives how many values. */
export async function resealSecrets(actor: Actor): Promise<number> {
  requireAction(actor, 'keys.manage');
  return resealStored();
}
