// Export of a user's data through the management API.
import { beforeEach, expect, it } from 'vitest';
import { events, givenPerson, givenToken, type Person } from '#testing/data/registry.ts';
import { givenManagementApi, callManagement as send } from '#testing/in-process/management.ts';

let alice: Person;
let chief: Person;
beforeEach(async () => {
  await givenManagementApi();
  [alice, chief] = [await givenPerson('alice'), await givenPerson('chief', 'administrator')];
});

it('users read their own data, administrators read the data of every user, and the audit log records each read', async () => {
  const [mine, theirs] = [await givenToken(alice), await givenToken(chief)];
  const own = await send('/me/data', { token: mine });
  const read = await send('/people/alice%40example.com/data', { token: theirs });
  for (const { status, json, headers } of [own, read]) {
    expect([status, json.profile.email]).toEqual([200, 'alice@example.com']);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  }
  expect((await events('person.data_read')).map((one) => [one['actor'], one['person_id']])).toEqual([
    [alice.id, alice.id],
    [chief.id, alice.id],
  ]);
  expect((await send(`/people/${chief.id}/data`, { token: mine })).status).toBe(403);
  expect((await send('/people/nobody%40example.com/data', { token: theirs })).status).toBe(404);
});

it('AD-12: a token with a sign-in older than 15 minutes cannot export data, and no export is audited', async () => {
  const [mine, theirs] = [
    await givenToken(alice, { minutesAgo: 16 }),
    await givenToken(chief, { minutesAgo: 16 }),
  ];
  for (const [path, token] of [
    ['/me/data', mine],
    [`/people/${alice.id}/data`, theirs],
  ] as const) {
    const { status, json } = await send(path, { token });
    expect([status, json.detail]).toEqual([401, expect.stringContaining('the last 15 minutes')]);
  }
  expect(await events('person.data_read')).toEqual([]);
});
