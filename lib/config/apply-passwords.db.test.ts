// Password hashing is slow, so it happens outside the registry lock.
import { expect, test, vi } from 'vitest';
import { query } from '#lib/store/pool.ts';
import { applyConfiguration } from './apply.ts';

const locksWhileHashing: number[] = [];

vi.mock('#lib/kit/password-hash.ts', async (original) => {
  const kit = await original<typeof import('#lib/kit/password-hash.ts')>();
  const noted =
    <Input extends unknown[], Result>(work: (...input: Input) => Promise<Result>) =>
    async (...input: Input) => {
      const rows = await query({
        text: `select from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())`,
        values: [],
      });
      locksWhileHashing.push(rows.length);
      return work(...input);
    };
  return { ...kit, hashPassword: noted(kit.hashPassword), verifyPassword: noted(kit.verifyPassword) };
});

const file = (password: string) => `
users:
  - { email: ada@example.com, roles: [administrator], password: ${password} }
  - { email: bob@example.com, password: bob-and-his-words }
`;

test('apply hashes and compares passwords before it locks the registry', async () => {
  const apply = async (password: string) =>
    (await applyConfiguration(file(password), { env: {} })).map(({ id, changed }) => [id, changed]);
  await apply('the-first-of-all');
  expect(await apply('the-first-of-all')).toEqual([]);
  expect(await apply('the-second-one')).toEqual([['ada@example.com', ['password']]]);
  // hashes of two new passwords; then two comparisons; then two comparisons and the hash of a new password
  expect(locksWhileHashing).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

test('apply accepts a short password, which pages would reject, with a warning that contains its path', async () => {
  const warnings: string[] = [];
  const onWarning = (line: string) => warnings.push(line);
  const source = 'users: [{ email: cy@example.com, roles: [administrator], password: geheim }]';
  expect(await applyConfiguration(source, { env: {}, onWarning })).toHaveLength(1);
  expect(warnings).toEqual(['users[0].password: is shorter than 8 characters (line 1)']);
});
