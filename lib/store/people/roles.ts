// Who has a role: for mail, for the counts of the doctor, and so that an administrator is left.
import type { Role } from '#lib/registry/objects/person.ts';
import type { Db } from '../database/prisma.ts';

/** For mail: the active people with this role. */
export async function selectReadersOf(db: Db, role: Role) {
  const readers = await db.person.findMany({
    where: { roles: { has: role }, disabledAt: null },
    select: { id: true, email: true, locale: true },
    orderBy: { email: 'asc' },
  });
  return readers.flatMap(({ id, email, locale }) => (email === null ? [] : [{ id, email, locale }]));
}

/** How many active people of our own store with one of these roles have no factor. */
export const countWithoutFactor = (db: Db, roles: readonly Role[]): Promise<number> =>
  db.person.count({
    where: { roles: { hasSome: [...roles] }, disabledAt: null, factorLevel: 0, email: { not: null } },
  });

/** An active one. */
export const hasAdministrator = async (db: Db): Promise<boolean> =>
  (await db.person.findFirst({
    where: { roles: { has: 'administrator' }, disabledAt: null },
    select: { id: true },
  })) !== null;

/** How many active people have this role, without one of them. */
export const countWithRole = (db: Db, role: Role, without: string): Promise<number> =>
  db.person.count({ where: { roles: { has: role }, disabledAt: null, id: { not: without } } });

/** What the roles reach. */
export async function countReach(db: Db): Promise<{ apis: number; clients: number; waiting: number }> {
  const [apis, clients, waiting] = await Promise.all([
    db.api.count(),
    db.client.count(),
    db.subscription.count({ where: { state: 'pending' } }),
  ]);
  return { apis, clients, waiting };
}

export async function hasOtherAdministrator(db: Db, id: string): Promise<boolean> {
  const other = { roles: { has: 'administrator' }, disabledAt: null, id: { not: id } };
  return (await db.person.findFirst({ where: other, select: { id: true } })) !== null;
}
