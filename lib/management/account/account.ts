// What everybody may do with their own: profile, password, sessions, and which applications act for them.
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { passwordFaults, tooLongFaults } from '#lib/accounts/password-policy.ts';
import { hashPassword } from '#lib/kit/password-hash.ts';
import { readTypedPassword } from '#lib/kit/typed-password.ts';
import { profileChoices } from '#lib/registry/fields/profile.ts';
import { personName } from '#lib/registry/fields/values.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import type { ConsentRow } from '#lib/registry/objects/consent.ts';
import type { SessionRow, SignInRow } from '#lib/registry/objects/session.ts';
import { startConsoleSession } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import { isHash, isUuid } from '#lib/store/database/list.ts';
import { type Db, inTransaction } from '#lib/store/database/prisma.ts';
import { endSignIns } from '#lib/store/endings/endings.ts';
import { SIGN_INS } from '#lib/store/log/audit.ts';
import { deleteConsent, selectConsents } from '#lib/store/people/consents.ts';
import { findProfile, type ProfileRow, setPasswordHash, updateProfile } from '#lib/store/people/people.ts';
import { endPersonSessions, endSessionRow, SESSIONS } from '#lib/store/people/session-list.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage } from '../core/page.ts';
import { isOwnSession, type Person, requirePerson } from '../core/policy.ts';
import { authorOf, record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, parseInput, Refused, refuseFaults, stale } from '../core/refused.ts';
import { type Browser, proveOnce } from './sign-in.ts';

export type Profile = ProfileRow;
const MAX_SESSIONS = 200;
type ProfileInput = z.input<typeof changedProfile>;
const PROFILE = ['name', 'picture', 'locale', 'zoneinfo'] as const;
const changedProfile = profileChoices.extend({ name: personName.optional() });

export const readMyProfile = operation(
  'readMyProfile',
  ({ actor, db }): Promise<Profile> => mine(db, requirePerson(actor)),
);

/** What is left out stays as it is. */
export const changeMyProfile = operation(
  'changeMyProfile',
  async ({ actor, db }, input: ProfileInput): Promise<void> => {
    const me = requirePerson(actor);
    const given = parseInput(changedProfile, input);
    const shown = await mine(db, me);
    const changed = PROFILE.filter((key) => given[key] !== undefined && given[key] !== shown[key]);
    if (changed.length === 0) return;
    const values = { ...shown, ...Object.fromEntries(changed.map((key) => [key, given[key]])) };
    if (!(await updateProfile(db, me.id, shown.version, values))) throw stale('your profile');
    const of = (whose: ProfileRow) => Object.fromEntries(changed.map((key) => [key, whose[key]]));
    const details = { changed: [...changed], before: of(shown), after: of(values) };
    await record(actor, { event: 'person.changed', personId: me.id, details }, db);
  },
);

/**
 * Ends every sign-in and every token (case SF-06), except the console session of this request, which continues
 * under a fresh id: `cookie` is its Set-Cookie value.
 */
export const changeMyPassword = operation(
  'changeMyPassword',
  async (
    { actor, db },
    input: { oldPassword: string; password: string; browser?: Browser },
  ): Promise<{ cookie: string | null }> => {
    const me = requirePerson(actor);
    const { email, username, name, hasPassword } = await mine(db, me);
    const signInName = email ?? username;
    if (signInName === null || !hasPassword) {
      throw new Refused('password.none');
    }
    refuseFaults(await passwordFaults(authorOf(me), input.password, { email, name }));
    const typed = readTypedPassword(input.password);
    if (typed === null) throw faulty(tooLongFaults());
    if (input.password === input.oldPassword) {
      refuseFaults([faultAt('password', 'password.same')]);
    }
    const { id: requestId = randomUUID(), ip = null } = me.request ?? {};
    const from = { cookieHeader: input.browser?.cookieHeader, ip, requestId };
    await proveOwnPassword({ actor: me, signInName, password: input.oldPassword, from });
    const passwordHash = await hashPassword(typed);
    const personEpoch = await inTransaction(async (own) => {
      await record(actor, { event: 'person.password_set', personId: me.id }, own);
      return setPasswordHash(own, me.id, passwordHash);
    });
    if (!me.session || !input.browser) return { cookie: null };
    const { authMethodId } = me.session;
    const started = await startConsoleSession({
      ...input.browser,
      authMethodId,
      personId: me.id,
      personEpoch,
      methodEpoch: null,
    });
    return { cookie: started?.cookie ?? null };
  },
);

async function proveOwnPassword(input: {
  actor: Person;
  signInName: string;
  password: string;
  from: Pick<Browser, 'cookieHeader' | 'ip' | 'requestId'>;
}): Promise<void> {
  const authMethodId = await localMethodOf(input.actor);
  const verdict = await proveOnce({
    authMethodId,
    username: input.signInName,
    password: input.password,
    ...input.from,
  });
  if (verdict.kind === 'identity' && verdict.personId === input.actor.id) return;
  if (verdict.kind === 'slow-down') {
    throw new Refused(
      'sign_in.too_many',
      {},
      {
        retryAfterSeconds: verdict.waitSeconds,
      },
    );
  }
  refuseFaults([faultAt('oldPassword', 'password.wrong')]);
}

/** The local method of this session, or the first one: all local methods check the same passwords. */
async function localMethodOf(actor: Person): Promise<string> {
  const local = [...(await currentSnapshot()).methods.values()].filter((method) =>
    methodCan(method, 'hasAccounts'),
  );
  const own = local.find((method) => method.id === actor.session?.authMethodId) ?? local[0];
  if (!own) throw new Refused('password.no_method');
  return own.id;
}

export const listMySessions = operation('listMySessions', async ({ actor }): Promise<SessionRow[]> => {
  const { id: personId } = requirePerson(actor);
  const { sessionIdleSeconds: idleSeconds } = settings();
  const asked = { personId, kind: null, search: null, idleSeconds };
  const listed = await SESSIONS.select(asked, { after: null, limit: MAX_SESSIONS });
  return listed.map(({ row }) => ({ ...row, current: isOwnSession(actor, row.id) }));
});

export const endMySession = operation(
  'endMySession',
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const ended = isHash(input.id) && (await endSessionRow(db, input.id, requirePerson(actor).id));
    if (!ended) throw new Refused('own_account.session_gone');
    await record(actor, { event: 'session.ended', ...ended }, db);
  },
);

/** Returns the number of ended sessions. Unless the current session is kept, all tokens end too. */
export const endMySessions = operation(
  'endMySessions',
  async ({ actor, db }, input: { keepCurrent: boolean }): Promise<number> => {
    const me = requirePerson(actor);
    const kept = input.keepCurrent ? (me.session?.idHash ?? null) : null;
    const count = await endPersonSessions(db, me.id, kept);
    if (!input.keepCurrent) await endSignIns(db, me.id, 'signed out everywhere');
    await record(actor, { event: 'session.ended', personId: me.id, details: { count } }, db);
    return count;
  },
);

export const listMySignIns = operation(
  'listMySignIns',
  ({ actor }, input: Omit<Asked, 'search'> = {}): Promise<Page<SignInRow>> =>
    readPage(SIGN_INS, input, { personId: requirePerson(actor).id }),
);

export const listMyConsents = operation(
  'listMyConsents',
  ({ actor, db }): Promise<ConsentRow[]> => selectConsents(db, requirePerson(actor).id),
);

/** Revokes the codes and tokens that rest on it; the next refresh fails. */
export const withdrawConsent = operation(
  'withdrawConsent',
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const { id: personId } = requirePerson(actor);
    const gone = isUuid(input.id) && (await deleteConsent(db, personId, input.id));
    if (!gone) throw new Refused('own_account.consent_gone');
    await record(actor, { event: 'consent.withdrawn', personId, ...gone }, db);
  },
);

async function mine(db: Db, { id }: Person): Promise<ProfileRow> {
  const profile = await findProfile(db, id);
  if (!profile) throw new Refused('own_account.gone');
  return profile;
}
