// Operations on people: create, disable, enable, delete, set a password, grant a role. If a person loses access,
// their sessions, token families and codes end in the same transaction (cases SF-06, RT-15).

import { z } from 'zod';
import {
  ownWordFaults,
  type PasswordOwner,
  passwordFaults,
  tooLongFaults,
} from '#lib/accounts/password-policy.ts';
import { subjectSalt } from '#lib/keys/keys.ts';
import { hashPassword } from '#lib/kit/password-hash.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { type CameWith, mailBrand } from '#lib/mail/mail.ts';
import { background, sendServiceMail, tellOfFactor } from '#lib/mail/send.ts';
import { consequencesOf, type Foreseen, type Holding } from '#lib/management/consequences.ts';
import {
  activity,
  dayRanges,
  type ListInput,
  type Page,
  pageQuery,
  rangesOf,
  readPage,
  searchQuery,
  typedSearchOf,
} from '#lib/management/lists.ts';
import { one, operation, page } from '#lib/management/operations.ts';
import { type Actor, idOf, requireRecent } from '#lib/management/policy.ts';
import { type Author, authorOf, changesOf, record } from '#lib/management/record.ts';
import { faultAt, faulty, parseInput, Refused, refuseFaults, stale } from '#lib/management/refused.ts';
import { changeOf } from '#lib/registry/definition.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { countTokensOfPerson, endSignIns } from '#lib/store/endings.ts';
import { forgetTrustedBrowsers, takeFactors } from '#lib/store/factors.ts';
import { createMailToken, type MailPurpose } from '#lib/store/hot/registrations.ts';
import { announceKept } from '#lib/store/keys.ts';
import { isHash, isUuid } from '#lib/store/list.ts';
import { isUniqueFault } from '#lib/store/pool.ts';
import { type Db, inTransaction, lockName } from '#lib/store/prisma.ts';
import { endPersonSessions, endSessionRow, SESSIONS } from '#lib/store/session-list.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mint } from '#lib/tokens/formats.ts';
import {
  createdPerson,
  person as definition,
  editablePerson,
  hasSignInName,
  type PersonRow,
  personLabel,
  personRow,
  personView,
  ROLES,
  type Role,
  SECOND_FACTOR_ROLES,
  type SessionRow,
  sessionRow,
} from './definition.ts';
import {
  changeRole,
  countReach,
  countWithoutFactor,
  countWithRole,
  endInvitations,
  findNameHolder,
  findPeopleByReference,
  findPersonByEmail,
  findPersonView,
  hasOtherAdministrator,
  insertPerson,
  PEOPLE,
  type PersonView,
  removePerson,
  type SeenFilter,
  searchPeople,
  setPasswordHash,
  setPersonDisabled,
  updatePerson,
} from './rows.ts';

// Mail with which a user can choose a new or first password.

/** Minutes for which the link is valid. The mail and the page contain this number. */
export const RESET_LINK_MINUTES = 30;

/**
 * The place where the user continues after choosing the password: the account page, or the requesting
 * application.
 */
export type AfterReset = 'account' | 'application';

type ResetLinkAsked = {
  after?: AfterReset;
  pageLanguage?: Language | undefined;
  /** the authorization request that continues afterwards */
  cameWith?: CameWith | undefined;
};

/**
 * An unknown address gets a mail, too. In both cases one mail is sent and the same SQL statements run, so that
 * callers learn nothing. `pageLanguage`: language of the user's page.
 */
export async function sendResetLink(
  email: string,
  by: Actor | Author,
  { after = 'account', pageLanguage, cameWith }: ResetLinkAsked = {},
): Promise<void> {
  const { value, hash } = mint('mail');
  const purpose: MailPurpose = 'password-reset';
  const mailToken = await createMailToken({
    tokenHash: hash,
    purpose,
    email,
    seconds: RESET_LINK_MINUTES * 60,
  });
  await record(by, {
    event: 'person.password_reset_asked',
    ...(mailToken && { personId: mailToken.personId }),
  });
  const brand = mailBrand(cameWith);
  if (!mailToken) {
    sendServiceMail({ email, pageLanguage }, 'no-account', {}, brand);
    return;
  }
  const href = linkTo('reset-password', value, after === 'account' ? {} : { after });
  const reader = { email, locale: mailToken.locale, pageLanguage };
  sendServiceMail(reader, 'password-reset', { href, minutes: RESET_LINK_MINUTES }, brand);
}

export const linkTo = (page: string, token: string, more: Record<string, string> = {}) =>
  `${settings().baseUrl}/account/${page}?${new URLSearchParams({ token, ...more })}`;

/** A person: `email`, or `id`, which may also be a user name or a kept subject. */
export type PersonRef = { email: string; id?: never } | { id: string; email?: never };

/**
 * The faults of a new password. For a password in the configuration file, only words that are publicly known are
 * rejected.
 */
const newPasswordFaults = async (actor: Actor, password: string, owner: PasswordOwner) =>
  actor.kind === 'configuration'
    ? ownWordFaults(password, owner)
    : passwordFaults(authorOf(actor), password, owner);

function typedOrRefused(password: string): TypedPassword {
  const typedPassword = readTypedPassword(password);
  if (typedPassword === null) throw faulty(tooLongFaults());
  return typedPassword;
}

/**
 * A user without a password gets a mail to choose one, except users of the configuration file. `configHash`: hash of
 * the password in the file.
 */
export const createPerson = operation(
  {
    name: 'createPerson',
    right: 'people.manage',
    fresh: 'always',
    input: definition,
    output: one('CreatedPerson', createdPerson),
  },
  async (
    { actor },
    { email, name, password, ...given },
    configHash: string | null = null,
  ): Promise<{ id: string; email: string }> => {
    const roles = [...new Set(given.roles)];
    if (password !== undefined) refuseFaults(await newPasswordFaults(actor, password, { email, name }));
    const passwordHash =
      configHash ?? (password === undefined ? null : await hashPassword(typedOrRefused(password)));
    const created = await inTransaction(async (db) => {
      const id = await insertPerson(db, { email, name, roles, passwordHash, configPassword: configHash });
      if (id === null) throw new Refused('person.exists', { email });
      const event = { personId: id, details: { email, roles } };
      await record(actor, { event: 'person.created', ...event }, db);
      return { id, email };
    });
    if (passwordHash === null && actor.kind !== 'configuration')
      background(() => sendResetLink(email, actor));
    return created;
  },
);

/** Returns the person with this address; null: there is none. */
export const findPerson = operation(
  { name: 'findPerson', right: 'people.read' },
  ({ db }, input: { email: string }): Promise<PersonRow | null> => findPersonByEmail(db, input.email),
);

export const disablePerson = operation(
  { name: 'disablePerson', right: 'people.manage', runsOn: 'transaction' },
  async ({ actor, db }, input: PersonRef): Promise<void> => {
    const person = await findByRef(db, input);
    await keepAnAdministrator(db, person);
    if (!(await setPersonDisabled(db, person.id, true))) return;
    // if the user is enabled later, every browser must prove the second factor again
    await forgetTrustedBrowsers(db, person.id, 'all');
    await record(actor, { event: 'person.disabled', personId: person.id }, db);
  },
);

export const enablePerson = operation(
  { name: 'enablePerson', right: 'people.manage', fresh: 'always', runsOn: 'transaction' },
  async ({ actor, db }, input: PersonRef): Promise<void> => {
    const { id: personId } = await findByRef(db, input);
    if (!(await setPersonDisabled(db, personId, false))) return;
    await record(actor, { event: 'person.enabled', personId }, db);
  },
);

const newPassword = z.strictObject({ password: z.string().max(1000) });

/**
 * `configHash`: as in `createPerson`. Sets the password of another person; a user's own password can be changed only
 * with the old one (my-account.ts).
 */
export const setPassword = operation(
  { name: 'setPassword', right: 'people.manage', fresh: 'always', shape: newPassword },
  async (
    { actor, db: pool },
    input: PersonRef & z.output<typeof newPassword>,
    configHash: string | null = null,
  ): Promise<void> => {
    const owner = await findByRef(pool, input);
    refuseFaults(await newPasswordFaults(actor, input.password, owner));
    const passwordHash = configHash ?? (await hashPassword(typedOrRefused(input.password)));
    await inTransaction(async (db) => {
      const person = await findByRef(db, input);
      if (!hasSignInName(person)) throw new Refused('person.elsewhere');
      const { id: personId } = person;
      await setPasswordHash(db, personId, passwordHash, configHash);
      await record(actor, { event: 'person.password_set', personId }, db);
    });
  },
);

export const grantRole = operation(
  { name: 'grantRole', right: 'people.manage', fresh: 'always', runsOn: 'transaction' },
  async ({ actor, db }, input: PersonRef & { role: string }): Promise<void> => {
    const role = roleOf(input.role);
    const person = await findByRef(db, input);
    const { id: personId, roles: before } = person;
    // roles apply only in a session of a local method (lib/sessions/console.ts)
    if (!hasSignInName(person)) throw new Refused('person.roles_elsewhere');
    if (!(await changeRole(db, personId, role, true))) return;
    const details = { role, ...changesOf({ roles: before }, { roles: [...before, role] }) };
    await record(actor, { event: 'person.role_granted', personId, details }, db);
  },
);

export const revokeRole = operation(
  { name: 'revokeRole', right: 'people.manage', fresh: 'always', runsOn: 'transaction' },
  async ({ actor, db }, input: PersonRef & { role: string }): Promise<void> => {
    const role = roleOf(input.role);
    const person = await findByRef(db, input);
    const { id: personId, roles: before } = person;
    if (role === 'administrator') await keepAnAdministrator(db, person);
    if (!(await changeRole(db, personId, role, false))) return;
    const roles = before.filter((roleName) => roleName !== role);
    const details = { role, ...changesOf({ roles: before }, { roles }) };
    await record(actor, { event: 'person.role_revoked', personId, details }, db);
  },
);

/** Deletes a person with their sessions, consents and tokens. Clients remain, without an owner. */
export const deletePerson = operation(
  { name: 'deletePerson', right: 'people.manage', fresh: 'always', runsOn: 'transaction' },
  async ({ actor, db }, input: PersonRef): Promise<void> => {
    const person = await findByRef(db, input);
    await removeAccount(db, person);
    const details = person.email === null ? {} : { email: person.email };
    await record(actor, { event: 'person.removed', personId: person.id, details }, db);
  },
);

/**
 * Deletes an account. Throws Refused for the last administrator. Sign-ins are ended before their rows are deleted, so
 * that clients get logout notices.
 */
export async function removeAccount(db: Db, person: PersonRow): Promise<void> {
  if (person.email !== null) await endInvitations(db, person.email);
  await keepAnAdministrator(db, person);
  await endSignIns(db, person.id, 'account deleted');
  if (!(await removePerson(db, person.id)))
    throw new Refused('person.unknown', { person: personLabel(person) });
}

/** Accepts an address, a user name or a kept subject instead of an id. Throws Refused if it identifies two people. */
export async function findByRef(db: Db, ref: PersonRef): Promise<PersonRow> {
  const reference = ref.email ?? ref.id;
  const people =
    ref.email === undefined
      ? await findPeopleByReference(db, reference)
      : [await findPersonByEmail(db, reference)].filter((person) => person !== null);
  const [person, other] = people;
  if (!person) throw new Refused('person.unknown', { person: reference });
  if (other) {
    const ids = people.map(({ id }) => id).join(', ');
    throw new Refused('person.ambiguous', { person: reference, ids });
  }
  return person;
}

/** Rejects removal of the last administrator. The lock serializes concurrent removals of the last two. */
async function keepAnAdministrator(db: Db, person: PersonRow): Promise<void> {
  if (!person.roles.includes('administrator') || person.disabled) return;
  await lockName(db, 'administrators');
  if (await hasOtherAdministrator(db, person.id)) return;
  throw new Refused('person.last_administrator', { person: personLabel(person) });
}

/** Returns the role with this name. Throws `Refused` for unknown roles. */
function roleOf(role: string): Role {
  const knownRole = ROLES.find((candidate) => candidate === role);
  if (!knownRole) throw new Refused('person.unknown_role', { role, roles: ROLES.join(', ') });
  return knownRole;
}

// Users: list, page of a user, changes of name and address.

const edit = changeOf(editablePerson);

/** Date of creation, and date of the last sign-in. */
const PEOPLE_DAYS = ['created', 'seen'] as const;

const peopleFilter = z.strictObject({
  ...pageQuery('people'),
  ...searchQuery,
  role: z.enum(ROLES).optional(),
  state: activity,
  factors: z.enum(['some', 'none']).optional(),
  ...dayRanges(...PEOPLE_DAYS),
});

export const pagePeople = operation(
  { name: 'pagePeople', right: 'people.read', shape: peopleFilter, output: page('Person', personRow) },
  async (
    { actor },
    input: ListInput<typeof peopleFilter> & {
      seen?: SeenFilter | undefined;
      /** only people whose account was created within this number of days */
      createdWithin?: number | undefined;
    } = {},
  ): Promise<Page<PersonRow>> => {
    const { role = null, state, factors: held, seen = null, createdWithin = null } = input;
    const disabled = state === undefined ? null : state === 'disabled';
    const factors = held === undefined ? null : held === 'some';
    const search = await searchPeople(typedSearchOf(input));
    const { created, seen: seenOn } = await rangesOf(actor, PEOPLE_DAYS, input);
    const filter = { search, role, disabled, factors, seen, createdWithin, created, seenOn };
    return readPage(PEOPLE, input, filter);
  },
);

export const readPerson = operation(
  { name: 'readPerson', right: 'people.read', output: one('PersonDetail', personView) },
  ({ db }, input: { id: string }) => viewOf(db, input.id),
);

/** A new address ends every sign-in, token and mailed link of the person. The old address gets a mail. */
export const changePerson = operation(
  // a person who reads mails to the new address can reset the password
  {
    name: 'changePerson',
    right: 'people.manage',
    fresh: 'sometimes',
    shape: edit,
    output: one('PersonDetail', personView),
  },
  async (
    { actor },
    input: z.input<typeof edit> & {
      id: string;
      version?: number | undefined;
      /** only for the configuration file: the address is treated as verified */
      emailVerified?: true | undefined;
    },
  ): Promise<PersonView> => {
    const { id, version, emailVerified: isProof, ...given } = input;
    if (isProof && actor.kind !== 'configuration') throw new Refused('person.proof_of_address');
    // once a user has a user name, sign-in pages ask for user names; this call creates the row that stores the fact
    if (given.username) await subjectSalt(await currentSnapshot());
    const change = async (db: Db) => {
      const person = await viewOf(db, id);
      const {
        name = person.name,
        email = person.email,
        username = person.username,
      } = parseInput(edit, given);
      const moved = email !== person.email;
      if (moved) requireRecent(actor);
      if (moved && !hasSignInName(person)) throw new Refused('person.elsewhere');
      if (moved && email !== null) await refuseTakenAddress(db, email);
      if (username !== person.username) await checkUsername(db, person, username);
      const proved = isProof === true && !person.emailVerified;
      const values = { name, email, username, proved };
      if (!(await updatePerson(db, person.id, version ?? person.version, values)))
        throw stale(personLabel(person));
      if (moved) await endSignIns(db, person.id, 'address changed');
      const emailVerified = proved || (person.emailVerified && !moved);
      const details = changesOf(person, { name, email, username, emailVerified });
      if (details.changed.length > 0) {
        await record(actor, { event: 'person.changed', personId: person.id, details }, db);
      }
      const { email: left, locale } = person;
      return {
        view: await viewOf(db, person.id),
        left: moved && left !== null ? { email: left, locale } : null,
      };
    };
    const { view, left } = await inTransaction(change).catch((error: unknown) => {
      // another change took the name at the same time; the second attempt reports that
      if (isUniqueFault(error)) return inTransaction(change);
      throw error;
    });
    if (left !== null) sendServiceMail(left, 'address-changed-by-administrator', {});
    return view;
  },
);

async function refuseTakenAddress(db: Db, email: string): Promise<void> {
  if ((await findPersonByEmail(db, email)) === null) return;
  const faults = [faultAt('email', 'person.address_of_other', { email })];
  throw new Refused('person.exists', { email }, { faults });
}

async function checkUsername(db: Db, person: PersonView, username: string | null): Promise<void> {
  if (!hasSignInName(person)) throw new Refused('person.elsewhere');
  if (username === null) {
    if (person.email === null) throw new Refused('person.only_name');
    return;
  }
  const holder = await findNameHolder(db, username);
  if (holder !== null && holder !== person.id) {
    const faults = [faultAt('username', 'person.username_of_other', { username })];
    throw new Refused('person.username_taken', { username }, { faults });
  }
  await announceKept(db, { subjects: false, usernames: true });
}

async function viewOf(db: Db, ref: string): Promise<PersonView> {
  const { id } = await findByRef(db, { id: ref });
  const person = await findPersonView(db, id, settings().passkeyRpId);
  if (!person) throw new Refused('person.unknown_id');
  return person;
}

// A lost factor: an administrator removes a person’s passkeys, apps, recovery codes and trusted browsers, and
// every sign-in ends. A new revocation counter (epoch) of the person also invalidates proofs in progress,
// because the session that they belong to has ended.

const NOTHING = { passkeys: 0, totp: false, totpCount: 0, recoveryCodes: 0, browsers: 0 };

/** The factors that were deleted. `sessions`: number of ended sessions. */
const factorReset = z.strictObject({
  passkeys: z.int(),
  totp: z.boolean(),
  totpCount: z.int(),
  recoveryCodes: z.int(),
  browsers: z.int(),
  sessions: z.int(),
});
type FactorReset = z.output<typeof factorReset>;

export const resetFactors = operation(
  // for lost factors: an impostor must not be able to use an administrator's unattended session
  { name: 'resetFactors', right: 'people.manage', fresh: 'always', output: one('FactorReset', factorReset) },
  async ({ actor, db: pool }, input: PersonRef): Promise<FactorReset> => {
    const person = await findByRef(pool, input);
    // users change their own factors on the account page, where a proof is required
    if (actor.kind === 'person' && actor.id === person.id) throw new Refused('person.own_factors');
    const reset = await inTransaction(async (db) => {
      const factors = await takeFactors(db, person.id);
      const { passkeys, totp, recoveryCodes, browsers } = factors;
      if (passkeys + recoveryCodes + browsers === 0 && !totp) return null;
      const sessions = await endPersonSessions(db, person.id, null);
      await endSignIns(db, person.id, 'factors reset');
      await record(actor, { event: 'factor.reset', personId: person.id, details: factors }, db);
      return { ...factors, sessions };
    });
    if (reset === null) return { ...NOTHING, sessions: 0 };
    tellOfFactor({ email: person.email, locale: person.locale }, 'reset');
    return reset;
  },
);

/** Returns the policy on second factors for approvers and administrators, and how many of them have no factor. */
export const readSecondFactors = operation(
  { name: 'readSecondFactors', right: 'people.read' },
  async ({ db }): Promise<{ policy: 'off' | 'optional' | 'required'; without: number }> => ({
    policy: settings().consoleSecondFactor,
    without: await countWithoutFactor(db, SECOND_FACTOR_ROLES),
  }),
);

// Administrators list and end sessions of users.

const sessionFilter = z.strictObject({
  ...pageQuery('sessions'),
  ...searchQuery,
  personId: z.string().max(300).optional(),
  kind: z.enum(['sign-in', 'console']).optional(),
});

export const pageSessions = operation(
  { name: 'pageSessions', right: 'sessions.read', shape: sessionFilter, output: page('Session', sessionRow) },
  async (_, input: ListInput<typeof sessionFilter> = {}): Promise<Page<SessionRow>> => {
    const { personId = null, kind = null } = input;
    if (personId !== null && !isUuid(personId)) return { rows: [], next: null, previous: null };
    const { sessionIdleSeconds: idleSeconds } = settings();
    const search = await searchPeople(typedSearchOf(input));
    return readPage(SESSIONS, input, { personId, kind, search, idleSeconds });
  },
);

export const endSession = operation(
  { name: 'endSession', right: 'sessions.end', runsOn: 'transaction' },
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const ended = isHash(input.id) && (await endSessionRow(db, input.id, null));
    if (!ended) throw new Refused('own_account.session_gone');
    await record(actor, { event: 'session.ended', ...ended }, db);
  },
);

/** Signs a person out everywhere, and ends their tokens. */
export const endSessionsOf = operation(
  { name: 'endSessionsOf', right: 'sessions.end', runsOn: 'transaction' },
  async ({ actor, db }, input: { personId: string }): Promise<void> => {
    const person = await findByRef(db, { id: input.personId });
    await endSignIns(db, person.id, 'signed out by an administrator');
    const details = { reason: 'all of them' };
    await record(actor, { event: 'session.ended', personId: person.id, details }, db);
  },
);

// Previews of the actions of administrators on users.

export type PersonStep = 'delete' | 'disable' | 'sign-out' | 'reset-factors' | 'grant' | 'revoke';

type Foreseeing = { actor: Actor; db: Db; person: PersonView; role: Role };

/** `role`: the role that is granted or revoked. */
export const previewPersonStep = operation(
  { name: 'previewPersonStep', right: 'people.read' },
  async ({ actor, db }, input: { id: string; step: PersonStep; role?: string | undefined }) => {
    const { step } = input;
    const person = await readPerson(actor, { id: input.id });
    const role = step === 'grant' || step === 'revoke' ? roleOf(input.role ?? '') : 'developer';
    return FORESEEN[step]({ actor, db, person, role });
  },
);

const FORESEEN: Readonly<Record<PersonStep, (of: Foreseeing) => Promise<Foreseen>>> = {
  delete: async ({ db, person }) => {
    const { consents, clients, identities } = person;
    return foreseen(
      [
        [
          english(
            'The person’s consents for {consents, plural, one {# application} other {# applications}} are deleted.',
            { consents },
          ),
          consents > 0,
        ],
        [
          english(
            '{clients, plural, one {# application of this person continues} other {# applications of this person continue}} to work without an owner.',
            { clients },
          ),
          clients > 0,
        ],
        [
          english('If the person signs in again through another service, they get a new account.'),
          identities.length > 0,
        ],
        ...(await rolesGoing(db, person)),
      ],
      await signInsOf(db, person),
      person.managed,
    );
  },
  disable: async ({ db, person }) => {
    const { clients, trustedBrowsers } = person;
    return foreseen(
      [
        [
          english(
            '{browsers, plural, one {# trusted browser is} other {# trusted browsers are}} removed: each must provide the second factor again.',
            { browsers: trustedBrowsers },
          ),
          trustedBrowsers > 0,
        ],
        [
          english(
            '{clients, plural, one {# application of this person continues} other {# applications of this person continue}} to work.',
            {
              clients,
            },
          ),
          clients > 0,
        ],
        ...(await rolesGoing(db, person)),
      ],
      await signInsOf(db, person),
    );
  },
  'sign-out': async ({ actor, db, person }) =>
    foreseen(
      [
        [
          english('This is your own account: you will be signed out here as well.'),
          idOf(actor) === person.id,
        ],
      ],
      await signInsOf(db, person),
    ),
  'reset-factors': async ({ db, person }) => {
    const { passkeys, oldPasskeys, totpCount, recoveryCodes, trustedBrowsers } = person;
    return foreseen(
      [
        [
          oldPasskeys > 0
            ? english('{passkeys, plural, one {# passkey} other {# passkeys}}, {old} for another host', {
                passkeys,
                old: oldPasskeys,
              })
            : english('{passkeys, plural, one {# passkey} other {# passkeys}}', { passkeys }),
          passkeys > 0,
        ],
        [
          english('{count, plural, one {# authenticator app} other {# authenticator apps}}', {
            count: totpCount,
          }),
          totpCount > 0,
        ],
        [
          english('{codes, plural, one {# recovery code} other {# recovery codes}}', {
            codes: recoveryCodes,
          }),
          recoveryCodes > 0,
        ],
        [
          english('{browsers, plural, one {# trusted browser} other {# trusted browsers}}', {
            browsers: trustedBrowsers,
          }),
          trustedBrowsers > 0,
        ],
      ],
      await signInsOf(db, person),
    );
  },
  grant: async ({ db, person, role }) => {
    const others = await countWithRole(db, role, person.id);
    return foreseen(
      [
        [
          english('The person has no second factor: a stolen password is enough to sign in.'),
          person.factors.length === 0,
        ],
        [english('The person’s address is not confirmed.'), !person.emailVerified],
        [
          english('The person is disabled: the role takes effect when they are enabled again.'),
          person.disabled,
        ],
      ],
      [
        ...(await gains(db, role)),
        english('{others, plural, one {# person has} other {# people have}} this role so far.', { others }),
      ],
      person.managed,
    );
  },
  revoke: async ({ actor, db, person, role }) =>
    foreseen(
      [
        [losing(role, person), true],
        [
          english('This is your own role: without it, you lose access to this page.'),
          idOf(actor) === person.id,
        ],
      ],
      [
        english('{others, plural, one {# other person has} other {# other people have}} this role.', {
          others: await countWithRole(db, role, person.id),
        }),
      ],
      person.managed,
    ),
};

const foreseen = (lines: readonly Holding[], counted: EnglishSentence[], managed = false): Foreseen => ({
  ...consequencesOf(managed, lines),
  counted,
});

async function signInsOf(db: Db, { id, sessions }: PersonView): Promise<EnglishSentence[]> {
  const { tokens, clients } = await countTokensOfPerson(db, id);
  return [
    sessions === 0
      ? english('The person is not signed in anywhere.')
      : english('{sessions, plural, one {# sign-in ends} other {# sign-ins end}}, in every browser.', {
          sessions,
        }),
    tokens === 0
      ? english('No application has tokens for the person.')
      : english(
          '{tokens, plural, one {# token} other {# tokens}} of {clients, plural, one {# application} other {# applications}} will be revoked.',
          { tokens, clients },
        ),
  ];
}

function rolesGoing(db: Db, person: PersonRow): Promise<Holding[]> {
  return Promise.all(
    person.roles.map(async (role): Promise<Holding> => {
      const others = await countWithRole(db, role, person.id);
      return [
        english(
          'The person is {role, select, administrator {an administrator} approver {an approver} other {a developer}}. {others, plural, one {# other person has} other {# other people have}} this role.',
          { role, others },
        ),
        true,
      ];
    }),
  );
}

async function gains(db: Db, role: Role): Promise<EnglishSentence[]> {
  const { apis, clients, waiting } = await countReach(db);
  if (role === 'developer')
    return [
      english(
        'The person can register applications and request access to {apis, plural, one {# API} other {# APIs}}.',
        { apis },
      ),
    ];
  const decides = english(
    'The person decides on requests: {waiting, plural, one {# is} other {# are}} pending now.',
    {
      waiting,
    },
  );
  if (role === 'approver') return [decides];
  return [
    english(
      'The person can change everything: {apis, plural, one {# API} other {# APIs}}, {clients, plural, one {# application} other {# applications}}, every person and every role, including yours.',
      { apis, clients },
    ),
    decides,
  ];
}

function losing(role: Role, { clients }: PersonView): EnglishSentence {
  if (role === 'administrator') return english('The person can no longer run this service.');
  if (role === 'approver') return english('The person can no longer decide on requests.');
  return clients === 0
    ? english('The person can no longer register applications.')
    : english(
        'The person can no longer change their {clients, plural, one {# application} other {# applications}}, which will continue to work.',
        { clients },
      );
}
