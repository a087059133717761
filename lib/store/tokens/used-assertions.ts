// The assertions that clients have authenticated with (RFC 7523 §3, `jti`). Only one whose signature was good comes
// here. The statement decides: of two that come at once, over any connections, exactly one is the first.
import { batched } from '../database/index.ts';

type UsedAssertion = { idHash: Buffer; seconds: number };

/** Notes that this one was used; false: it was already. */
export async function spendAssertion(assertion: UsedAssertion): Promise<boolean> {
  return (await noteUse(assertion)).first;
}

const noteUse = batched<UsedAssertion, { n: number; first: boolean }>()({
  name: 'assertion-use',
  // in one order, so that no two batches wait for each other
  takes: { hash: 'bytea', seconds: 'int' },
  text: (items) => `
with item as (
  select n::int, hash, seconds from ${items}
), one as (
  select distinct on (hash) hash, seconds, n from item order by hash, n
), fresh as (
  insert into used_assertions (id_hash, expires_at)
  select hash, now() + make_interval(secs => seconds) from one order by hash
  on conflict do nothing returning id_hash
)
select item.n, exists (
  select from fresh join one on one.hash = fresh.id_hash where one.n = item.n
) as first from item`,
  values: ({ idHash, seconds }) => ({ hash: idHash, seconds }),
});
