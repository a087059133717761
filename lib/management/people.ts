// People: created, disabled, enabled, given a password or a role. Whoever loses access loses it at once: sessions,
// refresh families and codes end in the same transaction (cases SF-06, RT-15).
import { record } from '#lib/audit/index.ts';
import { hashPassword } from '#lib/kit/index.ts';
import {
  changeRole,
  countActiveAdministrators,
  type Db,
  endSignIns,
  findPersonByEmail,
  insertPerson,
  inTransaction,
  listPeopleRows,
  ownConnection,
  type PersonListing,
  setPasswordHash,
  setPersonDisabled,
} from '#lib/store/index.ts';
import { passwordFault } from './password-policy.ts';
import { type Actor, auditName, Refused, ROLES, type Role, requireAction } from './policy.ts';

export async function createPerson(
  actor: Actor,
  input: { email: string; name?: string | undefined; roles?: readonly string[]; password: string },
): Promise<{ id: string; email: string }> {
  requireAction(actor, 'people.manage');
  const email = input.email.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254)
    throw new Refused(`${input.email} is not an e-mail address`);
  if ((input.name ?? '').length > 200) throw new Refused('a name has at most 200 characters');
  const roles = [...new Set((input.roles ?? []).map(roleOf))];
  const passwordHash = await hashed(input.password);
  return inTransaction(async (db: Db) => {
    const person = { email, name: input.name ?? '', roles, passwordHash, configPassword: null };
    const id = await insertPerson(db, person);
    if (id === null) throw new Refused(`${email} is there already`);
    await record(
      { event: 'person.created', actor: auditName(actor), personId: id, details: { email, roles } },
      db,
    );
    return { id, email };
  });
}

export async function listPeople(
  actor: Actor,
  input: { search?: string; limit?: number } = {},
): Promise<PersonListing[]> {
  requireAction(actor, 'people.manage');
  return listPeopleRows(ownConnection, input.search ?? null, input.limit ?? 1000);
}

/** Null where nobody has that address. */
export async function findPerson(actor: Actor, input: { email: string }): Promise<PersonListing | null> {
  requireAction(actor, 'people.manage');
  return findPersonByEmail(ownConnection, input.email);
}

export async function disablePerson(actor: Actor, input: { email: string }): Promise<void> {
  return changing(actor, input.email, async (db, person) => {
    await keepAnAdministrator(db, person);
    if (!(await setPersonDisabled(db, person.id, true))) return;
    await endSignIns(db, person.id, 'person disabled');
    await record({ event: 'person.disabled', actor: auditName(actor), personId: person.id }, db);
  });
}

export async function enablePerson(actor: Actor, input: { email: string }): Promise<void> {
  return changing(actor, input.email, async (db, person) => {
    if (!(await setPersonDisabled(db, person.id, false))) return;
    await record({ event: 'person.enabled', actor: auditName(actor), personId: person.id }, db);
  });
}

/** A person may set their own; `keepSession` is the session (by its id's hash) that this happens in. */
export async function setPassword(
  actor: Actor,
  input: { email: string; password: string; keepSession?: Uint8Array },
): Promise<void> {
  const own = actor.kind === 'person' && actor.email.toLowerCase() === input.email.toLowerCase();
  if (!own) requireAction(actor, 'people.manage');
  const passwordHash = await hashed(input.password);
  await inTransaction(async (db: Db) => {
    const person = await findPersonByEmail(db, input.email);
    if (!person) throw new Refused(`there is no ${input.email}`);
    await setPasswordHash(db, person.id, passwordHash);
    await endSignIns(db, person.id, 'password changed', input.keepSession ?? null);
    await record({ event: 'person.password_set', actor: auditName(actor), personId: person.id }, db);
  });
}

export async function grantRole(actor: Actor, input: { email: string; role: string }): Promise<void> {
  const role = roleOf(input.role);
  return changing(actor, input.email, async (db, person) => {
    if (!(await changeRole(db, person.id, role, true))) return;
    await record(
      { event: 'person.role_granted', actor: auditName(actor), personId: person.id, details: { role } },
      db,
    );
  });
}

export async function revokeRole(actor: Actor, input: { email: string; role: string }): Promise<void> {
  const role = roleOf(input.role);
  return changing(actor, input.email, async (db, person) => {
    if (role === 'administrator') await keepAnAdministrator(db, person);
    if (!(await changeRole(db, person.id, role, false))) return;
    await record(
      { event: 'person.role_revoked', actor: auditName(actor), personId: person.id, details: { role } },
      db,
    );
  });
}

async function changing(
  actor: Actor,
  email: string,
  change: (db: Db, person: PersonListing) => Promise<void>,
): Promise<void> {
  requireAction(actor, 'people.manage');
  await inTransaction(async (db: Db) => {
    const person = await findPersonByEmail(db, email);
    if (!person) throw new Refused(`there is no ${email}`);
    await change(db, person);
  });
}

async function keepAnAdministrator(db: Db, person: PersonListing): Promise<void> {
  if (!person.roles.includes('administrator') || person.disabled) return;
  if ((await countActiveAdministrators(db, person.id)) > 0) return;
  throw new Refused(`${person.email} is the only administrator left: name another one first`);
}

function roleOf(role: string): Role {
  const known = ROLES.find((one) => one === role);
  if (!known) throw new Refused(`${role} is not a role: they are ${ROLES.join(', ')}`);
  return known;
}

async function hashed(password: string): Promise<string> {
  const fault = passwordFault(password);
  if (fault) throw new Refused(fault);
  return hashPassword(password);
}
