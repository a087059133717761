// What passkeys belong to: the RP ID (WebAuthn Level 3 §5.1.2).
import { isIP } from 'node:net';
import { SettingsError } from './settings-error.ts';

/**
 * A browser refuses all but the page's host and a domain above it; also a public suffix such as `com`, which only it
 * knows.
 */
export function rpIdOf(given: string | undefined, authUrl: string): string {
  const { hostname } = new URL(authUrl);
  const rpId = given ?? hostname;
  const fits = hostname === rpId || (hostname.endsWith(`.${rpId}`) && rpId.includes('.') && !isIP(hostname));
  if (!fits) throw new SettingsError('PASSKEY_RP_ID must be the host of AUTH_URL, or a domain above it');
  return rpId;
}
