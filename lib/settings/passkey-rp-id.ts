// What passkeys belong to: the RP ID (WebAuthn Level 3 §5.1.2).
import { isIP } from 'node:net';
import { SettingsError } from './settings-error.ts';

/** A browser refuses any other than the page's host and a domain above it; a public suffix such as `com` too, which it alone knows. */
export function rpIdOf(given: string | undefined, authUrl: string): string {
  const { hostname } = new URL(authUrl);
  const rpId = given ?? hostname;
  const fits = hostname === rpId || (hostname.endsWith(`.${rpId}`) && rpId.includes('.') && !isIP(hostname));
  if (!fits) throw new SettingsError('PASSKEY_RP_ID must be the host of AUTH_URL, or a domain above it');
  return rpId;
}
