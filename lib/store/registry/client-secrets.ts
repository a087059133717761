// Clients' secrets: kept as SHA-256, two side by side at the most.
import { type Db, sql } from '../database/index.ts';

export type SecretRow = {
  id: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
};

/** Those that have not expired, the oldest first. */
export function selectSecrets(db: Db, clientId: string): Promise<SecretRow[]> {
  return db.$queryRaw(sql`select id, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"
    from client_secrets where client_id = ${clientId} and (expires_at is null or expires_at > now())
    order by created_at, id`);
}

/** A configured secret that is dropped here is not brought back by the next apply, unless the file's value changes. */
export const deleteSecret = async (db: Db, clientId: string, id: string): Promise<boolean> =>
  (await db.clientSecret.deleteMany({ where: { clientId, id } })).count > 0;

/** The secret that the file gave before ends, the new one begins; secrets made elsewhere stay. */
export async function setConfigSecret(db: Db, clientId: string, hash: Buffer): Promise<void> {
  await db.$executeRaw(sql`delete from client_secrets s using clients c
    where c.client_id = ${clientId} and s.client_id = c.client_id and s.secret_hash = c.config_secret_hash`);
  await db.client.updateMany({ where: { clientId }, data: { configSecretHash: Uint8Array.from(hash) } });
  await addClientSecret(db, clientId, hash);
}

export function addClientSecret(db: Db, clientId: string, hash: Buffer): Promise<{ id: string }> {
  const secret = { clientId, secretHash: Uint8Array.from(hash) };
  return db.clientSecret.upsert({
    where: { clientId_secretHash: secret },
    create: secret,
    update: { expiresAt: null },
    select: { id: true },
  });
}

/** Without an overlap all secrets end now; with one, the newest of them lives on for so long and the others end. */
export async function expireClientSecrets(db: Db, clientId: string, overlapSeconds: number): Promise<void> {
  await db.$executeRaw(sql`delete from client_secrets where client_id = ${clientId} and (${overlapSeconds === 0}
    or expires_at <= now()
    or id not in (select id from client_secrets where client_id = ${clientId} order by created_at desc limit 1))`);
  await db.$executeRaw(sql`update client_secrets
    set expires_at = least(expires_at, now() + make_interval(secs => ${overlapSeconds})) where client_id = ${clientId}`);
}

export async function dropClientSecrets(db: Db, clientId: string): Promise<void> {
  await db.clientSecret.deleteMany({ where: { clientId } });
  await db.client.updateMany({ where: { clientId }, data: { configSecretHash: null } });
}
