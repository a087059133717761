// First-day checklists. The service detects which steps are done. Administrators mark only steps that the service
// cannot detect.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { examine } from './doctor.ts';
import { OPERATOR } from './policy.ts';
import { markFirstDay, putChecklistAway, readFirstDay, readFirstToken } from './upkeep.ts';

let root: Person;
beforeAll(async () => {
  await givenEmptyRegistry();
  root = await givenPerson('root', 'administrator');
});
afterEach(() => {
  loadSettings();
});

const stepsOf = async (person: Person = root) =>
  new Map((await readFirstDay(person)).steps.map((one) => [one.step, one]));
const OUTSIDE = {
  BASE_URL: 'https://login.example',
  SMTP_URL: 'smtps://mail.example',
  METRICS_TOKEN: 'a-token-of-the-metrics',
};

test('a first-day step that Gatehouse can detect completes immediately, and open steps show findings of doctor', async () => {
  const before = await stepsOf();
  expect([...before.values()].filter(({ done }) => done).map(({ step }) => step)).toEqual(['method', 'api']);
  expect(before.get('mail')).toMatchObject({ done: false, sayable: false });
  await givenClient(root);
  await sql('update people set factor_level = 2');
  loadSettings({ ...process.env, ...OUTSIDE });
  const after = await stepsOf();
  expect([...after.values()].filter(({ done }) => !done).map(({ step }) => step)).toEqual([
    'mail',
    'role',
    'backup',
  ]);
  const doctor = await examine();
  const found = (check: string) => doctor.find((one) => one.check === check)?.detail;
  expect(after.get('address')?.found).toBe(found('settings'));
  expect(after.get('second-factor')?.found).toBe(found('administrators'));
  expect(after.get('role')?.found).toBe(found('database role'));
  expect(after.get('api')?.found).toBe(found('registry'));
});

test('a step that Gatehouse cannot detect can be marked as done by any administrator, for all, and the mark can be removed', async () => {
  loadSettings({ ...process.env, ...OUTSIDE });
  const second = await givenPerson('second', 'administrator');
  await sql('update people set factor_level = 2');
  for (const step of ['mail', 'role', 'backup']) await markFirstDay(root, { step, done: true });
  expect(await readFirstDay(second)).toMatchObject({ complete: true });
  await Promise.all([1, 2, 3].map(() => markFirstDay(second, { step: 'backup', done: false })));
  expect((await stepsOf()).get('backup')).toMatchObject({ done: false, sayable: true });
  const events = await sql<{ event: string; details: object }>(
    "select event, details from audit_events where event like 'checklist.%' order by id",
  );
  expect(events.map(({ event }) => event)).toEqual([
    ...['mail', 'role', 'backup'].map(() => 'checklist.done'),
    'checklist.undone',
  ]);
  // the step about mail needs a mail server
  loadSettings();
  expect((await stepsOf()).get('mail')).toMatchObject({ done: false, sayable: false });
});

test('marks on detected or unknown first-day steps are rejected', async () => {
  for (const step of ['address', 'api', 'constructor', ''])
    expect((await refusal(markFirstDay(root, { step, done: true })))?.kind).toBe('invalid');
  for (const roles of [[], ['developer'], ['approver']] as const) {
    const person = await givenPerson(`no-${roles[0] ?? 'role'}`, ...roles);
    expect((await refusal(readFirstDay(person)))?.kind).toBe('forbidden');
    expect((await refusal(markFirstDay(person, { step: 'backup', done: true })))?.kind).toBe('forbidden');
    expect((await refusal(putChecklistAway(person, { list: 'service', away: true })))?.kind).toBe(
      'forbidden',
    );
  }
});

test('a user who hides the checklist hides it from no other user, and can show it again', async () => {
  const third = await givenPerson('third', 'administrator');
  await putChecklistAway(third, { list: 'service', away: true });
  await putChecklistAway(third, { list: 'service', away: true });
  expect([(await readFirstDay(third)).away, (await readFirstDay(root)).away]).toEqual([true, false]);
  expect((await readFirstToken(third)).away).toBe(false);
  await putChecklistAway(third, { list: 'service', away: false });
  expect((await readFirstDay(third)).away).toBe(false);
  expect((await readFirstDay(OPERATOR)).away).toBe(false);
});

test('the developer’s checklist follows the state of the developer’s applications', async () => {
  const dev = await givenPerson('dev', 'developer');
  const open = async () => (await readFirstToken(dev)).steps.filter(({ done }) => !done);
  const openSteps = async () => (await open()).map(({ step }) => step);
  expect(await openSteps()).toEqual(['client', 'api', 'token', 'https', 'second-factor']);
  expect(await readFirstToken(dev)).toMatchObject({ clientId: null, complete: false });
  await givenClient(dev, 'first');
  await sql("update clients set redirect_uris = '{http://localhost/cb}' where client_id = 'first'");
  expect(await openSteps()).toEqual(['api', 'token', 'https', 'second-factor']);
  await sql("insert into subscriptions (client_id, api_id, state) values ('first', 'orders', 'pending')");
  expect((await open())[0]).toEqual({ step: 'api', done: false, waits: true });
  await sql("update subscriptions set state = 'approved' where client_id = 'first'");
  await givenFamily(dev, { clientId: 'first' });
  expect(await openSteps()).toEqual(['https', 'second-factor']);
  await sql("update clients set redirect_uris = '{https://first.example/cb}' where client_id = 'first'");
  await sql('update people set factor_level = 3 where id = $1', [dev.id]);
  expect(await readFirstToken(dev)).toMatchObject({ complete: true, clientId: 'first' });
  // a step that was reached stays done after the token has expired
  await sql(
    `insert into audit_events (event, client_id, at) values ('token.issued', 'first', now() + interval '1 second')`,
  );
  await sql("delete from token_families where client_id = 'first'");
  expect((await readFirstToken(dev)).complete).toBe(true);
});

test('clients without redirect URIs need no https step', async () => {
  const dev = await givenPerson('machine', 'developer');
  await givenClient(dev, 'robot');
  await sql("update clients set redirect_uris = '{}' where client_id = 'robot'");
  expect((await readFirstToken(dev)).steps.map(({ step }) => step)).not.toContain('https');
});
