// Usage counts of one week for a busy service.
import { sql } from './database.ts';

/**
 * Inserts usage of this API by the methods `pw` and `ext`: a quiet night, a busy day, and a verifier that is
 * slow and sometimes unavailable. The numbers are so high that calls of other tests change nothing.
 */
export async function giveUsage(apiId: string): Promise<void> {
  await sql(
    `with buckets as (
       select 60 as minutes, date_bin('1 hour', now(), 'epoch') - n * interval '1 hour' as at, n from generate_series(0, 170) n
       union all
       select 5, date_bin('5 minutes', now(), 'epoch') - n * interval '5 minutes', n from generate_series(0, 12) n
     ), kinds (kind, what, detail, method, many, longest) as (values
       ('sign-in', 'succeeded', '', 'pw', 60, 0), ('sign-in', 'succeeded', '', 'ext', 20, 0),
       ('sign-in', 'refused', '', 'pw', 9, 0), ('sign-in', 'unavailable', '', 'ext', 2, 0), ('sign-in', 'limited', '', 'pw', 1, 0),
       ('token', 'authorization_code', '', 'pw', 75, 0), ('token', 'refresh_token', '', 'pw', 240, 0),
       ('token', 'password', '', 'pw', 14, 0), ('token', 'token-exchange', '', 'pw', 6, 0),
       ('refusal', 'invalid_grant', 'refresh-expired', 'pw', 12, 0), ('refusal', 'invalid_grant', '', 'pw', 8, 0),
       ('refusal', 'invalid_client', 'secret-wrong', 'pw', 4, 0), ('refusal', 'invalid_request', 'unidentified', 'pw', 3, 0),
       ('refusal', 'login_required', '', 'pw', 3, 0), ('refusal', 'temporarily_unavailable', '', 'ext', 2, 0),
       ('call', 'answered', '100', 'ext', 1200, 90), ('call', 'answered', '500', 'ext', 700, 480),
       ('call', 'answered', '2500', 'ext', 200, 2310), ('call', 'failed', '5000', 'ext', 200, 5000)
     )
     insert into usage_counts (minutes, at, kind, what, detail, api_id, auth_method_id, n, longest)
     select minutes, at, kind, what, detail, case kind when 'call' then '' else $1 end, method,
       ceil(many * (1.1 + sin(n / 3.8 + length(kind))) * (case when minutes = 60 then 3 else 1 end)), longest
     from buckets, kinds
     on conflict (minutes, at, kind, what, detail, api_id, auth_method_id) do update
       set n = usage_counts.n + excluded.n, longest = greatest(usage_counts.longest, excluded.longest)`,
    [apiId],
  );
}
