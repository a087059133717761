// Recovery codes, as hashes: the statement that accepts one marks it as used.
import { statement } from '../database/statement.ts';

const recoveryCodeSpend = statement({
  name: 'recovery-code-spend',
  takes: { codeHash: 'bytea', personId: 'uuid', requestId: 'text', ip: 'text?' },
  text: (value) => `
with used as (
  update recovery_codes set used_at = now()
  where code_hash = ${value.codeHash} and person_id = ${value.personId} and used_at is null returning person_id
), rest as (
  select count(*)::int as n from recovery_codes
  where person_id = ${value.personId} and used_at is null and code_hash <> ${value.codeHash}
)
insert into audit_events (event, actor, person_id, request_id, ip, details)
select 'recovery_code.used', person_id::text, person_id, ${value.requestId}, ${value.ip}, jsonb_build_object('left', rest.n)
from used, rest returning (details ->> 'left')::int as left`,
});

/** How many are left; null: it is none of this person's, or was used. */
export async function spendRecoveryCode(input: {
  codeHash: Uint8Array;
  personId: string;
  requestId: string;
  ip: string | null;
}): Promise<number | null> {
  const [used] = await recoveryCodeSpend<{ left: number }>(input);
  return used?.left ?? null;
}
