// People: created, disabled, enabled, deleted, given a password or a role. Sessions, token families and codes of a
// person who loses access end in the same transaction (cases SF-06, RT-15).
import {
  ownWordFaults,
  type PasswordOwner,
  passwordFaults,
  tooLongFaults,
} from '#lib/accounts/password-policy.ts';
import { hashPassword } from '#lib/kit/password-hash.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import { background } from '#lib/mail/service-mail.ts';
import {
  person as definition,
  hasSignInName,
  type PersonInput,
  type PersonRow,
  personLabel,
  ROLES,
  type Role,
} from '#lib/registry/objects/person.ts';
import { type Db, inTransaction, lockName } from '#lib/store/database/prisma.ts';
import { endSignIns } from '#lib/store/endings/endings.ts';
import {
  changeRole,
  endInvitations,
  findPeopleByReference,
  findPersonByEmail,
  insertPerson,
  removePerson,
  setPasswordHash,
  setPersonDisabled,
} from '#lib/store/people/people.ts';
import { hasOtherAdministrator } from '#lib/store/people/roles.ts';
import { forgetTrustedBrowsers } from '#lib/store/people/trusted-browsers.ts';
import { changesOf } from '../core/changes.ts';
import { operation } from '../core/operation.ts';
import type { Actor } from '../core/policy.ts';
import { authorOf, record } from '../core/record.ts';
import { faulty, parseInput, Refused, refuseFaults } from '../core/refused.ts';
import { sendResetLink } from './reset-link.ts';

/** A person, by their address, id, user name or kept subject. */
export type PersonRef = { email: string; id?: never } | { id: string; email?: never };

/** A password of the configuration file is only compared with words that others know. */
const newPasswordFaults = async (actor: Actor, password: string, owner: PasswordOwner) =>
  actor.kind === 'configuration'
    ? ownWordFaults(password, owner)
    : passwordFaults(authorOf(actor), password, owner);

function typedOrRefused(password: string): TypedPassword {
  const typed = readTypedPassword(password);
  if (typed === null) throw faulty(tooLongFaults());
  return typed;
}

/**
 * Without a password a mail goes to them, with which they choose one; the configuration file's people get none.
 * `configHash`: of the password that the file gives.
 */
export const createPerson = operation(
  'createPerson',
  async (
    { actor },
    input: PersonInput,
    configHash: string | null = null,
  ): Promise<{ id: string; email: string }> => {
    const { email, name, password, ...given } = parseInput(definition, input);
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

/** Null: no person has that address. */
export const findPerson = operation(
  'findPerson',
  ({ db }, input: { email: string }): Promise<PersonRow | null> => findPersonByEmail(db, input.email),
);

export const disablePerson = operation(
  'disablePerson',
  async ({ actor, db }, input: PersonRef): Promise<void> => {
    const person = await findByRef(db, input);
    await keepAnAdministrator(db, person);
    if (!(await setPersonDisabled(db, person.id, true))) return;
    // after an enabling each browser is asked for the second step again
    await forgetTrustedBrowsers(db, person.id, 'all');
    await record(actor, { event: 'person.disabled', personId: person.id }, db);
  },
);

export const enablePerson = operation(
  'enablePerson',
  async ({ actor, db }, input: PersonRef): Promise<void> => {
    const { id: personId } = await findByRef(db, input);
    if (!(await setPersonDisabled(db, personId, false))) return;
    await record(actor, { event: 'person.enabled', personId }, db);
  },
);

/** `configHash`: as in `createPerson`. For another person; one's own needs the old password (account.ts). */
export const setPassword = operation(
  'setPassword',
  async (
    { actor, db: pool },
    input: PersonRef & { password: string },
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
  'grantRole',
  async ({ actor, db }, input: PersonRef & { role: string }): Promise<void> => {
    const role = roleOf(input.role);
    const person = await findByRef(db, input);
    const { id: personId, roles: before } = person;
    // roles count in a session of a local method only (lib/sessions/console.ts)
    if (!hasSignInName(person)) throw new Refused('person.roles_elsewhere');
    if (!(await changeRole(db, personId, role, true))) return;
    const details = { role, ...changesOf({ roles: before }, { roles: [...before, role] }) };
    await record(actor, { event: 'person.role_granted', personId, details }, db);
  },
);

export const revokeRole = operation(
  'revokeRole',
  async ({ actor, db }, input: PersonRef & { role: string }): Promise<void> => {
    const role = roleOf(input.role);
    const person = await findByRef(db, input);
    const { id: personId, roles: before } = person;
    if (role === 'administrator') await keepAnAdministrator(db, person);
    if (!(await changeRole(db, personId, role, false))) return;
    const roles = before.filter((one) => one !== role);
    const details = { role, ...changesOf({ roles: before }, { roles }) };
    await record(actor, { event: 'person.role_revoked', personId, details }, db);
  },
);

/** Deletes sessions, consents and tokens too; clients stay, without an owner. */
export const deletePerson = operation(
  'deletePerson',
  async ({ actor, db }, input: PersonRef): Promise<void> => {
    const person = await findByRef(db, input);
    await removeAccount(db, person);
    const details = person.email === null ? {} : { email: person.email };
    await record(actor, { event: 'person.removed', personId: person.id, details }, db);
  },
);

/**
 * Refused for the last administrator. Clients hear of the end of its sign-ins, since these end before their rows go.
 */
export async function removeAccount(db: Db, person: PersonRow): Promise<void> {
  if (person.email !== null) await endInvitations(db, person.email);
  await keepAnAdministrator(db, person);
  await endSignIns(db, person.id, 'account deleted');
  if (!(await removePerson(db, person.id)))
    throw new Refused('person.unknown', { person: personLabel(person) });
}

/** Accepts an address, a user name or a kept subject in place of an id. Refused if it names two people. */
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

/** The lock makes two who remove the last two administrators at the same time wait for each other. */
async function keepAnAdministrator(db: Db, person: PersonRow): Promise<void> {
  if (!person.roles.includes('administrator') || person.disabled) return;
  await lockName(db, 'administrators');
  if (await hasOtherAdministrator(db, person.id)) return;
  throw new Refused('person.last_administrator', { person: personLabel(person) });
}

/** Refused where there is no such role. */
export function roleOf(role: string): Role {
  const known = ROLES.find((one) => one === role);
  if (!known) throw new Refused('person.unknown_role', { role, roles: ROLES.join(', ') });
  return known;
}
