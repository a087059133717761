// Clients' secrets: kept as SHA-256, two side by side at the most.
import type { Db } from './transaction.ts';

export type SecretRow = {
  id: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
};

/** The living ones; `hashes` never leave the store. */
export async function selectSecrets(db: Db, clientId: string): Promise<SecretRow[]> {
  return db.query<SecretRow>({
    text: `select id, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"
      from client_secrets where client_id = $1 and (expires_at is null or expires_at > now()) order by created_at, id`,
    values: [clientId],
  });
}

/** A configured secret that is dropped here is not brought back by the next apply, unless the file's value changes. */
export async function deleteSecret(db: Db, clientId: string, secretId: string): Promise<boolean> {
  const rows = await db.query({
    text: 'delete from client_secrets where client_id = $1 and id = $2 returning id',
    values: [clientId, secretId],
  });
  return rows.length === 1;
}

/** The secret that the file gave before ends, the new one begins; secrets made elsewhere stay. */
export async function setConfigSecret(db: Db, clientId: string, hash: Buffer): Promise<void> {
  await db.query({
    text: `delete from client_secrets s using clients c where c.client_id = $1 and s.client_id = c.client_id
      and s.secret_hash = c.config_secret_hash`,
    values: [clientId],
  });
  await db.query({
    text: 'update clients set config_secret_hash = $2, updated_at = now() where client_id = $1',
    values: [clientId, hash],
  });
  await addClientSecret(db, clientId, hash);
}

export async function addClientSecret(db: Db, clientId: string, hash: Buffer): Promise<void> {
  await db.query({
    text: `insert into client_secrets (client_id, secret_hash) values ($1, $2)
      on conflict (client_id, secret_hash) do update set expires_at = null`,
    values: [clientId, hash],
  });
}

/** Without an overlap old secrets end now; with one, the newest of them lives on for so long and the others end. */
export async function expireClientSecrets(db: Db, clientId: string, overlapSeconds: number): Promise<void> {
  await db.query({
    text: `delete from client_secrets where client_id = $1 and ($2 = 0 or expires_at <= now() or id not in (
        select id from client_secrets where client_id = $1 order by created_at desc limit 1))`,
    values: [clientId, overlapSeconds],
  });
  await db.query({
    text: `update client_secrets set expires_at = least(expires_at, now() + make_interval(secs => $2))
      where client_id = $1`,
    values: [clientId, overlapSeconds],
  });
}

export async function dropClientSecrets(db: Db, clientId: string): Promise<void> {
  await db.query({ text: 'delete from client_secrets where client_id = $1', values: [clientId] });
  await db.query({
    text: 'update clients set config_secret_hash = null, updated_at = now() where client_id = $1',
    values: [clientId],
  });
}
