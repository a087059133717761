// Broker options: subject claim, extra authorization parameters, and the email list endpoint.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { changeAuthMethod, createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { testAuthMethod } from '#lib/management/connections.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { query } from '#lib/store/pool.ts';
import { depart, givenBroker, signInAt } from '#testing/brokers/at-scripted-broker.ts';
import { type ScriptedBroker, startScriptedBroker } from '#testing/brokers/scripted-broker.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';

let broker: ScriptedBroker;
beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  broker = await startScriptedBroker();
});
afterAll(() => broker.close());
beforeEach(async () => {
  Object.assign(broker.script, { metadata: {}, idToken: {}, userinfo: null, token: null, emails: null });
  broker.asked.length = 0;
  await query({ text: `delete from external_identities where auth_method_id = 'brk'` });
});

const TOKEN = { access_token: 'given', token_type: 'bearer' };
type Known = { subject: string; email: string | null; verified: boolean; name: string | null };
/** Returns the callback’s status and the method’s stored users. */
async function known(): Promise<[number, ...Known[]]> {
  const { answer } = await signInAt(broker);
  const rows = await query<Known>({
    text: `select subject, email, email_verified as verified, name from external_identities
      where auth_method_id = 'brk' order by created_at`,
  });
  return [answer.status, ...rows];
}
const subjects = async () => {
  const [status, ...rows] = await known();
  return [status, ...rows.map(({ subject }) => subject)];
};

it.each<[unknown, object, (number | string)[]]>([
  ['oid', { oid: 'o-1' }, [303, 'o-1']],
  ['who.id', { who: { id: 7 } }, [303, '7']],
  ['https://a.example/id', { 'https://a.example/id': 'x' }, [303, 'x']],
  ['who.id', { 'who.id': 'itself', who: { id: 7 } }, [303, 'itself']],
  ['oid', {}, [400]],
  ['who.id', { who: ['id'] }, [400]],
  ['oid', { oid: null }, [400]],
  ['oid', { oid: 'o'.repeat(256) }, [400]],
  ['__proto__.constructor', {}, [400]],
])(
  'with an issuer, subject_claim %s is read from the ID token: %j',
  async (subject_claim, idToken, expected) => {
    broker.script.idToken = idToken as Record<string, unknown>;
    broker.script.userinfo = { body: { sub: 'somebody', oid: 'of userinfo' } };
    await givenBroker({ ...broker.config, subject_claim });
    expect(await subjects()).toEqual(expected);
  },
);

it('if a broker with an issuer gets or loses the setting subject_claim, its sign-ins create different users', async () => {
  broker.script.idToken = { oid: 'o-1' };
  await givenBroker(broker.config);
  expect(await subjects()).toEqual([303, 'somebody']);
  await givenBroker({ ...broker.config, subject_claim: 'oid' });
  expect(await subjects()).toEqual([303, 'o-1']);
  await givenBroker({ ...broker.config, subject_claim: 'sub' });
  expect(await subjects()).toEqual([303, 'somebody']);
  await givenBroker(broker.config);
  expect(await subjects()).toEqual([303, 'somebody']);
});

it('claim paths reach nested members, including name and email', async () => {
  await givenBroker({
    ...broker.plain,
    subject_claim: 'data.id',
    trust_email: true,
    claims: { name: 'data.name', email: 'data.mail.value', email_verified: 'data.mail.proved' },
  });
  broker.script.token = () => ({ body: TOKEN });
  const mail = { value: 'ada@a.example', proved: true };
  broker.script.userinfo = { body: { data: { id: '12', name: 'Ada', mail } } };
  expect(await known()).toEqual([
    303,
    { subject: '12', email: 'ada@a.example', verified: true, name: 'Ada' },
  ]);
});

it('user ids of a broker above 2^53 keep their exact digits, and adjacent ids are different users', async () => {
  await givenBroker(broker.plain);
  broker.script.token = () => ({ body: TOKEN });
  for (const id of ['9007199254740993', '9007199254740992', '12345678901234567890']) {
    broker.script.userinfo = { body: `{"id":${id}}` };
    await known();
  }
  expect((await subjects()).slice(1)).toEqual([
    '9007199254740993',
    '9007199254740992',
    '12345678901234567890',
  ]);
  for (const id of ['1.5', '1e20']) {
    broker.script.userinfo = { body: `{"id":${id}}` };
    expect((await known())[0], id).not.toBe(303);
  }
});

const mail = (email: string, primary: unknown, verified: unknown) => ({ email, primary, verified });
const MANY = Array.from({ length: 300 }, (_, at) => mail(`a${at}@a.example`, at === 299, true));
it.each<[string, unknown, string | null]>([
  ['the primary one', [mail('b@a.example', false, true), mail('a@a.example', true, true)], 'a@a.example'],
  ['none of three hundred but the last', MANY, 'a299@a.example'],
  ['no primary one', [mail('b@a.example', false, true)], null],
  ['a primary one that is not verified', [mail('a@a.example', true, false)], null],
  ['words instead of true', [mail('a@a.example', 'true', 'true')], null],
  ['none', [], null],
  ['odd entries', [null, 7, 'x', mail('a@a.example', true, true)], 'a@a.example'],
])('emails_endpoint determines the email address of the user: %s', async (_, emails, expected) => {
  await givenBroker({ ...broker.plain, emails_endpoint: `${broker.issuer}/emails`, trust_email: true });
  broker.script.token = () => ({ body: TOKEN });
  // userinfo contains a public, unverified address
  broker.script.userinfo = { body: { id: 7, email: 'public@evil.example', email_verified: true } };
  broker.script.emails = { body: emails };
  const verified = expected !== null;
  expect(await known()).toEqual([303, { subject: '7', email: expected, verified, name: null }]);
});

it.each<[string, { status?: number; body: unknown }]>([
  ['403', { status: 403, body: {} }],
  ['no list', { body: { email: 'a@a.example' } }],
  ['200 with an error inside', { body: { error: 'x' } }],
  ['more than 64 KiB', { body: [...MANY, ...MANY, ...MANY, ...MANY, ...MANY, ...MANY] }],
])('a failing emails_endpoint (%s) signs nobody in, and the known address remains', async (_, failed) => {
  await givenBroker({ ...broker.plain, emails_endpoint: `${broker.issuer}/emails`, trust_email: true });
  broker.script.token = () => ({ body: TOKEN });
  broker.script.userinfo = { body: { id: 7, email: 'public@evil.example' } };
  broker.script.emails = { body: [mail('a@a.example', true, true)] };
  await known();
  broker.script.emails = failed;
  expect(await known()).toMatchObject([503, { email: 'a@a.example', verified: true }]);
});

it('the authorize request contains authorization_parameters, and omits nonce and code_challenge if nonce and pkce are false', async () => {
  const config = { ...broker.config, authorization_parameters: { hd: 'a.example', access_type: 'offline' } };
  await givenBroker({ ...config, nonce: false, pkce: false });
  const { asked } = await depart(broker);
  expect([...asked.keys()].sort()).toEqual(
    ['access_type', 'client_id', 'hd', 'redirect_uri', 'response_type', 'scope', 'state'].sort(),
  );
  broker.script.idToken = { nonce: undefined };
  expect((await known())[0]).toBe(303);
  expect(broker.asked.find(({ path }) => path === '/token')?.form.has('code_verifier')).toBe(false);
  // an ID token with another request’s nonce
  broker.script.idToken = { nonce: 'of another request' };
  expect((await known())[0]).toBe(400);
});

it('the connection test warns about code injection if nonce and PKCE are both off', async () => {
  const proofs = async (config: object) => {
    await givenBroker({ ...broker.config, ...config });
    const { steps } = await testAuthMethod(OPERATOR, { id: 'brk' });
    return steps.filter(({ check }) => check.text === 'Proofs').map(({ state }) => state);
  };
  expect(await proofs({ nonce: false, pkce: false })).toEqual(['warning']);
  expect(await proofs({ nonce: false })).toEqual([]);
});

const PROOFS = [{ nonce: false }, { pkce: false }, { nonce: false, pkce: false }];
it.each(PROOFS)(
  'a broker with %j is rejected if it has no client_secret, or has shared_callback',
  async (proofs) => {
    const config = { ...broker.config, ...proofs };
    const method = { id: 'fresh', type: 'broker', name: 'Fresh', config } as const;
    const message = expect.stringContaining('must not be false without a client secret');
    await expect(createAuthMethod(OPERATOR, method)).rejects.toMatchObject({
      faults: expect.arrayContaining([expect.objectContaining({ message })]),
    });
    const shared = { id: 'brk', config: { ...config, shared_callback: true }, secret: 'a secret' };
    await expect(changeAuthMethod(OPERATOR, shared)).rejects.toMatchObject({
      faults: expect.arrayContaining([
        expect.objectContaining({ message: expect.stringContaining('with the shared redirect') }),
      ]),
    });
  },
);

it.each(['state', 'scope', 'redirect_uri', 'nonce', 'prompt', 'request', 'request_uri'])(
  'authorization_parameters rejects %s',
  async (name) => {
    const authorization_parameters = JSON.parse(`{"${name}":"x"}`);
    const config = { ...broker.config, authorization_parameters };
    await expect(changeAuthMethod(OPERATOR, { id: 'brk', config })).rejects.toThrow();
  },
);

it.each([
  ['bad_verification_code', 400],
  ['incorrect_client_credentials', 503],
  ['redirect_uri_mismatch', 503],
])(
  'if a broker responds with status 200 and the error %s, Gatehouse returns status %d',
  async (error, status) => {
    await givenBroker(broker.plain);
    broker.script.token = () => ({ body: { error, error_description: 'x' } });
    broker.script.userinfo = { body: { id: 7 } };
    expect(await known()).toEqual([status]);
  },
);
