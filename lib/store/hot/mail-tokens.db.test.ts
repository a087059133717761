import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { insertPerson, setPasswordHash } from '#lib/catalogue/people/rows.ts';
import { query } from '../pool.ts';
import { database, inTransaction } from '../prisma.ts';
import { createMailToken, findMailToken } from './registrations.ts';

const blocked = async () => (await query({ text: 'select 1 from pg_locks where not granted' })).length > 0;

test('a reset link created during a password change waits for the change', async () => {
  const email = 'links@example.com';
  const person = { email, name: '', roles: [], passwordHash: 'old', configPassword: null };
  const id = (await insertPerson(database(), person)) ?? '';
  const tokenHash = randomBytes(32);
  let made = false;
  const making = await inTransaction(async (db) => {
    await setPasswordHash(db, id, 'new');
    const link = createMailToken({ tokenHash, purpose: 'password-reset', email, seconds: 60 }).then(() => {
      made = true;
    });
    while (!made && !(await blocked()));
    expect(made).toBe(false);
    return [link];
  });
  await Promise.all(making);
  expect(await findMailToken(tokenHash, 'password-reset')).not.toBeNull();
  await setPasswordHash(database(), id, 'newer');
  expect(await findMailToken(tokenHash, 'password-reset')).toBeNull();
});
