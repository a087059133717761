// Several authenticator apps of one person. The tests move the clock instead of waiting.
import { randomUUID } from 'node:crypto';
import { Secret } from 'otpauth';
import { beforeAll, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { listFactors, removeTotp } from '#lib/store/factors.ts';
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
import { enrollTotp, makeRecoveryCodes, newTotp, proveRecoveryCode, proveTotp } from './totp.ts';

const PROOF = { kind: 'totp', level: 2, amr: ['otp'] };
const label = 'ada@example.com';
const prove = (personId: string, code: string) => proveTotp({ personId, code, context });
const totps = async (personId: string) => (await listFactors(personId)).totps;

beforeAll(() => {
  setLogLevel('silent');
  loadSettings();
  laterBySteps(0);
});

/** Sets up a further app for a person who has proved a factor. The current code of the app can still be used. */
async function givenAnother(personId: string, name?: string): Promise<string> {
  const { secret } = await newTotp({ label });
  const code = codeOf(secret, -1);
  expect(await enrollTotp({ personId, secret, code, name: name ?? null, another: true, ...context })).toBe(
    'enrolled',
  );
  return secret;
}

test('every authenticator app of a person works, each code works once, and the names of the apps stay separate', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const other = await givenAnother(personId, ' Old \u202e phone ');
  expect((await totps(personId)).map(({ name }) => name)).toEqual([null, 'Old phone']);
  for (const one of [secret, other]) {
    expect(await prove(personId, codeOf(one))).toEqual(PROOF);
    expect(await prove(personId, codeOf(one))).toBe('wrong');
  }
  // using up a code of one app does not affect the codes of another app
  laterBySteps(1);
  expect(await prove(personId, codeOf(secret))).toEqual(PROOF);
  expect(await prove(personId, codeOf(other))).toEqual(PROOF);
});

test('a removed authenticator app stops working, and recovery codes and trusted browsers remain until the last app is removed', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const other = await givenAnother(personId);
  await makeRecoveryCodes(personId);
  expect(await removeTotp(database(), personId, await totpOf(personId))).toEqual({ name: null });
  expect(await prove(personId, codeOf(secret))).toBe('wrong');
  expect(await prove(personId, codeOf(other))).toEqual(PROOF);
  expect(await listFactors(personId)).toMatchObject({ totps: [{}], recoveryCodes: 10 });
  await removeTotp(database(), personId, await totpOf(personId));
  expect(await listFactors(personId)).toMatchObject({ totps: [], recoveryCodes: 0 });
});

test('a person cannot remove the authenticator app of another person', async () => {
  const [ada, grace] = [await givenPersonWithApp(), await givenPersonWithApp()];
  expect(await removeTotp(database(), grace.personId, await totpOf(ada.personId))).toBeNull();
  expect(await prove(ada.personId, codeOf(ada.secret))).toEqual(PROOF);
});

test('two parallel set-ups of authenticator apps succeed, and of eight parallel set-ups, five succeed', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const added = await Promise.all([givenAnother(personId), givenAnother(personId)]);
  for (const one of [secret, ...added]) expect(await prove(personId, codeOf(one))).toEqual(PROOF);
  const crowded = await givenBarePerson();
  const made = await Promise.all(Array.from({ length: 8 }, () => newTotp({ label })));
  const outcomes = await Promise.all(
    made.map((one) =>
      enrollTotp({
        personId: crowded,
        secret: one.secret,
        code: codeOf(one.secret),
        another: true,
        ...context,
      }),
    ),
  );
  expect(outcomes.filter((one) => one === 'enrolled')).toHaveLength(5);
  expect(outcomes.filter((one) => one === 'full')).toHaveLength(3);
  expect(await totps(crowded)).toHaveLength(5);
  // a removed app no longer counts towards the maximum number of apps
  await removeTotp(database(), crowded, await totpOf(crowded));
  await givenAnother(crowded);
  expect(await totps(crowded)).toHaveLength(5);
});

test('ten parallel submissions of one set-up page add one authenticator app, and its codes work once', async () => {
  const { personId } = await givenPersonWithApp();
  const { secret } = await newTotp({ label });
  const page = { personId, id: randomUUID(), secret, code: codeOf(secret), another: true };
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => enrollTotp({ ...page, ...context })));
  expect(outcomes.toSorted()).toEqual(['enrolled', ...Array.from({ length: 9 }, () => 'exists')].toSorted());
  expect(await totps(personId)).toHaveLength(2);
  laterBySteps(1);
  expect(await prove(personId, codeOf(secret))).toEqual(PROOF);
  expect(await prove(personId, codeOf(secret))).toBe('wrong');
});

test('a person whose session has not proved a second factor can add only a first authenticator app', async () => {
  const { personId } = await givenPersonWithApp();
  const { secret } = await newTotp({ label });
  expect(await enrollTotp({ personId, secret, code: codeOf(secret), ...context })).toBe('exists');
  expect(await totps(personId)).toHaveLength(1);
});

/** Finds two secrets whose apps show the same code at this time step. */
function twins(): [string, string] {
  const shown = new Map<string, string>();
  for (;;) {
    const secret = new Secret({ size: 20 }).base32;
    const code = codeOf(secret);
    const twin = shown.get(code);
    if (twin) return [twin, secret];
    shown.set(code, secret);
  }
}

test('if two authenticator apps show the same code, one of ten parallel uses succeeds', async () => {
  const [first, second] = twins();
  const code = codeOf(first);
  const step = currentStep();
  const personId = await givenBarePerson();
  for (const secret of [first, second]) {
    const shown = codeOf(secret, -1);
    await enrollTotp({ personId, secret, code: shown, another: true, ...context });
  }
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => prove(personId, code)));
  expect(outcomes.filter((one) => one !== 'wrong')).toEqual([PROOF]);
  const rows = await sql<{ last: number }>(
    'select last_step::int as last from totp_secrets where person_id = $1',
    [personId],
  );
  expect(rows).toEqual([{ last: step }, { last: step }]);
});

test('a code sent during removal of its authenticator app is accepted or rejected, and later always rejected', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { personId, secret } = await givenPersonWithApp();
    const other = await givenAnother(personId);
    const [proved, removed] = await Promise.all([
      prove(personId, codeOf(secret)),
      removeTotp(database(), personId, await totpOf(personId)),
    ]);
    expect(removed).toEqual({ name: null });
    expect([PROOF, 'wrong']).toContainEqual(proved);
    laterBySteps(1);
    expect(await prove(personId, codeOf(secret))).toBe('wrong');
    expect(await prove(personId, codeOf(other))).toEqual(PROOF);
  }
});

test('wrong codes of all authenticator apps count together per person, and a right code of any app resets the count', async () => {
  const { personId, secret } = await givenPersonWithApp();
  const secrets = [secret];
  const guess = async (times: number) => {
    for (let at = 0; at < times; at += 1) {
      if (at % 10 === 0) await sql('delete from attempts');
      await prove(personId, wrongCodeOf(...secrets));
    }
    await sql('delete from attempts');
  };
  await guess(60);
  const other = await givenAnother(personId);
  secrets.push(other);
  await guess(40);
  laterBySteps(2);
  for (const one of [secret, other]) expect(await prove(personId, codeOf(one))).toBe('used-up');
  // a further app does not increase the number of attempts
  const third = await givenAnother(personId);
  secrets.push(third);
  expect(await prove(personId, codeOf(third))).toBe('used-up');
  const [spare = ''] = await makeRecoveryCodes(personId);
  expect(await proveRecoveryCode({ personId, code: spare, context })).toMatchObject({
    kind: 'recovery_code',
  });
  for (const one of [secret, other, third]) expect(await prove(personId, codeOf(one))).toEqual(PROOF);
  await guess(50);
  laterBySteps(2);
  expect(await prove(personId, codeOf(other))).toEqual(PROOF);
  await guess(60);
  expect(await prove(personId, codeOf(secret))).toEqual(PROOF);
});
