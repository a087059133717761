// Userinfo as a JWT (OpenID Connect Core §5.3.2): Gatehouse verifies it, or rejects it with a reason.
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { log, setLogLevel } from '#lib/kit/log.ts';
import { query } from '#lib/store/pool.ts';
import { givenBroker, signInAt } from '#testing/brokers/at-scripted-broker.ts';
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
  Object.assign(broker.script, { metadata: {}, idToken: {}, userinfo: null, token: null });
  await query({ text: `delete from external_identities where auth_method_id = 'brk'` });
});

const says = (body: string, type: string) => {
  broker.script.userinfo = { body, headers: { 'content-type': type } };
};
async function emailAfter() {
  const { answer } = await signInAt(broker);
  const [row] = await query<{ email: string | null }>({
    text: `select email from external_identities where auth_method_id = 'brk'`,
  });
  return [answer.status, row?.email ?? null];
}

it.each([
  ['application/jwt', undefined],
  ['application/jwt; charset=utf-8', ['RS256']],
  ['Application/JWT;charset=UTF-8', ['ES256']],
])(
  'a signed userinfo response of the type %s is verified and read, whatever the metadata offer: %j',
  async (type, offered) => {
    broker.script.metadata = { userinfo_signing_alg_values_supported: offered };
    await givenBroker({ ...broker.config, scopes: [`s${Math.random()}`] });
    says(await broker.sign({ email: 'ada@a.example' }), type);
    expect(await emailAfter()).toEqual([303, 'ada@a.example']);
  },
);

it('a userinfo response of the type application/json with a charset is accepted', async () => {
  await givenBroker(broker.config);
  says('{"sub":"somebody","email":"ada@a.example"}', 'application/json; charset=utf-8');
  expect(await emailAfter()).toEqual([303, 'ada@a.example']);
});

const good = { email: 'ada@a.example' };
it.each<[string, () => Promise<string>]>([
  ['for another client', () => broker.sign({ ...good, aud: 'another' })],
  ['for nobody', () => broker.sign({ ...good, aud: undefined })],
  ['of another issuer', () => broker.sign({ ...good, iss: 'https://evil.example' })],
  ['of no issuer', () => broker.sign({ ...good, iss: undefined })],
  ['of another key', () => broker.sign(good, broker.strangersKey)],
  ['about somebody else', () => broker.sign({ ...good, sub: 'another' })],
  ['that is too old', () => broker.sign({ ...good, exp: broker.seconds() - 600 })],
  [
    'that is not signed',
    async () => `${btoa('{"alg":"none"}').replaceAll('=', '')}.${(await broker.sign(good)).split('.')[1]}.`,
  ],
  ['that is encrypted', async () => 'a.b.c.d.e'],
  ['that is no JWT', async () => 'hello'],
])('a JWT %s signs nobody in, and the log contains the reason', async (_, jwt) => {
  await givenBroker(broker.config);
  says(await jwt(), 'application/jwt');
  const warn = vi.spyOn(log(), 'warn');
  expect(await emailAfter()).toEqual([400, null]);
  expect(warn.mock.calls.map(([, message]) => message)).toContainEqual(
    expect.stringMatching(/userinfo answer is (refused: .+|about another subject)/),
  );
});

it('a JWT as userinfo response signs nobody in at a plain OAuth 2.0 broker, which has no keys', async () => {
  await givenBroker(broker.plain);
  broker.script.token = () => ({ body: { access_token: 'given', token_type: 'bearer' } });
  says(await broker.sign({ id: 'somebody' }), 'application/jwt');
  expect(await emailAfter()).toEqual([400, null]);
});
