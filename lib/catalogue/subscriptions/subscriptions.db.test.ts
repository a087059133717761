import { beforeEach, expect, it } from 'vitest';
import { listEvents } from '#lib/audit/audit-log.ts';
import { changeClient, previewClientChange, readClient } from '#lib/catalogue/clients/operations.ts';
import { disablePerson, revokeRole, setPassword } from '#lib/catalogue/people/operations.ts';
import { mayDo, OPERATOR } from '#lib/management/policy.ts';
import {
  countLiveFamilies,
  events,
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  type Person,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import {
  cancelSubscription,
  changeSubscription,
  decideSubscription,
  pageInbox,
  pageSubscriptions,
  readSubscription,
  requestSubscription,
} from './operations.ts';

beforeEach(() => givenEmptyRegistry(['lead@example.com']));

async function givenTrustedRequest() {
  const developer = await givenPerson('dev', 'developer');
  await givenClient(developer);
  expect(await requestSubscription(developer, { ...SHOP, trusted: true })).toBe('pending');
  return developer;
}

it('AD-01: a developer’s request for trust stays pending and has no effect, whatever form it has', async () => {
  const developer = await givenTrustedRequest();
  expect(await changeSubscription(developer, { ...SHOP, trusted: false })).toMatchObject({
    state: 'pending',
  });
  expect(await changeSubscription(developer, { ...SHOP, trusted: true })).toMatchObject({ state: 'pending' });
  const smuggled = { ...SHOP, trusted: true, state: 'approved', approved: true } as never;
  expect(await changeSubscription(developer, smuggled)).toMatchObject({ state: 'pending' });
});

it('AD-08: ten approvers who decide concurrently cause one final state, one decision and one audit event', async () => {
  await givenTrustedRequest();
  const lead = await givenPerson('lead', 'approver');
  const admin = await givenPerson('admin', 'administrator');
  const attempts = Array.from({ length: 10 }, (_, at) =>
    decideSubscription(at % 2 ? lead : admin, {
      ...SHOP,
      action: at % 2 ? 'approve' : 'reject',
      reason: 'race',
      version: 1,
    }),
  );
  const settled = await Promise.allSettled(attempts);
  expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  const kinds = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.kind] : []));
  expect(new Set(kinds)).toEqual(new Set(['stale']));
  const decisions = (await listEvents({ limit: 1000 })).filter((one) => /approved|rejected/.test(one.event));
  expect(decisions).toHaveLength(1);
  const row = await readSubscription(OPERATOR, SHOP);
  expect(`subscription.${row.state}`).toBe(decisions[0]?.event);
  expect(await sql('select count(*)::int as n from subscription_events')).toEqual([{ n: 2 }]);
});

it('AD-02, AD-03: an approval by a user without the role, by an approver of other APIs or by the requester is rejected and audited', async () => {
  const developer = await givenTrustedRequest();
  const stranger = await givenPerson('stranger', 'approver');
  const approve = { ...SHOP, action: 'approve' } as const;
  await expect(decideSubscription(developer, approve)).rejects.toMatchObject({ kind: 'forbidden' });
  await expect(decideSubscription(stranger, approve)).rejects.toThrow('is not an approver');
  const promoted: Person = { ...developer, roles: ['developer', 'administrator'] };
  await expect(decideSubscription(promoted, approve)).rejects.toThrow('another person');
  expect((await readSubscription(promoted, SHOP)).may).toMatchObject({ approve: false, reject: true });
  const other = await givenPerson('other', 'developer');
  await expect(requestSubscription(other, SHOP)).rejects.toMatchObject({ kind: 'not-found' });
  expect((await pageSubscriptions(other)).rows).toEqual([]);
  expect(await events('access.denied')).toHaveLength(4);
});

it('AD-12: an approval requires a sign-in of the last 15 minutes, and a rejection does not', async () => {
  await givenTrustedRequest();
  const lead = await givenPerson('lead', 'approver');
  const ago = (minutes: number) => ({ ...lead, signedInAt: new Date(Date.now() - minutes * 60_000) });
  const approve = { ...SHOP, action: 'approve' } as const;
  await expect(decideSubscription(ago(16), approve)).rejects.toMatchObject({ kind: 'reauthenticate' });
  expect(await decideSubscription(ago(14), approve)).toBe('approved');
  expect(await decideSubscription(ago(60), { ...SHOP, action: 'suspend' })).toBe('suspended');
  await expect(decideSubscription(ago(60), { ...SHOP, action: 'resume' })).rejects.toMatchObject({
    kind: 'reauthenticate',
  });
});

it('a rejected subscription needs a new decision, and an approved one changed to trusted becomes pending', async () => {
  const developer = await givenTrustedRequest();
  const admin = await givenPerson('admin', 'administrator');
  await decideSubscription(admin, { ...SHOP, action: 'reject', reason: 'no' });
  expect(await requestSubscription(developer, { ...SHOP, trusted: false, message: 'again' })).toBe('pending');
  expect((await readSubscription(developer, SHOP)).message).toBe('again');
  await decideSubscription(admin, { ...SHOP, action: 'approve' });
  expect(await changeSubscription(developer, { ...SHOP, trusted: true })).toMatchObject({ state: 'pending' });
  expect(await cancelSubscription(developer, SHOP)).toBe('revoked');
});

it('a new redirect URI returns the client’s trusted subscriptions to pending, is previewed, and appears in the inbox', async () => {
  const developer = await givenTrustedRequest();
  const lead = await givenPerson('lead', 'approver');
  await decideSubscription(lead, { ...SHOP, action: 'approve' });
  const change = { clientId: 'shop', redirectUris: ['https://shop.example/other'] };
  const { returnsToPending } = await previewClientChange(developer, change);
  expect(returnsToPending).toEqual([{ ...SHOP, apiName: 'orders', trusted: true }]);
  expect((await readSubscription(developer, SHOP)).state).toBe('approved');
  const { version } = await readClient(developer, SHOP);
  await changeClient(developer, { ...change, version });
  const [waiting] = (await pageInbox(lead)).rows;
  expect(waiting).toMatchObject({
    state: 'pending',
    may: { approve: true },
    sinceApproval: {
      redirectUrisAdded: ['https://shop.example/other'],
      redirectUrisRemoved: ['https://shop.example/cb'],
    },
  });
  await decideSubscription(lead, { ...SHOP, action: 'approve' });
  expect((await readSubscription(lead, SHOP)).sinceApproval).toMatchObject({ redirectUrisAdded: [] });
});

it('approvers see only decidable requests', async () => {
  await givenTrustedRequest();
  const stranger = await givenPerson('stranger', 'approver');
  expect((await pageInbox(stranger)).rows).toEqual([]);
  await expect(readSubscription(stranger, SHOP)).rejects.toMatchObject({ kind: 'not-found', foreign: true });
});

it('SF-06, RT-15: a new password or a disabled account revokes refresh token families, and the last administrator cannot be disabled', async () => {
  const alice = await givenPerson('alice');
  await givenFamily(alice);
  await setPassword(OPERATOR, { email: 'alice@example.com', password: 'long-enough-2' });
  expect(await countLiveFamilies()).toBe(0);
  await givenFamily(alice);
  await disablePerson(OPERATOR, { id: alice.id });
  expect(await countLiveFamilies()).toBe(0);
  const weak = { email: 'alice@example.com', password: 'password1' };
  await expect(setPassword(OPERATOR, weak)).rejects.toThrow('guess');
  const admin = await givenPerson('admin', 'administrator');
  await expect(disablePerson(OPERATOR, { id: admin.id })).rejects.toThrow('only administrator');
});

it('if two administrators revoke each other concurrently, one remains administrator', async () => {
  const [one, two] = [await givenPerson('one', 'administrator'), await givenPerson('two', 'administrator')];
  const role = 'administrator';
  await Promise.allSettled([
    revokeRole(one, { id: two.id, role }),
    revokeRole(two, { id: one.id, role }),
    disablePerson(one, { id: two.id }),
    disablePerson(two, { id: one.id }),
  ]);
  const left = await sql(`select 1 from people where 'administrator' = any(roles) and disabled_at is null`);
  expect(left).toHaveLength(1);
});

it('the scopes of a management API token limit what the user’s roles permit', async () => {
  const admin = await givenPerson('admin', 'administrator');
  expect(mayDo({ ...admin, scopes: ['people:read'] }, 'people.read')).toBe(true);
  expect(mayDo({ ...admin, scopes: ['people:read'] }, 'people.manage')).toBe(false);
});
