// A method is tested as it would be saved, before it is: with the stored secret only where it is sent today.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/index.ts';
import { type ConnectionTest, createAuthMethod, testAuthMethodInput } from '#lib/management/index.ts';
import { startVerifier, VERIFY_TOKEN, type Verifier } from '#testing/brokers/verifier.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';

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

test('what is not there yet is tested with the secret that was typed, and is not there afterwards', async () => {
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

test('the stored secret goes to the stored address, and to no other', async () => {
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

test('what could not be saved is not tested', async () => {
  const faulty = typed({ verify_url: 'nowhere' });
  await expect(testAuthMethodInput(admin, faulty)).rejects.toMatchObject({
    kind: 'invalid',
    faults: [{ field: 'config.verify_url' }],
  });
  expect(verifier.calls).toEqual([]);
});

test('a developer tests nothing', async () => {
  const developer = await givenPerson('dev', 'developer');
  await expect(testAuthMethodInput(developer, typed())).rejects.toMatchObject({ kind: 'forbidden' });
  expect(verifier.calls).toEqual([]);
});
