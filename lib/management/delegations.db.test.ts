// Delegations from users to agents, with their limits.
import { beforeEach, expect, it } from 'vitest';
import { disableClient } from '#lib/catalogue/clients/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  mailTo,
  type Person,
  sql,
} from '#testing/data/registry.ts';
import { endMyDelegation, giveDelegation, listMyAgents, listMyDelegations } from './delegations.ts';
import { OPERATOR } from './policy.ts';

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
let me: Person;
let other: Person;

beforeEach(async () => {
  await givenEmptyRegistry();
  [me, other] = [await givenPerson('me'), await givenPerson('other')];
  await givenClient(OPERATOR, 'agent');
  await requestSubscription(OPERATOR, { clientId: 'agent', api: 'orders', scopes: ['read'] });
});

const given = (over: object = {}) =>
  giveDelegation(me, { clientId: 'agent', api: 'orders', scopes: ['read'], until: inDays(30), ...over });

it('the delegation list includes texts of API and agent, and the delegating user can end a delegation once', async () => {
  const { id } = await given();
  const [row] = await listMyDelegations(me);
  expect(row).toMatchObject({ id, clientId: 'agent', api: 'orders', scopes: [{ name: 'read' }] });
  expect(await listMyDelegations(other)).toEqual([]);
  await expect(endMyDelegation(other, { id })).rejects.toMatchObject({ kind: 'not-found' });
  await endMyDelegation(me, { id });
  await expect(endMyDelegation(me, { id })).rejects.toMatchObject({ kind: 'not-found' });
  await expect(endMyDelegation(me, { id: 'x' })).rejects.toMatchObject({ kind: 'not-found' });
  expect((await events('delegation.given')).length).toBe(1);
  expect((await events('delegation.ended')).length).toBe(1);
});

it('a delegation with invalid input is rejected and not stored', async () => {
  await givenClient(OPERATOR, 'waits');
  const faults = [
    { scopes: [] },
    { scopes: ['write'] },
    { until: new Date(Date.now() - 1_000) },
    { until: inDays(367) },
    { until: new Date('never') },
    { until: '2030-01-01' },
    { more: 1 },
  ];
  for (const over of faults)
    await expect(given(over), JSON.stringify(over)).rejects.toMatchObject({ kind: 'invalid' });
  for (const over of [
    { clientId: 'nobody' },
    { clientId: 'waits' },
    { api: 'nothing' },
    { api: 'management' },
  ])
    await expect(given(over), JSON.stringify(over)).rejects.toMatchObject({ kind: 'not-found' });
  await sql("update clients set confidential = false where client_id = 'agent'");
  await expect(given()).rejects.toMatchObject({ kind: 'not-found' });
  await sql("update clients set confidential = true where client_id = 'agent'");
  await disableClient(OPERATOR, { clientId: 'agent' });
  await expect(given()).rejects.toMatchObject({ kind: 'not-found' });
  expect(await sql('select from delegations')).toEqual([]);
});

it('a new delegation requires a recent sign-in, and the end of a delegation does not', async () => {
  const old = { ...me, signedInAt: new Date(Date.now() - 16 * 60_000) };
  const input = { clientId: 'agent', api: 'orders', scopes: ['read'], until: inDays(1) };
  await expect(giveDelegation(old, input)).rejects.toMatchObject({ kind: 'reauthenticate' });
  const { id } = await given();
  await endMyDelegation(old, { id });
});

it('the delegation page offers agents with existing access or a given client id, and never lists all clients', async () => {
  expect(await listMyAgents(me)).toEqual([]);
  const agent = { clientId: 'agent', api: 'orders', scopes: [{ name: 'read' }] };
  expect(await listMyAgents(me, { clientId: 'agent' })).toMatchObject([agent]);
  expect(await listMyAgents(me, { clientId: 'age' })).toEqual([]);
  await sql(
    "insert into consents (person_id, client_id, api_id, scopes) values ($1, 'agent', 'orders', '{read}')",
    [me.id],
  );
  expect(await listMyAgents(me)).toMatchObject([agent]);
  expect(await listMyAgents(other)).toEqual([]);
});

it('the limit of 100 delegations per user also applies to concurrent requests, and a renewed delegation counts once', async () => {
  await sql(`insert into clients (client_id, name, confidential, application_type)
    select 'a' || n, 'A', true, 'web' from generate_series(1, 110) n`);
  await sql(`insert into subscriptions (client_id, api_id, state)
    select client_id, 'orders', 'approved' from clients where client_id ~ '^a[0-9]+$'`);
  await sql(
    `insert into delegations (person_id, client_id, api_id, scopes, until)
     select $1, 'a' || n, 'orders', '{read}', now() + interval '1 day' from generate_series(1, 95) n`,
    [me.id],
  );
  const asked = Array.from({ length: 15 }, (_, at) => given({ clientId: `a${at + 96}` }));
  const settled = await Promise.allSettled(asked);
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(await listMyDelegations(me)).toHaveLength(100);
  await given({ clientId: 'a1', until: inDays(2) });
  await expect(given()).rejects.toMatchObject({ kind: 'conflict' });
});

it('a delegation is deleted with its user, agent or API', async () => {
  for (const table of ["clients where client_id = 'agent'", "apis where id = 'orders'", 'people']) {
    await given();
    await sql(`delete from ${table}`);
    expect(await sql('select from delegations'), table).toEqual([]);
    await givenEmptyRegistry();
    me = await givenPerson('me');
    await givenClient(OPERATOR, 'agent');
    await requestSubscription(OPERATOR, { clientId: 'agent', api: 'orders', scopes: ['read'] });
  }
});

it('the user is notified of a delegation, even if another user created it', async () => {
  const until = inDays(30);
  await given({ until });
  const [mail] = await mailTo('me@example.com');
  expect(mail?.subject).toMatch(/^Gatehouse: .+ may act for you at .+/);
  expect(mail?.text).toContain(
    `agent may act in your name at orders until ${until.toISOString().slice(0, 10)}`,
  );
});

it('max_days of the subscription limits a delegation’s end date to the end of the last selectable day', async () => {
  await sql("update subscriptions set max_days = 2 where client_id = 'agent'");
  await expect(given({ until: inDays(3.1) })).rejects.toMatchObject({ kind: 'invalid' });
  await given({ until: inDays(2.9) });
  const [row] = await listMyDelegations(me);
  expect(row?.until.getTime()).toBeLessThanOrEqual(inDays(2).getTime());
});

it('a delegation form that shows an outdated identity of the agent creates no delegation', async () => {
  await sql("update clients set identity_changed_at = now() where client_id = 'agent'");
  await expect(given({ identityChangedAt: null })).rejects.toMatchObject({ kind: 'stale' });
  const [agent] = await listMyAgents(me, { clientId: 'agent' });
  await given({ identityChangedAt: agent?.identityChangedAt });
});
