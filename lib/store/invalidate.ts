// After an older backup was put back: what was used, revoked or signed out since then looks fresh again. Everything that
// was issued before a moment ends, whatever the restored rows say of it.
import type { Db } from './registry-db.ts';

export type Invalidated = { families: number; codes: number; sessions: number };

const count = async (db: Db, text: string, before: Date): Promise<number> =>
  (await db.query({ text: `${text} returning 1`, values: [before] })).length;

export async function invalidateBefore(db: Db, before: Date): Promise<Invalidated> {
  const reason = 'everything issued before a moment was invalidated';
  await db.query({ text: 'delete from broker_states where created_at < $1', values: [before] });
  await db.query({ text: 'delete from mail_tokens where created_at < $1', values: [before] });
  return {
    families: await count(
      db,
      `update token_families set revoked_at = now(), revoked_reason = '${reason}'
where created_at < $1 and revoked_at is null`,
      before,
    ),
    codes: await count(
      db,
      'update codes set revoked_at = now() where issued_at < $1 and used_at is null and revoked_at is null',
      before,
    ),
    sessions: await count(
      db,
      'update sessions set ended_at = now() where auth_time < $1 and ended_at is null',
      before,
    ),
  };
}
