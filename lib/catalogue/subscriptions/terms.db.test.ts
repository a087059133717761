// Terms of a subscription: permitted users and lifetime. Only approvers set them, when they approve or later.
import { beforeEach, expect, it } from 'vitest';
import { changeApi, previewApiChange, readApi } from '#lib/catalogue/apis/operations.ts';
import { changeAuthMethod, previewAuthMethodChange } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
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
import {
  changeSubscription,
  changeTerms,
  decideSubscription,
  pageSubscriptions,
  readSubscription,
  requestSubscription,
} from './operations.ts';

const STAFF = { name: 'email', values: ['@example.com'] };
const CHIEFS = { name: 'email', values: ['chief@example.com'] };
let developer: Person;
let approver: Person;

beforeEach(async () => {
  await givenEmptyRegistry();
  await sql(`update auth_methods set config = '{"claims": {"groups": "memberOf"}}'`);
  developer = await givenPerson('dev', 'developer');
  approver = await givenPerson('judge', 'approver');
  await givenClient(developer);
  await requestSubscription(developer, { ...SHOP, trusted: true });
});

const approve = (terms: object) => decideSubscription(approver, { ...SHOP, action: 'approve', ...terms });
const methodsOfShop = async () => (await readApi(OPERATOR, { id: SHOP.api })).authMethods;
const now = async () => {
  const { requiredClaim, maxDays, version, state } = await readSubscription(OPERATOR, SHOP);
  return { requiredClaim, maxDays, version, state };
};

it('an approval sets the terms of the subscription, and its event contains them', async () => {
  await approve({ requiredClaim: STAFF, maxDays: 30 });
  expect(await now()).toMatchObject({ requiredClaim: STAFF, maxDays: 30, state: 'approved' });
  expect((await events('subscription.approved'))[0]?.details).toMatchObject({
    requiredClaim: STAFF,
    maxDays: 30,
  });
});

it('offline_access depends on the device grant, and cannot be the only scope that an approval permits', async () => {
  const change = (of: object) => changeSubscription(developer, { ...SHOP, ...of });
  const scopes = async () => (await readSubscription(OPERATOR, SHOP)).scopes;
  await change({ trusted: false, device: true, scopes: ['offline_access'] });
  const refused = await refusal(approve({ scopes: ['offline_access'] }));
  expect(refused?.faults.map(({ field }) => field)).toEqual(['scopes']);
  await approve({ scopes: ['read', 'offline_access'] });
  expect((await scopes()).toSorted()).toEqual(['offline_access', 'read']);
  await change({ device: false });
  expect(await scopes()).toEqual(['read']);
});

it('a note on a subscription is visible to approvers only, and changing it keeps the approval', async () => {
  await approve({});
  await changeTerms(approver, { ...SHOP, note: '  Ask Ada first.\nShe runs it. ' });
  const text = 'Ask Ada first.\nShe runs it.';
  const [note, ...others] = [
    await readSubscription(approver, SHOP),
    await readSubscription(developer, SHOP),
    (await pageSubscriptions(developer)).rows[0],
    (await pageSubscriptions(approver)).rows[0],
  ].map((row) => row?.note);
  expect([note, ...others]).toEqual([text, null, null, text]);
  expect(await now()).toMatchObject({ state: 'approved' });
  await decideSubscription(approver, { ...SHOP, action: 'suspend' });
  await decideSubscription(approver, { ...SHOP, action: 'resume' });
  expect(await now()).toMatchObject({ state: 'approved' });
  expect((await events('subscription.terms_changed'))[0]?.details).toMatchObject({ note: text });
  await changeTerms(approver, { ...SHOP, note: null });
  expect((await readSubscription(approver, SHOP)).note).toBeNull();
});

it.each([' ', 'x'.repeat(501), 'a\u202eb'])(
  'a note without a visible character is rejected: %j',
  async (note) => {
    await approve({});
    const refused = await refusal(changeTerms(approver, { ...SHOP, note }));
    expect(refused?.faults.map(({ field }) => field)).toEqual(['note']);
  },
);

it('the required claim of a subscription survives suspension, revocation and a new request', async () => {
  await approve({ requiredClaim: STAFF });
  for (const action of ['suspend', 'resume', 'revoke'] as const)
    await decideSubscription(approver, { ...SHOP, action });
  await requestSubscription(developer, SHOP);
  expect(await now()).toMatchObject({ requiredClaim: STAFF });
});

it('after approval, each term can be changed alone and is logged, and required_claim: null admits everybody', async () => {
  await approve({ maxDays: 30 });
  await changeTerms(approver, { ...SHOP, requiredClaim: { name: 'groups', values: ['finance', 'finance'] } });
  expect(await now()).toMatchObject({ requiredClaim: { name: 'groups', values: ['finance'] }, maxDays: 30 });
  await changeTerms(approver, { ...SHOP, requiredClaim: null });
  expect(await now()).toMatchObject({ requiredClaim: null, maxDays: 30, state: 'approved' });
  const told = await events('subscription.terms_changed');
  expect(told.map(({ details }) => (details as { requiredClaim: unknown }).requiredClaim)).toEqual([
    { name: 'groups', values: ['finance'] },
    null,
  ]);
});

it('of concurrent changes by two approvers one fails, and terms never mix', async () => {
  await approve({});
  for (let round = 0; round < 10; round += 1) {
    const { version } = await now();
    const other = await givenPerson(`judge${round}`, 'approver');
    const [first, second] = await Promise.allSettled([
      changeTerms(approver, { ...SHOP, version, requiredClaim: STAFF, maxDays: 1 }),
      changeTerms(other, { ...SHOP, version, requiredClaim: CHIEFS, maxDays: 2 }),
    ]);
    expect([first.status, second.status].toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'fulfilled',
      'rejected',
    ]);
    const refused =
      first.status === 'rejected' ? first.reason : second.status === 'rejected' && second.reason;
    expect(refused).toMatchObject({ kind: 'stale' });
    const won =
      first.status === 'fulfilled'
        ? { requiredClaim: STAFF, maxDays: 1 }
        : { requiredClaim: CHIEFS, maxDays: 2 };
    expect(await now()).toMatchObject({ ...won, version: version + 1 });
  }
});

it('a change of a method that would weaken a required claim is rejected, and the error names the subscription', async () => {
  const broker = { issuer: 'https://login.example', client_id: 'x', claims: { team: 'realm_access.team' } };
  const weak = { ...broker, claims: { team: 'address.locality' } };
  await sql(
    `insert into auth_methods (id, type, name, config, position) values
      ('idp', 'broker', 'IdP', $1, 100), ('other', 'broker', 'Other', $2, 101)`,
    [broker, weak],
  );
  await changeApi(OPERATOR, { id: SHOP.api, authMethods: [...(await methodsOfShop()), 'idp'] });
  await approve({ requiredClaim: { name: 'team', values: ['acme'] } });
  const message =
    'the subscription of shop to orders requires the claim team. After this change, the claim would prove nothing for users of %s: first change required_claim of the subscription';
  expect((await refusal(changeAuthMethod(OPERATOR, { id: 'idp', config: weak })))?.faults).toMatchObject([
    { field: 'config', code: 'claim.weakened', message: message.replace('%s', 'idp') },
  ]);
  expect((await previewAuthMethodChange(OPERATOR, { id: 'idp', config: weak })).faults).toMatchObject([
    { field: 'config', code: 'claim.weakened' },
  ]);
  const more = { id: SHOP.api, authMethods: [...(await methodsOfShop()), 'other'] };
  expect((await previewApiChange(OPERATOR, more)).faults).toMatchObject([{ code: 'claim.weakened' }]);
  expect((await refusal(changeApi(OPERATOR, more)))?.faults).toMatchObject([
    { field: `authMethods.${more.authMethods.length - 1}`, message: message.replace('%s', 'other') },
  ]);
  // faults that already existed are not reported
  await sql(`update auth_methods set config = $1 where id = 'idp'`, [weak]);
  expect((await previewAuthMethodChange(OPERATOR, { id: 'idp', name: 'Partner' })).faults).toEqual([]);
  await changeAuthMethod(OPERATOR, { id: 'idp', name: 'Partner' });
  await decideSubscription(approver, { ...SHOP, action: 'revoke' });
  await changeApi(OPERATOR, more);
  // without a new value, the approval would keep the claim that the method can no longer prove
  await requestSubscription(developer, SHOP);
  expect((await refusal(approve({})))?.faults[0]?.field).toBe('requiredClaim.name');
  await approve({ requiredClaim: STAFF });
});

it('only approvers can change terms, and only of approved subscriptions', async () => {
  const change = (actor: Person) => changeTerms(actor, { ...SHOP, requiredClaim: null });
  expect((await refusal(change(approver)))?.kind).toBe('conflict');
  await approve({ requiredClaim: STAFF });
  expect((await readSubscription(approver, SHOP)).may.terms).toBe(true);
  expect((await readSubscription(developer, SHOP)).may.terms).toBe(false);
  expect((await refusal(change(developer)))?.kind).toBe('forbidden');
  const both = await givenPerson('both', 'developer', 'approver');
  await sql('update clients set owner_id = $1', [both.id]);
  expect((await refusal(change(both)))?.kind).toBe('forbidden');
  expect((await now()).requiredClaim).toEqual(STAFF);
});

it.each<[object, string]>([
  [{ requiredClaim: { name: 'department', values: ['x'] } }, 'requiredClaim.name'],
  [{ requiredClaim: { name: 'sub', values: ['x'] } }, 'requiredClaim.name'],
  [{ requiredClaim: { name: 'groups', values: [] } }, 'requiredClaim.values'],
  [{ requiredClaim: { name: 'email', values: ['erin'] } }, 'requiredClaim.values.0'],
  [{ requiredClaim: 'groups' }, 'requiredClaim'],
  [{ maxDays: 0 }, 'maxDays'],
])('the subscription terms %j are rejected, and nothing changes', async (terms, field) => {
  for (const set of [approve, (more: object) => changeTerms(approver, { ...SHOP, ...more })])
    expect((await refusal(set(terms)))?.faults[0]?.field).toBe(field);
  expect(await now()).toMatchObject({ state: 'pending', requiredClaim: null, maxDays: null });
  expect((await refusal(decideSubscription(approver, { ...SHOP, action: 'reject', ...terms })))?.kind).toBe(
    'invalid',
  );
});

it('an API with FAPI 2.0 rejects subscriptions of clients without keys on request, approval and resumption', async () => {
  await sql(`update apis set profile = 'fapi-2.0' where id = $1`, [SHOP.api]);
  const why = `the API ${SHOP.api} follows FAPI 2.0: it accepts only clients with private_key_jwt`;
  expect((await refusal(approve({})))?.message).toBe(why);
  await decideSubscription(approver, { ...SHOP, action: 'reject', reason: 'a secret' });
  expect((await refusal(requestSubscription(developer, SHOP)))?.message).toBe(why);
  await sql(
    `update clients set confidential = true, token_endpoint_auth_method = 'private_key_jwt', jwks_uri = 'https://shop.example/jwks'
     where client_id = $1`,
    [SHOP.clientId],
  );
  await requestSubscription(developer, { ...SHOP, trusted: true });
  await approve({});
  expect((await now()).state).toBe('approved');
  await decideSubscription(approver, { ...SHOP, action: 'suspend', reason: 'for a while' });
  await sql('update clients set token_endpoint_auth_method = null, jwks_uri = null where client_id = $1', [
    SHOP.clientId,
  ]);
  expect((await refusal(decideSubscription(approver, { ...SHOP, action: 'resume' })))?.message).toBe(why);
  expect((await now()).state).toBe('suspended');
});
