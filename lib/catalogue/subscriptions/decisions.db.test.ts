// A subscription is never approved without an approval: not by its owner, not by resuming it, and not after the
// client changed.
import { beforeEach, expect, it } from 'vitest';
import {
  type ClientChange,
  changeClient,
  previewClientChange,
  readClient,
} from '#lib/catalogue/clients/operations.ts';
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
  decideSubscription,
  readSubscription,
  requestSubscription,
} from './operations.ts';

beforeEach(() => givenEmptyRegistry());

async function givenApproved({ trusted = true } = {}) {
  const developer = await givenPerson('dev', 'developer');
  const approver = await givenPerson('judge', 'approver');
  await givenClient(developer);
  await requestSubscription(developer, { ...SHOP, trusted });
  if (trusted) await decideSubscription(approver, { ...SHOP, action: 'approve' });
  return { developer, approver };
}

const decide = (actor: Person, action: 'approve' | 'suspend' | 'resume') =>
  decideSubscription(actor, { ...SHOP, action });

async function edit(actor: Person, change: Omit<ClientChange, 'clientId'>) {
  const { version } = await readClient(actor, SHOP);
  return changeClient(actor, { clientId: SHOP.clientId, version, ...change });
}

it('AD-03: an owner cannot approve a subscription of the owner’s client, even if another user requested it', async () => {
  const owner = await givenPerson('owner', 'developer', 'approver');
  const chief = await givenPerson('chief', 'developer', 'administrator');
  await givenClient(owner);
  await requestSubscription(owner, { ...SHOP, trusted: true, scopes: ['read'] });
  await changeSubscription(chief, { ...SHOP, scopes: ['write'] });
  const own = await refusal(decide(owner, 'approve'));
  expect(own).toMatchObject({ kind: 'forbidden', message: expect.stringContaining('owns this client') });
  expect((await readSubscription(owner, SHOP)).may).toMatchObject({ approve: false, reject: true });
  expect((await refusal(decide(chief, 'approve')))?.kind).toBe('forbidden');
  const judge = await givenPerson('judge', 'approver');
  expect(await decide(judge, 'approve')).toBe('approved');
  await decide(judge, 'suspend');
  expect((await refusal(decide(owner, 'resume')))?.kind).toBe('forbidden');
});

it('a subscription whose client is unchanged resumes as approved', async () => {
  const { approver } = await givenApproved();
  await decide(approver, 'suspend');
  expect(await decide(approver, 'resume')).toBe('approved');
  expect(await events('subscription.resumed')).toHaveLength(1);
});

it.each<[string, (developer: Person) => Promise<unknown>, { trusted: boolean }]>([
  ['more scopes', (who) => changeSubscription(who, { ...SHOP, scopes: ['write'] }), { trusted: true }],
  [
    'more scopes, untrusted',
    (who) => changeSubscription(who, { ...SHOP, scopes: ['write'] }),
    { trusted: false },
  ],
  ['trust', (who) => changeSubscription(who, { ...SHOP, trusted: true }), { trusted: false }],
  [
    'other redirect URIs',
    (who) => edit(who, { redirectUris: ['https://evil.example/cb'] }),
    { trusted: true },
  ],
  ['another kind', (who) => edit(who, { kind: 'browser' }), { trusted: true }],
])(
  'resuming a subscription that changed by %s during its suspension waits for an approval',
  async (_, change, given) => {
    const { developer, approver } = await givenApproved(given);
    await decide(approver, 'suspend');
    await change(developer);
    expect((await readSubscription(developer, SHOP)).state).toBe('suspended');
    expect(await decide(approver, 'resume')).toBe('pending');
    expect(await events('subscription.resumed')).toEqual([]);
    expect(await decide(approver, 'approve')).toBe('approved');
  },
);

it('a suspended subscription becomes pending when it is resumed, if the client was changed, even by SQL', async () => {
  const { approver } = await givenApproved();
  await decide(approver, 'suspend');
  await sql(`update clients set redirect_uris = '{https://evil.example/cb}'`);
  expect(await decide(approver, 'resume')).toBe('pending');
});

const KINDS = ['confidential', 'browser', 'native'] as const;
const TURNS = KINDS.flatMap((from) => KINDS.filter((to) => to !== from).map((to) => [from, to] as const));

it.each(TURNS)('a trusted client that changes from %s to %s waits for approval again', async (from, to) => {
  const { developer, approver } = await givenApproved();
  if (from !== 'confidential') {
    await edit(developer, { kind: from });
    await decide(approver, 'approve');
  }
  const { returnsToPending } = await previewClientChange(developer, { clientId: SHOP.clientId, kind: to });
  expect(returnsToPending).toHaveLength(1);
  await edit(developer, { kind: to });
  const { state, sinceApproval } = await readSubscription(approver, SHOP);
  expect(state).toBe('pending');
  expect(sinceApproval?.kind).toEqual({ before: from, now: to });
});

it('a decision based on the client’s state before a change is rejected as stale', async () => {
  const { developer, approver } = await givenApproved();
  await changeSubscription(developer, { ...SHOP, scopes: ['read'] });
  const seen = await readSubscription(approver, SHOP);
  await edit(developer, { redirectUris: ['https://evil.example/cb'] });
  const approve = { ...SHOP, action: 'approve', version: seen.version } as const;
  expect((await refusal(decideSubscription(approver, approve)))?.kind).toBe('stale');
});

it('the author of a client change becomes requester of its pending subscriptions', async () => {
  const { developer } = await givenApproved();
  const admin = await givenPerson('admin', 'administrator');
  await changeSubscription(developer, { ...SHOP, scopes: ['read'] });
  await edit(admin, { redirectUris: ['https://admin.example/cb'] });
  expect((await refusal(decide(admin, 'approve')))?.kind).toBe('forbidden');
});

it('if a subscription resumes while its client changes, the changed client is never approved', async () => {
  for (let round = 0; round < 10; round += 1) {
    await givenEmptyRegistry();
    const { developer, approver } = await givenApproved();
    await decide(approver, 'suspend');
    await Promise.allSettled([
      decide(approver, 'resume'),
      edit(developer, { redirectUris: ['https://evil.example/cb'] }),
    ]);
    const { state, redirectUris } = await readSubscription(OPERATOR, SHOP);
    if (redirectUris.includes('https://evil.example/cb')) expect(state).not.toBe('approved');
  }
});
