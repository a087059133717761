import { expect, test } from 'vitest';
import { findOrCreateIdentity } from './index.ts';
import { query } from './pool.ts';

const ada = { authMethodId: 'campus', subject: 'u-1', email: 'ada@campus.example', name: 'Ada' };
const people = () =>
  query<{ id: string; email: string | null; name: string }>({
    text: 'select id, email, name from people order by created_at',
    values: [],
  });

test('twenty first sign-ins at once make one person, without an e-mail address of the local store', async () => {
  const found = await Promise.all(Array.from({ length: 20 }, () => findOrCreateIdentity(ada)));
  expect(new Set(found.map(({ personId }) => personId)).size).toBe(1);
  expect(await people()).toEqual([{ id: found[0]?.personId, email: null, name: 'Ada' }]);
});

test('a later sign-in brings the name and the e-mail address up to date', async () => {
  const before = await findOrCreateIdentity(ada);
  const after = await findOrCreateIdentity({ ...ada, name: 'Ada L.', email: 'lovelace@campus.example' });
  expect(after).toEqual(before);
  expect((await people())[0]?.name).toBe('Ada L.');
  const [identity] = await query({ text: 'select email, name from external_identities', values: [] });
  expect(identity).toEqual({ email: 'lovelace@campus.example', name: 'Ada L.' });
});

test('the same sub or the same e-mail address of another method is another person', async () => {
  await query({
    text: `insert into people (email, name) values ('ada@campus.example', 'Local Ada')`,
    values: [],
  });
  const one = await findOrCreateIdentity(ada);
  const other = await findOrCreateIdentity({ ...ada, authMethodId: 'partner' });
  const local = (await people()).find(({ email }) => email !== null);
  expect(new Set([one.personId, other.personId, local?.id]).size).toBe(3);
});

test('a disabled person is told apart', async () => {
  const { personId } = await findOrCreateIdentity(ada);
  await query({ text: 'update people set disabled_at = now() where id = $1::uuid', values: [personId] });
  expect(await findOrCreateIdentity(ada)).toEqual({
    personId,
    personEpoch: expect.any(String),
    disabled: true,
  });
});
