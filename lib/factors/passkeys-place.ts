// Where passkeys work: they belong to a domain, and are used on our own pages.
import { isIP } from 'node:net';
import { methodCan, secondFactorOf } from '#lib/registry/methods/questions.ts';
import { settings } from '#lib/settings/settings.ts';
import { selectPasskeyNames } from '#lib/store/hot/factor-proofs.ts';

/**
 * The origins of our pages. Where BASE_URL is not below the domain, browsers ask `/.well-known/webauthn` whether it
 * belongs to it.
 */
export function passkeyOrigins(): string[] {
  const { authUrl, baseUrl } = settings();
  return [...new Set([authUrl, baseUrl])];
}

/** A browser knows no passkey of an address without a name (WebAuthn Level 3 §5.1.2). */
export const hasPasskeys = (): boolean => isIP(settings().passkeyRpId.replace(/^\[|\]$/g, '')) === 0;

/**
 * Does the person have a passkey of this domain? One of another domain still counts as a factor, and can not be used.
 */
export const hasPasskeyHere = async (personId: string): Promise<boolean> =>
  hasPasskeys() && (await selectPasskeyNames(personId, settings().passkeyRpId)).length > 0;

/** Can a passkey be the only step at this method? A broker or a verifier must vouch each time. */
export const takesPasskeys = (method: { type: string; config: Record<string, unknown> }): boolean =>
  methodCan(method, 'hasAccounts') && secondFactorOf(method) !== 'off' && hasPasskeys();

/**
 * What an authenticator keeps beside a passkey: the bytes of the person's id as base64url, no name (WebAuthn Level 3
 * §14.6.1).
 */
export const handleOf = (personId: string): string =>
  Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url');
