// Anybody can send a public client's client_id. Tests every grant that depends on the client's rights, with each kind
// of public client and with a confidential client that has these rights.
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { BROKER_PATH } from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { openIdTokens, signInTo } from '#testing/in-process/openid.ts';

type Form = Record<string, string>;

const PATH = '/auth/pw/api/orders';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TYPE = 'urn:ietf:params:oauth:token-type:';
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

const basic = (clientId: string) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:`).toString('base64')}`,
});

/** Requests in which a public client names itself (RFC 6749 §2.3.1: an empty password is no password). */
const PUBLIC: [string, Form, Record<string, string>][] = ['trunat', 'truspa'].flatMap((id) => [
  [`${id}, by client_id`, { client_id: id }, {}],
  [`${id}, by Basic with an empty password`, {}, basic(id)],
  [`${id}, by both`, { client_id: id }, basic(id)],
]);

let person: { access_token?: string; refresh_token?: string; id_token?: string };

beforeAll(async () => {
  await givenFixtures();
  await createClient(OPERATOR, {
    clientId: 'truspa',
    name: 'Truspa',
    kind: 'browser',
    redirectUris: ['https://truspa.example/cb'],
  });
  await sql(
    "insert into subscriptions (client_id, api_id, state) values ('tru', 'billing', 'approved') on conflict do nothing",
  );
  for (const clientId of ['truspa', 'trunat', 'tru'])
    for (const api of ['orders', 'billing']) {
      await requestSubscription(OPERATOR, { clientId, api, trusted: true }).catch(() => undefined);
      await decideSubscription(OPERATOR, { clientId, api, action: 'approve' }).catch(() => undefined);
    }
  // forms do not offer these rights for public clients, so the test sets them in the database; the protocol
  // must reject the clients
  await sql(
    "update subscriptions set machine = true, device = true, trusted = true, state = 'approved' where client_id in ('truspa', 'trunat', 'tru')",
  );
  await sql(
    "update clients set id_jag_audiences = '{https://away.example}' where client_id in ('truspa', 'trunat', 'tru')",
  );
  const { cookie } = await signInTo('alice@example.com');
  person = await openIdTokens(TRU, { cookie, scope: 'openid read' });
});

const exchange = (over: Form): Form => ({
  grant_type: EXCHANGE,
  subject_token: person.access_token ?? '',
  subject_token_type: `${TYPE}access_token`,
  audience: 'orders',
  ...over,
});

/** Grants under test. `proved`: status for a confidential client with the same rights. */
const KIND: [string, path: string, form: () => Form, proved: number][] = [
  ...['/auth/token', `${PATH}/token`].flatMap((path): [string, string, () => Form, number][] => {
    const here = path === '/auth/token' ? 200 : 400;
    return [
      [`an access token at ${path}`, path, () => exchange({}), here],
      [`an access token for another API at ${path}`, path, () => exchange({ audience: 'billing' }), here],
      [`a JWT at ${path}`, path, () => exchange({ subject_token_type: `${TYPE}jwt` }), here],
      [
        `a refresh token at ${path}`,
        path,
        () =>
          exchange({ subject_token: person.refresh_token ?? '', subject_token_type: `${TYPE}refresh_token` }),
        400,
      ],
      [
        `an ID token at ${path}`,
        path,
        () => exchange({ subject_token: person.id_token ?? '', subject_token_type: `${TYPE}id_token` }),
        400,
      ],
      [
        `an actor token at ${path}`,
        path,
        () => exchange({ actor_token: person.access_token ?? '', actor_token_type: `${TYPE}access_token` }),
        here,
      ],
      [
        `an ID-JAG at ${path}`,
        path,
        () =>
          exchange({
            requested_token_type: `${TYPE}id-jag`,
            audience: 'https://away.example',
            subject_token: person.id_token ?? '',
            subject_token_type: `${TYPE}id_token`,
          }),
        200,
      ],
    ];
  }),
  ['client credentials', `${PATH}/token`, () => ({ grant_type: 'client_credentials' }), 200],
  [
    'the grant of an ID-JAG',
    `${BROKER_PATH}/token`,
    () => ({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x.y.z' }),
    400,
  ],
];

describe.each(KIND)('grant: %s', (_, path, form, proved) => {
  test.each(PUBLIC)('the error unauthorized_client is returned to %s', async (__, named, headers) => {
    const answer = await ask(path, { form: { ...form(), ...named }, headers });
    expect([answer.status, jsonOf(answer)['error']]).toEqual([400, 'unauthorized_client']);
  });

  test('a confidential client with equal rights never receives unauthorized_client', async () => {
    const answer = await ask(path, { form: { ...form(), ...TRU } });
    expect(answer.status).toBe(proved);
    expect(jsonOf(answer)['error']).not.toBe('unauthorized_client');
  });
});

test.each(PUBLIC)('RFC 7662 §2.1: introspection by %s returns 401', async (_, named, headers) => {
  const form = { token: person.access_token ?? '', ...named };
  expect((await ask(`${PATH}/introspect`, { form, headers })).status).toBe(401);
});

describe.each(PUBLIC)('requests that %s may send without authentication', (_, named, headers) => {
  const post = (path: string, form: Form) => ask(`${PATH}${path}`, { form: { ...form, ...named }, headers });

  test('specification 4.6: a password grant, a refresh and a revocation succeed without client authentication', async () => {
    const given = jsonOf(
      await post('/token', {
        grant_type: 'password',
        username: 'alice@example.com',
        password: 'alice-password-1',
      }),
    );
    expect(given).toMatchObject({ token_type: 'bearer', scope: 'read write' });
    const renewed = jsonOf(
      await post('/token', { grant_type: 'refresh_token', refresh_token: String(given['refresh_token']) }),
    );
    expect(renewed['access_token']).toEqual(expect.any(String));
    expect((await post('/revoke', { token: String(renewed['refresh_token']) })).status).toBe(200);
    const after = await post('/token', {
      grant_type: 'refresh_token',
      refresh_token: String(renewed['refresh_token']),
    });
    expect(jsonOf(after)['error']).toBe('invalid_grant');
  });

  test('RFC 9126 §2: a pushed authorization request succeeds without client authentication', async () => {
    const [id = ''] = [
      named['client_id'] ??
        Buffer.from(headers['authorization']?.slice(6) ?? '', 'base64')
          .toString()
          .slice(0, -1),
    ];
    const redirect = id === 'truspa' ? 'https://truspa.example/cb' : 'com.example.trunat:/cb';
    const answer = await post('/par', {
      response_type: 'code',
      redirect_uri: redirect,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    expect(answer.status).toBe(201);
  });

  test('RFC 8628 §3.1: a device code is issued without client authentication', async () => {
    await sql("update apis set device_grant = 'on' where id = 'orders'");
    expect((await post('/device_authorization', {})).status).toBe(200);
  });
});

test('a public client that sends a secret or a Basic password still receives 401', async () => {
  const form = { grant_type: 'client_credentials' };
  const headers = { authorization: `Basic ${Buffer.from('trunat:secret').toString('base64')}` };
  expect((await ask(`${PATH}/token`, { form, headers })).status).toBe(401);
  expect(
    (await ask(`${PATH}/token`, { form: { ...form, client_id: 'trunat', client_secret: 'x' } })).status,
  ).toBe(401);
});
