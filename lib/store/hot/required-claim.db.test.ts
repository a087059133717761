// Required claim of a subscription (hot/validity.ts): claims that match, and no extra reads without a required claim.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { isFor } from './validity.ts';

type Known = { claims?: object; email?: string | null; verified?: boolean };

let person: string;

beforeAll(async () => {
  await givenFixtures();
  await sql(`update auth_methods set config = config || '{"trust_email": true}' where id = 'brk'`);
});
beforeEach(async () => {
  const [made] = await sql<{ id: string }>(`insert into people (name) values ('Erin') returning id`);
  person = made?.id ?? '';
});

const known = ({ claims = {}, email = null, verified = false }: Known, method = 'brk') =>
  sql(
    `insert into external_identities (auth_method_id, subject, person_id, email, email_verified, claims)
     values ($1, gen_random_uuid(), $2, $3, $4, $5)`,
    [method, person, email, verified, JSON.stringify(claims)],
  );

async function mayUse(required: object | null, method = 'brk'): Promise<boolean> {
  const [row] = await sql<{ yes: boolean }>(
    `select ${isFor({ subscription: 's', personId: '$1::uuid', authMethodId: '$2' })} as yes from (select $3::jsonb as required_claim) s`,
    [person, method, required && JSON.stringify(required)],
  );
  return row?.yes ?? false;
}

const one = (name: string, ...values: string[]) => ({ name, values });

test('without a required claim, every user is admitted, even a user without claims', async () => {
  expect(await mayUse(null)).toBe(true);
  expect(await mayUse(one('groups', 'finance'))).toBe(false);
});

test.each<[string, unknown, boolean]>([
  ['one text', 'finance', true],
  ['another text', 'sales', false],
  ['a text that only begins so', 'finance-eu', false],
  ['other letters', 'Finance', false],
  ['a list with it', ['sales', 'finance'], true],
  ['a list without it', ['sales', 'finance-eu'], false],
  ['an empty list', [], false],
  ['an object with it as a member', { finance: true }, false],
  ['true', true, true],
  ['false', false, false],
  ['a number', 7, true],
  ['another number', 70, false],
])('the value of a required claim is compared with a user’s claim that is %s', async (_, groups, yes) => {
  await known({ claims: { groups } });
  expect(await mayUse(one('groups', 'audit', 'finance', 'true', '7'))).toBe(yes);
});

test('a user meets a required claim only by a claim with the exact name, issued by the method of the sign-in', async () => {
  const odd = `it's "groups"\\'; drop table people; --`;
  await known({ claims: { [odd]: [`a "b" 'c' \\`], groups: 'other' } });
  expect(await mayUse(one(odd, `a "b" 'c' \\`))).toBe(true);
  expect(await mayUse(one(odd, 'a'))).toBe(false);
  expect(await mayUse(one(odd, `a "b" 'c' \\`), 'ext')).toBe(false);
  await known({ claims: { groups: 'finance' } }, 'ext');
  expect(await mayUse(one('groups', 'finance'))).toBe(false);
  expect(await mayUse(one('groups', 'finance'), 'ext')).toBe(true);
});

test('a required claim with 100 values is compared with the 1,000 groups of a user', async () => {
  const groups = Array.from({ length: 1_000 }, (_, at) => `g${at}`);
  await known({ claims: { groups } });
  const others = Array.from({ length: 99 }, (_, at) => `h${at}`);
  expect(await mayUse(one('groups', ...others, 'g999'))).toBe(true);
  expect(await mayUse(one('groups', ...others))).toBe(false);
});

test.each<[string, Known, boolean, boolean]>([
  ['a proved address', { email: 'Erin@Example.com', verified: true }, true, true],
  ['an address that is not proved', { email: 'erin@example.com' }, false, false],
  ['of another domain', { email: 'erin@example.com.evil.example', verified: true }, false, false],
  ['of a domain below', { email: 'erin@eu.example.com', verified: true }, false, false],
  ['somebody else of the domain', { email: 'eve@example.com', verified: true }, false, true],
  [
    'an odd one of another domain',
    { email: '"erin@example.com"@evil.example', verified: true },
    false,
    false,
  ],
  ['none', {}, false, false],
  ['a claim of that name', { claims: { email: 'erin@example.com', email_verified: true } }, false, false],
])('a required email address is compared with the user’s address: %s', async (_, of, address, domain) => {
  await known(of);
  expect(await mayUse(one('email', 'erin@example.com'))).toBe(address);
  expect(await mayUse(one('email', '@example.com'))).toBe(domain);
  expect(await mayUse(one('email_verified', 'true'))).toBe(of.verified === true);
});

test('a required email address is not proved by an untrusted broker, and a local account proves only its own verified address', async () => {
  await known({ email: 'erin@example.com', verified: true }, 'ext');
  expect(await mayUse(one('email', 'erin@example.com'), 'ext')).toBe(false);
  await sql(`update people set email = $2, email_verified_at = null where id = $1`, [
    person,
    `${person}@own.example`,
  ]);
  await known({ email: 'erin@example.com', verified: true });
  expect(await mayUse(one('email', 'erin@example.com'))).toBe(false);
  expect(await mayUse(one('email', '@own.example'))).toBe(false);
  await sql('update people set email_verified_at = now() where id = $1', [person]);
  expect(await mayUse(one('email', '@own.example'), 'pw')).toBe(true);
});

test('at a method for several tenants, the value of a required claim is accepted only together with its tenant', async () => {
  const [tenant, evil] = ['72f988bf-0000-4000-8000-2d7cd011db47', '11111111-0000-4000-8000-2d7cd011db47'];
  for (const tenants of ['any', [tenant, evil]]) {
    const id = `ms-${typeof tenants}`;
    await sql(`insert into auth_methods (id, type, name, config) values ($1, 'broker', 'MS', $2)`, [
      id,
      JSON.stringify({ preset: 'microsoft', tenants }),
    ]);
    const [mallory] = await sql<{ id: string }>(`insert into people (name) values ('Mallory') returning id`);
    const add = `insert into external_identities (auth_method_id, subject, person_id, claims) values ($1, $2, $3, '{"roles": ["Admin"]}')`;
    await sql(add, [id, `${tenant}/oid`, person]);
    await sql(add, [id, `${evil}/oid`, mallory?.id]);
    expect(await mayUse(one('roles', `${tenant.toUpperCase()}/Admin`), id)).toBe(true);
    for (const value of ['Admin', '/Admin', `${tenant}/admin`, `${tenant}/`])
      expect(await mayUse(one('roles', value), id), value).toBe(false);
    person = mallory?.id ?? '';
    expect(await mayUse(one('roles', `${tenant}/Admin`, 'Admin'), id)).toBe(false);
    const [next] = await sql<{ id: string }>(`insert into people (name) values ('Erin') returning id`);
    person = next?.id ?? '';
  }
});
