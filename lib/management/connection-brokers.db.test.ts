// Connection tests of brokers, with brokers that fail in every known way.
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { type ScriptedBroker, startScriptedBroker } from '#testing/brokers/scripted-broker.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import { listen } from '#testing/net/listen.ts';
import type { ConnectionTest } from './connection-steps.ts';
import { testAuthMethod } from './connections.ts';

const SECRET = 'the secret of the broker, with signs: %+/';
let admin: Awaited<ReturnType<typeof givenPerson>>;
let broker: ScriptedBroker;

beforeAll(async () => {
  setLogLevel('silent');
  admin = { ...(await givenPerson('root', 'administrator')), signedInAt: new Date() };
  broker = await startScriptedBroker();
});
afterAll(() => broker.close());
beforeEach(async () => {
  await sql('delete from attempts');
  await sql("delete from auth_methods where id = 'it'");
  broker.script.metadata = {};
  broker.script.token = refusesTheCode;
  broker.asked.length = 0;
});

const refusesTheCode = () => ({ status: 400, body: { error: 'invalid_grant' } });

async function tested(type: 'broker', config: object, secret?: string): Promise<ConnectionTest> {
  const made = { id: 'it', type, name: 'It', config: { ...config } };
  await createAuthMethod(admin, secret === undefined ? made : { ...made, secret });
  const told = await testAuthMethod(admin, { id: 'it' });
  if (secret !== undefined) expect(JSON.stringify(told)).not.toContain(secret);
  return told;
}

const shown = ({ steps }: ConnectionTest) => steps.map(({ check, state }) => `${check.text}: ${state}`);
const stepOf = ({ steps }: ConnectionTest, check: string) => steps.find((one) => one.check.text === check);

test('OpenID Connect: the connection test checks metadata, endpoints, clock, keys and client secret, without a user', async () => {
  broker.script.metadata = { authorization_endpoint: `${broker.issuer}/jwks` };
  const told = await tested('broker', broker.config, SECRET);
  expect(shown(told)).toEqual([
    'Metadata: ok',
    'Endpoints: ok',
    'Clock: ok',
    'Keys: ok',
    'Authorization address: ok',
    'Our client id and secret: ok',
  ]);
  expect(told.state).toBe('ok');
  const token = broker.asked.find(({ path }) => path === '/token');
  expect(atob(token?.authorization?.split(' ')[1] ?? '')).toContain('gatehouse:the+secret');
  expect(stepOf(told, 'Our client id and secret')?.answered).toBe(
    '400 application/json: {"error":"invalid_grant"}',
  );
  const events = await sql("select details from audit_events where event = 'connection.tested'");
  expect(events.at(-1)).toEqual({ details: { what: 'auth-method', outcome: 'ok' } });
});

const isBroken = (check: string, found: RegExp, change: RegExp) => ({ check, found, change });
const BROKERS: [string, () => void, ReturnType<typeof isBroken>][] = [
  [
    'another issuer',
    () => {
      broker.script.metadata = { issuer: 'https://login.example' };
    },
    isBroken('Metadata', /contain the issuer/, /Set the issuer to/),
  ],
  [
    'no token endpoint',
    () => {
      broker.script.metadata = { token_endpoint: undefined };
    },
    isBroken('Endpoints', /do not contain/, /Ask the provider/),
  ],
  [
    'no authorization code',
    () => {
      broker.script.metadata = { response_types_supported: ['id_token'] };
    },
    isBroken('Endpoints', /does not support/, /Allow/),
  ],
  [
    'unknown algorithms',
    () => {
      broker.script.metadata = { id_token_signing_alg_values_supported: ['HS256'] };
    },
    isBroken('Endpoints', /does not sign ID tokens/, /sign/),
  ],
  [
    'no keys',
    () => {
      broker.script.metadata = { jwks_uri: `${broker.issuer}/none` };
    },
    isBroken('Keys', /No key set/, /jwks_uri/),
  ],
  [
    'an unknown redirect address',
    () => {
      broker.script.metadata = { authorization_endpoint: `${broker.issuer}/authorize` };
    },
    isBroken('Authorization address', /Nothing was found at this address/, /Register/),
  ],
  [
    'a wrong secret',
    () => {
      broker.script.token = () => ({
        status: 401,
        body: { error: 'invalid_client', error_description: SECRET },
      });
    },
    isBroken('Our client id and secret', /does not accept/, /Compare our client id and secret/),
  ],
  [
    'no right to codes',
    () => {
      broker.script.token = () => ({ status: 400, body: { error: 'unauthorized_client' } });
    },
    isBroken('Our client id and secret', /does not allow/, /Allow the authorization code/),
  ],
  [
    'a page at the token address',
    () => {
      broker.script.token = () => ({ status: 404, body: '<p>Not found</p>' });
    },
    isBroken('Our client id and secret', /not a token endpoint/, /token_endpoint/),
  ],
  [
    'an error at the token address',
    () => {
      broker.script.token = () => ({ status: 503, body: {} });
    },
    isBroken('Our client id and secret', /fails/, /log/),
  ],
];

test.each(BROKERS)(
  'for a broker with %s, the failing test step suggests a change',
  async (_, breakIt, expected) => {
    broker.script.metadata = { authorization_endpoint: `${broker.issuer}/jwks` };
    breakIt();
    if (!broker.script.metadata['authorization_endpoint'])
      broker.script.metadata['authorization_endpoint'] = `${broker.issuer}/jwks`;
    const told = await tested('broker', broker.config, SECRET);
    expect(told.state).toBe('broken');
    const step = stepOf(told, expected.check);
    expect(step?.state).toBe('broken');
    expect(step?.found.text).toMatch(expected.found);
    expect(step?.change?.text).toMatch(expected.change);
  },
);

test('a client secret repeated by a broker is removed from responses in every encoding', async () => {
  broker.script.metadata = { authorization_endpoint: `${broker.issuer}/jwks` };
  broker.script.token = (authorization = '') => ({
    status: 401,
    body: { error: 'invalid_client', error_description: `${authorization} ${atob(authorization.slice(6))}` },
  });
  const told = await tested('broker', broker.config, SECRET);
  expect(stepOf(told, 'Our client id and secret')?.answered).toBe(
    '401 application/json: {"error":"invalid_client","error_description":"Basic … gatehouse:…"}',
  );
});

test('the connection test parses a broker’s redirect to Gatehouse, and follows no redirect', async () => {
  const answers: string[] = [];
  const server = await listen(
    http.createServer((request, response) => {
      const asked = new URL(request.url ?? '', 'http://it');
      const to = asked.searchParams.get('redirect_uri') ?? '';
      response.writeHead(302, { location: `${to}?error=${answers[0]}` }).end();
    }),
  );
  broker.script.metadata = { authorization_endpoint: server.url };
  for (const [error, state] of [
    ['login_required', 'ok'],
    ['invalid_scope', 'broken'],
  ] as const) {
    answers[0] = error;
    await sql("delete from auth_methods where id = 'it'");
    const told = await tested('broker', broker.config, SECRET);
    expect(stepOf(told, 'Authorization address')?.state).toBe(state);
  }
  await server.close();
});

test('plain OAuth 2.0: the connection test passes if the broker rejects the test’s code, and userinfo a call without a token', async () => {
  broker.script.userinfo = { status: 401, body: {} };
  broker.script.token = () => ({ body: 'error=bad_verification_code' });
  const told = await tested(
    'broker',
    { ...broker.plain, authorization_endpoint: `${broker.issuer}/jwks` },
    SECRET,
  );
  broker.script.userinfo = null;
  expect(shown(told)).toEqual([
    'Authorization address: ok',
    'Our client id and secret: ok',
    'Userinfo address: ok',
  ]);
  expect(broker.asked.find(({ path }) => path === '/token')?.form.get('client_secret')).toBe(SECRET);
});
