// What one person owns, read under a lock, so that each of N parallel edits sees the one before.

import { type Db, first } from '../database/prisma.ts';
import { raw, sql } from '../database/sql.ts';
import { CLIENT_COLUMNS } from './clients.ts';

export type Owner = { roles: string[]; disabled: boolean };

/** Until the transaction ends no other one edits for this person, or changes their roles; null: gone. */
export function lockOwner(db: Db, personId: string): Promise<Owner | null> {
  return first(
    db.$queryRaw(sql`select roles, disabled_at is not null as disabled from people where id = ${personId}
    for no key update`),
  );
}

export type Holdings = { clients: number; bytes: number; subscriptions: number };

/** SQL: the values of a client's columns, for `concat`. */
const WORDS = raw(
  CLIENT_COLUMNS.map(({ column, isList }) =>
    isList ? `array_to_string(c.${column}, '')` : `c.${column}`,
  ).join(', '),
);

/** The clients that they own, the bytes of what these say of themselves, and their subscriptions. */
export async function selectHoldings(db: Db, personId: string): Promise<Holdings> {
  const row = await first<Holdings>(
    db.$queryRaw(sql`select count(*)::int as clients,
      coalesce(sum(octet_length(concat(${WORDS}))), 0)::int as bytes,
      coalesce(sum((select count(*) from subscriptions s where s.client_id = c.client_id)), 0)::int as subscriptions
    from clients c where c.owner_id = ${personId}`),
  );
  return row ?? { clients: 0, bytes: 0, subscriptions: 0 };
}
