// One-time codes in the database. Tests move the clock instead of waiting.
import { beforeAll, expect, test } from 'vitest';
import { exportEvents } from '#lib/audit/audit-log.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { seal } from '#lib/kit/seal.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { removeTotp } from '#lib/store/factors.ts';
import { findTotpSecrets, spendTotpSteps } from '#lib/store/hot/factor-proofs.ts';
import { database } from '#lib/store/prisma.ts';
import { sql } from '#testing/data/registry.ts';
import {
  codeOf,
  FACTOR_CONTEXT as context,
  currentStep,
  givenBarePerson,
  givenPersonWithApp,
  laterBySteps,
  totpOf,
  wrongCodeOf,
} from '#testing/factors/factors.ts';
import { enrollTotp, newTotp, openPendingTotp, proveTotp, sealPendingTotp } from './totp.ts';

const PROOF = { kind: 'totp', level: 2, amr: ['otp'] };
const label = 'ada@example.com';
const stored = (personId: string) =>
  sql<{ sealed: string; last: string }>(
    'select sealed_secret as sealed, last_step::text as last from totp_secrets where person_id = $1',
    [personId],
  );
const levelOf = async (personId: string) =>
  (await sql<{ level: number }>('select factor_level as level from people where id = $1', [personId]))[0]
    ?.level;
const events = async (personId: string) => {
  const found = [];
  for await (const { event, details } of exportEvents({ actor: personId })) found.push({ event, details });
  return found;
};

beforeAll(() => {
  setLogLevel('silent');
  loadSettings();
  laterBySteps(0);
});

test('an authenticator app becomes a second factor with its first code, which is then used up', async () => {
  const personId = await givenBarePerson();
  const { secret } = await newTotp({ label });
  const code = codeOf(secret);
  expect(await enrollTotp({ personId, secret, code, ...context })).toBe('enrolled');
  expect(await levelOf(personId)).toBe(2);
  expect(await proveTotp({ personId, code, context })).toBe('wrong');
  laterBySteps(1);
  expect(await proveTotp({ personId, code: codeOf(secret), context })).toEqual(PROOF);
  expect(await events(personId)).toEqual([
    { event: 'factor.added', details: { factor: 'totp' } },
    { event: 'factor.refused', details: { factor: 'totp' } },
  ]);
});

test('a wrong code during the set-up of an authenticator app stores nothing', async () => {
  const personId = await givenBarePerson();
  const { secret } = await newTotp({ label });
  for (const code of [wrongCodeOf(secret), '', '12345', codeOf(secret, 2), codeOf(secret, -2), 'é\u0000'])
    expect(await enrollTotp({ personId, secret, code, ...context })).toBe('wrong');
  expect(await stored(personId)).toEqual([]);
  expect(await levelOf(personId)).toBe(0);
});

test('parallel first set-ups of authenticator apps store exactly one app', async () => {
  for (let round = 0; round < 5; round += 1) {
    const personId = await givenBarePerson();
    const apps = await Promise.all([newTotp({ label }), newTotp({ label }), newTotp({ label })]);
    const outcomes = await Promise.all(
      apps.map(({ secret }) => enrollTotp({ personId, secret, code: codeOf(secret), ...context })),
    );
    expect(outcomes.toSorted()).toEqual(['enrolled', 'exists', 'exists']);
    laterBySteps(2);
    const proofs = await Promise.all(
      apps.map(({ secret }) => proveTotp({ personId, code: codeOf(secret), context })),
    );
    expect(proofs).toEqual(outcomes.map((outcome) => (outcome === 'enrolled' ? PROOF : 'wrong')));
  }
});

test('a disabled or deleted person cannot set up an authenticator app', async () => {
  const personId = await givenBarePerson();
  await sql('update people set disabled_at = now() where id = $1', [personId]);
  for (const whose of [personId, '00000000-0000-4000-8000-000000000000']) {
    const { secret } = await newTotp({ label });
    await enrollTotp({ personId: whose, secret, code: codeOf(secret), ...context });
    expect(await stored(whose)).toEqual([]);
  }
});

test('RFC 6238 §5.2: codes one step early or late are accepted, codes two steps away are rejected', async () => {
  for (const [steps, counts] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    const { personId, secret } = await givenPersonWithApp();
    const proof = await proveTotp({ personId, code: codeOf(secret, steps), context });
    expect(proof, `${steps} steps`).toEqual(counts ? PROOF : 'wrong');
  }
});

test('RFC 6238 §5.2: each code works once and invalidates codes of earlier steps', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const [before, code, next] = [codeOf(secret, -1), codeOf(secret), codeOf(secret, 1)];
  expect(await proveTotp({ personId, code, context })).toEqual(PROOF);
  expect(await proveTotp({ personId, code, context })).toBe('wrong');
  expect(await proveTotp({ personId, code: before, context })).toBe('wrong');
  expect(await proveTotp({ personId, code: next, context })).toEqual(PROOF);
  expect(await proveTotp({ personId, code: next, context })).toBe('wrong');
  laterBySteps(1);
  // the time step of the code is used up, whatever the time at which the code was used
  expect(await proveTotp({ personId, code: codeOf(secret), context })).toBe('wrong');
  laterBySteps(1);
  expect(await proveTotp({ personId, code: codeOf(secret), context })).toEqual(PROOF);
});

test('typed spaces and dashes in a code are ignored, and digits of other scripts are rejected', async () => {
  for (const between of [' ', '-', '\u2013', '\u00a0', '\u200b', ' - ']) {
    const { personId, secret } = await givenPersonWithApp();
    const code = ` ${codeOf(secret).slice(0, 3)}${between}${codeOf(secret).slice(3)}\n`;
    expect(await proveTotp({ personId, code, context }), JSON.stringify(between)).toEqual(PROOF);
  }
  const { personId, secret } = await givenPersonWithApp();
  const arabic = codeOf(secret).replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
  for (const code of [arabic, `+${codeOf(secret)}`, `${codeOf(secret)}0`, `${codeOf(secret)}\u0000`])
    expect(await proveTotp({ personId, code, context })).toBe('wrong');
});

test('every code of a person without an authenticator app is wrong, so that responses hide whether a person has one', async () => {
  const personId = await givenBarePerson();
  expect(await proveTotp({ personId, code: '123456', context })).toBe('wrong');
  expect(await proveTotp({ personId, code: codeOf('A'.repeat(32)), context })).toBe('wrong');
  expect(await events(personId)).toEqual([{ event: 'factor.refused', details: { factor: 'totp' } }]);
});

test('codes of a removed or replaced authenticator app are rejected', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const app = await totpOf(personId);
  expect(await removeTotp(database(), personId, app)).toEqual({ name: null });
  expect(await removeTotp(database(), personId, app)).toBeNull();
  expect(await levelOf(personId)).toBe(0);
  expect(await proveTotp({ personId, code: codeOf(secret), context })).toBe('wrong');
  const other = await newTotp({ label });
  const code = codeOf(other.secret);
  expect(await enrollTotp({ personId, secret: other.secret, code, ...context })).toBe('enrolled');
  laterBySteps(1);
  expect(await proveTotp({ personId, code: codeOf(secret), context })).toBe('wrong');
  expect(await proveTotp({ personId, code: codeOf(other.secret), context })).toEqual(PROOF);
});

test('a code that was compared before the authenticator app was replaced does not use up the time step of the new app', async () => {
  const { personId } = await givenPersonWithApp();
  const [old] = await findTotpSecrets(personId);
  await removeTotp(database(), personId, old?.id ?? '');
  const { secret } = await newTotp({ label });
  expect(await enrollTotp({ personId, secret, code: codeOf(secret), ...context })).toBe('enrolled');
  const step = currentStep() + 1;
  const spend = ({ id, since } = { id: '', since: '' }) => spendTotpSteps(personId, [{ id, since, step }]);
  expect(await spend(old)).toBe(false);
  const [now] = await findTotpSecrets(personId);
  expect(await spend(now)).toBe(true);
});

test('malformed codes count as wrong codes: the eleventh code is not checked', async () => {
  const { personId, secret } = await givenPersonWithApp();
  for (let tries = 0; tries < 10; tries += 1)
    expect(await proveTotp({ personId, code: 'x'.repeat(tries), context })).toBe('wrong');
  expect(await proveTotp({ personId, code: codeOf(secret), context })).toMatchObject({ kind: 'slow-down' });
});

test('right codes do not count toward the limit', async () => {
  const { personId, secret } = await givenPersonWithApp();
  for (let tries = 0; tries < 12; tries += 1) {
    expect(await proveTotp({ personId, code: codeOf(secret), context })).toEqual(PROOF);
    laterBySteps(1);
  }
});

test('the secret of a pending authenticator app belongs to one person in one session and expires after ten minutes', async () => {
  const [ada, grace] = [await givenBarePerson(), await givenBarePerson()];
  const { secret } = await newTotp({ label });
  const of = { personId: ada, holder: 'session 1' };
  const sealed = sealPendingTotp(of, secret);
  expect(sealed).not.toContain(secret);
  expect(openPendingTotp(of, sealed)?.secret).toBe(secret);
  expect(openPendingTotp({ ...of, personId: grace }, sealed)).toBeNull();
  expect(openPendingTotp({ ...of, holder: 'session 2' }, sealed)).toBeNull();
  for (const other of ['', 'v1', `${sealed}x`, sealed.slice(0, -1), secret]) {
    expect(openPendingTotp(of, other)).toBeNull();
  }
  laterBySteps(18);
  expect(openPendingTotp(of, sealed)?.secret).toBe(secret);
  laterBySteps(3);
  expect(openPendingTotp(of, sealed)).toBeNull();
  // stored secrets are sealed for a different purpose
  const { personId } = await givenPersonWithApp();
  expect(openPendingTotp({ ...of, personId }, (await stored(personId))[0]?.sealed ?? '')).toBeNull();
});

test('nobody can compute a code from a copy of the database, because each secret is sealed for the row of one person', async () => {
  const [ada, grace] = [await givenPersonWithApp(), await givenPersonWithApp()];
  const [row] = await stored(ada.personId);
  expect(row?.sealed).toMatch(/^v1\./);
  await sql('update totp_secrets set sealed_secret = $2 where person_id = $1', [grace.personId, row?.sealed]);
  const moved = proveTotp({ personId: grace.personId, code: codeOf(ada.secret), context });
  await expect(moved).rejects.toThrow('for another row');
  const own = seal(ada.secret, `totp_secrets:${grace.personId}`, ['a secret of somebody else'.padEnd(43)]);
  await sql('update totp_secrets set sealed_secret = $2 where person_id = $1', [grace.personId, own]);
  const foreign = proveTotp({ personId: grace.personId, code: codeOf(ada.secret), context });
  await expect(foreign).rejects.toThrow('another GATEHOUSE_SECRET');
  // a failure of the server is not a guess, so the attempt is not counted
  const sealed = seal(grace.secret, `totp_secrets:${grace.personId}`, settings().secrets);
  await sql('update totp_secrets set sealed_secret = $2 where person_id = $1', [grace.personId, sealed]);
  expect(await proveTotp({ personId: grace.personId, code: codeOf(grace.secret), context })).toEqual(PROOF);
});
