// Before the first check after an import, Gatehouse measures how long each kind of hash takes.
import { beforeAll, expect, test, vi } from 'vitest';
import { subjectSalt } from '#lib/keys/keys.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { renewKept } from '#lib/store/keys.ts';
import { database } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { paceOfChecks } from './local.ts';

const measured = vi.hoisted(() => [] as string[]);
vi.mock('#lib/kit/password-hash.ts', async (original) => {
  const kit = await original<typeof import('#lib/kit/password-hash.ts')>();
  const paceChecks = async (kept: readonly { kind: string }[]) => {
    measured.push(kept.map(({ kind }) => kind).join(' '));
    return 0;
  };
  return { ...kit, paceChecks };
});

beforeAll(async () => {
  setLogLevel('silent');
  await subjectSalt(await currentSnapshot());
});

const KEPT = '$2y$05$EuI1GnJmE2mL3KEt3gD2Ze7mLfkNTJaZeQFkoNBIxZNX6pMrNYYi6';

test('the first password check after an import waits until the hash kinds are measured, and later checks continue meanwhile', async () => {
  await paceOfChecks();
  expect(measured).toEqual([]);
  await sql("insert into people (username, password_hash) values ('kim', $1)", [KEPT]);
  await paceOfChecks();
  expect(measured).toEqual([]);
  await renewKept(database());
  await currentSnapshot();
  await paceOfChecks();
  expect(measured).toEqual(['$2y$05']);
  await Promise.all([paceOfChecks(), paceOfChecks()]);
  expect(measured).toHaveLength(1);
});
