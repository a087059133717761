// An explanation predicts a request's result. Each situation is explained, then requested at the authorize and token
// endpoints. Both must agree on outcome, reason and claims.
import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { explainAccess, stepInEnglish } from '#lib/management/explanation.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { freshPkce } from '#testing/net/pkce.ts';

const PATH = '/auth/pw/api/orders';
const SECRET = 'S1-conf-secret-of-the-fixtures';
const REDIRECT = 'https://conf.example/cb';

type Situation = {
  client?: string;
  subscription?: string | null;
  api?: string;
  person?: 'alice' | 'dave' | 'unknown';
  scope?: string | undefined;
  machine?: boolean;
};

beforeAll(givenFixtures);
/** Restores the state of the fixtures. */
beforeEach(async () => {
  await sql(`delete from consents`);
  await sql(
    `update clients set disabled_at = null, confidential = true, redirect_uris = $1 where client_id = 'conf'`,
    [[REDIRECT]],
  );
  await sql(
    `update apis set require_scope = false, required_acr = null, second_factor = null where id = 'orders'`,
  );
  await sql(
    `insert into subscriptions (client_id, api_id, state) values ('conf', 'orders', 'approved') on conflict do nothing`,
  );
  await sql(`update subscriptions set state = 'approved', trusted = false, machine = false, scopes = '{}', required_claim = null, max_days = null
    where client_id = 'conf' and api_id = 'orders'`);
});

async function given({ client, subscription, api }: Situation): Promise<void> {
  if (client) await sql(`update clients set ${client} where client_id = 'conf'`);
  if (subscription === null)
    await sql(`delete from subscriptions where client_id = 'conf' and api_id = 'orders'`);
  else if (subscription)
    await sql(`update subscriptions set ${subscription} where client_id = 'conf' and api_id = 'orders'`);
  if (api) await sql(`update apis set ${api} where id = 'orders'`);
}

const emailOf = (person: Situation['person'] = 'alice') => `${person}@example.com`;

/** Returns the rejecting step of the explanation, or the claims of its token. */
async function explained({ person, scope, machine }: Situation) {
  const { steps, token } = await explainAccess(OPERATOR, {
    clientId: 'conf',
    api: 'orders',
    authMethod: 'pw',
    ...(machine ? {} : { email: emailOf(person) }),
    scope,
  });
  const refused = steps.filter(({ ok }) => !ok).map(stepInEnglish);
  expect(refused.length).toBe(token ? 0 : 1);
  for (const { reason, change } of refused) {
    expect(reason).toMatch(/\w/);
    expect(change).toMatch(/\w/);
  }
  return { refused: refused[0]?.step ?? null, token: token ? comparable(token) : null };
}

/** Returns the claims without those that differ for each token. */
function comparable(claims: Record<string, unknown>): Record<string, unknown> {
  const { jti, iat, exp, auth_time, amr, ...same } = claims;
  return { ...same, lives: Number(exp) - Number(iat) };
}

const form = (values: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );

/** Returns the actual result: the claims of the token, or the rejecting endpoint. */
async function asked(situation: Situation) {
  const { machine, scope } = situation;
  if (machine) return tokenOf(form({ grant_type: 'client_credentials', scope }));
  const person = await sql<{ id: string }>('select id from people where email = $1 and disabled_at is null', [
    emailOf(situation.person),
  ]);
  const cookie = person.length > 0 ? (await signInTo(emailOf(situation.person))).cookie : '';
  const { verifier, params } = freshPkce();
  const query = form({ client_id: 'conf', response_type: 'code', scope, ...params });
  const [redirectUri] =
    (await sql<{ uris: string[] }>(`select redirect_uris as uris from clients where client_id = 'conf'`))[0]
      ?.uris ?? [];
  const answer = async () =>
    ask(
      `${PATH}/authorize?${new URLSearchParams({ ...query, ...(redirectUri && { redirect_uri: redirectUri }) })}`,
      {
        headers: { cookie },
      },
    );
  let came = await answer();
  if (locationOf(came).includes('/consent?')) {
    await sql(
      `insert into consents (person_id, client_id, api_id, scopes) select id, 'conf', 'orders', $2 from people where email = $1`,
      [emailOf(situation.person), ['openid', 'profile', 'email', 'read', 'write']],
    );
    came = await answer();
  }
  const location = locationOf(came);
  if (came.status === 400) return { refused: 'page', token: null };
  if (!location.startsWith(REDIRECT))
    return { refused: /\/([a-z-]+)\?/.exec(location)?.[1] ?? 'html', token: null };
  const { searchParams } = new URL(location);
  const code = searchParams.get('code');
  if (!code) return { refused: searchParams.get('error'), token: null };
  return tokenOf({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier });
}

/** Returns the credentials of the client. A public client sends no secret. */
async function credentials(): Promise<Record<string, string>> {
  const [row] = await sql<{ confidential: boolean }>(
    `select confidential from clients where client_id = 'conf'`,
  );
  return { client_id: 'conf', ...(row?.confidential && { client_secret: SECRET }) };
}

async function tokenOf(values: Record<string, string>) {
  const body = jsonOf(await ask(`${PATH}/token`, { form: { ...(await credentials()), ...values } }));
  const token = body['access_token'];
  return typeof token === 'string'
    ? { refused: null, token: comparable(decodeJwt(token)) }
    : { refused: String(body['error']), token: null };
}

/** Steps that can cause a rejection, by the visible error. */
const STEPS_OF: Record<string, string[]> = {
  page: ['client', 'redirect_uri'],
  login: ['person'],
  unauthorized_client: ['subscription', 'machine'],
  unsupported_grant_type: ['machine'],
  invalid_client: ['client'],
  invalid_scope: ['scope'],
  unmet_authentication_requirements: ['second_factor'],
  access_denied: ['claim'],
  html: ['claim'],
};

const SUBSCRIPTIONS: [string, Situation][] = [
  ['an approved subscription', {}],
  ['no subscription', { subscription: null }],
  ['a pending one', { subscription: `state = 'pending'` }],
  ['a rejected one', { subscription: `state = 'rejected'` }],
  ['a suspended one', { subscription: `state = 'suspended'` }],
  ['a revoked one', { subscription: `state = 'revoked'` }],
  ['a trusted one', { subscription: 'trusted = true' }],
  ['one with a ceiling', { subscription: `scopes = '{read}'` }],
  ['a trusted one with a ceiling', { subscription: `trusted = true, scopes = '{write}'` }],
  ['a machine’s', { subscription: 'machine = true' }],
  ['one for other people', { subscription: `required_claim = '{"name": "groups", "values": ["finance"]}'` }],
];
const SCOPES: [string, string | undefined][] = [
  ['no scope', undefined],
  ['a scope', 'read'],
  ['two scopes', 'read write'],
  ['openid', 'openid profile read'],
  ['an unknown scope', 'nope'],
];
const OTHERS: [string, Situation][] = [
  ['a disabled client', { client: 'disabled_at = now()' }],
  ['a client without a redirect address', { client: `redirect_uris = '{}'` }],
  ['a public client', { client: 'confidential = false' }],
  ['a disabled person', { person: 'dave' }],
  ['a person who is not there', { person: 'unknown' }],
  ['an API that demands a scope', { api: 'require_scope = true' }],
  ['an API that demands a scope, which is named', { api: 'require_scope = true', scope: 'write' }],
  [
    'an API with second factors switched off, which requires one',
    { api: `required_acr = 'urn:gatehouse:acr:mfa', second_factor = 'off'` },
  ],
  [
    'a machine of a disabled client',
    { machine: true, subscription: 'machine = true', client: 'disabled_at = now()' },
  ],
  ['a machine without a subscription', { machine: true, subscription: null }],
];

const table: [string, Situation][] = [
  ...SUBSCRIPTIONS.flatMap(([what, one]) =>
    SCOPES.flatMap(([which, scope]): [string, Situation][] => [
      [`${what}, ${which}`, { ...one, scope }],
      [`${what}, ${which}, in the client’s own name`, { ...one, scope, machine: true }],
    ]),
  ),
  ...OTHERS,
];

describe('an explanation and a request agree', () => {
  test.each(table)('explanation and request name the same step: %s', async (_, situation) => {
    await given(situation);
    const told = await explained(situation);
    const got = await asked(situation);
    expect(told.token).toEqual(got.token);
    if (got.refused !== null) expect(STEPS_OF[got.refused] ?? [got.refused]).toContain(told.refused);
  });
});
