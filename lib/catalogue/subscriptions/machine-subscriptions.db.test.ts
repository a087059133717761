// Machine access (tokens without a user) requires approval, like trusted access: for a new request, after a change, after
// a suspension, and in the configuration file.
import { beforeEach, describe, expect, it } from 'vitest';
import { isSubjectForm } from '#lib/catalogue/clients/definition.ts';
import { changeClient, createClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { exportConfiguration } from '#lib/config/export.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenClient, givenEmptyRegistry, givenPerson, refusal, SHOP, sql } from '#testing/data/registry.ts';
import {
  changeSubscription,
  decideSubscription,
  previewSubscriptionChange,
  readSubscription,
  requestSubscription,
} from './operations.ts';

beforeEach(() => givenEmptyRegistry());

async function givenAsked() {
  const developer = await givenPerson('dev', 'developer');
  const approver = await givenPerson('judge', 'approver');
  await givenClient(developer);
  expect(await requestSubscription(developer, { ...SHOP, machine: true })).toBe('pending');
  return { developer, approver };
}

const epochs = async () =>
  (await sql<{ epochs: string }>(`select epoch || '-' || machine_epoch as epochs from subscriptions`))[0]
    ?.epochs;

it('a machine access request waits even if the API requires no approval, and the approver sees its kind', async () => {
  const { developer, approver } = await givenAsked();
  expect(await readSubscription(approver, SHOP)).toMatchObject({ state: 'pending', machine: true });
  expect((await refusal(decideSubscription(developer, { ...SHOP, action: 'approve' })))?.kind).toBe(
    'forbidden',
  );
  expect(await decideSubscription(approver, { ...SHOP, action: 'approve' })).toBe('approved');
  const { history } = await readSubscription(approver, SHOP);
  expect(history.map(({ to, machine }) => [to, machine])).toEqual([
    ['pending', true],
    ['approved', true],
  ]);
});

it('added machine access requires approval, and its removal requires none and revokes its tokens', async () => {
  const developer = await givenPerson('dev', 'developer');
  const approver = await givenPerson('judge', 'approver');
  await givenClient(developer);
  expect(await requestSubscription(developer, SHOP)).toBe('approved');
  expect(await previewSubscriptionChange(developer, { ...SHOP, machine: true })).toEqual({
    from: 'approved',
    to: 'pending',
  });
  expect(await changeSubscription(developer, { ...SHOP, machine: true })).toMatchObject({ state: 'pending' });
  expect((await readSubscription(approver, SHOP)).sinceApproval?.machine).toEqual({
    before: false,
    now: true,
  });
  await decideSubscription(approver, { ...SHOP, action: 'approve' });
  const before = await epochs();
  expect(await changeSubscription(developer, { ...SHOP, machine: false })).toMatchObject({
    state: 'approved',
  });
  expect(await epochs()).not.toBe(before);
});

it('machine access that is added during a suspension is not resumed, and a changed client waits for approval again', async () => {
  const { developer, approver } = await givenAsked();
  const decide = (action: 'approve' | 'suspend' | 'resume') =>
    decideSubscription(approver, { ...SHOP, action });
  await decide('approve');
  const { version } = await readClient(developer, SHOP);
  await changeClient(developer, {
    clientId: SHOP.clientId,
    version,
    redirectUris: ['https://other.example/cb'],
  });
  expect((await readSubscription(developer, SHOP)).state).toBe('pending');
  await changeSubscription(developer, { ...SHOP, machine: false });
  await decide('approve');
  await decide('suspend');
  await changeSubscription(developer, { ...SHOP, machine: true });
  expect(await decide('resume')).toBe('pending');
});

it('configuration file: machine access waits for approval unless approved_by is set, and an export can be applied again', async () => {
  const file = (line: string) => `auth_methods: [{ id: local, type: local }]
apis: [{ id: orders, url: "https://orders.example", auth_methods: [local] }]
clients: [{ client_id: job, confidential: true }]
users:
  - { email: ada@example.com, roles: [administrator] }
subscriptions: [{ client_id: job, api: orders${line} }]
`;
  const apply = (source: string) => applyConfiguration(source, { env: {}, prune: true, dryRun: false });
  const state = async () =>
    (await sql<{ state: string }>(`select state from subscriptions where client_id = 'job'`))[0]?.state;
  await apply(file(''));
  expect(await state()).toBe('approved');
  await apply(file(', machine: true'));
  expect(await state()).toBe('pending');
  await apply(file(', machine: true, approved_by: ada@example.com'));
  expect(await state()).toBe('approved');
  expect(await exportConfiguration()).toMatch(/machine: true\n +approved_by: ada@example.com/);
  await apply(file(', machine: false'));
  expect(await state()).toBe('approved');
});

describe('RFC 9700 §4.15.1: the sub of a machine is its client id, and no user has this sub', () => {
  const UUID = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
  const FORMS = [UUID, UUID.toUpperCase(), 'aA0_-'.repeat(8).concat('xyz')];

  it.each(FORMS)(
    'developers, the operator and the file cannot create a client with the id %s',
    async (clientId) => {
      const developer = await givenPerson('dev', 'developer');
      for (const actor of [developer, OPERATOR]) {
        const refused = await refusal(givenClient(actor, clientId));
        expect(refused?.faults).toMatchObject([{ field: expect.stringMatching(/client_?id/i) }]);
      }
      const file = `clients: [{client_id: "${clientId}", client_name: X, confidential: true, redirect_uris: []}]`;
      await expect(applyConfiguration(file, { env: {} })).rejects.toThrow(/subject identifier/);
      expect(await sql('select from clients where client_id = $1', [clientId])).toEqual([]);
    },
  );

  it('an older client whose id looks like a subject cannot get machine access', async () => {
    const developer = await givenPerson('dev', 'developer');
    for (const [n, clientId] of FORMS.entries()) {
      await givenClient(developer, `former-${n}`);
      await sql('update clients set client_id = $1 where client_id = $2', [clientId, `former-${n}`]);
      const pair = { clientId, api: SHOP.api };
      const asked = await refusal(requestSubscription(developer, { ...pair, machine: true }));
      expect(asked?.faults[0]?.field).toBe('machine');
      expect(await requestSubscription(developer, pair)).toBe('approved');
      const added = await refusal(changeSubscription(developer, { ...pair, machine: true }));
      expect(added?.faults[0]?.field).toBe('machine');
    }
  });

  it('generated client ids never look like subject identifiers', async () => {
    const developer = await givenPerson('dev', 'developer');
    for (const letters of [20, 29, 30, 33, 34, 35, 60]) {
      const name = 'x'.repeat(letters);
      const { clientId } = await createClient(developer, { name, kind: 'browser', redirectUris: [] });
      expect(isSubjectForm(clientId)).toBe(false);
    }
  });
});
