// Signing keys, and the salt of pairwise subject identifiers.
import { type Db, database, inTransaction, readRow, some } from './prisma.ts';
import { sealForRow } from './sealed.ts';
import { raw, sql } from './sql.ts';
import { statement } from './statement.ts';

// Signing keys, one in each row. The creation of the first key holds an advisory lock, so that three instances on an
// empty database create one key.

/** The actor of a key operation and its request, as the audit log records them. */
export type KeyAuthor = {
  actor: string | undefined;
  requestId?: string | undefined;
  ip?: string | undefined;
};

/** Lifetime of an ID token in seconds. The same key signs ID tokens and access tokens. */
export const ID_TOKEN_SECONDS = 3_600;

export type NewKey = { kid: string; alg: string; publicJwk: object; sealedPrivate: string };

/** SQL condition: the key is in the JWKS. */
const PUBLISHED = 'retired_at is null and (retires_at is null or retires_at > now())';

const keyCreateFirstBy = statement({
  name: 'key-create-first-by',
  takes: {
    kid: 'text',
    alg: 'text',
    publicJwk: 'jsonb',
    sealedPrivate: 'text',
    actor: 'text?',
    requestId: 'text?',
    ip: 'text?',
  },
  returns: { id: 'bigint' },
  text: (value) => `with created as (
  insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
  select ${value.kid}, ${value.alg}, ${value.publicJwk}, ${value.sealedPrivate}, now() where not exists
    (select 1 from signing_keys where alg = ${value.alg} and ${PUBLISHED})
  returning kid, alg
)
insert into audit_events (event, actor, request_id, ip, details)
select 'key.created', ${value.actor}, ${value.requestId}, ${value.ip}, jsonb_build_object('kid', kid, 'alg', alg) from created returning id`,
});

/** Stores the key unless another instance stored one first. Returns true if it was stored. */
export async function createFirstKey(key: NewKey, by: KeyAuthor): Promise<boolean> {
  return inTransaction(async (db) => {
    await lock(db);
    const values = { ...key, publicJwk: JSON.stringify(key.publicJwk), ...authorOf(by) };
    const rows = await keyCreateFirstBy(values, db.run);
    return rows.length > 0;
  });
}

/** Limit of published keys per algorithm, because clients accept only some tens of kilobytes of JWKS. */
export const MAX_PUBLISHED_KEYS = 50;

/**
 * Publishes a key that starts to sign after `publishSeconds`. Older keys retire when their last token expires.
 * Returns false if the limit is reached.
 */
export async function addKey(key: NewKey, publishSeconds: number, by: KeyAuthor): Promise<boolean> {
  return inTransaction(async (db) => {
    await lock(db);
    const { kid, alg } = key;
    const added =
      await db.$executeRaw(sql`insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
select ${kid}, ${alg}, ${JSON.stringify(key.publicJwk)}::jsonb, ${key.sealedPrivate},
  now() + make_interval(secs => ${publishSeconds}) where (select count(*) from signing_keys
  where alg = ${alg} and ${raw(PUBLISHED)}) < ${MAX_PUBLISHED_KEYS}`);
    if (added === 0) return false;
    await db.$executeRaw(sql`update signing_keys set retires_at = now() + make_interval(secs => ${publishSeconds}::int + 60 +
    greatest(${ID_TOKEN_SECONDS}::int, (select max(access_token_ttl) from apis)))
where alg = ${alg} and kid <> ${kid} and retires_at is null`);
    const { actor, requestId, ip } = authorOf(by);
    await db.$executeRaw(sql`insert into audit_events (event, actor, request_id, ip, details)
values ('key.created', ${actor}, ${requestId}, ${ip}, jsonb_build_object('kid', ${kid}::text, 'alg', ${alg}::text))`);
    return true;
  });
}

/** Returns the newest key of an algorithm if the key started to sign at least `days` days ago. */
export async function oldestDueKey(alg: string, days: number): Promise<string | null> {
  const row = await readRow(database(), { kid: 'text' })`
    select kid from (select kid, signs_from from signing_keys where alg = ${alg} and retired_at is null
  order by signs_from desc limit 1) newest where signs_from < now() - make_interval(days => ${days})`;
  return row?.kid ?? null;
}

export async function markKeyRetired(kid: string, by: KeyAuthor): Promise<boolean> {
  const { actor, requestId, ip } = authorOf(by);
  const recorded = database().$executeRaw(sql`with retired as (
  update signing_keys set retired_at = now() where kid = ${kid} and retired_at is null returning kid
)
insert into audit_events (event, actor, request_id, ip, details)
select 'key.retired', ${actor}, ${requestId}, ${ip}, jsonb_build_object('kid', kid) from retired`);
  return some(recorded);
}

const authorOf = ({ actor, requestId, ip }: KeyAuthor) => ({
  actor: actor ?? null,
  requestId: requestId ?? null,
  ip: ip ?? null,
});

async function lock(db: Db): Promise<void> {
  await db.$executeRaw(sql`select pg_advisory_xact_lock(hashtext('gatehouse signing keys'))`);
}

// The salt of pairwise subject identifiers (OpenID Connect Core §8.1), sealed, in a table with one row.

/** Id of the only row of the table. */
export const SUBJECT_SALT_ID = '1';

/** Stores the salt unless another instance stored one first. Returns the stored, sealed salt. */
export async function createSubjectSalt(salt: string): Promise<string> {
  const sealed = sealForRow('subject_salt', SUBJECT_SALT_ID, salt);
  // the insert waits for a concurrent process, and the next statement reads the salt that this process stored
  await database().$executeRaw(
    sql`insert into subject_salt (sealed_salt) values (${sealed}) on conflict (id) do nothing`,
  );
  const row = await readRow(database(), { sealed: 'text' })`select sealed_salt as sealed from subject_salt`;
  if (!row) throw new Error('the salt of subject identifiers was not stored');
  return row.sealed;
}

/**
 * Announces that tokens must look up imported subjects, or that sign-in pages must accept user names. It runs before
 * such users exist. Concurrent requests are repeated, because the shared registry changed.
 */
export async function announceKept(
  db: Db,
  keptKinds: { subjects: boolean; usernames: boolean },
): Promise<void> {
  await db.$executeRaw(sql`update subject_salt
    set kept_subjects = kept_subjects or ${keptKinds.subjects}, usernames = usernames or ${keptKinds.usernames}
    where (${keptKinds.subjects} and not kept_subjects) or (${keptKinds.usernames} and not usernames)`);
}

/**
 * Makes each process discard its cached facts about users. The process does so at its first request after the commit
 * of the import.
 */
export async function renewKept(db: Db): Promise<void> {
  await db.$executeRaw(sql`update subject_salt set kept_epoch = kept_epoch + 1`);
}
