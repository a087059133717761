// An import of 2,000 people and their refresh tokens is killed twice and started again. Every row must equal that of
// an import without interruption.
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { withClient } from '#testing/data/sql.ts';
import { everything, importPeople, prepare, writeImport } from '#testing/moving-in/killed-import.ts';

const PEOPLE = 2_000;
const folder = path.join(tmpdir(), `gatehouse-killed-${process.pid}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('import: a complete run after two SIGKILLs has the same result as one uninterrupted run', async () => {
  const one = process.env['DATABASE_URL'] ?? '';
  const two = `${one}_two`;
  const name = new URL(two).pathname.slice(1);
  const at = (url: string): NodeJS.ProcessEnv => ({ ...process.env, DATABASE_URL: url });
  const [whole, broken] = [at(one), at(two)] as const;
  writeImport(folder, PEOPLE);
  prepare(whole, folder);
  await withClient(inject('databaseUrl'), (admin) =>
    admin.query(`create database ${name} template ${new URL(one).pathname.slice(1)} strategy file_copy`),
  );
  const once = importPeople(whole, folder);
  // SIGKILL arrives in a random batch. A run that finishes before the signal exits with 0 and changes
  // nothing.
  for (const killAt of [randomInt(1, 600), randomInt(600, 1_100)])
    expect([null, 0]).toContain((await importPeople(broken, folder, { killAt })).status);
  const last = await importPeople(broken, folder);
  expect([last.status, (await once).status], last.said).toEqual([0, 0]);
  expect(last.said).toMatch(/^\d+ imported, \d+ unchanged, 0 rejected$/m);
  const rows = await everything(one);
  expect(rows.length).toBeGreaterThan(PEOPLE * 1.6);
  expect(await everything(two)).toEqual(rows);
});
