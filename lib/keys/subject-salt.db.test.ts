import { beforeEach, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { query } from '#lib/store/pool.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { subjectSalt } from './keys.ts';

const sql = (text: string) => query<{ sealed_salt: string }>({ text, values: [] });
const seals = async () => (await sql('select sealed_salt from subject_salt')).map((row) => row.sealed_salt);

beforeEach(async () => {
  loadSettings();
  await sql('delete from subject_salt');
});

test('parallel first requests of several instances create one sealed subject salt, and later requests reuse it', async () => {
  const before = await currentSnapshot();
  expect(before.sealedSubjectSalt).toBeNull();
  const salts = await Promise.all(Array.from({ length: 24 }, () => subjectSalt(before)));
  expect(new Set(salts.map((salt) => salt.toString('hex'))).size).toBe(1);
  expect(salts[0]).toHaveLength(32);
  const [stored, ...more] = await seals();
  expect([stored?.startsWith('v1.'), more]).toEqual([true, []]);
  expect(stored).not.toContain(salts[0]?.toString('base64url'));
  const after = await currentSnapshot();
  expect(after.sealedSubjectSalt).toBe(stored);
  expect(await subjectSalt(after)).toEqual(salts[0]);
});

test('the database schema rejects a second row with a subject salt', async () => {
  await expect(sql(`insert into subject_salt (id, sealed_salt) values (2, 'x')`)).rejects.toThrow(
    'subject_salt_one',
  );
});

test('a subject salt that is sealed with an unknown secret causes an error and stays unchanged', async () => {
  await subjectSalt(await currentSnapshot());
  const stored = await seals();
  loadSettings({ ...process.env, GATEHOUSE_SECRET: 'B'.repeat(43) });
  await sql(`update subject_salt set sealed_salt = sealed_salt || ''`);
  const snapshot = { ...(await currentSnapshot()), sealedSubjectSalt: `${stored[0]?.slice(0, -3)}AAA` };
  await expect(subjectSalt(snapshot)).rejects.toThrow('another GATEHOUSE_SECRET');
  expect(await seals()).toEqual(stored);
});
