// Group rules and required claims that were stored before Gatehouse checked whether the methods can prove their
// claims.
import { beforeAll, expect, test } from 'vitest';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { examineHere } from './doctor.ts';

const TENANT = '72f988bf-0000-4000-8000-2d7cd011db47';
const GUIDE = 'see http://localhost:3000/documentation/guides/groups#who-is-in-a-group';

beforeAll(async () => {
  await givenFixtures();
  await sql(
    `insert into auth_methods (id, type, name, config) values
      ('hub', 'broker', 'Hub', '{"preset": "github", "client_id": "x", "claims": {"team": "company"}}'),
      ('entra', 'broker', 'Entra', '{"preset": "microsoft", "client_id": "x", "tenant": "common", "tenants": "any", "claims": {"roles": "roles"}}')`,
  );
  await sql(
    "insert into combinations (auth_method_id, api_id) values ('hub', 'orders'), ('entra', 'orders')",
  );
});

const found = async () =>
  (await examineHere()).filter(({ check }) => check === 'group rules' || check === 'required_claim');

const givenRule = (auth_method: string, claim: string, values: string[]) =>
  sql(
    `insert into groups (id, name, rules) values ('editors', 'Editors', $1::jsonb)
     on conflict (id) do update set rules = excluded.rules`,
    [JSON.stringify([{ auth_method, claim, values }])],
  );

const givenRequired = (name: string, values: string[]) =>
  sql("update subscriptions set required_claim = $1::jsonb where client_id = 'tru' and api_id = 'orders'", [
    JSON.stringify({ name, values }),
  ]);

test('doctor lists a group rule on a claim that users choose', async () => {
  await givenRule('hub', 'team', ['acme']);
  expect(await found()).toEqual([
    {
      check: 'group rules',
      state: 'warning',
      detail: `the rule of editors on team by hub adds no one: the administrators of hub do not control company, so team proves nothing: choose a claim that they control, or add users to a group manually; ${GUIDE}`,
    },
  ]);
});

test('doctor reports group rules without a tenant at a multi-tenant method, and accepts rules with a tenant', async () => {
  await givenRule('entra', 'roles', [`${TENANT}/Admin`, 'Admin']);
  expect(await found()).toEqual([
    {
      check: 'group rules',
      state: 'warning',
      detail: `the rule of editors on roles by entra adds no one: Admin does not name a tenant of entra: use TENANT_ID/VALUE, because users of several tenants sign in; ${GUIDE}`,
    },
  ]);
  await givenRule('entra', 'roles', [`${TENANT}/Admin`]);
  expect(await found()).toEqual([]);
});

test('doctor reports a required_claim that users can set freely or that lacks a tenant', async () => {
  await givenRequired('team', ['acme']);
  expect(await found()).toMatchObject([
    {
      check: 'required_claim',
      state: 'broken',
      detail: expect.stringMatching(
        /^team of tru at orders by hub admits anyone who can set the claim: .* do not control company/,
      ),
    },
  ]);
  await givenRequired('roles', ['Admin']);
  expect(await found()).toMatchObject([
    {
      state: 'warning',
      detail: expect.stringMatching(
        /^roles of tru at orders by entra admits no one: Admin does not name a tenant/,
      ),
    },
  ]);
  await sql("update subscriptions set state = 'revoked' where client_id = 'tru'");
  expect(await found()).toEqual([]);
  await sql("update subscriptions set state = 'approved' where client_id = 'tru'");
  await givenRequired('roles', [`${TENANT}/Admin`]);
  expect(await found()).toEqual([]);
  await givenRequired('email', ['@acme.example']);
  expect(await found()).toEqual([]);
});
