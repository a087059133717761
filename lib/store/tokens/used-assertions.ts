// What works once: the assertions that clients have authenticated with (RFC 7523 §3, `jti`), and the DPoP proofs of
// confidential clients (RFC 9449 §11.1). Only what a client that proved itself has sent is stored. The statement decides: of two that
// come at once, over any connections, exactly one is the first.
import { batched } from '../database/batch.ts';

type Used = { idHash: Buffer; seconds: number };

const usesOf = (insert: 'insert into used_assertions' | 'insert into used_proofs', name: string) =>
  batched<Used, { n: number; first: boolean }>()({
    name,
    // in one order, so that no two batches wait for each other
    takes: { hash: 'bytea', seconds: 'int' },
    text: (items) => `
with item as (
  select n::int, hash, seconds from ${items}
), one as (
  select distinct on (hash) hash, seconds, n from item order by hash, n
), fresh as (
  ${insert} (id_hash, expires_at)
  select hash, now() + make_interval(secs => seconds) from one order by hash
  on conflict do nothing returning id_hash
)
select item.n, exists (
  select from fresh join one on one.hash = fresh.id_hash where one.n = item.n
) as first from item`,
    values: ({ idHash, seconds }) => ({ hash: idHash, seconds }),
  });

const useAssertion = usesOf('insert into used_assertions', 'assertion-use');
const useProof = usesOf('insert into used_proofs', 'proof-use');

/** Notes that this one was used; false: it was already. */
export const spendAssertion = async (used: Used): Promise<boolean> => (await useAssertion(used)).first;
export const spendProof = async (used: Used): Promise<boolean> => (await useProof(used)).first;
