import { afterAll, beforeEach, expect, it } from 'vitest';
import { listEvents } from '#lib/audit/index.ts';
import { closePool, ownConnection } from '#lib/store/index.ts';
import { createClient } from './clients.ts';
import { createPerson, disablePerson, setPassword } from './people.ts';
import { type Actor, OPERATOR, type Role } from './policy.ts';
import {
  changeSubscription,
  decideSubscription,
  listSubscriptions,
  requestSubscription,
} from './subscriptions.ts';

const rows = (text: string) => ownConnection.query({ text });
const pair = { clientId: 'shop', api: 'orders' };

async function givenPerson(name: string, ...roles: Role[]): Promise<Actor> {
  const { id, email } = await createPerson(OPERATOR, {
    email: `${name}@example.com`,
    roles,
    password: 'long-enough-1',
  });
  return { kind: 'person', id, email, roles };
}

beforeEach(async () => {
  await rows('truncate auth_methods, apis, clients, people, audit_events, token_families, codes cascade');
  await rows(`insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
    refresh_family_ttl, approvers) values ('orders', 'Orders', 'https://api.example', 60, 'jwt', 'ES256', 60, 60, '{lead@example.com}')`);
});
afterAll(() => closePool());

async function givenTrustedRequest() {
  const developer = await givenPerson('dev', 'developer');
  const client = {
    clientId: 'shop',
    name: 'Shop',
    kind: 'confidential',
    redirectUris: ['https://shop.example/cb'],
  } as const;
  await createClient(developer, { ...client, redirectUris: [...client.redirectUris] });
  expect(await requestSubscription(developer, { ...pair, trusted: true })).toBe('pending');
  return developer;
}

it('ten deciders at once: one final state, one decision, one audit event', async () => {
  await givenTrustedRequest();
  const lead = await givenPerson('lead', 'approver');
  const admin = await givenPerson('admin', 'administrator');
  const attempts = Array.from({ length: 10 }, (_, at) =>
    decideSubscription(at % 2 ? lead : admin, {
      ...pair,
      action: at % 2 ? 'approve' : 'reject',
      reason: 'race',
      version: 1,
    }),
  );
  const done = (await Promise.allSettled(attempts)).filter((one) => one.status === 'fulfilled');
  expect(done).toHaveLength(1);
  const decisions = (await listEvents({ limit: 1000 })).filter((one) => /approved|rejected/.test(one.event));
  expect(decisions).toHaveLength(1);
  const [row] = await listSubscriptions(OPERATOR, pair);
  expect(`subscription.${row?.state}`).toBe(decisions[0]?.event);
  expect(await rows('select count(*)::int as n from subscription_events')).toEqual([{ n: 2 }]);
});

it('nobody decides without the role, for an API they are not listed at, or on their own request', async () => {
  const developer = await givenTrustedRequest();
  const stranger = await givenPerson('stranger', 'approver');
  await expect(decideSubscription(developer, { ...pair, action: 'approve' })).rejects.toThrow(
    'it takes the role',
  );
  await expect(decideSubscription(stranger, { ...pair, action: 'approve' })).rejects.toThrow(
    'not among the approvers',
  );
  const promoted = { ...developer, roles: ['developer', 'administrator'] } as Actor;
  await expect(decideSubscription(promoted, { ...pair, action: 'approve' })).rejects.toThrow('somebody else');
  const other = await givenPerson('other', 'developer');
  await expect(requestSubscription(other, pair)).rejects.toThrow('not a client of yours');
  expect(await listSubscriptions(other)).toEqual([]);
});

it('what was refused does not come back by itself, and a change of what is trusted waits again', async () => {
  const developer = await givenTrustedRequest();
  const admin = await givenPerson('admin', 'administrator');
  await decideSubscription(admin, { ...pair, action: 'reject', reason: 'no' });
  expect(await requestSubscription(developer, { ...pair, trusted: false })).toBe('pending');
  await decideSubscription(admin, { ...pair, action: 'approve' });
  expect(await changeSubscription(developer, { ...pair, trusted: true })).toBe('pending');
});

it('SF-06, RT-15: a new password or a disablement ends sessions and refresh families; the last administrator stays', async () => {
  const alice = await givenPerson('alice');
  const id = alice.kind === 'person' ? alice.id : '';
  const family = `insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
    values (gen_random_uuid(), '${id}', 'shop', 'orders', 'local', 'consent', '{}', now(), now() + interval '1 day')`;
  const live = async () => (await rows('select 1 from token_families where revoked_at is null')).length;
  await rows(family);
  await setPassword(alice, { email: 'alice@example.com', password: 'long-enough-2' });
  expect(await live()).toBe(0);
  await rows(family);
  await disablePerson(OPERATOR, { email: 'alice@example.com' });
  expect(await live()).toBe(0);
  await expect(setPassword(OPERATOR, { email: 'alice@example.com', password: 'password1' })).rejects.toThrow(
    'guess',
  );
  await givenPerson('admin', 'administrator');
  await expect(disablePerson(OPERATOR, { email: 'admin@example.com' })).rejects.toThrow('only administrator');
});
