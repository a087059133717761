// The database of a run: embedded PostgreSQL in a separate folder, the schema of this version, one API,
// clients, people, and N token families with an active refresh token each. provider-world.ts creates the same
// for oidc-provider. The folder is kept between runs.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { applyConfiguration } from '#lib/config/apply.ts';
import { ensureLocalSecret } from '#lib/embedded-database/embedded.ts';
import { startSession } from '#lib/sessions/sign-in.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { migrate } from '#lib/store/migrate.ts';
import { closePool } from '#lib/store/pool.ts';
import { epochSql } from '#testing/data/families.ts';
import { withClient } from '#testing/data/sql.ts';
import { openDatabase, postmasterOf, settle } from './database.ts';
import { withoutIndexes } from './fill.ts';
import { seedProvider } from './provider-world.ts';
import { tokenSql } from './tokens.ts';
import * as values from './values.ts';

export type World = {
  databaseUrl: string;
  secret: string;
  tokens: number;
  postmaster: number;
  cookies: string[];
  stop: () => Promise<void>;
};

export const ADMIN = 'admin@bench.example';
const { personSql } = values;
const openIdClients = Object.values(values.OPENID_CLIENTS);

export async function prepareWorld(
  folder: string,
  tokens: number,
  clients: number,
  withProvider: boolean,
): Promise<World> {
  const dataDir = path.resolve(folder);
  mkdirSync(dataDir, { recursive: true });
  const { databaseUrl, stop } = await openDatabase(dataDir, `bench_${tokens}`);
  const secret = await ensureLocalSecret(dataDir);
  loadSettings({ ...process.env, DATABASE_URL: databaseUrl, GATEHOUSE_SECRET: secret });
  await migrate(databaseUrl);
  await applyConfiguration(JSON.stringify(configuration()), { env: {} });
  try {
    return await withClient(databaseUrl, async (db) => {
      await seedPeopleAndClients(db, clients);
      await seedTokens(db, tokens);
      await seedProvider(db, withProvider ? tokens : 0);
      await db.query('truncate audit_events');
      await settle(db);
      const cookies = await seedSessions();
      const postmaster = await postmasterOf(db);
      return { databaseUrl, secret, tokens, postmaster, cookies, stop };
    });
  } finally {
    await closePool();
  }
}

function configuration() {
  return {
    auth_methods: [{ id: values.METHOD, type: 'local', name: 'E-mail and password' }],
    apis: [
      {
        id: values.API,
        name: 'Orders',
        description: 'Orders',
        url: values.API_URL,
        auth_methods: [values.METHOD],
        scopes: values.SCOPES.map((name) => ({ name, description: name })),
        introspection_secret: values.API_SECRET,
      },
    ],
    clients: [
      ...[values.CLIENT, values.TRUSTED_CLIENT].map((client_id) => ({ client_id })),
      ...openIdClients.map(({ clientId, alg }) => ({
        client_id: clientId,
        id_token_signed_response_alg: alg,
      })),
    ].map((client) => ({
      ...client,
      client_name: client.client_id,
      confidential: true,
      client_secret: values.CLIENT_SECRET,
      redirect_uris: [values.REDIRECT_URI],
    })),
    subscriptions: [
      ...[values.CLIENT, ...openIdClients.map(({ clientId }) => clientId)].map((client_id) => ({
        client_id,
        api: values.API,
        ...(client_id === values.CLIENT ? { machine: true, approved_by: ADMIN } : {}),
      })),
      {
        client_id: values.TRUSTED_CLIENT,
        api: values.API,
        trusted: true,
        approved_by: ADMIN,
      },
    ],
    users: [{ email: ADMIN, name: 'Admin', password: values.PASSWORD, roles: ['administrator'] }],
  };
}

async function seedPeopleAndClients(db: pg.Client, clients: number): Promise<void> {
  await db.query(
    `insert into people (id, email, name, password_hash)
     select ${personSql('i')}, 'person' || i || '@bench.example', 'Person ' || i, a.password_hash
     from generate_series(0, $1::int - 1) as i, people a where a.email = 'admin@bench.example' on conflict do nothing`,
    [values.PEOPLE],
  );
  await db.query(
    `insert into consents (person_id, client_id, api_id, scopes)
     select ${personSql('i')}, client, $3, $4::text[]
     from generate_series(0, $1::int - 1) as i, unnest($2::text[]) as client on conflict do nothing`,
    [
      values.PEOPLE,
      [values.CLIENT, ...openIdClients.map(({ clientId }) => clientId)],
      values.API,
      ['openid', ...values.SCOPES],
    ],
  );
  await db.query("delete from clients where client_id like 'filler-%'");
  await db.query(
    `insert into clients (client_id, name, confidential, application_type, redirect_uris)
     select 'filler-' || i, 'Filler ' || i, true, 'web', array['https://filler-' || i || '.example/callback']
     from generate_series(1, $1::int - 2) as i`,
    [clients],
  );
  await db.query(
    `insert into client_secrets (client_id, secret_hash)
     select client_id, sha256(convert_to(client_id, 'utf8')) from clients where client_id like 'filler-%'`,
  );
  await db.query(
    `insert into subscriptions (client_id, api_id, state)
     select client_id, $1, 'approved' from clients where client_id like 'filler-%'`,
    [values.API],
  );
}

async function seedTokens(db: pg.Client, tokens: number): Promise<void> {
  // deletes rows of earlier runs, so that every run starts with exactly this number of active tokens
  await db.query(
    'truncate codes, refresh_tokens, opaque_tokens, machine_tokens, token_families, sessions, attempts',
  );
  const epoch = epochSql({
    person: 'co.person_id',
    client: '$2',
    api: '$3',
    method: '$4',
    basis: "'consent'",
  });
  const epochs = `(select co.person_id, ${epoch} as epoch from consents co where client_id = $2 and api_id = $3) e`;
  // without statistics about the new tables, PostgreSQL would choose a nested loop, which takes an hour for ten
  // million rows
  await db.query('analyze people, consents');
  await db.query('set enable_nestloop = off');
  const families = `('10000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`;
  await withoutIndexes(db, ['token_families', 'refresh_tokens'], async () => {
    await db.query(
      `insert into token_families
         (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch, expires_at)
       select ${families}, ${personSql('i')}, $2, $3, $4, 'consent', $5::text[], now(), e.epoch,
         now() + interval '90 days'
       from generate_series(0, $1::int - 1) as i join ${epochs} on e.person_id = ${personSql('i')} order by hashint4(i)`,
      [tokens, values.CLIENT, values.API, values.METHOD, values.SCOPES],
    );
    await db.query(
      `insert into refresh_tokens (token_hash, family_id, expires_at)
       select sha256(convert_to(${tokenSql('ghr_')}, 'utf8')), ${families}, now() + interval '30 days'
       from generate_series(0, $1::int - 1) as i order by hashint4(i)`,
      [tokens],
    );
  });
  await db.query('reset enable_nestloop');
}

type Codes = { from: number; count: number; clientId: string; openid: boolean };

/**
 * Inserts unredeemed codes, numbered from `from`. Codes of an `openid` request refer to the session of their
 * person.
 */
export async function seedCodes(
  databaseUrl: string,
  { from, count, clientId, openid }: Codes,
): Promise<void> {
  const { API, METHOD, REDIRECT_URI, SCOPES, CHALLENGE } = values;
  const of = { person: personSql('i'), client: '$3', api: '$4', method: '$5', basis: "'consent'" };
  await withClient(databaseUrl, async (db) => {
    await db.query(
      `insert into codes (code_hash, client_id, api_id, auth_method_id, person_id, redirect_uri, scopes, scope_asked,
         code_challenge, basis, auth_time, epoch, openid, session_hash, expires_at)
       select sha256(convert_to(${tokenSql('ghc_')}, 'utf8')), $3, $4, $5, ${personSql('i')}, $6, $7::text[], true, $8,
         'consent', now(), ${epochSql(of)}, $9::jsonb,
         (select s.id_hash from sessions s where $9 is not null and s.person_id = ${personSql('i')} and s.ended_at is null limit 1),
         now() + interval '1 day'
       from generate_series($1::int, $2::int) as i`,
      [
        from,
        from + count - 1,
        clientId,
        API,
        METHOD,
        REDIRECT_URI,
        openid ? ['openid', ...SCOPES] : SCOPES,
        CHALLENGE,
        openid ? '{"nonce": "bench-nonce", "idToken": [], "userinfo": []}' : null,
      ],
    );
    await db.query('vacuum (analyze) codes');
  });
}

/** Inserts sessions of signed-in browsers, one per user. */
async function seedSessions(): Promise<string[]> {
  const cookies: string[] = [];
  for (let i = 0; i < values.PEOPLE; i += 1) {
    const session = await startSession({
      cookieHeader: undefined,
      authMethodId: values.METHOD,
      personId: `00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`,
      personEpoch: '0',
      methodEpoch: null,
      ip: null,
      userAgent: null,
      requestId: randomBytes(8).toString('hex'),
    });
    cookies.push(session?.cookie.split(';')[0] as string);
  }
  return cookies;
}
