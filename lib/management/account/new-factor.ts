// A new factor, at the console.
import { codeFault } from '#lib/factors/totp.ts';
import { type ConsoleActor, raiseConsoleSession, type UnfinishedSignIn } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import { addFactor, type PasskeySetUp, type TotpSetUp } from '#lib/sign-in/new-factor.ts';
import { readerOf } from '../core/policy.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, Refused } from '../core/refused.ts';
import type { Browser } from './sign-in.ts';

/** `cookie`: of the session that continues; `codes`: recovery codes, to be shown once; null: there were some already */
export type Added = { cookie: string; codes: string[] | null };

type Who = ConsoleActor | UnfinishedSignIn;

/** What binds a passkey's challenge: the session that the page was made for. */
export const browserOf = ({ session }: Pick<Who, 'session'>): string =>
  `console ${session.idHash.toString('base64url')}`;

export const takerOf = (who: Who, { requestId, ip }: Browser) => ({
  personId: who.id,
  reader: readerOf(who),
  context: { requestId, ip },
});

/** Raises the session with a proof; null: it has ended. */
export const raiserOf =
  ({ id: personId, session: { authMethodId } }: Who, browser: Browser) =>
  (proof: Parameters<typeof raiseConsoleSession>[0]['proof']) =>
    raiseConsoleSession({ ...browser, authMethodId, personId, proof });

export async function setUpFactor(
  who: Who,
  given: TotpSetUp | PasskeySetUp,
  browser: Browser,
): Promise<Added> {
  const proved = who.session.level > 1 || settings().consoleSecondFactor === 'off';
  const asked =
    'sealed' in given
      ? { ...given, another: who.kind === 'person' && proved }
      : { ...given, browser: browserOf(who) };
  const added = await addFactor(takerOf(who, browser), asked, raiserOf(who, browser));
  if (added.kind === 'added') return { cookie: added.raised.cookie, codes: added.codes };
  if (added.kind === 'refused') throw new Refused(added.code);
  if (added.kind === 'wrong') {
    const fault = 'sealed' in given ? codeFault(given.code) : null;
    throw faulty([faultAt('code', fault ?? 'second_step.app_code')]);
  }
  if (added.kind === 'slow-down')
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: added.waitSeconds });
  throw new Refused(NOT_ADDED[added.kind]);
}

const NOT_ADDED = {
  ended: 'own_account.signed_out',
  expired: 'second_step.too_long',
  exists: 'second_step.app_exists',
  full: 'second_step.apps_full',
} as const;
