// Tests settings of a method that are not saved yet. The stored secret is sent only to the addresses that are stored
// with it.
import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { startScriptedBroker } from '#testing/brokers/scripted-broker.ts';
import { startVerifier, VERIFY_TOKEN, type Verifier } from '#testing/brokers/verifier.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import type { ConnectionTest } from './connection-steps.ts';
import { testAuthMethodInput } from './connections.ts';

let admin: Awaited<ReturnType<typeof givenPerson>>;
let verifier: Verifier;

beforeAll(async () => {
  setLogLevel('silent');
  admin = { ...(await givenPerson('root', 'administrator')), signedInAt: new Date() };
  verifier = await startVerifier();
});
afterAll(() => verifier.close());
beforeEach(async () => {
  await sql('delete from attempts');
  await sql("delete from auth_methods where id = 'it'");
  await sql('delete from audit_events');
  verifier.calls.length = 0;
});

const config = (url = verifier.url) => ({ verify_url: url, allow_private_network: true });
const typed = (at: object = config(), secret?: string) => ({
  ...{ id: 'it', type: 'external' as const, name: 'It', config: { ...at } },
  ...(secret !== undefined && { secret }),
});
const shown = ({ steps }: ConnectionTest) => steps.map(({ check, state }) => `${check.text}: ${state}`);
const tokens = () => verifier.calls.map(({ headers }) => headers.authorization);
const stored = () => sql('select id, name, config from auth_methods order by id');

test('a method that is not saved is tested with the typed secret and not stored', async () => {
  const before = await stored();
  expect(shown(await testAuthMethodInput(admin, typed(config(), VERIFY_TOKEN)))).toEqual([
    'An invented account: ok',
  ]);
  expect(tokens()).toEqual([`Bearer ${VERIFY_TOKEN}`]);
  expect(await stored()).toEqual(before);
  const [event] = await sql(
    "select auth_method_id as method, details from audit_events where event = 'connection.tested'",
  );
  expect(event).toEqual({ method: null, details: { what: 'auth-method', outcome: 'ok' } });
});

test('a stored secret is sent only to the stored address of the method', async () => {
  await createAuthMethod(admin, typed(config(), VERIFY_TOKEN));
  await testAuthMethodInput(admin, typed({ ...config(), timeout_ms: 2000 }));
  expect(tokens()).toEqual([`Bearer ${VERIFY_TOKEN}`]);
  verifier.calls.length = 0;

  const told = await testAuthMethodInput(admin, typed(config(`${verifier.url}/elsewhere`)));
  expect(told.steps.at(-1)).toMatchObject({ state: 'skipped', check: { text: 'Secret' } });
  expect(tokens().filter((token) => token !== undefined)).toEqual([]);
  await testAuthMethodInput(admin, typed(config(`${verifier.url}/elsewhere`), 'typed'));
  expect(tokens()).toContain('Bearer typed');
});

test('for a broker with a signed secret, the typed or stored key signs the secret and is never sent', async () => {
  const broker = await startScriptedBroker('com.example.web');
  broker.script.token = () => ({ status: 400, body: { error: 'invalid_grant' } });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const signed_secret = { team_id: 'ABCDE12345', key_id: 'FGHIJ67890' };
  const apple = (secret?: string, issuer = broker.issuer) => ({
    ...{ id: 'it', type: 'broker' as const, name: 'It' },
    config: { ...broker.config, issuer, token_endpoint_auth_method: 'client_secret_post', signed_secret },
    ...(secret !== undefined && { secret }),
  });
  const sent = () => broker.asked.flatMap(({ form }) => form.get('client_secret') ?? []);
  const tested = async (input: ReturnType<typeof apple>) => {
    broker.asked.length = 0;
    const told = await testAuthMethodInput(admin, input);
    for (const secret of [pem, ...sent()]) expect(JSON.stringify(told)).not.toContain(secret);
    return told;
  };
  const isSigned = async () => {
    const [secret = '', ...more] = sent();
    expect(more).toEqual([]);
    const { payload, protectedHeader } = await jwtVerify(secret, publicKey);
    expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'FGHIJ67890' });
    expect(payload).toMatchObject({ iss: 'ABCDE12345', sub: 'com.example.web' });
  };
  expect(shown(await tested(apple(pem)))).toContain('Our client id and secret: ok');
  await isSigned();
  await createAuthMethod(admin, apple(pem));
  expect(shown(await tested(apple()))).toContain('Our client id and secret: ok');
  await isSigned();
  // no signed client secret is sent to an address that was changed
  const elsewhere = await tested(apple(undefined, `${broker.issuer}/elsewhere`));
  expect(elsewhere.steps.at(-1)).toMatchObject({ state: 'skipped', check: { text: 'Secret' } });
  expect(sent()).toEqual([]);
  expect(JSON.stringify(broker.asked.map(({ form }) => [...form]))).not.toContain('PRIVATE KEY');
  await broker.close();
});

test('a connection test with invalid settings is rejected', async () => {
  const faulty = typed({ verify_url: 'nowhere' });
  await expect(testAuthMethodInput(admin, faulty)).rejects.toMatchObject({
    kind: 'invalid',
    faults: [{ field: 'config.verify_url' }],
  });
  expect(verifier.calls).toEqual([]);
});

test('a developer cannot run connection tests', async () => {
  const developer = await givenPerson('dev', 'developer');
  await expect(testAuthMethodInput(developer, typed())).rejects.toMatchObject({ kind: 'forbidden' });
  expect(verifier.calls).toEqual([]);
});
