// The interaction is the authorize request itself, sealed, with what the person has done so far. Nothing is stored for an
// anonymous visitor, several tabs work, and any instance can go on. It works in one browser only, for ten minutes.
import { now, seal, sha256, unseal } from '#lib/kit/index.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';

export type Interaction = {
  authMethodId: string;
  apiId: string;
  /** the query of the authorize request, untouched */
  query: string;
  /** milliseconds since 1970 */
  startedAt: number;
  /** a digest of the browser's transaction cookie */
  browser: string;
  /** the session that this interaction's sign-in made (base64url of its hash): satisfies prompt=login and max_age */
  signedIn?: string;
  /** the session that a consent was asked of */
  asked?: string;
  /** what the consent page showed (in its form alone): how it named the person, and a digest of all of it */
  shown?: { label: string; digest: string };
  /** what the person said yes to in this interaction, and with which session */
  allowed?: string;
  /** the person said no */
  denied?: true;
  /** the method can not be asked right now, and the person went back to the client */
  unavailable?: true;
  /** the person wants to be somebody else ("Not you?"): no session is enough */
  switching?: true;
  /** no authorize request: a sign-in to the console, which goes on at this path */
  console?: string;
  /** what the page says above its form: a wrong attempt, or something else to look at again */
  alert?: string;
  username?: string;
};

const PURPOSE = 'interaction';

/** The value of `allowed`: a yes given with this session, to these scopes and no others. */
export function allowance(session: string, scopes: readonly string[]): string {
  return sha256([session, ...scopes.toSorted()].join(' ')).toString('base64url');
}

export function sealInteraction(interaction: Interaction): string {
  return seal(JSON.stringify(interaction), PURPOSE, settings().secrets);
}

/** Sealed here, for whichever browser and however long ago. */
export function isInteraction(sealed: string): boolean {
  return unseal(sealed, PURPOSE, settings().secrets) !== null;
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
