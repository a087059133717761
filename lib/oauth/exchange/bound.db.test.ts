// Exchanging a bound token requires a proof of its key (RFC 9449 §7). Each endpoint that reads a subject or actor token
// is tested without a proof, with a wrong key, and with the right key.
import { beforeAll, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { CONF, givenAlice, letAct } from '#testing/in-process/delegations.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, openIdCode, signInTo } from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

type Form = Record<string, string>;

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const TYPE = 'urn:ietf:params:oauth:token-type:';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const AREA_A = () => `${settings().baseUrl}/auth/token`;
const ISSUER = () => `${settings().authUrl}${OPENID_PATH}/token`;

let holder: ProofKey;
let thief: ProofKey;
const tokens: Record<'jwt' | 'opaque' | 'machine' | 'bearer' | 'agent', string> = {
  jwt: '',
  opaque: '',
  machine: '',
  bearer: '',
  agent: '',
};

async function post(address: string, form: Form, by: ProofKey | null) {
  const headers: Record<string, string> = by ? { dpop: await proofOf(by, { address }) } : {};
  return jsonOf(await ask(new URL(address).pathname, { form, headers }));
}

const accessToken = async (form: Form, by: ProofKey | null, address = ISSUER()) =>
  String((await post(address, form, by))['access_token']);

beforeAll(async () => {
  await givenFixtures();
  [holder, thief] = await Promise.all([proofKey(), proofKey()]);
  await sql(
    `insert into subscriptions (client_id, api_id, state, trusted) values ('tru', 'billing', 'approved', true)
     on conflict (client_id, api_id) do update set state = 'approved', trusted = true`,
  );
  await sql("update subscriptions set machine = true where client_id in ('conf', 'tru')");
  const { cookie } = await signInTo('alice@example.com');
  const code = async () => ({
    ...TRU,
    grant_type: 'authorization_code',
    code: await openIdCode(TRU, { cookie, scope: 'read' }),
  });
  tokens.jwt = await accessToken(await code(), holder);
  tokens.bearer = await accessToken(await code(), null);
  const toBilling = {
    ...TRU,
    grant_type: EXCHANGE,
    subject_token: tokens.bearer,
    subject_token_type: `${TYPE}access_token`,
    audience: 'billing',
  };
  tokens.opaque = await accessToken(toBilling, holder, AREA_A());
  tokens.machine = await accessToken({ ...CONF, grant_type: 'client_credentials' }, holder);
  const alice = await givenAlice();
  await letAct(alice, 'billing', ['read']);
  tokens.agent = alice.actor;
  await changeClient(OPERATOR, { clientId: 'tru', idJagAudiences: ['https://away.example'] });
});

const subject = (token: keyof typeof tokens, audience: string): Form => ({
  ...TRU,
  grant_type: EXCHANGE,
  subject_token: tokens[token],
  subject_token_type: `${TYPE}access_token`,
  audience,
});

const actor = (token: keyof typeof tokens): Form => ({
  actor_token: tokens[token],
  actor_token_type: `${TYPE}access_token`,
});

/** Endpoints that read a presented token: address, request, and `token_type` of the response. */
const READERS: [string, address: () => string, form: () => Form, type: string][] = [
  ['a subject token, JWT', AREA_A, () => subject('jwt', 'billing'), 'DPoP'],
  [
    'a subject token, JWT by that type',
    AREA_A,
    () => ({ ...subject('jwt', 'billing'), subject_token_type: `${TYPE}jwt` }),
    'DPoP',
  ],
  ['a subject token, opaque', AREA_A, () => subject('opaque', 'orders'), 'DPoP'],
  ['an actor token of a user', AREA_A, () => ({ ...subject('bearer', 'billing'), ...actor('jwt') }), 'DPoP'],
  [
    'an actor token of a client',
    AREA_A,
    () => ({ ...subject('bearer', 'billing'), ...actor('machine') }),
    'DPoP',
  ],
  [
    'an actor token of the client that acts',
    AREA_A,
    () => ({ ...subject('bearer', 'billing'), ...CONF, ...actor('machine') }),
    'DPoP',
  ],
  [
    'a subject token for an ID-JAG at /auth/token',
    AREA_A,
    () => ({ ...subject('jwt', 'https://away.example'), requested_token_type: `${TYPE}id-jag` }),
    'N_A',
  ],
  [
    'a subject token for an ID-JAG at the issuer',
    ISSUER,
    () => ({ ...subject('jwt', 'https://away.example'), requested_token_type: `${TYPE}id-jag` }),
    'N_A',
  ],
];

describe.each(READERS)('use of a bound token: %s', (_, address, form, type) => {
  test('a request without a proof or with a proof of another key is rejected', async () => {
    for (const by of [null, thief])
      expect(await post(address(), form(), by)).toMatchObject({ error: 'invalid_dpop_proof' });
  });

  test('a request with a proof of the token’s key is accepted', async () => {
    expect(await post(address(), form(), holder)).toMatchObject({ token_type: type });
  });
});

test('proofs of another key are also rejected for APIs with dpop: required and for exchanged tokens', async () => {
  await changeApi(OPERATOR, { id: 'billing', dpop: 'required' });
  expect(await post(AREA_A(), subject('jwt', 'billing'), thief)).toMatchObject({
    error: 'invalid_dpop_proof',
  });
  const again = { ...subject('jwt', 'orders'), subject_token: tokens.opaque };
  expect(await post(AREA_A(), again, thief)).toMatchObject({ error: 'invalid_dpop_proof' });
  await changeApi(OPERATOR, { id: 'billing', dpop: 'optional' });
});

test('a bearer token needs no proof, and an exchange with a proof of any key returns a bound token', async () => {
  expect(await post(AREA_A(), subject('bearer', 'billing'), null)).toMatchObject({ token_type: 'bearer' });
  expect(await post(AREA_A(), subject('bearer', 'billing'), thief)).toMatchObject({ token_type: 'DPoP' });
});

test('the confidential client in aud can exchange a bound token without the token’s key', async () => {
  const secret = 'audience-secret-of-this-test-0123456789';
  await sql(
    `insert into clients select (jsonb_populate_record(c, '{"client_id":"https://api.example/orders"}')).* from clients c where client_id = 'tru'`,
  );
  await sql(
    `insert into client_secrets (client_id, secret_hash, created_at) values ('https://api.example/orders', sha256($1), now())`,
    [secret],
  );
  await sql(
    `insert into subscriptions (client_id, api_id, state, trusted) values ('https://api.example/orders', 'billing', 'approved', true)`,
  );
  const form = {
    ...subject('jwt', 'billing'),
    client_id: 'https://api.example/orders',
    client_secret: secret,
  };
  expect(await post(AREA_A(), form, null)).toMatchObject({ token_type: 'bearer' });
  // another API's token has a different audience
  expect(await post(AREA_A(), { ...form, subject_token: tokens.opaque }, null)).toMatchObject({
    error: 'invalid_dpop_proof',
  });
});
