// Signing keys as rows. Making the first one holds an advisory lock: three instances on an empty database make one.
import { query, transaction } from './pool.ts';

export type NewKey = { kid: string; alg: string; publicJwk: object; sealedPrivate: string };

/** Stores the key unless another instance was first; true if it was stored. */
export async function createFirstKey(key: NewKey): Promise<boolean> {
  return transaction(async (run) => {
    await run({
      name: 'key-lock',
      text: "select pg_advisory_xact_lock(hashtext('gatehouse signing keys'))",
      values: [],
    });
    const rows = await run({
      name: 'key-create-first',
      text: `insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
select $1, $2, $3::jsonb, $4, now() where not exists
  (select 1 from signing_keys where alg = $2 and retired_at is null and (retires_at is null or retires_at > now()))
returning kid`,
      values: [key.kid, key.alg, JSON.stringify(key.publicJwk), key.sealedPrivate],
    });
    return rows.length > 0;
  });
}
