// What the pages and forms of /confirm and /set-up share: the session that authorize asked for more, and its person.
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { hasPasskeyHere } from '#lib/factors/passkeys-place.ts';
import { isFreshProof } from '#lib/sessions/proved-sign-in.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { recentSnapshot } from '#lib/store/registry/snapshot.ts';
import {
  findSecondFactorFacts,
  isSameSignIn,
  type SecondFactorFacts,
} from '#lib/store/sign-in/second-factor.ts';
import { type Interaction, sealInteraction } from '../authorize-request/interaction.ts';
import { continueLocation } from '../pages/form.ts';

export type AskedSession = {
  kind: 'asked';
  session: string;
  facts: SecondFactorFacts;
  /** has the person a passkey that works here? */
  passkey: boolean;
  level: 2 | 3;
  why: 'required' | 'grace' | 'offer' | undefined;
};
/** There is nothing to ask of this session here; the request continues at `location`. */
type Elsewhere = { kind: 'elsewhere'; because: 'done' | 'ended'; location: string };

/** Null: authorize did not send anybody here with this interaction. */
export async function askedOf(
  interaction: Interaction,
  cookie: string | undefined,
): Promise<AskedSession | Elsewhere | null> {
  const { asked, secondFactor, authMethodId } = interaction;
  if (asked === undefined || secondFactor === undefined) return null;
  const idHash = await readSessionHash(cookie, authMethodId);
  if (!idHash) return signedOut(interaction);
  const here = { idHash, authMethodId, idleSeconds: settings().sessionIdleSeconds };
  const facts = await findSecondFactorFacts(here);
  if (!facts) return signedOut(interaction);
  const session = idHash.toString('base64url');
  if (session === asked) {
    const passkey = facts.factorLevel === 3 && (await hasPasskeyHere(facts.personId));
    return { kind: 'asked', session, facts, passkey, why: secondFactor.why, level: secondFactor.level };
  }
  // another tab, or the same form twice, was faster; or another person has signed in, and authorize knows what to ask
  const same = await isSameSignIn(Buffer.from(asked, 'base64url'), here);
  const next = same ? followed(interaction, session) : onward(interaction);
  return { kind: 'elsewhere', because: 'done', location: continueLocation(next) };
}

/** The interaction without what was asked in it. */
export function onward(interaction: Interaction): Interaction {
  const { asked, secondFactor, alert, pendingTotp, ...rest } = interaction;
  return rest;
}

/** The session that was asked continues under another id. */
function followed(interaction: Interaction, session: string): Interaction {
  const { signedIn, ...rest } = onward(interaction);
  return signedIn !== undefined && signedIn === interaction.asked
    ? { ...rest, signedIn: session }
    : onward(interaction);
}

/** Where the person goes who has proved a second factor; `session` is what that made of the one that was asked. */
export const provedLocation = (interaction: Interaction, session: string): string =>
  continueLocation({ ...followed(interaction, session), proved: session });

/**
 * The session ended while its page was open: signed out, disabled, signed out everywhere, or raised by a form that was
 * quicker.
 */
export async function signedOut(interaction: Interaction): Promise<Elsewhere> {
  const { signedIn, proved, postponed, ...rest } = onward(interaction);
  const location = (await asksBroker(rest.authMethodId))
    ? continueLocation({ ...rest, switching: true })
    : `${settings().authUrl}/login?interaction=${sealInteraction({ ...rest, alert: 'sign_in.ended' })}`;
  return { kind: 'elsewhere', because: 'ended', location };
}

/** A form's redirect may not leave this origin (CSP form-action), so the way to a broker begins on a page. */
export async function asksBroker(authMethodId: string): Promise<boolean> {
  const method = (await recentSnapshot()).methods.get(authMethodId);
  return method !== undefined && authMethodOf(method).startSignIn !== undefined;
}

/**
 * The proofs that reach the level; if the person has none of these, their others: with one they may add a stronger one.
 */
export function proofsFor({ facts, passkey, level }: AskedSession): {
  passkey: boolean;
  totp: boolean;
  recovery: boolean;
} {
  const others = !(passkey && level === 3);
  return { passkey, totp: others && facts.hasTotp, recovery: others && facts.recoveryCodes > 0 };
}

/**
 * Adding a factor needs a recent proof: a password where there is no factor yet, otherwise a factor. An old
 * session, which may be in another person's hands, adds none; nor does one of a broker for an old sign-in.
 */
export function mayAddFactor({ signedIn, proved }: Interaction, { session, facts }: AskedSession): boolean {
  const here = proved === session || (signedIn === session && isFreshProof(facts.authTime.getTime()));
  return here && (facts.factorLevel === 0 || facts.level >= 2);
}
