// What everybody may with their own: who I am, my password, where I am signed in.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { hashPassword } from '#lib/kit/index.ts';
import { personName } from '#lib/registry/index.ts';
import { startConsoleSession } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  currentSnapshot,
  type Db,
  endPersonSessions,
  endSessionRow,
  endSignIns,
  findProfile,
  inTransaction,
  ownConnection,
  type ProfileRow,
  type SessionRow,
  type SignInRow,
  selectSessions,
  selectSignIns,
  setPasswordHash,
  updatePerson,
} from '#lib/store/index.ts';
import { operation } from './operation.ts';
import { type Asked, HASH_PART, NUMBER_PART, type Page, readPage, TIME_PART, withoutKey } from './page.ts';
import { passwordFaults } from './password-policy.ts';
import { type Actor, isOwnSession, requirePerson } from './policy.ts';
import { record } from './record.ts';
import { parseInput, Refused, refuseFaults, stale } from './refused.ts';
import { type Browser, checkPassword } from './sign-in.ts';

export type Profile = ProfileRow;
export type SignIn = Omit<SignInRow, 'key'>;
export type SessionListing = SessionRow & { current: boolean };
const MAX_SESSIONS = 200;
const nameOnly = z.strictObject({ name: personName });

export const readMyProfile = operation('readMyProfile', async (actor: Actor): Promise<Profile> => {
  const me = requirePerson(actor, 'account.read');
  return mine(ownConnection, me.id);
});

export const changeMyName = operation(
  'changeMyName',
  async (actor: Actor, input: { name: string }): Promise<void> => {
    const me = requirePerson(actor, 'account.change');
    const { name } = parseInput(nameOnly, input);
    await inTransaction(async (db: Db) => {
      const before = await mine(db, me.id);
      if (before.name === name) return;
      const { email, version } = before;
      if (!(await updatePerson(db, me.id, version, { name, email }))) throw stale('your profile');
      const details = { changed: ['name'], before: { name: before.name }, after: { name } };
      await record(actor, { event: 'person.changed', personId: me.id, details }, db);
    });
  },
);

/**
 * Ends every sign-in and every chain of refresh tokens (case SF-06). The console session that this happens in goes on
 * under a fresh id: `cookie` is its Set-Cookie value.
 */
export const changeMyPassword = operation(
  'changeMyPassword',
  async (
    actor: Actor,
    input: { oldPassword: string; password: string; browser?: Browser },
  ): Promise<{ cookie: string | null }> => {
    const me = requirePerson(actor, 'account.change');
    const { email, name, hasPassword } = await mine(ownConnection, me.id);
    if (email === null || !hasPassword) {
      throw new Refused('there is no password here to change: you sign in elsewhere', 'conflict');
    }
    refuseFaults(passwordFaults(input.password, { email, name }));
    if (input.password === input.oldPassword) {
      refuseFaults([{ field: 'password', message: 'this is the password you have' }]);
    }
    const { id: requestId = randomUUID(), ip = null } = me.request ?? {};
    const from = { cookieHeader: input.browser?.cookieHeader, ip, requestId };
    await proveOwnPassword({ actor: me, email, password: input.oldPassword, from });
    const passwordHash = await hashPassword(input.password);
    const personEpoch = await inTransaction(async (db: Db) => {
      await record(actor, { event: 'person.password_set', personId: me.id }, db);
      return setPasswordHash(db, me.id, passwordHash);
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
  actor: Extract<Actor, { kind: 'person' }>;
  email: string;
  password: string;
  from: Pick<Browser, 'cookieHeader' | 'ip' | 'requestId'>;
}): Promise<void> {
  const authMethodId = await localMethodOf(input.actor);
  const verdict = await checkPassword({
    authMethodId,
    username: input.email,
    password: input.password,
    ...input.from,
  });
  if (verdict.kind === 'identity' && verdict.personId === input.actor.id) return;
  if (verdict.kind === 'slow-down') {
    throw new Refused('Too many attempts. Wait a while, then try again.', 'slow-down', {
      retryAfterSeconds: verdict.waitSeconds,
    });
  }
  refuseFaults([{ field: 'oldPassword', message: 'this is not your password' }]);
}

/** The local method that this person came by, or the first: they all check the same passwords. */
async function localMethodOf(actor: Extract<Actor, { kind: 'person' }>): Promise<string> {
  const local = [...(await currentSnapshot()).methods.values()].filter((method) => method.type === 'local');
  const own = local.find((method) => method.id === actor.session?.authMethodId) ?? local[0];
  if (!own) throw new Refused('nobody signs in with a password here', 'conflict');
  return own.id;
}

export const listMySessions = operation('listMySessions', async (actor: Actor): Promise<SessionListing[]> => {
  const me = requirePerson(actor, 'account.read');
  const rows = await selectSessions({
    personId: me.id,
    kind: null,
    search: null,
    after: null,
    limit: MAX_SESSIONS,
    idleSeconds: settings().sessionIdleSeconds,
  });
  return rows.map((row) => ({ ...withoutKey(row), current: isOwnSession(me, row.id) }));
});

export const endMySession = operation(
  'endMySession',
  async (actor: Actor, input: { id: string }): Promise<void> => {
    const me = requirePerson(actor, 'account.change');
    await inTransaction(async (db: Db) => {
      const ended = HASH_PART.test(input.id) ? await endSessionRow(db, input.id, me.id) : null;
      if (!ended) throw new Refused('this session has ended already', 'not-found');
      const { personId, authMethodId } = ended;
      await record(actor, { event: 'session.ended', personId, authMethodId }, db);
    });
  },
);

/** Gives the number of sessions that ended. Without one that is kept, every token ends too. */
export const endMySessions = operation(
  'endMySessions',
  async (actor: Actor, input: { keepCurrent: boolean }): Promise<number> => {
    const me = requirePerson(actor, 'account.change');
    return inTransaction(async (db: Db) => {
      const kept = input.keepCurrent ? (me.session?.idHash ?? null) : null;
      const ended = await endPersonSessions(db, me.id, kept);
      if (!input.keepCurrent) await endSignIns(db, me.id, 'signed out everywhere');
      const details = { count: ended.length };
      await record(actor, { event: 'session.ended', personId: me.id, details }, db);
      return ended.length;
    });
  },
);

export const listMySignIns = operation(
  'listMySignIns',
  async (actor: Actor, input: Omit<Asked, 'search'> = {}): Promise<Page<SignIn>> => {
    const me = requirePerson(actor, 'account.read');
    const page = await readPage(input, {
      parts: [TIME_PART, NUMBER_PART],
      select: (from) => selectSignIns({ personId: me.id, ...from }),
      key: (row) => [row.key, row.id],
    });
    return { ...page, rows: page.rows.map(withoutKey) };
  },
);

async function mine(db: Db, id: string): Promise<ProfileRow> {
  const profile = await findProfile(db, id);
  if (!profile) throw new Refused('your account is no longer there', 'not-found');
  return profile;
}
