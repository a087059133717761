import { beforeAll, expect, test } from 'vitest';
import { subjectSalt } from '#lib/keys/keys.ts';
import { sql } from '#testing/data/registry.ts';
import { renewKept } from '../keys.ts';
import { database } from '../prisma.ts';
import { currentSnapshot } from '../snapshot.ts';
import { findKeptSubject } from './person-facts.ts';

const ID = '3f0e2a40-6a5c-4a52-9d8e-2f0b3a1f9c11';

beforeAll(async () => {
  await subjectSalt(await currentSnapshot());
});

test('an imported subject is read again after its import is undone and a new subject is imported', async () => {
  const imported = async (subject: string | null) => {
    await sql('delete from people where id = $1', [ID]);
    await sql("insert into people (id, username, subject) values ($1, 'kim', $2)", [ID, subject]);
    await renewKept(database());
    return (await currentSnapshot()).keptEpoch;
  };
  const first = await imported('auth0|one');
  expect(await findKeptSubject(ID, first)).toBe('auth0|one');
  const second = await imported('auth0|two');
  expect(second).toBeGreaterThan(first);
  expect(await findKeptSubject(ID, second)).toBe('auth0|two');
  expect(await findKeptSubject(ID, await imported(null))).toBeNull();
});
