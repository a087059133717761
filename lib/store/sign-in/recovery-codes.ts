// Recovery codes, as hashes: the statement that accepts one marks it as used.
import { query } from '../database/index.ts';

/** How many are left; null: it is none of this person's, or was used. */
export async function spendRecoveryCode(input: {
  codeHash: Uint8Array;
  personId: string;
  requestId: string;
  ip: string | null;
}): Promise<number | null> {
  const [used] = await query<{ left: number }>({
    name: 'recovery-code-spend',
    text: `
with used as (
  update recovery_codes set used_at = now()
  where code_hash = $1 and person_id = $2::uuid and used_at is null returning person_id
), rest as (
  select count(*)::int as n from recovery_codes
  where person_id = $2::uuid and used_at is null and code_hash <> $1
)
insert into audit_events (event, actor, person_id, request_id, ip, details)
select 'recovery_code.used', person_id::text, person_id, $3, $4, jsonb_build_object('left', rest.n)
from used, rest returning (details ->> 'left')::int as left`,
    values: [input.codeHash, input.personId, input.requestId, input.ip],
  });
  return used?.left ?? null;
}
