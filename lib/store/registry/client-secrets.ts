// Clients' secrets: kept as SHA-256, two side by side at the most. Of one that came from another service only its hash
// is known until the first use; its SHA-256 is made of random bytes until then.
import { randomBytes } from 'node:crypto';
import { sha256 } from '#lib/kit/random.ts';
import type { Db } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';
import { statement } from '../database/statement.ts';

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

/** As the file gives it: in the clear, or as the hash that another service made of it. */
export type ConfiguredSecret = { plain: string } | { kept: string };

/** To know it again. Of a hash it is not that of the same text as a secret: who mends the key means something else. */
export const configSecretHash = (secret: ConfiguredSecret): Buffer =>
  sha256('plain' in secret ? secret.plain : `client_secret_hash ${secret.kept}`);

/** The secret that the file gave before ends, the new one begins; secrets made elsewhere stay. */
export async function setConfigSecret(db: Db, clientId: string, secret: ConfiguredSecret): Promise<void> {
  await db.$executeRaw(sql`delete from client_secrets s using clients c
    where c.client_id = ${clientId} and s.client_id = c.client_id
      and (s.secret_hash = c.config_secret_hash or s.kept_from = c.config_secret_hash)`);
  const hash = configSecretHash(secret);
  const fingerprint = Uint8Array.from(hash);
  await db.client.updateMany({ where: { clientId }, data: { configSecretHash: fingerprint } });
  if ('plain' in secret) {
    await addClientSecret(db, clientId, hash);
    return;
  }
  const secretHash = Uint8Array.from(randomBytes(32));
  await db.clientSecret.create({
    data: { clientId, secretHash, keptHash: secret.kept, keptFrom: fingerprint },
  });
}

const keptSecretReplace = statement({
  name: 'kept-secret-replace',
  takes: { clientId: 'text', keptHash: 'text', secretHash: 'bytea' },
  text: (
    value,
  ) => `update client_secrets set secret_hash = ${value.secretHash}, kept_hash = null, last_used_at = now()
  where client_id = ${value.clientId} and kept_hash = ${value.keptHash} and (expires_at is null or expires_at > now())
    and not exists (select from client_secrets o where o.client_id = ${value.clientId} and o.secret_hash = ${value.secretHash})
  returning id`,
});

const livingSecret = statement({
  name: 'living-secret',
  takes: { clientId: 'text', secretHash: 'bytea' },
  text: (value) => `select id from client_secrets where client_id = ${value.clientId}
  and secret_hash = ${value.secretHash} and (expires_at is null or expires_at > now())`,
});

/** Puts SHA-256 in the place of a kept hash. False: the secret has ended meanwhile. */
export async function replaceKeptSecret(
  clientId: string,
  keptHash: string,
  secretHash: Buffer,
): Promise<boolean> {
  const replaced = await keptSecretReplace({ clientId, keptHash, secretHash });
  // another process may have been faster
  return replaced.length > 0 || (await livingSecret({ clientId, secretHash })).length > 0;
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
