// Operations on a person's own account: profile, password, sessions, address, data, deletion.
import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { passwordFaults, tooLongFaults } from '#lib/accounts/password-policy.ts';
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { methodCan, secondFactorOf } from '#lib/catalogue/methods/questions.ts';
import {
  accountRow,
  type ConsentRow,
  consentRow,
  isHeldToSecondFactor,
  personData,
  type SessionRow,
  type SignInRow,
  sessionRow,
  signInRow,
} from '#lib/catalogue/people/definition.ts';
import { findByRef, type PersonRef, removeAccount } from '#lib/catalogue/people/operations.ts';
import { byProfileName, PROFILE_NAMES, profileChoices } from '#lib/catalogue/people/profile.ts';
import {
  findPersonByEmail,
  findPersonView,
  findProfile,
  hasOtherAdministrator,
  type OwnedClient,
  type ProfileRow,
  selectMyIdentities,
  selectMyRequests,
  selectOwnedClients,
  selectReadersOf,
  setPasswordHash,
  updateProfile,
} from '#lib/catalogue/people/rows.ts';
import { hasPasskeys, passkeySignal } from '#lib/factors/passkeys.ts';
import { codeFault, makeRecoveryCodes, replaceTotp } from '#lib/factors/totp.ts';
import { now } from '#lib/kit/clock.ts';
import { hashPassword } from '#lib/kit/password-hash.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { readableLine } from '#lib/kit/text.ts';
import { readTypedPassword } from '#lib/kit/typed-password.ts';
import { toWire } from '#lib/kit/wire.ts';
import { type From, mailLimits, sendLimited } from '#lib/mail/mail.ts';
import { ADDRESS_CHANGE_MINUTES } from '#lib/mail/messages.ts';
import {
  background,
  sendAddressChanged,
  sendAddressCode,
  sendAddressTaken,
  sendServiceMail,
  tellOfFactor,
} from '#lib/mail/send.ts';
import type { Fault } from '#lib/registry/definition.ts';
import { emailAddress, personName } from '#lib/registry/values.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import type { PasskeySetUp, TotpSetUp } from '#lib/sign-in/steps.ts';
import { addressChanges } from '#lib/store/addresses.ts';
import { AUDIT_EVENTS, type AuditRow, SIGN_INS } from '#lib/store/audit.ts';
import { deleteConsent, selectConsents, selectDelegations } from '#lib/store/consents.ts';
import { endSignIns } from '#lib/store/endings.ts';
import {
  forgetTrustedBrowsers,
  lastRecoveryCodeUse,
  listFactors,
  nameTrustedBrowser,
  removePasskey,
  removeTotp,
  renamePasskey,
  renameTotp,
} from '#lib/store/factors.ts';
import { attemptLimit } from '#lib/store/hot/limits.ts';
import { isHash, isUuid, type List } from '#lib/store/list.ts';
import { type Db, database, inTransaction } from '#lib/store/prisma.ts';
import { endPersonSessions, endSessionRow, nameSession, SESSIONS } from '#lib/store/session-list.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  type Added,
  type Browser,
  proveOnce,
  restartSession,
  type SessionCookies,
  sessionHolder,
  setUpFactor,
} from './console-sign-in.ts';
import { type Asked, type Page, pageQuery, readPage } from './lists.ts';
import { jsonFile, one, operation, page, wholeList } from './operations.ts';
import { type Actor, isOwnSession, nameOf, type Person, readerOf, requirePerson } from './policy.ts';
import { authorOf, record } from './record.ts';
import { faultAt, faulty, Refused, refuseFaults, stale } from './refused.ts';

// The account of the signed-in user: profile, password, sessions, sign-ins, consents.

export type Profile = ProfileRow;
const MAX_SESSIONS = 200;
const CHANGEABLE = ['name', ...PROFILE_NAMES] as const;
const changedProfile = profileChoices.extend({ name: personName.optional() });
const choice = z.string().max(4000).nullable().describe('null removes it');
const profileTexts = z.strictObject({ name: z.string().max(500), ...byProfileName(() => choice) }).partial();

export const readMyProfile = operation(
  { name: 'readMyProfile', right: 'account.read', output: one('Profile', accountRow) },
  ({ actor, db }): Promise<Profile> => mine(db, requirePerson(actor)),
);

/** Changes the profile. Missing members stay unchanged. */
export const changeMyProfile = operation(
  {
    name: 'changeMyProfile',
    right: 'account.change',
    runsOn: 'transaction',
    input: changedProfile,
    shape: profileTexts,
  },
  async ({ actor, db }, parsedProfile): Promise<void> => {
    const me = requirePerson(actor);
    const profile = await mine(db, me);
    const changed = CHANGEABLE.filter(
      (key) => parsedProfile[key] !== undefined && parsedProfile[key] !== profile[key],
    );
    if (changed.length === 0) return;
    const values = { ...profile, ...Object.fromEntries(changed.map((key) => [key, parsedProfile[key]])) };
    if (!(await updateProfile(db, me.id, profile.version, values))) throw stale(nameOf(me));
    const of = (whose: ProfileRow) => Object.fromEntries(changed.map((key) => [key, whose[key]]));
    const details = { changed: [...changed], before: of(profile), after: of(values) };
    await record(actor, { event: 'person.changed', personId: me.id, details }, db);
  },
);

const passwords = z.strictObject({ oldPassword: z.string().max(1000), password: z.string().max(1000) });

/**
 * Ends every sign-in and every token (case SF-06), except the console session of this request. That session continues
 * under a fresh id, and its browser stays known to the account.
 */
export const changeMyPassword = operation(
  // requires the old password, and therefore no recent sign-in
  { name: 'changeMyPassword', right: 'account.change', shape: passwords },
  async (
    { actor, db },
    input: z.output<typeof passwords> & { browser?: Browser },
  ): Promise<SessionCookies | null> => {
    const me = requirePerson(actor);
    const { email, username, name, hasPassword } = await mine(db, me);
    const signInName = email ?? username;
    if (signInName === null || !hasPassword) {
      throw new Refused('password.none');
    }
    refuseFaults(await passwordFaults(authorOf(me), input.password, { email, name }));
    const typedPassword = readTypedPassword(input.password);
    if (typedPassword === null) throw faulty(tooLongFaults());
    if (input.password === input.oldPassword) {
      refuseFaults([faultAt('password', 'password.same')]);
    }
    const { id: requestId = randomUUID(), ip = null } = me.request ?? {};
    const from = { cookieHeader: input.browser?.cookieHeader, ip, requestId };
    const account = await proveOwnPassword({ actor: me, signInName, password: input.oldPassword, from });
    const passwordHash = await hashPassword(typedPassword);
    const personEpoch = await inTransaction(async (transactionClient) => {
      await record(actor, { event: 'person.password_set', personId: me.id }, transactionClient);
      return setPasswordHash(transactionClient, me.id, passwordHash);
    });
    if (!me.session || !input.browser) return null;
    const proved = { personId: me.id, personEpoch, methodEpoch: null, amr: ['pwd'], accounts: [account] };
    return restartSession(me.session, proved, input.browser);
  },
);

/** Returns the name of the account in the limits on guesses. */
async function proveOwnPassword(input: {
  actor: Person;
  signInName: string;
  password: string;
  from: Pick<Browser, 'cookieHeader' | 'ip' | 'requestId'>;
}): Promise<string> {
  const authMethodId = await localMethodOf(input.actor);
  const verdict = await proveOnce({
    authMethodId,
    username: input.signInName,
    password: input.password,
    ...input.from,
  });
  if (verdict.kind === 'identity' && verdict.personId === input.actor.id) return verdict.account;
  if (verdict.kind === 'slow-down') {
    throw new Refused(
      'sign_in.too_many',
      {},
      {
        retryAfterSeconds: verdict.waitSeconds,
      },
    );
  }
  throw faulty([faultAt('oldPassword', 'password.wrong')]);
}

/**
 * Returns the local method of this session; if the session belongs to another kind, the first local method. All
 * local methods verify the same passwords.
 */
async function localMethodOf(actor: Person): Promise<string> {
  const local = [...(await currentSnapshot()).methods.values()].filter((method) =>
    methodCan(method, 'hasAccounts'),
  );
  const snapshotMethod = local.find((method) => method.id === actor.session?.authMethodId) ?? local[0];
  if (!snapshotMethod) throw new Refused('password.no_method');
  return snapshotMethod.id;
}

export const listMySessions = operation(
  { name: 'listMySessions', right: 'account.read', output: wholeList('Session', sessionRow) },
  async ({ actor }): Promise<SessionRow[]> => {
    const { id: personId } = requirePerson(actor);
    const { sessionIdleSeconds: idleSeconds } = settings();
    const filter = { personId, kind: null, search: null, idleSeconds };
    const listed = await SESSIONS.select(filter, { after: null, limit: MAX_SESSIONS });
    return listed.map(({ row }) => ({ ...row, current: isOwnSession(actor, row.id) }));
  },
);

export const endMySession = operation(
  { name: 'endMySession', right: 'account.change', runsOn: 'transaction' },
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const ended = isHash(input.id) && (await endSessionRow(db, input.id, requirePerson(actor).id));
    if (!ended) throw new Refused('own_account.session_gone');
    await record(actor, { event: 'session.ended', ...ended }, db);
  },
);

/** Returns the number of ended sessions. If the current session is also ended, all tokens are revoked. */
export const endMySessions = operation(
  { name: 'endMySessions', right: 'account.change', runsOn: 'transaction' },
  async ({ actor, db }, input: { keepCurrent: boolean }): Promise<number> => {
    const me = requirePerson(actor);
    const keptIdHash = input.keepCurrent ? (me.session?.idHash ?? null) : null;
    const count = await endPersonSessions(db, me.id, keptIdHash);
    if (!input.keepCurrent) await endSignIns(db, me.id, 'signed out everywhere');
    await record(actor, { event: 'session.ended', personId: me.id, details: { count } }, db);
    return count;
  },
);

export const listMySignIns = operation(
  {
    name: 'listMySignIns',
    right: 'account.read',
    shape: z.strictObject(pageQuery('signIns')),
    output: page('SignIn', signInRow),
  },
  ({ actor }, input: Omit<Asked, 'search'> = {}): Promise<Page<SignInRow>> =>
    readPage(SIGN_INS, input, { personId: requirePerson(actor).id }),
);

export const listMyConsents = operation(
  { name: 'listMyConsents', right: 'account.read', output: wholeList('Consent', consentRow) },
  ({ actor, db }): Promise<ConsentRow[]> => selectConsents(db, requirePerson(actor).id),
);

/** Revokes the codes and tokens that are based on the consent, so the next refresh fails. */
export const withdrawConsent = operation(
  { name: 'withdrawConsent', right: 'account.change', runsOn: 'transaction' },
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

// A user changes their email address: this requires a recent sign-in, and the codes that were mailed to both
// addresses. If the new address belongs to an account, only a mail to that address mentions the account. Pages,
// limits and the number of mails are the same in both cases.

/** Sends a code to each address. `handle`: a secret in the page for the codes, without which they are invalid. */
export const startAddressChange = operation(
  // a person who reads mails to the new address can reset the password
  { name: 'startAddressChange', right: 'account.change', fresh: 'always' },
  async ({ actor }, input: { email: string }): Promise<{ handle: string }> => {
    const me = requirePerson(actor);
    if (me.email === null) throw new Refused('address.none');
    const email = newAddress(me.email, input.email);
    const handle = randomToken('');
    const [codeHere, codeThere] = [sixDigits(), sixDigits()];
    let addressChange: { known: boolean; from: string; locale: string | null } | null = null;
    const from = origin(me);
    const limits = [
      ...mailLimits('address', email, from.ip),
      attemptLimit('mail', `address from ${me.id}`, 5),
    ];
    const waitSeconds = await sendLimited(limits, from, async () => {
      addressChange = await addressChanges.start({
        personId: me.id,
        email,
        handleHash: sha256(handle),
        codesHash: codesHash(handle, codeHere, codeThere),
        seconds: ADDRESS_CHANGE_MINUTES * 60,
      });
      const { known, from: old, locale } = addressChange ?? {};
      if (known === undefined || old === undefined) return;
      background(async () => {
        const reader = readerOf(me);
        sendAddressCode({ ...reader, email: old }, codeHere, 'old');
        if (known) sendAddressTaken({ ...reader, email, locale });
        else sendAddressCode({ ...reader, email }, codeThere, 'new');
      });
    });
    if (waitSeconds !== null)
      throw new Refused(
        'own_account.too_many_mails',
        {},
        {
          retryAfterSeconds: waitSeconds,
        },
      );
    if (addressChange === null) throw new Refused('address.configured');
    return { handle };
  },
);

/** Both addresses of a pending change. `null`: the change was completed, has expired, or belongs to another user. */
export const readAddressChange = operation(
  { name: 'readAddressChange', right: 'account.read' },
  ({ actor }, input: { handle: string }): Promise<{ from: string; email: string } | null> =>
    addressChanges.find(requirePerson(actor).id, sha256(input.handle)),
);

/**
 * Five wrong attempts end the change. Sign-ins and tokens stay valid. Links in mails to the old address stop working.
 */
export const finishAddressChange = operation(
  { name: 'finishAddressChange', right: 'account.change', fresh: 'always' },
  async (
    { actor },
    input: { handle: string; codeHere: string; codeThere: string },
  ): Promise<{ email: string }> => {
    const me = requirePerson(actor);
    const [here, there] = [plainCode(input.codeHere), plainCode(input.codeThere)];
    refuseFaults([...codeFaults('codeHere', here), ...codeFaults('codeThere', there)]);
    const hash = codesHash(input.handle, here, there);
    if (!(await areRight(me, sha256(input.handle), hash)))
      refuseFaults(['codeHere', 'codeThere'].map((field) => faultAt(field, 'address.code_wrong')));
    const { from, email } = await carryOut(me, hash);
    sendAddressChanged({ ...readerOf(me), email: from }, email);
    return { email };
  },
);

function newAddress(current: string, typedAddress: string): string {
  const parseResult = emailAddress.safeParse(typedAddress);
  if (!parseResult.success) throw faulty([faultAt('email', 'register.not_an_address')]);
  if (parseResult.data === current) throw faulty([faultAt('email', 'address.same')]);
  return parseResult.data;
}

const sixDigits = () => String(randomInt(1_000_000)).padStart(6, '0');
const plainCode = (code: string) => code.replaceAll(/\s/g, '');

function codeFaults(field: string, code: string): Fault[] {
  return /^\d{6}$/.test(code) ? [] : [faultAt(field, 'address.code_digits')];
}

/**
 * Hashes both codes together. Access to one mailbox therefore does not help to guess the second code, and the table
 * reveals neither code.
 */
const codesHash = (handle: string, here: string, there: string) => sha256(`${handle} ${here} ${there}`);

/** True if both codes are right. Limit: ten attempts in 15 minutes, over all address changes of the person. */
async function areRight(me: Person, handleHash: Buffer, hash: Buffer): Promise<boolean> {
  const limits = [attemptLimit('account', `address ${me.id}`, 10)];
  try {
    const tried = await underLimits(
      limits,
      origin(me),
      () => addressChanges.tryCodes(me.id, handleHash, hash),
      (result) => result?.right !== true,
    );
    if (tried === null) throw new Refused('address.change_gone');
    return tried.right;
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: error.waitSeconds });
  }
}

async function carryOut(me: Person, hash: Buffer): Promise<{ from: string; email: string }> {
  let wanted: string | null = null;
  try {
    return await inTransaction(async (db) => {
      const change = await addressChanges.take(db, me.id, hash);
      if (!change) throw new Refused('address.change_gone');
      wanted = change.email;
      await addressChanges.give(db, me.id, change.email);
      const details = { changed: ['email'], before: { email: change.from }, after: { email: change.email } };
      await record(me, { event: 'person.changed', personId: me.id, details }, db);
      return change;
    });
  } catch (error) {
    // unique violation: another account got the address after the mails were sent
    if (wanted === null || !(await findPersonByEmail(database(), wanted))) throw error;
    throw new Refused('address.taken');
  }
}

function origin(me: Person): From {
  return { ip: me.request?.ip ?? null, requestId: me.request?.id ?? '' };
}

// A user deletes their account. Rows that depend on it are deleted in the same transaction, including tokens of
// requests in progress. Clients get a back-channel logout for the ended sessions.

/** The word that users type to confirm, which prevents deletion by mistake. */
export const DELETION_WORD = 'delete';

export type DeletionPreview = {
  sessions: number;
  /** number of applications that have the user's consent */
  consents: number;
  /** clients of the user; they stay, without an owner */
  clients: OwnedClient[];
  /** the configuration file contains the account, so `apply` would create it again */
  managed: boolean;
  /** the user is the last administrator, so the account cannot be deleted */
  onlyAdministrator: boolean;
};

export const previewMyDeletion = operation(
  { name: 'previewMyDeletion', right: 'account.read' },
  async ({ actor, db }): Promise<DeletionPreview> => {
    const { id } = requirePerson(actor);
    const person = await findPersonView(db, id, settings().passkeyRpId);
    if (!person) throw new Refused('own_account.gone');
    const { sessions, consents, managed, roles, disabled } = person;
    const runsIt = roles.includes('administrator') && !disabled;
    const onlyAdministrator = runsIt && !(await hasOtherAdministrator(db, id));
    return { sessions, consents, clients: await selectOwnedClients(db, id), managed, onlyAdministrator };
  },
);

/**
 * If several calls run at the same time, one deletes the account. Mails notify the user, and notify the
 * administrators about clients that lost their owner.
 */
export const deleteMyAccount = operation(
  // deletion cannot be undone
  { name: 'deleteMyAccount', right: 'account.change', fresh: 'always' },
  async ({ actor }, input: { word: string }): Promise<void> => {
    const me = requirePerson(actor);
    if (input.word.trim().toLowerCase() !== DELETION_WORD)
      refuseFaults([faultAt('word', 'own_account.word')]);
    const { email, locale, clients } = await inTransaction(async (db) => {
      const person = await findByRef(db, { id: me.id });
      const owned = await selectOwnedClients(db, me.id);
      await removeAccount(db, person);
      await record(actor, { event: 'person.removed', personId: me.id, details: {} }, db);
      return { email: person.email, locale: person.locale, clients: owned };
    });
    if (email !== null) {
      const leaving = { email, locale, pageLanguage: me.request?.pageLanguage };
      sendServiceMail(leaving, 'account-deleted', {});
    }
    if (clients.length > 0) background(() => tellAdministrators(clients));
  },
);

async function tellAdministrators(clients: readonly OwnedClient[]): Promise<void> {
  const links = clients.map(
    ({ clientId }) => `${settings().baseUrl}/admin/clients/${encodeURIComponent(clientId)}`,
  );
  for (const to of await selectReadersOf(database(), 'administrator'))
    sendServiceMail(to, 'clients-without-owner', { links });
}

// Streams all stored data of a user as chunks of JSON, for the user or an administrator. Each chunk is read after the
// previous one is sent, so long histories need little memory. The data contains no secrets or hashes.

const AT_ONCE = 500;
/**
 * Maximum number of rows of each kind (sessions, sign-ins, events) in the data. If there are more rows, only the newest
 * are included.
 */
const MOST_ROWS = 10_000;

const SECTIONS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  profile: async (id) => toWire(await findProfile(database(), id)),
  identities: async (id) => toWire(await selectMyIdentities(database(), id)),
  consents: async (id) => toWire(await selectConsents(database(), id)),
  delegations: async (id) => toWire(await selectDelegations(database(), id)),
  factors: (id) => listFactors(id).then(toWire),
  clients: async (id) => toWire(await selectOwnedClients(database(), id)),
  requests: async (id) => selectMyRequests(database(), id),
};

/**
 * The audit log records the call. The pieces together form one JSON object. The stream throws if the database stops
 * responding.
 */
export const readMyData = operation(
  // all data of the account at once
  { name: 'readMyData', right: 'account.read', fresh: 'always', output: jsonFile('PersonData', personData) },
  async ({ actor, db }): Promise<AsyncGenerator<string>> => {
    const me = requirePerson(actor);
    if (!(await findProfile(db, me.id))) throw new Refused('own_account.gone');
    return readAs(actor, me.id, db);
  },
);

/** Streams all stored data of another person, in the same format as `readMyData`. */
export const readPersonData = operation(
  // all data of a person at once
  {
    name: 'readPersonData',
    right: 'people.read',
    fresh: 'always',
    output: jsonFile('PersonData', personData),
  },
  async ({ actor, db }, input: PersonRef): Promise<AsyncGenerator<string>> =>
    readAs(actor, (await findByRef(db, input)).id, db),
);

async function readAs(actor: Actor, personId: string, db: Db): Promise<AsyncGenerator<string>> {
  await record(actor, { event: 'person.data_read', personId }, db);
  return pieces(personId);
}

async function* pieces(personId: string): AsyncGenerator<string> {
  yield `{"made_at": ${JSON.stringify(now())}, "service": ${JSON.stringify(settings().baseUrl)},`;
  yield `\n"at_most": {"sessions": ${MOST_ROWS}, "sign_ins": ${MOST_ROWS}, "events": ${MOST_ROWS}}`;
  for (const [name, read] of Object.entries(SECTIONS))
    yield `,\n"${name}": ${JSON.stringify(await read(personId), null, 2)}`;
  const { sessionIdleSeconds: idleSeconds } = settings();
  const mine = { personId, kind: null, search: null, idleSeconds };
  yield* rowsOf('sessions', SESSIONS, mine, ({ id: _, personLabel: __, ...row }) => row);
  yield* rowsOf('sign_ins', SIGN_INS, { personId }, (row) => row);
  yield* rowsOf('events', AUDIT_EVENTS, { personId }, (event) => eventOf(event, personId));
  yield '\n}\n';
}

async function* rowsOf<Row, Filter>(
  name: string,
  list: List<Row, Filter>,
  filter: Filter,
  toView: (row: Row) => object,
): AsyncGenerator<string> {
  yield `,\n"${name}": [`;
  let after: string[] | null = null;
  for (let count = 0; count < MOST_ROWS; count += AT_ONCE) {
    const rows: { row: Row; key: string[] }[] = await list.select(filter, { after, limit: AT_ONCE });
    const lines = rows.map(({ row }) => JSON.stringify(toWire(toView(row))));
    if (lines.length > 0) yield `${count > 0 ? ',' : ''}\n${lines.join(',\n')}`;
    after = rows.at(-1)?.key ?? null;
    if (rows.length < AT_ONCE) break;
  }
  yield ']';
}

/** Hides actor, IP address and request id of events that another person caused. */
function eventOf({ actorEmail: _, personEmail: __, actor, ip, requestId, ...event }: AuditRow, me: string) {
  const byOther = actor !== null && actor !== me;
  return byOther ? { ...event, byOther } : { ...event, byOther, ip, requestId };
}

// Users manage their own factors in the console. Security changes require a recent sign-in, which includes the second
// factor if the user has one, because an unattended session must not be able to add or remove a factor. Each change is
// audited, and the user gets a mail.

export type MyFactors = Awaited<ReturnType<typeof listFactors>> & {
  /** true if users of this sign-in method can set up factors */
  maySetUp: boolean;
  /** when a recovery code was last used */
  codeUsedAt: Date | null;
  /** true if passkeys can be used at this address */
  hasPasskeys: boolean;
  rpId: string;
  /** value of the HTML attribute `data-passkey-signal` */
  signal: string;
  /** true if the console requires this user to use or set up a second factor */
  required: boolean;
};

const isHeldToIt = ({ roles }: Person) =>
  settings().consoleSecondFactor === 'required' && isHeldToSecondFactor(roles);

async function maySetUp(me: Person): Promise<boolean> {
  if (isHeldToIt(me)) return true;
  const method = (await currentSnapshot()).methods.get(me.session?.authMethodId ?? '');
  return method !== undefined && secondFactorOf(method) !== 'off';
}

export const readMyFactors = operation(
  { name: 'readMyFactors', right: 'account.read' },
  async ({ actor }): Promise<MyFactors> => {
    const me = requirePerson(actor);
    return {
      ...(await listFactors(me.id)),
      maySetUp: await maySetUp(me),
      codeUsedAt: await lastRecoveryCodeUse(me.id),
      hasPasskeys: hasPasskeys(),
      rpId: settings().passkeyRpId,
      signal: await passkeySignal(me.id),
      required: isHeldToIt(me),
    };
  },
);

/**
 * Returns the actor if they are signed in to the console and can set up a factor. After a factor is added, the
 * session has a new id.
 */
async function atConsole(actor: Actor): Promise<ConsoleActor> {
  const me = requirePerson(actor);
  if (!me.session || !('level' in me.session)) throw new Refused('second_step.at_console');
  if (!(await maySetUp(me))) throw new Refused('second_step.none');
  return me as ConsoleActor;
}

export const addMyTotp = operation(
  { name: 'addMyTotp', right: 'account.change', fresh: 'always' },
  async ({ actor }, input: TotpSetUp & { browser: Browser }): Promise<Added> =>
    setUpFactor(await atConsole(actor), input, input.browser),
);

/** Replaces the app for which the page was created. Sessions and tokens stay valid. */
export const replaceMyTotp = operation(
  { name: 'replaceMyTotp', right: 'account.change', fresh: 'always' },
  async ({ actor }, input: TotpSetUp): Promise<void> => {
    const me = await atConsole(actor);
    const { id: requestId = '', ip = null } = me.request ?? {};
    const session = Buffer.from(me.session.idHash);
    const of = { personId: me.id, holder: sessionHolder(me), session };
    const replaced = await replaceTotp({ ...input, ...of, requestId, ip });
    if (replaced === 'replaced') return tellOfFactor(readerOf(me), 'app-replaced');
    if (replaced === 'wrong')
      throw faulty([faultAt('code', codeFault(input.code) ?? 'factor.wrong_code_app')]);
    if (replaced === 'expired') throw new Refused('factor.open_too_long');
    if (replaced === 'changed') throw new Refused('second_step.app_changed');
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: replaced.waitSeconds });
  },
);

export const addMyPasskey = operation(
  { name: 'addMyPasskey', right: 'account.change', fresh: 'always' },
  async ({ actor }, input: PasskeySetUp & { browser: Browser }): Promise<Added> =>
    setUpFactor(await atConsole(actor), input, input.browser),
);

function nameGiven(typed: string): string {
  const name = readableLine(typed) ?? '';
  if (name === '' || name.length > 60) throw faulty([faultAt('name', 'second_step.passkey_name')]);
  return name;
}

export const renameMyPasskey = operation(
  { name: 'renameMyPasskey', right: 'account.change', fresh: 'always' },
  async ({ actor }, input: { id: string; name: string }): Promise<void> => {
    const me = requirePerson(actor);
    const name = nameGiven(input.name);
    await inTransaction(async (db) => {
      const before = await renamePasskey(db, { personId: me.id, id: input.id, name });
      if (before === null) throw noSuchPasskey();
      const details = { factor: 'passkey', name };
      await record(actor, { event: 'factor.renamed', personId: me.id, details }, db);
    });
    tellOfFactor(readerOf(me), 'passkey-renamed', name);
  },
);

/**
 * Removes a passkey. Also ends the sign-ins and tokens of the user, except the session of this request, because
 * an attacker may have used the passkey.
 */
export const removeMyPasskey = operation(
  { name: 'removeMyPasskey', right: 'account.change', fresh: 'always' },
  async ({ actor }, input: { id: string }): Promise<void> => {
    const me = requirePerson(actor);
    const name = await inTransaction(async (db) => {
      const removed = await removePasskey(db, me.id, input.id);
      if (removed === null) throw noSuchPasskey();
      await endSignIns(db, me.id, 'passkey removed', me.session?.idHash ?? null);
      const details = { factor: 'passkey', name: removed };
      await record(actor, { event: 'factor.removed', personId: me.id, details }, db);
      return removed;
    });
    tellOfFactor(readerOf(me), 'passkey-removed', name);
  },
);

/**
 * Removes an app. Like the removal of a passkey, this also ends the other sign-ins and tokens. Other apps
 * still work.
 */
export const removeMyTotp = operation(
  { name: 'removeMyTotp', right: 'account.change', fresh: 'always' },
  async ({ actor }, { id }: { id: string }): Promise<void> => {
    const me = requirePerson(actor);
    await inTransaction(async (db) => {
      const removed = isUuid(id) ? await removeTotp(db, me.id, id) : null;
      if (removed === null) throw noSuchTotp();
      await endSignIns(db, me.id, 'authenticator app removed', me.session?.idHash ?? null);
      const details = { factor: 'totp', ...(removed.name !== null && { name: removed.name }) };
      await record(actor, { event: 'factor.removed', personId: me.id, details }, db);
    });
    tellOfFactor(readerOf(me), 'app-removed');
  },
);

export const renameMyTotp = operation(
  { name: 'renameMyTotp', right: 'account.change', fresh: 'always' },
  async ({ actor }, input: { id: string; name: string }): Promise<void> => {
    const me = requirePerson(actor);
    const name = nameGiven(input.name);
    await inTransaction(async (db) => {
      const { id } = input;
      if (!isUuid(id) || !(await renameTotp(db, { personId: me.id, id, name }))) throw noSuchTotp();
      const details = { factor: 'totp', name };
      await record(actor, { event: 'factor.renamed', personId: me.id, details }, db);
    });
    tellOfFactor(readerOf(me), 'app-renamed', name);
  },
);

/** Creates ten new recovery codes, which are shown once. Older codes become invalid. */
export const renewMyRecoveryCodes = operation(
  { name: 'renewMyRecoveryCodes', right: 'account.change', fresh: 'always' },
  async ({ actor }): Promise<string[]> => {
    const me = requirePerson(actor);
    const codes = await inTransaction(async (db) => {
      const { totps, passkeys } = await listFactors(me.id, db);
      if (totps.length + passkeys.length === 0) throw new Refused('second_step.codes_alone');
      return makeRecoveryCodes(me.id, db, { requestId: me.request?.id ?? '', ip: me.request?.ip ?? null });
    });
    tellOfFactor(readerOf(me), 'codes-made');
    return codes;
  },
);

/** Removes one trusted browser, or all. Returns the number of removed browsers. */
export const forgetMyBrowsers = operation(
  { name: 'forgetMyBrowsers', right: 'account.change', runsOn: 'transaction' },
  async ({ actor, db }, input: { id: string }): Promise<number> => {
    const { id: personId } = requirePerson(actor);
    const isValidId = input.id === 'all' || isUuid(input.id);
    const count = isValidId ? await forgetTrustedBrowsers(db, personId, input.id) : 0;
    if (count === 0) throw new Refused('second_step.browser_gone');
    await record(actor, { event: 'browser.forgotten', personId, details: { count } }, db);
    return count;
  },
);

const noSuchTotp = () => new Refused('second_step.app_gone');
const noSuchPasskey = () => new Refused('second_step.passkey_gone');

// Names that users give their sessions and trusted browsers.

const LONGEST = 60;

type MyDevice = { device: 'session' | 'browser'; id: string };

/**
 * Names a session or trusted browser. If the name is empty, pages show the browser and the system instead. The
 * audit log does not contain the name.
 */
export const nameMyDevice = operation(
  { name: 'nameMyDevice', right: 'account.change', runsOn: 'transaction' },
  async ({ actor, db }, { device, id, name: typed }: MyDevice & { name: string }): Promise<void> => {
    const { id: personId } = requirePerson(actor);
    const name = readableLine(typed);
    if (name !== null && name.length > LONGEST) throw faulty([faultAt('name', 'own_account.device_name')]);
    const named = { personId, id, name };
    if (device === 'session') {
      if (!isHash(id) || !(await nameSession(db, named))) throw new Refused('own_account.session_gone');
    } else if (!isUuid(id) || !(await nameTrustedBrowser(db, named))) {
      throw new Refused('second_step.browser_gone');
    }
    await record(actor, { event: 'device.named', personId, details: { device } }, db);
  },
);
