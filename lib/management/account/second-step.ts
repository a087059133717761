// The second step of a sign-in to the console: proving a factor, or setting up the first one. There is no actor before:
// the session is good for nothing else. No trusted browser counts here.
import { hasPasskeys } from '#lib/factors/passkeys-place.ts';
import { passkeyChallenge } from '#lib/factors/passkeys-proof.ts';
import { passkeyRegistration } from '#lib/factors/passkeys-registration.ts';
import { newTotp, sealPendingTotp, totpToReplace } from '#lib/factors/totp.ts';
import { withoutGaps } from '#lib/factors/typed.ts';
import { personLabel } from '#lib/registry/objects/person.ts';
import type { ConsoleActor, UnfinishedSignIn } from '#lib/sessions/console.ts';
import { RECENT_SECONDS } from '#lib/sessions/proved-sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import type { PasskeySetUp, TotpSetUp } from '#lib/sign-in/new-factor.ts';
import { takeSecondStep } from '#lib/sign-in/second-step.ts';
import { listFactors } from '#lib/store/people/factors.ts';
import { beginGrace } from '#lib/store/sign-in/second-factor.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, Refused } from '../core/refused.ts';
import { type Added, browserOf, raiserOf, setUpFactor, takerOf } from './new-factor.ts';
import type { Browser } from './sign-in.ts';

type Holder = Pick<ConsoleActor | UnfinishedSignIn, 'id' | 'session' | 'signedInAt'>;

export type SecondStepView = {
  /** what the field takes; null: they have neither */
  code: 'app' | 'app or recovery code' | 'recovery code' | null;
  passkey: { options: string; state: string } | null;
};

/** What this person can prove that it is them with, on this host. */
export async function viewSecondStep(who: Holder): Promise<SecondStepView> {
  const { totps, passkeys, recoveryCodes } = await listFactors(who.id);
  const here = passkeys.some(({ rpId }) => rpId === settings().passkeyRpId) && hasPasskeys();
  const spare = recoveryCodes > 0;
  const code = totps.length > 0 ? (spare ? 'app or recovery code' : 'app') : spare ? 'recovery code' : null;
  const passkey = here ? await passkeyChallenge({ browser: browserOf(who), personId: who.id }) : null;
  return { code, passkey };
}

/** Digits are an app's code, anything else is a recovery code. */
export async function confirmByCode(who: UnfinishedSignIn, code: string, browser: Browser): Promise<string> {
  const kind = /^\p{Nd}*$/u.test(withoutGaps(code)) ? 'totp' : 'recovery_code';
  const taken = await takeSecondStep(takerOf(who, browser), { kind, code }, raiserOf(who, browser));
  if (taken.kind === 'raised') return taken.raised.cookie;
  if (taken.kind === 'faulty') throw faulty([faultAt('code', taken.code)]);
  if (taken.kind === 'wrong') throw faulty([faultAt('code', 'second_step.code_wrong')]);
  if (taken.kind === 'used-up') throw faulty([faultAt('code', 'factor.used_up')]);
  if (taken.kind === 'slow-down')
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: taken.waitSeconds });
  throw new Refused('own_account.signed_out');
}

export async function confirmByPasskey(
  who: UnfinishedSignIn,
  given: { state: string; response: string },
  browser: Browser,
): Promise<string> {
  const answer = { kind: 'passkey', ...given, browser: browserOf(who) } as const;
  const taken = await takeSecondStep(takerOf(who, browser), answer, raiserOf(who, browser));
  if (taken.kind === 'raised') return taken.raised.cookie;
  if (taken.kind === 'refused') throw new Refused(taken.code);
  if (taken.kind === 'slow-down') throw new Refused('second_step.wait', { seconds: taken.waitSeconds });
  throw new Refused('own_account.signed_out');
}

/** What a page needs to set a factor up. */
export type NewFactorView = {
  /** null: they have as many as there may be */
  totp: { svg: string; spelled: string; sealed: string } | null;
  /** null: there are no passkeys at such an address */
  passkey: { options: string; state: string } | null;
};

export async function viewNewFactor(
  who: Holder & Parameters<typeof personLabel>[0] & { name: string },
  { totp = true }: { totp?: boolean } = {},
): Promise<NewFactorView> {
  const label = personLabel(who);
  const made = totp ? await newTotp({ label }) : null;
  const asked = { personId: who.id, label, name: who.name, browser: browserOf(who) };
  return {
    totp: made && { svg: made.svg, spelled: made.spelled, sealed: sealPendingTotp(who.id, made.secret) },
    passkey: hasPasskeys() ? await passkeyRegistration(asked) : null,
  };
}

/** An app that takes the place of this one; null: there is no such app. */
export async function viewReplacement(
  who: Holder & Parameters<typeof personLabel>[0],
  id: string,
): Promise<NewFactorView['totp']> {
  const replaced = await totpToReplace(who.id, id);
  if (replaced === null) return null;
  const { svg, spelled, secret } = await newTotp({ label: personLabel(who) });
  return { svg, spelled, sealed: sealPendingTotp(who.id, secret, replaced) };
}

/** Whether the sign-in is so new that a first factor may be set up by it; otherwise the password is asked for again. */
export const maySetUpNow = ({ signedInAt }: Holder, now: Date): boolean =>
  now.getTime() - signedInAt.getTime() <= RECENT_SECONDS * 1000;

/** Until when `Later` works, for a person who sees the question first; null: a factor is set up now. */
export function graceOf({ graceFrom }: UnfinishedSignIn): number | null {
  const days = settings().secondFactorGraceDays;
  return graceFrom === null && days > 0 ? days : null;
}

/** The days of grace begin, and the session is good until they are over. */
export async function putOffSetUp(who: UnfinishedSignIn): Promise<void> {
  if (who.owes !== 'set-up' || graceOf(who) === null) throw new Refused('second_step.due');
  await beginGrace(who.id, settings().secondFactorGraceDays);
}

/**
 * The first factor is set up by the sign-in that asks for it, which it raises. Gives the cookie and the recovery codes.
 */
export async function setUpFirst(
  who: UnfinishedSignIn,
  given: TotpSetUp | PasskeySetUp,
  browser: Browser,
  now: Date,
): Promise<Added> {
  if (who.owes !== 'set-up' || !maySetUpNow(who, now)) throw new Refused('own_account.signed_out');
  return setUpFactor(who, given, browser);
}
