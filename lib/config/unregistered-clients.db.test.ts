// The file does not manage agents: `apply --prune` keeps approved agents, and an export that contains agents can be
// applied without changes.
import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { closePool, query } from '#lib/store/pool.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

const demo = readFileSync(new URL('../../demo/gatehouse.yaml', import.meta.url), 'utf8');
const apply = (source: string, prune = false) => applyConfiguration(source, { env: {}, prune });
const rows = <Row>(text: string, values: unknown[] = []) => query<Row>({ text, values });

const AGENT = 'https://agent.example/client.json';
const clear = () =>
  rows('truncate auth_methods, apis, clients, people, audit_events, token_families, codes cascade');

beforeEach(async () => {
  await clear();
  await apply(demo);
  for (const [id, origin, confidential] of [
    [AGENT, 'document', false],
    ['registered-one', 'registration', false],
    ['registered-two', 'registration', true],
  ] as const) {
    await rows(
      `insert into clients (client_id, name, confidential, application_type, origin, redirect_uris, grant_types)
       values ($1, 'Agent', $2, 'native', $3, '{https://agent.example/cb}', '{authorization_code,refresh_token}')`,
      [id, confidential, origin],
    );
    await rows(`insert into subscriptions (client_id, api_id, state) values ($1, 'orders', 'pending')`, [id]);
  }
  for (const clientId of [AGENT, 'registered-one'])
    await decideSubscription(OPERATOR, {
      ...{ clientId, api: 'orders', action: 'approve', maxDays: 30 },
      requiredClaim: { name: 'email', values: ['@example.com'] },
    });
});
afterAll(() => closePool());

const agents = () =>
  rows(
    `select c.client_id, c.name, c.origin, s.api_id, s.state, s.scopes, s.max_days, s.required_claim from clients c
     left join subscriptions s using (client_id) where c.origin is not null order by 1`,
  );

it('--prune keeps agents that the file omits', async () => {
  const before = await agents();
  expect(before).toHaveLength(3);
  expect(await apply(demo, true)).toEqual([]);
  expect(await agents()).toEqual(before);
});

it('an export with agents can be applied repeatedly and with --prune, without changes', async () => {
  const before = await agents();
  const exported = await exportConfiguration();
  expect(exported).not.toContain(AGENT);
  expect(exported).toContain('client_id: registered-one');
  expect(exported).toContain('#   registered-two to orders: pending');
  for (const prune of [false, true, true]) expect(await apply(exported, prune)).toEqual([]);
  expect(await agents()).toEqual(before);
});

it('exports applied to an empty database create no pending agent subscriptions', async () => {
  const exported = await exportConfiguration();
  await clear();
  await apply(exported);
  const there = await rows(
    `select client_id, required_claim from subscriptions where client_id like 'registered-%'`,
  );
  const required_claim = { name: 'email', values: ['@example.com'] };
  expect(there).toEqual([{ client_id: 'registered-one', required_claim }]);
});

it('the file can restrict the users of a client, keeps the restriction if the key is missing, or allows everybody', async () => {
  const withSubscription = (line: string) => demo.replace(/^subscriptions:\n/m, `subscriptions:\n${line}`);
  const claim = async () => {
    const [row] = await rows<{ required_claim: unknown }>(
      `select required_claim from subscriptions where client_id = 'said' and api_id = 'orders'`,
    );
    return row?.required_claim;
  };
  const client =
    '  - { client_id: said, client_name: Said, application_type: browser, redirect_uris: ["https://said.example/cb"] }\n';
  const said = (term: string) =>
    withSubscription(`  - { client_id: said, api: orders${term} }\n`).replace(
      /^clients:\n/m,
      `clients:\n${client}`,
    );
  await apply(said(', required_claim: { name: email, values: ["@Example.com"] }'));
  expect(await claim()).toEqual({ name: 'email', values: ['@example.com'] });
  expect(await apply(said(''))).toEqual([]);
  expect(await claim()).toEqual({ name: 'email', values: ['@example.com'] });
  await apply(said(', required_claim: null'));
  expect(await claim()).toBe(null);
  await expect(apply(said(', required_claim: { name: sub, values: [x] }'))).rejects.toThrow();
});
