import { beforeAll, expect, test } from 'vitest';
import { query } from '../pool.ts';
import { findOrCreateIdentity, type Identity } from './person-facts.ts';

const ada = {
  authMethodId: 'campus',
  methodEpoch: '7',
  subject: 'u-1',
  email: 'ada@campus.example',
  name: 'Ada',
  emailVerified: false,
  claims: {},
  saidAt: null,
};
beforeAll(async () => {
  const values = ['campus', 'partner'].map((id) => `('${id}', 'external', '${id}', 7)`);
  await query({ text: `insert into auth_methods (id, type, name, epoch) values ${values}`, values: [] });
});

async function personOf(identity: Identity) {
  const found = await findOrCreateIdentity(identity);
  if (!found) throw new Error('no person');
  return found;
}
const people = () =>
  query<{ id: string; email: string | null; name: string }>({
    text: 'select id, email, name from people order by created_at',
    values: [],
  });

test('twenty concurrent first sign-ins of one external identity create one user, without an email address in the local store', async () => {
  const found = await Promise.all(Array.from({ length: 20 }, () => personOf(ada)));
  expect(new Set(found.map(({ personId }) => personId)).size).toBe(1);
  expect(await people()).toEqual([{ id: found[0]?.personId, email: null, name: 'Ada' }]);
});

test('a later sign-in of an external identity updates the name and the email address', async () => {
  const before = await personOf(ada);
  const after = await findOrCreateIdentity({ ...ada, name: 'Ada L.', email: 'lovelace@campus.example' });
  expect(after).toEqual(before);
  expect((await people())[0]?.name).toBe('Ada L.');
  const [identity] = await query({ text: 'select email, name from external_identities', values: [] });
  expect(identity).toEqual({ email: 'lovelace@campus.example', name: 'Ada L.' });
});

test('an equal sub or email address at another method creates another user', async () => {
  await query({
    text: `insert into people (email, name) values ('ada@campus.example', 'Local Ada')`,
    values: [],
  });
  const one = await personOf(ada);
  const other = await personOf({ ...ada, authMethodId: 'partner' });
  const local = (await people()).find(({ email }) => email !== null);
  expect(new Set([one.personId, other.personId, local?.id]).size).toBe(3);
});

test('the lookup of an external identity does not return a disabled person', async () => {
  const { personId } = await personOf(ada);
  await query({ text: 'update people set disabled_at = now() where id = $1::uuid', values: [personId] });
  expect(await findOrCreateIdentity(ada)).toBeNull();
});

test('an identity verified before the method switched verifiers creates no user', async () => {
  const before = (await people()).length;
  expect(await findOrCreateIdentity({ ...ada, subject: 'u-2', methodEpoch: '6' })).toBeNull();
  expect(await people()).toHaveLength(before);
});

test('an exchanged ID token adds its claims to the sign-in’s claims unless the token is older, and a sign-in replaces every claim', async () => {
  const eve = { ...ada, subject: 'u-3', name: 'Eve', email: 'eve@campus.example' };
  const known = async (more: Partial<Identity>) => {
    await personOf({ ...eve, ...more });
    const [row] = await query({
      text: `select email, email_verified, claims from external_identities where subject = 'u-3'`,
      values: [],
    });
    return Object.values(row ?? {});
  };
  const [later, before] = [60, -60].map((seconds) => new Date(Date.now() + seconds * 1000)) as [Date, Date];
  expect(await known({ emailVerified: true, claims: { a: 1, b: 2 } })).toEqual([
    eve.email,
    true,
    { a: 1, b: 2 },
  ]);
  expect(await known({ email: null, claims: { b: 3 }, saidAt: later })).toEqual([
    eve.email,
    true,
    { a: 1, b: 3 },
  ]);
  expect(await known({ claims: { b: 4 }, saidAt: before })).toEqual([eve.email, true, { a: 1, b: 3 }]);
  expect(await known({ email: 'e@x.example', claims: {}, saidAt: later })).toEqual([
    'e@x.example',
    false,
    { a: 1, b: 3 },
  ]);
  expect(await known({ email: null, claims: { c: ['x'] } })).toEqual([null, false, { c: ['x'] }]);
});
