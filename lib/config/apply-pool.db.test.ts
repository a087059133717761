// Runs `apply` with a connection pool of size one.
import { expect, it } from 'vitest';
import { applyConfiguration } from './apply.ts';

process.env['DATABASE_POOL_MAX'] = '1';

it('apply needs only one database connection, even when it sets a password', async () => {
  const file = (password: string) => `
auth_methods: [{ id: local, type: local }]
users: [{ email: ada@example.com, roles: [administrator], password: ${password} }]`;
  await applyConfiguration(file('first-long-enough'), { env: {} });
  const changes = await applyConfiguration(file('second-long-enough'), { env: {} });
  expect(changes.map(({ changed }) => changed)).toEqual([['password']]);
});
