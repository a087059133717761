// The minimal work of a token request, and nothing else: read the form, compare the secret, one SQL statement on the
// tables of Gatehouse, one ES256 signature by node:crypto. No routing, no registry, no limits, no audit log, no
// readable errors.
import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign, timingSafeEqual } from 'node:crypto';
import pg from 'pg';
import { API, API_URL, CLIENT, CLIENT_SECRET, METHOD } from './values.ts';

const sha256 = (value: string) => createHash('sha256').update(value).digest();
const expected = sha256(CLIENT_SECRET);
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = base64url({ alg: 'ES256', typ: 'at+jwt', kid: 'floor' });

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const REFRESH = `
with used as (
  update refresh_tokens r set used_at = now() from token_families f
  where r.token_hash = $1 and r.used_at is null and r.expires_at > now()
    and f.id = r.family_id and f.revoked_at is null and f.expires_at > now() and f.client_id = $3
  returning f.id, f.person_id, f.scopes, f.auth_time, f.expires_at
), successor as (
  insert into refresh_tokens (token_hash, family_id, parent_hash, expires_at)
  select $2, id, $1, least(now() + interval '30 days', expires_at) from used
)
select id, person_id, scopes, auth_time from used`;

const CODE = `
with used as (
  update codes set used_at = now(), family_id = $2
  where code_hash = $1 and client_id = $3 and used_at is null and expires_at > now() and code_challenge = $4
  returning *
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
  select $2, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, now() + interval '90 days' from used
), successor as (
  insert into refresh_tokens (token_hash, family_id, expires_at) select $5, $2, now() + interval '30 days' from used
)
select $2::uuid as id, person_id, scopes, auth_time from used`;

type Row = { id: string; person_id: string; scopes: string[]; auth_time: Date };

export async function least(body: string): Promise<{ status: number; body: string }> {
  const form = new URLSearchParams(body);
  const proven = timingSafeEqual(sha256(form.get('client_secret') ?? ''), expected);
  if (form.get('client_id') !== CLIENT || !proven) return { status: 401, body: '{"error":"invalid_client"}' };
  const refreshToken = `ghr_${randomBytes(32).toString('base64url')}`;
  const row = await use(form, sha256(refreshToken));
  if (!row) return { status: 400, body: '{"error":"invalid_grant"}' };
  const now = Math.floor(Date.now() / 1000);
  const claims = base64url({
    iss: `http://localhost/auth/${METHOD}/api/${API}`,
    aud: API_URL,
    sub: row.person_id,
    client_id: CLIENT,
    scope: row.scopes.join(' '),
    auth_time: Math.floor(row.auth_time.getTime() / 1000),
    jti: randomUUID(),
    iat: now,
    exp: now + 3600,
  });
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  const accessToken = `${header}.${claims}.${signature.toString('base64url')}`;
  const answer = {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: 3600,
    refresh_token: refreshToken,
  };
  return { status: 200, body: JSON.stringify(answer) };
}

async function use(form: URLSearchParams, newHash: Buffer): Promise<Row | undefined> {
  const isCode = form.get('grant_type') === 'authorization_code';
  const { rows } = await pool.query<Row>(
    isCode
      ? {
          name: 'code',
          text: CODE,
          values: [
            sha256(form.get('code') ?? ''),
            randomUUID(),
            CLIENT,
            createHash('sha256')
              .update(form.get('code_verifier') ?? '')
              .digest('base64url'),
            newHash,
          ],
        }
      : {
          name: 'refresh',
          text: REFRESH,
          values: [sha256(form.get('refresh_token') ?? ''), newHash, CLIENT],
        },
  );
  return rows[0];
}
