// Several processes with one database: a value for single use works once in all processes together, and limits are
// shared.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listEvents } from '#lib/audit/audit-log.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { startFactorInstances } from '#testing/factors/factor-instance.ts';
import {
  codeOf,
  FACTOR_CONTEXT as context,
  givenPersonWithApp,
  wrongCodeOf,
} from '#testing/factors/factors.ts';
import { makeRecoveryCodes, proveRecoveryCode, proveTotp } from './totp.ts';

let instances: Awaited<ReturnType<typeof startFactorInstances>>;

beforeAll(async () => {
  setLogLevel('silent');
  loadSettings();
  instances = await startFactorInstances(3);
});
afterAll(() => instances.stop());
// also deletes refusals, because their ten-minute window may end between two tests
beforeEach(() => sql('truncate attempts, refusals, audit_events'));

const TOTP = { kind: 'totp', ip: null } as const;
const times = (count: number, personId: string, code: string) => Array(count).fill({ personId, code });
const openLimits = () => sql(`update attempts set expires_at = now() - interval '1 second'`);

test('100 parallel uses of one code of an authenticator app over three instances: exactly one succeeds', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const code = codeOf(secret);
  const outcomes = await instances.prove({ ...TOTP, tries: times(100, personId, code) });
  expect(outcomes.proved).toBe(1);
  expect(outcomes.wrong + outcomes.slowDown).toBe(99);
  await openLimits();
  expect(await proveTotp({ personId, code, context })).toBe('wrong');
});

test('100 parallel uses of one code of an authenticator app without limits: exactly one succeeds', async () => {
  // ten requests per round stay below the limit, so that only the SQL statement decides
  const { personId, secret } = await givenPersonWithApp();
  const code = codeOf(secret);
  let proved = 0;
  for (let round = 0; round < 10; round += 1) {
    await sql('delete from attempts');
    const outcomes = await instances.prove({ ...TOTP, tries: times(10, personId, code) });
    expect(outcomes.slowDown).toBe(0);
    proved += outcomes.proved;
  }
  expect(proved).toBe(1);
});

test('50 parallel uses of one recovery code over three instances: exactly one succeeds', async () => {
  const { personId } = await givenPersonWithApp();
  const [code = ''] = await makeRecoveryCodes(personId);
  const tries = times(50, personId, code);
  expect((await instances.prove({ kind: 'recovery_code', ip: null, tries })).proved).toBe(1);
  await openLimits();
  expect(await proveRecoveryCode({ personId, code, context })).toBe('wrong');
});

test('of 1,000 guessed codes over three instances, ten are checked, and the owner can use a recovery code until the window ends', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const [code = ''] = await makeRecoveryCodes(personId);
  const tries = times(1_000, personId, wrongCodeOf(secret));
  const outcomes = await instances.prove({ ...TOTP, tries });
  expect(outcomes).toEqual({ proved: 0, wrong: 10, slowDown: 990 });
  // when the limit is reached, exactly one audit event is recorded
  const limited = (await listEvents({ limit: 1_000 })).filter(({ event }) => event === 'attempts.limited');
  expect(limited.map(({ details }) => details)).toEqual([{ limit: 'factor' }]);
  expect(await proveTotp({ personId, code: codeOf(secret), context })).toMatchObject({ kind: 'slow-down' });
  // wrong recovery codes do not use up a limit
  const wrongOnes = { kind: 'recovery_code', ip: null, tries: times(30, personId, 'x') } as const;
  expect((await instances.prove(wrongOnes)).wrong).toBe(30);
  expect(await proveRecoveryCode({ personId, code, context })).toMatchObject({ kind: 'recovery_code' });
  const [row] = await sql<{ wait: number }>(
    `select ceil(extract(epoch from expires_at - now()))::int as wait from attempts where key like '4factor:%' and failed >= 10`,
  );
  expect(row?.wait).toBeLessThanOrEqual(900);
  await openLimits();
  expect(await proveTotp({ personId, code: codeOf(secret), context })).toMatchObject({ kind: 'totp' });
});

test('wrong codes for many people from one IP address count toward the limit of the address', async () => {
  const people = await Promise.all(Array.from({ length: 8 }, givenPersonWithApp));
  const tries = people.flatMap(({ personId, secret }) => times(9, personId, wrongCodeOf(secret)));
  const outcomes = await instances.prove({ kind: 'totp', ip: '192.0.2.7', tries });
  expect(outcomes).toEqual({ proved: 0, wrong: 60, slowDown: 12 });
});
