// The interaction is the authorize request itself, sealed, with what its person has done so far. Nothing is stored for
// an anonymous visitor, several tabs work, and any instance can go on. It is of use only in the browser it was made
// for, and for ten minutes.
import { now, seal, unseal } from '#lib/kit/index.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';

export type Interaction = {
  authMethodId: string;
  apiId: string;
  /** the query of the authorize request, untouched */
  query: string;
  /** milliseconds since 1970 */
  startedAt: number;
  /** whose browser (a digest of the transaction cookie) */
  browser: string;
  /** the session that this interaction's sign-in made (base64url of its hash): satisfies prompt=login and max_age */
  signedIn?: string;
  /** the session that a consent was asked of, or given with */
  asked?: string;
  allowed?: string;
  /** the person said no */
  denied?: true;
  /** the method can not be asked right now, and the person went back to the client */
  unavailable?: true;
  /** the person wants to be somebody else ("Not you?"): no session is enough */
  switching?: true;
  /** no authorize request: a sign-in to the console, which goes on at this path */
  console?: string;
  /** for the sign-in page after a wrong attempt */
  alert?: string;
  username?: string;
};

const PURPOSE = 'interaction';

export function sealInteraction(interaction: Interaction): string {
  return seal(JSON.stringify(interaction), PURPOSE, settings().secrets);
}

/** What was sealed; 'expired', or null for anything that was not sealed here or belongs to another browser. */
export function openInteraction(
  sealed: string | undefined,
  browser: string | null,
): Interaction | 'expired' | null {
  const plain = sealed === undefined || browser === null ? null : unseal(sealed, PURPOSE, settings().secrets);
  if (plain === null) return null;
  const interaction = JSON.parse(plain) as Interaction;
  if (interaction.browser !== browser) return null;
  return now().getTime() - interaction.startedAt > TRANSACTION_SECONDS * 1000 ? 'expired' : interaction;
}
