// A password that has to be replaced before anything begins: the flag of an import, or a kept hash that reads only the
// first bytes of it. After the right password there is no session; what is known is sealed for the one browser, for ten
// minutes, and a person with a second factor proves it with the new password.
import { z } from 'zod';
import { withNewPassword } from '#lib/accounts/new-password.ts';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { withoutGaps } from '#lib/factors/typed.ts';
import { now } from '#lib/kit/clock.ts';
import { verifyPassword } from '#lib/kit/password-hash.ts';
import { sha256 } from '#lib/kit/random.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import type { Message } from '#lib/language/message.ts';
import { isFreshProof } from '#lib/sessions/proved-sign-in.ts';
import type { SessionStart } from '#lib/sessions/session-rows.ts';
import { settings } from '#lib/settings/settings.ts';
import { inTransaction } from '#lib/store/database/prisma.ts';
import { replacePasswordHash } from '#lib/store/people/people.ts';
import { openPepper } from '#lib/store/sign-in/kept-hashes.ts';
import { findOwedPasswordFacts, type OwedPasswordFacts } from '#lib/store/sign-in/owed-password.ts';
import type { Proved } from './password.ts';
import { takeSecondStep } from './second-step.ts';

const shape = z.object({
  /** the browser, or the console session, that it is for */
  holder: z.string(),
  authMethodId: z.string(),
  personId: z.string(),
  /** when the password was proved: nothing begins if the person's sign-ins were ended since */
  personEpoch: z.string(),
  /** the method's, then */
  methodEpoch: z.string(),
  /** the account's name in the limits on guessing */
  account: z.string(),
  /** milliseconds since 1970 */
  at: z.number(),
});
type OwedPassword = z.infer<typeof shape>;

const PURPOSE = 'owed password';

export function sealOwedPassword(
  { personId, personEpoch, methodEpoch, account }: Proved,
  { authMethodId, holder }: Pick<OwedPassword, 'authMethodId' | 'holder'>,
): string {
  const owed: OwedPassword = {
    ...{ holder, authMethodId, personId, personEpoch, methodEpoch, account },
    at: now().getTime(),
  };
  return sealJson(owed, PURPOSE, settings().secrets);
}

/** Null: not sealed here for this browser, or too long ago. */
export function openOwedPassword(sealed: string | undefined, holder: string | null): OwedPassword | null {
  const owed = sealed === undefined ? null : unsealJson(shape, sealed, PURPOSE, settings().secrets);
  return owed !== null && owed.holder === holder && isFreshProof(owed.at) ? owed : null;
}

/** The code that proves the second factor; `none-left`: the person has only passkeys, which sign in by themselves. */
export type CodeAsked = 'app' | 'app or recovery code' | 'recovery code' | 'none-left' | null;

function codeOf({ hasFactor, hasTotp, recoveryCodes }: OwedPasswordFacts): CodeAsked {
  if (!hasFactor) return null;
  if (hasTotp) return recoveryCodes > 0 ? 'app or recovery code' : 'app';
  return recoveryCodes > 0 ? 'recovery code' : 'none-left';
}

const factsOf = ({ personId, personEpoch: epoch, authMethodId, methodEpoch }: OwedPassword) =>
  findOwedPasswordFacts({ personId, epoch, authMethodId, methodEpoch });

/** What the page shows; null: the password was replaced meanwhile, or the person was signed out. */
export async function readOwedPassword(
  owed: OwedPassword,
): Promise<{ label: string; email: string | null; locale: string | null; code: CodeAsked } | null> {
  const facts = await factsOf(owed);
  return facts && { label: facts.label, email: facts.email, locale: facts.locale, code: codeOf(facts) };
}

export type NewPasswordGiven = { password: string; code: string };

type Replaced<Session> =
  | { kind: 'replaced'; session: Session; personId: string; personEpoch: string; account: string }
  | { kind: 'faulty'; field: 'password' | 'code'; told: Message }
  | { kind: 'slow-down'; waitSeconds: number }
  /** nothing is owed any more, or no session may begin */
  | { kind: 'gone' };

type Started = Pick<
  SessionStart,
  'authMethodId' | 'personId' | 'personEpoch' | 'methodEpoch' | 'amr' | 'acrLevel'
>;

/** Every sign-in and every token of the person ends, and the session begins. `start`: null as for `startSession`. */
export async function replaceOwedPassword<Session>(
  owed: OwedPassword,
  given: NewPasswordGiven,
  from: { requestId: string; ip: string | null },
  start: (started: Started) => Promise<Session | null>,
): Promise<Replaced<Session>> {
  const { personId, authMethodId, methodEpoch, account } = owed;
  const facts = await factsOf(owed);
  if (facts === null) return { kind: 'gone' };
  const { email, name } = facts;
  const link = sha256(`${PURPOSE} ${personId} ${owed.personEpoch}`);
  const chosen = await withNewPassword(
    { ...from, link, password: given.password, owner: { email, name } },
    async ({ typed, asking, hash }) => {
      if (await verifyPassword(openPepper(personId, facts.passwordHash), typed, asking))
        return { kind: 'faulty', field: 'password', told: { code: 'password.same' } } as const;
      const passwordHash = await hash();
      const replace = () => inOneStep(owed, passwordHash, from);
      return codeOf(facts) === null
        ? plainly(await replace())
        : proved(owed, facts, given.code, from, replace);
    },
    ({ kind }) => kind === 'replaced',
  );
  if (chosen.kind === 'slow-down') return chosen;
  if (chosen.kind === 'faulty') {
    const [fault] = chosen.faults;
    return fault ? { kind: 'faulty', field: 'password', told: fault } : { kind: 'gone' };
  }
  if (chosen.result.kind !== 'replaced') return chosen.result;
  const { personEpoch, amr, acrLevel } = chosen.result;
  const session = await start({ authMethodId, personId, personEpoch, methodEpoch, amr, acrLevel });
  return session === null ? { kind: 'gone' } : { kind: 'replaced', session, personId, personEpoch, account };
}

type InStore =
  | { kind: 'replaced'; personEpoch: string; amr: string[]; acrLevel: 1 | 2 | 3 }
  | Exclude<Replaced<never>, { kind: 'replaced' }>;

const plainly = (personEpoch: string | null): InStore =>
  personEpoch === null ? { kind: 'gone' } : { kind: 'replaced', personEpoch, amr: ['pwd'], acrLevel: 1 };

/** Null: their sign-ins were ended since, perhaps by the same form, sent twice. */
const inOneStep = (
  { personId, personEpoch, authMethodId }: OwedPassword,
  passwordHash: string,
  { requestId, ip }: { requestId: string; ip: string | null },
): Promise<string | null> =>
  inTransaction(async (db) => {
    const epoch = await replacePasswordHash(db, { personId, personEpoch, passwordHash });
    if (epoch === null) return null;
    const by = { actor: personId, requestId, ip: ip ?? undefined };
    await recordEvent({ ...by, event: 'person.password_set', personId, authMethodId }, db);
    return epoch;
  });

const WRONG = {
  totp: 'factor.wrong_code',
  recovery_code: 'factor.wrong_recovery',
} as const;

/** Digits are an app's code, anything else is a recovery code. */
async function proved(
  { personId }: OwedPassword,
  { email, locale, hasTotp }: OwedPasswordFacts,
  code: string,
  context: { requestId: string; ip: string | null },
  replace: () => Promise<string | null>,
): Promise<InStore> {
  const kind = hasTotp && /^\p{Nd}*$/u.test(withoutGaps(code)) ? 'totp' : 'recovery_code';
  const taken = await takeSecondStep(
    { personId, reader: { email, locale }, context },
    { kind, code },
    replace,
  );
  switch (taken.kind) {
    case 'raised': {
      const { raised: personEpoch, proof } = taken;
      return { kind: 'replaced', personEpoch, amr: ['pwd', ...proof.amr, 'mfa'], acrLevel: proof.level };
    }
    case 'ended':
      return { kind: 'gone' };
    case 'slow-down':
      return taken;
    case 'used-up':
      return { kind: 'faulty', field: 'code', told: { code: 'factor.used_up' } };
    case 'faulty':
      return { kind: 'faulty', field: 'code', told: { code: taken.code } };
    default:
      return { kind: 'faulty', field: 'code', told: { code: WRONG[kind] } };
  }
}
