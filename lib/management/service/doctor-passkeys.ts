// What the doctor says of passkeys: those of another domain than today's work no more, and their people may have no
// other factor.
import { settings } from '#lib/settings/index.ts';
import { countOldPasskeys } from '#lib/store/index.ts';

/** Nothing where all of them work. */
export async function examinePasskeys(): Promise<{ check: string; state: 'warning'; detail: string }[]> {
  const { passkeyRpId } = settings();
  const { passkeys, people, rpIds } = await countOldPasskeys(passkeyRpId);
  if (passkeys === 0) return [];
  const detail =
    `${passkeys} of ${people} people are of ${rpIds.join(', ')} and do not work for ${passkeyRpId}: set PASSKEY_RP_ID to a domain ` +
    'above both hosts, or have these people reset (gatehouse user reset-factors); see docs/strong-sign-in.md';
  return [{ check: 'passkeys', state: 'warning', detail }];
}
