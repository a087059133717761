// What one person holds of the registry, asked for under a lock of theirs: of N edits at once each sees the one before.
import type { Db } from './transaction.ts';

export type Owner = { roles: string[]; disabled: boolean };

/** Until the transaction ends nobody else edits for this person, or changes their roles; null: gone. */
export async function lockOwner(db: Db, personId: string): Promise<Owner | null> {
  const [row] = await db.query<Owner>({
    text: 'select roles, disabled_at is not null as disabled from people where id = $1::uuid for no key update',
    values: [personId],
  });
  return row ?? null;
}

export type Holdings = { clients: number; bytes: number; subscriptions: number };

/** The clients that they own, the bytes of what these say of themselves, and their subscriptions. */
export async function selectHoldings(db: Db, personId: string): Promise<Holdings> {
  const [row] = await db.query<Holdings>({
    text: `select count(*)::int as clients, coalesce(sum(octet_length(c.client_id) + octet_length(c.name)
          + octet_length(array_to_string(c.redirect_uris, '')) + octet_length(array_to_string(c.allowed_origins, ''))
          + octet_length(array_to_string(c.post_logout_redirect_uris, '')) + coalesce(octet_length(c.backchannel_logout_uri), 0)
          + coalesce(octet_length(c.logo_uri), 0)), 0)::int as bytes,
        coalesce(sum((select count(*) from subscriptions s where s.client_id = c.client_id)), 0)::int as subscriptions
      from clients c where c.owner_id = $1::uuid`,
    values: [personId],
  });
  return row ?? { clients: 0, bytes: 0, subscriptions: 0 };
}
