// A sign-in at a broker and a batch of an import write the same identity at the same time.
import { beforeAll, expect, test } from 'vitest';
import { readPersonLine } from '#lib/catalogue/people/person-line.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { writeBatch } from './moving-in.ts';

beforeAll(async () => {
  await givenFixtures();
  await sql("insert into auth_methods (id, type, name) values ('github', 'broker', 'GitHub')");
});

const line = (number: number, ...subjects: string[]) => {
  const identities = subjects.map((subject) => ({ auth_method: 'github', subject }));
  const read = readPersonLine(JSON.stringify({ email: `of${number}@example.com`, identities }));
  if ('faults' in read) throw new Error(read.faults.join());
  return { number, person: read.person };
};

test('if a concurrent sign-in created one identity of an import line, the whole line fails, and the other lines are imported', async () => {
  const snapshot = await currentSnapshot();
  const lines = [line(1, 'free'), line(2, 'also-free', 'taken')];
  const gate = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const signIn = inTransaction(async (db) => {
    await db.$executeRaw({
      text: `insert into external_identities (auth_method_id, subject, person_id)
       select 'github', 'taken', id from people where email = '${fixturePerson('alice').email}'`,
    });
    began.resolve();
    await gate.promise;
  });
  await began.promise;
  const writing = inTransaction((db) => writeBatch(db, 'run', lines, snapshot));
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  try {
    await expect.poll(() => sql(waiting), { timeout: 20_000 }).toHaveLength(1);
  } finally {
    gate.resolve();
  }
  await signIn;
  expect(await writing).toEqual({
    imported: 1,
    unchanged: 0,
    unkept: 0,
    refused: [{ line: 2, because: 'one of its names was taken meanwhile' }],
  });
  const emails = await sql("select email from people where import_run = 'run'");
  const subjects = await sql(
    "select subject from external_identities where auth_method_id = 'github' order by 1",
  );
  expect([emails, subjects]).toEqual([
    [{ email: 'of1@example.com' }],
    [{ subject: 'free' }, { subject: 'taken' }],
  ]);
});
