// Storage of node-oidc-provider: its table, shaped like the adapters in its documentation.
import type pg from 'pg';
import { withClient } from '#testing/data/sql.ts';
import { withoutIndexes } from './fill.ts';
import { tokenNumber, tokenSql } from './tokens.ts';
import * as values from './values.ts';

/**
 * Inserts `tokens` grants with one refresh token each, and one session per user. Inserts nothing if `tokens` is 0.
 */
export async function seedProvider(db: pg.Client, tokens: number): Promise<void> {
  await db.query(`create table if not exists provider_payloads (
    type text not null, id text not null, payload jsonb not null, grant_id text, user_code text, uid text,
    expires_at timestamptz, consumed_at timestamptz, primary key (type, id))`);
  await db.query('create index if not exists provider_grant on provider_payloads (grant_id)');
  await db.query('truncate provider_payloads');
  const now = Math.floor(Date.now() / 1000);
  const grant = { iat: now, exp: now + 90 * 86_400, kind: 'Grant', clientId: values.CLIENT };
  const scope = values.SCOPES.join(' ');
  const refresh = {
    iat: now,
    iiat: now,
    exp: now + 30 * 86_400,
    kind: 'RefreshToken',
    clientId: values.CLIENT,
    gty: 'authorization_code',
    resource: values.API_URL,
    scope,
    authTime: now,
    rotations: 0,
  };
  const grantId = tokenSql('g');
  await withoutIndexes(db, ['provider_payloads'], async () => {
    await db.query(
      `insert into provider_payloads (type, id, payload, expires_at)
       select 'Grant', ${grantId}, $2::jsonb || jsonb_build_object('jti', ${grantId}, 'accountId', 'person' || i % $4,
         'resources', jsonb_build_object($5::text, $3::text)), now() + interval '90 days'
       from generate_series(0, $1::int - 1) as i order by hashint4(i)`,
      [tokens, JSON.stringify(grant), scope, values.PEOPLE, values.API_URL],
    );
    const id = tokenSql('');
    await db.query(
      `insert into provider_payloads (type, id, payload, grant_id, expires_at)
       select 'RefreshToken', ${id}, $2::jsonb || jsonb_build_object('jti', ${id}, 'grantId', ${grantId},
         'accountId', 'person' || i % $3), ${grantId}, now() + interval '30 days'
       from generate_series(0, $1::int - 1) as i order by hashint4(i)`,
      [tokens, JSON.stringify(refresh), values.PEOPLE],
    );
  });
  const session = { iat: now, exp: now + 14 * 86_400, kind: 'Session', loginTs: now };
  await db.query(
    `insert into provider_payloads (type, id, uid, payload, expires_at)
     select 'Session', ${tokenSql(SESSION)}, 'uid' || i, $2::jsonb || jsonb_build_object('jti', ${tokenSql(SESSION)}, 'uid', 'uid' || i,
       'accountId', 'person' || i, 'authorizations', jsonb_build_object($3::text, jsonb_build_object('sid', 'sid' || i, 'grantId', ${grantId}))),
       now() + interval '14 days'
     from generate_series(0, $1::int - 1) as i`,
    [Math.min(tokens, values.PEOPLE), JSON.stringify(session), values.CLIENT],
  );
}

const SESSION = 's';

/** Session cookie of user number i, who has consented. Without i: of a random user. */
export function providerCookie(i = Math.floor(Math.random() * values.PEOPLE)): string {
  return `_session=${tokenNumber(SESSION, i % values.PEOPLE)}`;
}

/** Inserts codes that can be redeemed, each based on a grant of the refresh tokens. */
export async function seedProviderCodes(databaseUrl: string, from: number, count: number): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iat: now,
    exp: now + 86_400,
    kind: 'AuthorizationCode',
    clientId: values.CLIENT,
    redirectUri: values.REDIRECT_URI,
    codeChallenge: values.CHALLENGE,
    codeChallengeMethod: 'S256',
    resource: values.API_URL,
    scope: values.SCOPES.join(' '),
    authTime: now,
  };
  const id = tokenSql('c');
  const grantId = tokenSql('g').replace('|| i,', '|| (i % $4),');
  await withClient(databaseUrl, async (db) => {
    const { rows } = await db.query<{ n: number }>(
      "select count(*)::int as n from provider_payloads where type = 'Grant'",
    );
    await db.query(
      `insert into provider_payloads (type, id, payload, grant_id, expires_at)
       select 'AuthorizationCode', ${id}, $3::jsonb || jsonb_build_object('jti', ${id}, 'grantId', ${grantId},
         'accountId', 'person' || (i % $4) % $5), ${grantId}, now() + interval '1 day'
       from generate_series($1::int, $2::int) as i`,
      [from, from + count - 1, JSON.stringify(payload), rows[0]?.n, values.PEOPLE],
    );
  });
}
