// The browsers in which a person is not asked for a second factor (sign-in/trusted-browsers.ts).
import type { Db } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';

type TrustedBrowser = {
  id: string;
  authMethodId: string;
  userAgent: string | null;
  /** the person's own */
  name: string | null;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
};

/** The one that was used last comes first. */
export function listTrustedBrowsers(db: Db, personId: string): Promise<TrustedBrowser[]> {
  return db.$queryRaw(sql`select id, auth_method_id as "authMethodId", user_agent as "userAgent", name, created_at as "createdAt",
    last_used_at as "lastUsedAt", expires_at as "expiresAt"
    from trusted_browsers where person_id = ${personId} and expires_at > now() order by last_used_at desc, id`);
}

/** False: the person has no such browser. */
export async function nameTrustedBrowser(
  db: Db,
  { personId, id, name }: { personId: string; id: string; name: string | null },
): Promise<boolean> {
  const { count } = await db.trustedBrowser.updateMany({ where: { personId, id }, data: { name } });
  return count > 0;
}

/** Forgets one of the person's, or all of them; their number. Sessions that it was spared in are asked from now on. */
export async function forgetTrustedBrowsers(db: Db, personId: string, id: string | 'all'): Promise<number> {
  const { count } = await db.trustedBrowser.deleteMany({ where: { personId, ...(id !== 'all' && { id }) } });
  return count;
}
