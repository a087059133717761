import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { database } from '#lib/store/prisma.ts';
import { personRegistrations } from './registrations.ts';
import { insertPerson } from './rows.ts';

test('an invitation adds one method to an account that is restricted to methods, once, and leaves other accounts unchanged', async () => {
  const db = database();
  const person = { name: '', roles: [], passwordHash: 'old', configPassword: null };
  await insertPerson(db, { ...person, email: 'each@example.com' });
  await insertPerson(db, { ...person, email: 'one@example.com', letInAt: 'first' });
  const invite = (email: string, authMethodId: string) => {
    const of = { authMethodId, email, name: '', invitedBy: null, days: 1 };
    return personRegistrations.invite(db, { ...of, handleHash: randomBytes(32) });
  };
  expect(await invite('each@example.com', 'second')).toMatchObject({ letIn: false });
  expect(await invite('one@example.com', 'first')).toMatchObject({ letIn: false });
  expect(await invite('one@example.com', 'second')).toMatchObject({ letIn: true });
  expect(await invite('one@example.com', 'second')).toMatchObject({ letIn: false });
  expect(await db.run({ text: 'select let_in_at from people order by email' })).toEqual([
    { let_in_at: null },
    { let_in_at: ['first', 'second'] },
  ]);
});
