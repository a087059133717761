// Calendars: the address is the right, kept as a hash, and no more than its person's role.
import ICAL from 'ical.js';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sha256 } from '#lib/kit/index.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import {
  disablePerson,
  listExpiring,
  listMyCalendars,
  OPERATOR,
  readCalendar,
  removeCalendar,
  renewCalendar,
  revokeRole,
  rotateClientSecret,
} from '../index.ts';

const REQUEST = { id: 'request', ip: '192.0.2.7' };
const tokenIn = (address: string) => /\/calendar\/([\w-]{43})\.ics$/.exec(address)?.[1] ?? '';
const read = (token: string) => readCalendar(token, REQUEST);
const make = async (person: Person, list: 'service' | 'own') =>
  tokenIn((await renewCalendar(person, { list })).address);
async function eventsAt(token: string) {
  const answer = await read(token);
  if (answer.kind !== 'file') throw new Error(answer.kind);
  const calendar = new ICAL.Component(ICAL.parse(answer.text));
  return {
    text: answer.text,
    events: calendar.getAllSubcomponents('vevent').map((one) => new ICAL.Event(one)),
  };
}

let root: Person;
let dev: Person;
beforeAll(async () => {
  await givenEmptyRegistry();
  root = await givenPerson('root', 'administrator');
  await givenPerson('second', 'administrator');
  dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  await givenClient(root, 'theirs');
  for (const clientId of ['shop', 'theirs'])
    await rotateClientSecret(OPERATOR, { clientId, overlapSeconds: 86_400 });
  await sql(`insert into delegations (person_id, client_id, api_id, scopes, until)
    select id, 'shop', 'orders', '{read}', now() + interval '9 days' from people where email = 'dev@example.com'`);
});
beforeEach(() => sql('delete from attempts'));

test('an administrator has everything in it, a developer their applications, and neither has a person', async () => {
  const all = await eventsAt(await make(root, 'service'));
  expect(all.events.map(({ summary }) => summary).sort()).toEqual([
    '1 delegation to shop at orders end',
    'A secret of shop ends',
    'A secret of theirs ends',
  ]);
  const own = await eventsAt(await make(dev, 'own'));
  expect(own.events).toHaveLength(2);
  expect(own.events.map(({ component }) => component.getFirstPropertyValue('url'))).toEqual(
    own.events.map(() => expect.stringMatching(/\/developer\/clients\/shop$/)),
  );
  for (const { text } of [all, own]) expect(text).not.toMatch(/example\.com|dev@/);
});

test('the events keep their UIDs, with the moment of what ends once and the day of what is counted', async () => {
  const token = await make(root, 'service');
  const [first, second] = [await eventsAt(token), await eventsAt(token)];
  const uids = first.events.map(({ uid }) => uid);
  expect(second.events.map(({ uid }) => uid)).toEqual(uids);
  expect(new Set(uids).size).toBe(uids.length);
  const rows = await listExpiring(OPERATOR, {});
  for (const [at, event] of first.events.entries()) {
    expect(event.startDate.isDate).toBe(rows[at]?.kind === 'delegations');
    if (!event.startDate.isDate)
      expect(event.startDate.toJSDate().getTime()).toBe(
        Math.floor((rows[at]?.at.getTime() ?? 0) / 1000) * 1000,
      );
  }
});

test('a new address ends the one before; only its hash is kept, and both steps are in the audit log', async () => {
  const first = await make(dev, 'own');
  const second = await make(dev, 'own');
  expect(await read(first)).toEqual({ kind: 'none' });
  expect(await read(second)).toMatchObject({ kind: 'file' });
  const rows = await sql<{ hash: string }>(
    "select encode(token_hash, 'hex') as hash from calendars where list = 'own'",
  );
  expect(rows).toEqual([{ hash: sha256(second).toString('hex') }]);
  expect(await listMyCalendars(dev)).toMatchObject([{ list: 'own', lastReadAt: expect.any(Date) }]);
  await removeCalendar(dev, { list: 'own' });
  expect(await read(second)).toEqual({ kind: 'none' });
  expect(await listMyCalendars(dev)).toEqual([]);
  expect((await refusal(removeCalendar(dev, { list: 'own' })))?.kind).toBe('not-found');
  const events = await sql<{ event: string; details: object }>(
    "select event, details from audit_events where event like 'calendar.%' and person_id = $1 order by id",
    [dev.id],
  );
  expect(events.slice(-2)).toEqual([
    { event: 'calendar.made', details: { list: 'own', replaced: true } },
    { event: 'calendar.removed', details: { list: 'own' } },
  ]);
  expect(JSON.stringify(events)).not.toContain(second);
});

test('of ten made at once one works', async () => {
  const tokens = await Promise.all(Array.from({ length: 10 }, () => make(dev, 'own')));
  const answers = await Promise.all(tokens.map((token) => read(token)));
  expect(answers.filter(({ kind }) => kind === 'file')).toHaveLength(1);
});

test('who may not see the list makes none, and a sign-in of long ago does not do', async () => {
  expect((await refusal(renewCalendar(dev, { list: 'service' })))?.kind).toBe('forbidden');
  const end = await givenPerson('end');
  expect((await refusal(renewCalendar(end, { list: 'own' })))?.kind).toBe('forbidden');
  const old = { ...root, signedInAt: new Date(Date.now() - 3_600_000) };
  expect((await refusal(renewCalendar(old, { list: 'service' })))?.kind).toBe('reauthenticate');
});

test('it ends with the role, and with the person', async () => {
  const admin = await givenPerson('leaves', 'administrator', 'developer');
  const [service, own] = [await make(admin, 'service'), await make(admin, 'own')];
  await revokeRole(OPERATOR, { id: admin.id, role: 'administrator' });
  expect(await read(service)).toEqual({ kind: 'none' });
  expect(await read(own)).toMatchObject({ kind: 'file' });
  await disablePerson(OPERATOR, { id: admin.id });
  expect(await read(own)).toEqual({ kind: 'none' });
  await sql('delete from people where id = $1', [admin.id]);
  expect(await sql('select from calendars where person_id = $1', [admin.id])).toEqual([]);
});

test('guesses of one place are limited, and reads of one address', async () => {
  const token = await make(root, 'service');
  const guesses = await Promise.all(Array.from({ length: 70 }, (_, n) => read(`guess-${n}`)));
  expect(guesses.filter(({ kind }) => kind === 'none').length).toBeLessThanOrEqual(60);
  expect(guesses.find(({ kind }) => kind === 'slow-down')).toMatchObject({
    retryAfterSeconds: expect.any(Number),
  });
  await sql('delete from attempts');
  const kinds: string[] = [];
  for (let n = 0; n < 31; n += 1)
    kinds.push((await readCalendar(token, { ...REQUEST, ip: `192.0.2.${n}` })).kind);
  expect([kinds.at(29), kinds.at(30)]).toEqual(['file', 'slow-down']);
});
