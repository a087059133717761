// Signing keys as rows. Making the first one holds an advisory lock: three instances on an empty database make one.
import { query, type Run, transaction } from '../database/index.ts';

/** Who had it done, and by which request, as the audit log has it. */
export type KeyAuthor = {
  actor: string | undefined;
  requestId?: string | undefined;
  ip?: string | undefined;
};

/** How long an ID token lives; one key signs those and access tokens. */
export const ID_TOKEN_SECONDS = 3_600;

export type NewKey = { kid: string; alg: string; publicJwk: object; sealedPrivate: string };

/** SQL: it is in the JWKS. */
const PUBLISHED = 'retired_at is null and (retires_at is null or retires_at > now())';

/** Stores the key unless another instance was first; true if it was stored. */
export async function createFirstKey(key: NewKey, by: KeyAuthor): Promise<boolean> {
  return transaction(async (run) => {
    await lock(run);
    const rows = await run({
      name: 'key-create-first-by',
      text: `with created as (
  insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
  select $1, $2, $3::jsonb, $4, now() where not exists
    (select 1 from signing_keys where alg = $2 and ${PUBLISHED})
  returning kid, alg
)
insert into audit_events (event, actor, request_id, ip, details)
select 'key.created', $5, $6, $7, jsonb_build_object('kid', kid, 'alg', alg) from created returning id`,
      values: [key.kid, key.alg, JSON.stringify(key.publicJwk), key.sealedPrivate, ...authorValues(by)],
    });
    return rows.length > 0;
  });
}

/** Of one algorithm in the JWKS at a time: clients read some tens of kilobytes of it at most. */
export const MAX_PUBLISHED_KEYS = 50;

/**
 * Publishes a key that signs after `publishSeconds`; the ones before leave when their last token has expired. False: there are as
 * many as there may be.
 */
export async function addKey(key: NewKey, publishSeconds: number, by: KeyAuthor): Promise<boolean> {
  return transaction(async (run) => {
    await lock(run);
    const added = await run({
      text: `insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
select $1, $2, $3::jsonb, $4, now() + make_interval(secs => $5) where (select count(*) from signing_keys
  where alg = $2 and ${PUBLISHED}) < ${MAX_PUBLISHED_KEYS} returning kid`,
      values: [key.kid, key.alg, JSON.stringify(key.publicJwk), key.sealedPrivate, publishSeconds],
    });
    if (added.length === 0) return false;
    await run({
      text: `update signing_keys set retires_at = now() + make_interval(secs => $3 + 60 +
    greatest($4::int, (select max(access_token_ttl) from apis)))
where alg = $1 and kid <> $2 and retires_at is null`,
      values: [key.alg, key.kid, publishSeconds, ID_TOKEN_SECONDS],
    });
    await run({
      text: `insert into audit_events (event, actor, request_id, ip, details)
values ('key.created', $3, $4, $5, jsonb_build_object('kid', $1::text, 'alg', $2::text))`,
      values: [key.kid, key.alg, ...authorValues(by)],
    });
    return true;
  });
}

/** The newest key of an algorithm, where it has signed for that many days. */
export async function oldestDueKey(alg: string, days: number): Promise<string | null> {
  const [row] = await query<{ kid: string }>({
    text: `select kid from (select kid, signs_from from signing_keys where alg = $1 and retired_at is null
  order by signs_from desc limit 1) newest where signs_from < now() - make_interval(days => $2)`,
    values: [alg, days],
  });
  return row?.kid ?? null;
}

export async function markKeyRetired(kid: string, by: KeyAuthor): Promise<boolean> {
  const rows = await query({
    text: `with retired as (
  update signing_keys set retired_at = now() where kid = $1 and retired_at is null returning kid
)
insert into audit_events (event, actor, request_id, ip, details)
select 'key.retired', $2, $3, $4, jsonb_build_object('kid', kid) from retired returning id`,
    values: [kid, ...authorValues(by)],
  });
  return rows.length > 0;
}

function authorValues({ actor, requestId, ip }: KeyAuthor) {
  return [actor ?? null, requestId ?? null, ip ?? null];
}

async function lock(run: Run): Promise<void> {
  await run({ text: "select pg_advisory_xact_lock(hashtext('gatehouse signing keys'))", values: [] });
}
