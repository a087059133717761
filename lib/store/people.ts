// People of the local store and of the console, as the configuration file and management write them. What takes the
// database's time, or must compare and set, is SQL; the rest is Prisma's.
import { endSignIns } from './endings.ts';
import type { Person } from './generated/client.ts';
import type { Db } from './registry-db.ts';

export type PersonListing = {
  id: string;
  email: string | null;
  name: string;
  roles: string[];
  disabled: boolean;
  has_password: boolean;
  created_at: Date;
};
/** SQL's names for what Prisma selects; both give a PersonListing. */
const COLUMNS = `id, email, name, roles, disabled_at is not null as disabled, password_hash is not null as has_password,
  created_at`;

type Found = Pick<Person, 'id' | 'email' | 'name' | 'roles' | 'disabledAt' | 'passwordHash' | 'createdAt'>;

const listing = ({ disabledAt, passwordHash, createdAt, id, email, name, roles }: Found): PersonListing => ({
  id,
  email,
  name,
  roles,
  disabled: disabledAt !== null,
  has_password: passwordHash !== null,
  created_at: createdAt,
});

/** The new person's id, or null where the address is taken. */
export async function insertPerson(
  db: Db,
  person: {
    email: string;
    name: string;
    roles: string[];
    passwordHash: string | null;
    configPassword: string | null;
  },
): Promise<string | null> {
  const rows = await db.query<{ id: string }>({
    text: `insert into people (email, name, roles, password_hash, config_password, password_changed_at)
      values ($1, $2, $3, $4, $5, case when $4::text is not null then now() end)
      on conflict (email) do nothing returning id`,
    values: [
      person.email.toLowerCase(),
      person.name,
      person.roles,
      person.passwordHash,
      person.configPassword,
    ],
  });
  return rows[0]?.id ?? null;
}

export function findPersonByEmail(db: Db, email: string): Promise<PersonListing | null> {
  return findPerson(db, { email: email.toLowerCase() });
}

export function findPersonById(db: Db, id: string): Promise<PersonListing | null> {
  return findPerson(db, { id });
}

async function findPerson(db: Db, where: { id: string } | { email: string }): Promise<PersonListing | null> {
  const found = await db.orm((prisma) => prisma.person.findUnique({ where }));
  return found && listing(found);
}

/** SQL: Prisma's `contains` would read % and _ in what somebody searches for as wildcards. */
export function listPeopleRows(db: Db, search: string | null = null, limit = 1000): Promise<PersonListing[]> {
  return db.query<PersonListing>({
    text: `select ${COLUMNS} from people
      where $1::text is null or position($1 in coalesce(email, '')) > 0 or position($1 in lower(name)) > 0
      order by email nulls last, created_at limit $2`,
    values: [search?.toLowerCase() ?? null, limit],
  });
}

export async function setPersonName(db: Db, id: string, name: string): Promise<void> {
  await db.orm((prisma) => prisma.person.updateMany({ where: { id }, data: { name } }));
}

export async function setPersonRoles(db: Db, id: string, roles: string[]): Promise<void> {
  await db.orm((prisma) => prisma.person.updateMany({ where: { id }, data: { roles } }));
}

/** In one statement, so that two grants at once both count. False: nothing to do. */
export async function changeRole(db: Db, id: string, role: string, granted: boolean): Promise<boolean> {
  const rows = await db.query({
    text: `update people set roles = case when $3 then array_append(roles, $2) else array_remove(roles, $2) end,
        updated_at = now() where id = $1 and ($2 = any(roles)) <> $3 returning id`,
    values: [id, role, granted],
  });
  return rows.length === 1;
}

/** False where it was so already. Disabling signs the person out everywhere. */
export async function setPersonDisabled(db: Db, id: string, disabled: boolean): Promise<boolean> {
  const rows = await db.query({
    text: `update people set disabled_at = case when $2 then now() end, updated_at = now()
      where id = $1 and (disabled_at is not null) <> $2 returning id`,
    values: [id, disabled],
  });
  if (rows.length === 1 && disabled) await endSignIns(db, id, 'person disabled');
  return rows.length === 1;
}

/** Signs the person out everywhere; gives their new epoch. `configPassword` only where the file gave it. */
export async function setPasswordHash(
  db: Db,
  id: string,
  passwordHash: string,
  configPassword: string | null = null,
): Promise<string> {
  await db.query({
    text: `update people set password_hash = $2, password_changed_at = now(), updated_at = now(),
        config_password = coalesce($3, config_password) where id = $1`,
    values: [id, passwordHash, configPassword],
  });
  return endSignIns(db, id, 'password changed');
}

export function countActiveAdministrators(db: Db, exceptId: string): Promise<number> {
  const where = { roles: { has: 'administrator' }, disabledAt: null, id: { not: exceptId } };
  return db.orm((prisma) => prisma.person.count({ where }));
}

export async function removePerson(db: Db, id: string): Promise<void> {
  await db.orm((prisma) => prisma.person.deleteMany({ where: { id } }));
}
