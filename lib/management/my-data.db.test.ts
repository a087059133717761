// The file that people download about themselves.
import { beforeEach, expect, it } from 'vitest';
import { disablePerson, enablePerson } from '#lib/catalogue/people/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  PASSWORD,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { signInToConsole } from './console-sign-in.ts';
import { changeMyProfile, deleteMyAccount, readMyData, readPersonData } from './my-account.ts';

beforeEach(() => givenEmptyRegistry());

async function fileOf(person: Person) {
  let text = '';
  for await (const piece of await readMyData(person)) text += piece;
  return { text, file: JSON.parse(text) };
}

async function givenHistory() {
  const chief = {
    ...(await givenPerson('chief', 'administrator')),
    request: { id: 'r-chief', ip: '192.0.2.66' },
  };
  const alice = await givenPerson('alice', 'developer');
  await givenClient(alice);
  await requestSubscription(alice, { clientId: 'shop', api: 'orders', trusted: true });
  await changeMyProfile(alice, { name: 'Alice “A” </script>', locale: 'de' });
  // an older name of several lines, which was stored before validation existed
  await sql('update people set name = $1 where id = $2', ['Alice “A” \u2028 </script>', alice.id]);
  await sql(
    `insert into external_identities (auth_method_id, subject, person_id, email, claims)
      values ('campus', 'a1', $1, 'alice@campus.example', '{"givenName": "Alice", "groups": ["staff"]}')`,
    [alice.id],
  );
  await disablePerson(chief, { id: alice.id });
  await enablePerson(chief, { id: alice.id });
  const browser = { cookieHeader: undefined, ip: '192.0.2.1', userAgent: 'test', requestId: 'r1' };
  await signInToConsole({
    ...browser,
    authMethodId: 'local',
    username: 'alice@example.com',
    password: PASSWORD,
  });
  return { alice, chief };
}

it('the data export contains everything stored about the user, but no secrets, and names no other user as an actor', async () => {
  const { alice, chief } = await givenHistory();
  const { text, file } = await fileOf(alice);
  expect(file).toMatchObject({
    at_most: { sessions: 10_000, sign_ins: 10_000, events: 10_000 },
    profile: { id: alice.id, email: 'alice@example.com', locale: 'de', has_password: true },
    identities: [{ subject: 'a1', claims: { givenName: 'Alice', groups: ['staff'] } }],
    consents: [],
    delegations: [],
    factors: { totps: [], passkeys: [], recovery_codes: 0 },
    clients: [{ client_id: 'shop', name: 'shop' }],
    requests: [{ client_id: 'shop', api_id: 'orders', kind: 'subscription' }],
    sessions: [{ kind: 'console', ip: '192.0.2.1' }],
    sign_ins: [{ kind: 'console', ip: '192.0.2.1' }],
  });
  expect(file.profile.name).toBe('Alice “A” \u2028 </script>');
  const named = Object.fromEntries(file.events.map((one: { event: string }) => [one.event, one]));
  expect(named['person.disabled']).toMatchObject({ by_other: true });
  expect(named['person.changed']).toMatchObject({ by_other: false, details: { after: { locale: 'de' } } });
  const secrets = await sql<{ all: string }>(
    `select password_hash as all from people union all select secret_hash::text from client_secrets
      union all select encode(id_hash, 'hex') from sessions`,
  );
  const others = [chief.id, 'chief@example.com', '192.0.2.66', 'r-chief', '$argon2'];
  for (const hidden of [...others, ...secrets.map(({ all }) => all)]) expect(text).not.toContain(hidden);
  expect(await events('person.data_read')).toMatchObject([{ actor: alice.id, person_id: alice.id }]);
});

it('an administrator’s export of a user equals the user’s own export, by address or id, and the audit log records both', async () => {
  const { alice, chief } = await givenHistory();
  let text = '';
  for await (const piece of await readPersonData(chief, { id: 'alice@example.com' })) text += piece;
  const { file } = await fileOf(alice);
  const given = JSON.parse(text);
  expect(given.events[0]).toMatchObject({ event: 'person.data_read', by_other: true });
  expect(text).not.toContain(chief.id);
  for (const one of [given, file]) for (const name of ['made_at', 'events']) delete one[name];
  expect(given).toEqual(file);
  const read = await events('person.data_read');
  expect(read.map((one) => [one['actor'], one['person_id']])).toEqual([
    [chief.id, alice.id],
    [alice.id, alice.id],
  ]);
  expect((await refusal(readPersonData(chief, { id: 'nobody@example.com' })))?.kind).toBe('not-found');
  expect((await refusal(readPersonData(alice, { id: chief.id })))?.kind).toBe('forbidden');
  expect(await events('person.data_read')).toHaveLength(2);
});

it('of 25,000 audit events, the export reads chunks of 500, and contains the newest 10,000', async () => {
  const alice = await givenPerson('alice');
  await sql(
    `insert into audit_events (event, person_id, at, details)
      select 'token.refreshed', $1, now() - make_interval(secs => n), jsonb_build_object('n', n) from generate_series(1, 25000) n`,
    [alice.id],
  );
  let [pieces, largest, text] = [0, 0, ''];
  for await (const piece of await readMyData(alice)) {
    pieces += 1;
    largest = Math.max(largest, piece.length);
    text += piece;
  }
  const { events: listed } = JSON.parse(text) as { events: { id: string; at: string; event: string }[] };
  expect(listed).toHaveLength(10_000);
  expect(new Set(listed.map(({ id }) => id)).size).toBe(10_000);
  expect(listed[0]?.event).toBe('person.data_read');
  expect(listed.map(({ at }) => at)).toEqual(
    listed
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  expect(pieces).toBeGreaterThan(25);
  expect(largest).toBeLessThan(200_000);
}, 60_000);

it('if the account is deleted during an export, the file is complete without the profile, and later exports fail', async () => {
  const { alice } = await givenHistory();
  let text = '';
  for await (const piece of await readMyData(alice)) {
    if (text === '') await deleteMyAccount(alice, { word: 'delete' });
    text += piece;
  }
  expect(JSON.parse(text)).toMatchObject({ profile: null, clients: [], sessions: [] });
  expect((await refusal(readMyData(alice)))?.kind).toBe('not-found');
});
