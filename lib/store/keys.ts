// Signing keys as rows. Making the first one holds an advisory lock: three instances on an empty database make one.
import { query, type Run, transaction } from './pool.ts';

export type NewKey = { kid: string; alg: string; publicJwk: object; sealedPrivate: string };

/** Stores the key unless another instance was first; true if it was stored. */
export async function createFirstKey(key: NewKey, actor: string): Promise<boolean> {
  return transaction(async (run) => {
    await lock(run);
    const rows = await run({
      name: 'key-create-first',
      text: `with created as (
  insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
  select $1, $2, $3::jsonb, $4, now() where not exists
    (select 1 from signing_keys where alg = $2 and retired_at is null and (retires_at is null or retires_at > now()))
  returning kid, alg
)
insert into audit_events (event, actor, details)
select 'key.created', $5, jsonb_build_object('kid', kid, 'alg', alg) from created returning id`,
      values: [key.kid, key.alg, JSON.stringify(key.publicJwk), key.sealedPrivate, actor],
    });
    return rows.length > 0;
  });
}

/** Publishes a key that signs after `publishSeconds`; the ones before leave when their last token has expired. */
export async function addKey(key: NewKey, publishSeconds: number, actor: string): Promise<void> {
  await transaction(async (run) => {
    await lock(run);
    await run({
      text: `insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
values ($1, $2, $3::jsonb, $4, now() + make_interval(secs => $5))`,
      values: [key.kid, key.alg, JSON.stringify(key.publicJwk), key.sealedPrivate, publishSeconds],
    });
    await run({
      text: `update signing_keys set retires_at = now() + make_interval(secs => $3 + 60 +
    (select coalesce(max(access_token_ttl), 0) from apis))
where alg = $1 and kid <> $2 and retires_at is null`,
      values: [key.alg, key.kid, publishSeconds],
    });
    await run({
      text: `insert into audit_events (event, actor, details)
values ('key.created', $3, jsonb_build_object('kid', $1::text, 'alg', $2::text))`,
      values: [key.kid, key.alg, actor],
    });
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

export async function markKeyRetired(kid: string, actor: string): Promise<boolean> {
  const rows = await query({
    text: `with retired as (
  update signing_keys set retired_at = now() where kid = $1 and retired_at is null returning kid
)
insert into audit_events (event, actor, details)
select 'key.retired', $2, jsonb_build_object('kid', kid) from retired returning id`,
    values: [kid, actor],
  });
  return rows.length > 0;
}

async function lock(run: Run): Promise<void> {
  await run({ text: "select pg_advisory_xact_lock(hashtext('gatehouse signing keys'))", values: [] });
}
