// GET authorize with a session, in one statement: who is signed in, what was consented to, and the code, if the request
// may have one without another question to the person. What it may have is decided in lib/oauth; this only checks facts.
import { batched } from './batch.ts';
import { stands } from './registry-changes.ts';
import type { AuthorizeFacts } from './sessions.ts';
import { confirmVersion, type Seen } from './snapshot.ts';
import { epochNow } from './validity.ts';

export type AuthorizeAsk = {
  /** of the registry that the request relied on */
  version: string;
  idHash: Uint8Array;
  idleSeconds: number;
  clientId: string;
  apiId: string;
  authMethodId: string;
  codeChallenge: string | null;
  /** the code to issue if everything fits; null: only the facts are asked for */
  code: {
    hash: Uint8Array;
    redirectUri: string;
    scopes: string[];
    scopeAsked: boolean;
    /** trust: the subscription is trusted; consent: what was consented to covers the scopes */
    basis: 'consent' | 'trust';
    maxAgeSeconds: number | null;
  } | null;
  /** silent renewal: no code for a challenge that was used before */
  freshChallenge: boolean;
  requestId: string;
  ip: string | null;
};

export type Authorized = {
  /** null: signed out */
  facts: AuthorizeFacts | null;
  issued: boolean;
  challengeUsed: boolean;
};

type Row = Seen & { n: number; issued: boolean; challengeUsed: boolean } & {
  [Key in keyof AuthorizeFacts]: AuthorizeFacts[Key] | null;
};

const authorize = batched<AuthorizeAsk, Row>({
  name: 'authorize',
  text: `
with asked as (
  select q.*, string_to_array(q.scope_list, ' ') as scopes, v.version as current, ${stands('q.version', 'q.client')} as stands,
    q.fresh and exists
    (select 1 from codes k where k.code_challenge = q.challenge and k.client_id = q.client) as challenge_used
  from unnest($1::bigint[], $2::bytea[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[],
      $9::text[], $10::text[], $11::boolean[], $12::text[], $13::int[], $14::boolean[], $15::text[], $16::text[])
      with ordinality as q(version, id_hash, idle, client, api, auth_method, challenge, code_hash, redirect_uri,
        scope_list, scope_asked, basis, max_age, fresh, request_id, ip, n), directory_version v where v.id = 1
), live as (
  select q.n, s.id_hash, s.auth_time, s.last_seen_at, q.idle, p.id as person_id, p.epoch,
    coalesce(p.email, nullif(p.name, ''), p.id::text) as label, c.scopes as consented, c.epoch as consent_epoch
  from asked q
    join sessions s on s.id_hash = q.id_hash
    join people p on p.id = s.person_id
    left join consents c on c.person_id = p.id and c.client_id = q.client and c.api_id = q.api
  where s.kind = 'sign-in' and s.auth_method_id = q.auth_method and s.ended_at is null and s.expires_at > now()
    and s.last_seen_at > now() - make_interval(secs => q.idle) and p.disabled_at is null and s.person_epoch = p.epoch
), seen as (
  -- activity, to the precision that an idle limit needs; in one order, so that two of these never wait for each other
  update sessions set last_seen_at = now() where id_hash = any (array(
    select distinct id_hash from live where last_seen_at < now() - make_interval(secs => idle / 60.0) order by id_hash))
), issued as (
  insert into codes (code_hash, client_id, api_id, auth_method_id, person_id, redirect_uri, scopes, scope_asked,
    code_challenge, basis, auth_time, expires_at, session_hash, epoch)
  select q.code_hash, q.client, q.api, q.auth_method, l.person_id, q.redirect_uri, q.scopes, q.scope_asked,
    q.challenge, q.basis, l.auth_time, now() + interval '60 seconds', l.id_hash,
    ${epochNow({ basis: 'q.basis', consentEpoch: 'l.consent_epoch', personEpoch: 'l.epoch' })}
  from asked q
    join live l on l.n = q.n
    join subscriptions s on s.client_id = q.client and s.api_id = q.api and s.state = 'approved'
    join clients cl on cl.client_id = q.client and cl.disabled_at is null
    join combinations m on m.auth_method_id = q.auth_method and m.api_id = q.api
  where q.stands and q.code_hash is not null
    and case q.basis when 'trust' then s.trusted else l.consented @> q.scopes end
    and (q.max_age is null or l.auth_time >= now() - make_interval(secs => q.max_age))
    and not q.challenge_used
  returning code_hash, person_id, client_id, api_id, auth_method_id
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip)
  select 'code.issued', i.person_id, i.client_id, i.api_id, i.auth_method_id, q.request_id, q.ip
  from issued i join asked q on q.code_hash = i.code_hash
)
select q.n::int, q.current::text as version, q.stands, i.code_hash is not null as issued, q.challenge_used as "challengeUsed",
  l.person_id as "personId", l.label, l.auth_time as "authTime", l.consented
from asked q left join live l on l.n = q.n left join issued i on i.code_hash = q.code_hash`,
  values: ({ code, ...one }) => [
    one.version,
    one.idHash,
    one.idleSeconds,
    one.clientId,
    one.apiId,
    one.authMethodId,
    one.codeChallenge,
    code?.hash ?? null,
    code?.redirectUri ?? null,
    code?.scopes.join(' ') ?? null,
    code?.scopeAsked ?? null,
    code?.basis ?? null,
    code?.maxAgeSeconds ?? null,
    one.freshChallenge,
    one.requestId,
    one.ip,
  ],
});

export async function authorizeWithSession(ask: AuthorizeAsk): Promise<Authorized> {
  const askedAt = performance.now();
  const { version, stands, ...found } = await authorize(ask);
  confirmVersion(ask.version, { version, stands }, askedAt);
  const { issued, challengeUsed, personId, label, authTime, consented } = found;
  const facts =
    personId === null || label === null || authTime === null
      ? null
      : { personId, label, authTime, consented };
  return { facts, issued, challengeUsed };
}
