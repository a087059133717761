// Explanations of access and the actors who can ask for them: developers for themselves and their own
// clients, administrators for any user. The requests are audited.
import { beforeEach, expect, it } from 'vitest';
import { disablePerson } from '#lib/catalogue/people/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import { explainAccess, readDecidedApi, stepInEnglish } from './explanation.ts';
import { OPERATOR } from './policy.ts';

let dev: Person;
let alice: Person;
let admin: Person;

beforeEach(async () => {
  await givenEmptyRegistry();
  dev = await givenPerson('dev', 'developer');
  alice = await givenPerson('alice');
  admin = await givenPerson('admin', 'administrator');
  await givenClient(dev);
});

async function failing(...[actor, asked]: Parameters<typeof explainAccess>) {
  const step = (await explainAccess(actor, asked)).steps.find(({ ok }) => !ok);
  return step && stepInEnglish(step);
}

it('developers can explain the access of their own account, which is the default, and the result suggests a change', async () => {
  for (const whose of [{ mine: true }, { email: 'DEV@example.com' }])
    expect(await failing(dev, { ...SHOP, ...whose })).toEqual({
      step: 'subscription',
      ok: false,
      reason: expect.stringContaining('No subscription to this API'),
      change: 'The client cannot use this API yet: request a subscription.',
    });
  await requestSubscription(dev, SHOP);
  const refused = await explainAccess(dev, { ...SHOP, mine: true, scope: 'nope' });
  const walked = ['auth_method', 'client', 'redirect_uri', 'subscription', 'scope'];
  expect(refused.steps.map(({ step }) => step)).toEqual(walked);
  expect(refused.steps.map(({ ok }) => ok)).toEqual([true, true, true, true, false]);
  const { steps, token, authMethodId } = await explainAccess(dev, { ...SHOP, mine: true });
  expect(steps.map(({ step }) => step)).toEqual([
    ...[
      'auth_method',
      'client',
      'redirect_uri',
      'subscription',
      'scope',
      'person',
      'second_factor',
      'consent',
    ],
  ]);
  expect(steps.at(-1)?.reason).toEqual([{ text: 'The person is asked for consent.' }]);
  expect(token).toMatchObject({ sub: dev.id, client_id: 'shop', scope: 'read write' });
  expect(token).not.toHaveProperty('jti');
  expect(authMethodId).toBe('local');
  expect(await events('person.explained')).toEqual([]);
});

it('a developer cannot explain access of other users or clients', async () => {
  expect((await refusal(explainAccess(dev, { ...SHOP, email: 'alice@example.com' })))?.kind).toBe(
    'forbidden',
  );
  const other = await givenPerson('other', 'developer');
  expect((await refusal(explainAccess(other, { ...SHOP, mine: true })))?.kind).toBe('not-found');
  expect((await refusal(explainAccess(alice, { ...SHOP, mine: true })))?.kind).toBe('forbidden');
});

it('an approver can explain clients that request access, for user tokens of the approver’s account and for machine tokens', async () => {
  const approver = await givenPerson('approver', 'approver');
  const asked = { ...SHOP, mine: true };
  expect((await refusal(explainAccess(approver, asked)))?.kind).toBe('not-found');
  await requestSubscription(dev, SHOP);
  expect((await explainAccess(approver, asked)).token).toMatchObject({ sub: approver.id, client_id: 'shop' });
  expect(await failing(approver, SHOP)).toMatchObject({ step: 'machine' });
  expect((await refusal(explainAccess(approver, { ...SHOP, email: 'dev@example.com' })))?.kind).toBe(
    'forbidden',
  );
  expect(await readDecidedApi(approver, { id: 'orders' })).toMatchObject({ id: 'orders' });
  await sql(`update apis set approvers = '{another@example.com}'`);
  expect((await refusal(explainAccess(approver, asked)))?.kind).toBe('not-found');
  expect((await refusal(readDecidedApi(approver, { id: 'orders' })))?.kind).toBe('not-found');
  expect((await refusal(readDecidedApi(dev, { id: 'orders' })))?.kind).toBe('forbidden');
});

it('explanations that administrators or the command line request are audited', async () => {
  await requestSubscription(dev, SHOP);
  for (const actor of [admin, OPERATOR])
    expect((await explainAccess(actor, { ...SHOP, email: 'alice@example.com' })).token).toMatchObject({
      sub: alice.id,
    });
  const noted = { person_id: alice.id, client_id: 'shop', api_id: 'orders' };
  expect(await events('person.explained')).toMatchObject([
    { ...noted, actor: admin.id },
    { ...noted, actor: 'operator' },
  ]);
  await disablePerson(OPERATOR, { id: alice.id });
  expect(await failing(admin, { ...SHOP, email: 'alice@example.com' })).toMatchObject({
    step: 'person',
    reason: 'The person is disabled.',
  });
  expect(await failing(admin, { ...SHOP, email: 'who@example.com' })).toMatchObject({ step: 'person' });
  expect(await events('person.explained')).toHaveLength(3);
});

it('an explanation identifies a user without an email address by user name, id and subject', async () => {
  await requestSubscription(dev, SHOP);
  const [erin] = await sql<{ id: string }>(
    `insert into people (username, subject, password_hash) values ('erin', 'auth0|77', 'x') returning id`,
  );
  for (const email of ['erin', 'ERIN', `${erin?.id}`, 'auth0|77']) {
    const { steps } = await explainAccess(admin, { ...SHOP, email });
    expect(steps.find(({ step }) => step === 'person')?.ok, email).toBe(true);
  }
  expect(await refusal(explainAccess(admin, { ...SHOP, email: 'nobody' }))).toMatchObject({
    code: 'person.unknown',
  });
});

it('the explanation fails for an unknown method at its step, and for an unknown API or client with not-found', async () => {
  expect(await failing(admin, { ...SHOP, email: 'alice@example.com', authMethod: 'no-such' })).toMatchObject({
    step: 'auth_method',
    change: 'Add the sign-in method to the API, or choose a method that the API accepts.',
  });
  expect((await refusal(explainAccess(admin, { ...SHOP, api: 'no-such' })))?.kind).toBe('not-found');
  expect((await refusal(explainAccess(admin, { ...SHOP, clientId: 'no-such' })))?.kind).toBe('not-found');
  expect(await failing(admin, { ...SHOP, scope: 'read nope', email: 'alice@example.com' })).toMatchObject({
    step: 'subscription',
  });
});
