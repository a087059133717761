// Recovery codes, as hashes. Each works once: the statement that accepts one marks it as used.
import { type Db, first, query, some, sql } from '../database/index.ts';

/** All that there were give way to these. False, and nothing changed: the person has no factor that they could stand in for. */
export async function replaceRecoveryCodes(
  db: Db,
  personId: string,
  hashes: readonly Uint8Array[],
): Promise<boolean> {
  // the factors' triggers lock the same row: the last factor goes before this, or takes the new codes with it
  const has = await some(
    db.$queryRaw(sql`select 1 from people where id = ${personId} and factor_level > 0 for no key update`),
  );
  if (!has) return false;
  await db.$executeRaw(sql`delete from recovery_codes where person_id = ${personId}`);
  await db.$executeRaw(sql`insert into recovery_codes (code_hash, person_id)
    select hash, ${personId}::uuid from unnest(${hashes}::bytea[]) as given (hash)`);
  return true;
}

/** How many are left; null: it is none of this person's, or was used. */
export async function spendRecoveryCode(input: {
  codeHash: Uint8Array;
  personId: string;
  requestId: string;
  ip: string | null;
}): Promise<number | null> {
  const { codeHash, personId, requestId, ip } = input;
  const used = await first<{ left: number }>(
    query(sql`
    with used as (
      update recovery_codes set used_at = now()
      where code_hash = ${codeHash} and person_id = ${personId} and used_at is null returning person_id
    ), rest as (
      select count(*)::int as n from recovery_codes
      where person_id = ${personId} and used_at is null and code_hash <> ${codeHash}
    )
    insert into audit_events (event, actor, person_id, request_id, ip, details)
    select 'recovery_code.used', person_id::text, person_id, ${requestId}, ${ip}, jsonb_build_object('left', rest.n)
    from used, rest returning (details ->> 'left')::int as left`),
  );
  return used?.left ?? null;
}

/** How many of them still work. */
export async function countRecoveryCodes(personId: string): Promise<number> {
  const found = await first<{ n: number }>(
    query(sql`select count(*)::int as n from recovery_codes
    where person_id = ${personId} and used_at is null`),
  );
  return found?.n ?? 0;
}
