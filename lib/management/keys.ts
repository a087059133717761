// Signing keys, for people who may: list, rotate, retire. The keys room does the work.
import { retireKey, rotateKeys } from '#lib/keys/index.ts';
import { now } from '#lib/kit/index.ts';
import { directory } from '#lib/store/index.ts';
import { type Actor, requireAction } from './policy.ts';
import { Refused } from './refused.ts';

export type KeyListing = {
  kid: string;
  alg: string;
  state: 'signs' | 'next' | 'verifies' | 'expired' | 'retired';
  signsFrom: string;
  retiresAt: string | null;
};

export async function listSigningKeys(actor: Actor): Promise<KeyListing[]> {
  requireAction(actor, 'keys.manage');
  const rows = (await directory()).keys;
  const usable = rows.filter((key) => !key.retiredAt && (!key.retiresAt || new Date(key.retiresAt) > now()));
  return rows.map((key): KeyListing => {
    const { kid, alg, signsFrom, retiresAt } = key;
    const started = usable.filter((one) => one.alg === alg && new Date(one.signsFrom) <= now());
    const signs = started.at(-1)?.kid === kid;
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
