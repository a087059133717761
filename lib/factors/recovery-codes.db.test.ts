import { beforeAll, expect, test } from 'vitest';
import { exportEvents } from '#lib/audit/audit-log.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { countRecoveryCodes, removeTotp } from '#lib/store/factors.ts';
import { database, inTransaction } from '#lib/store/prisma.ts';
import { sql } from '#testing/data/registry.ts';
import {
  FACTOR_CONTEXT as context,
  givenBarePerson,
  givenPersonWithApp,
  totpOf,
} from '#testing/factors/factors.ts';
import { makeRecoveryCodes, proveRecoveryCode } from './totp.ts';

const PROOF = { kind: 'recovery_code', level: 2, amr: ['otp'] };
const prove = (personId: string, code = '') => proveRecoveryCode({ personId, code, context });
const events = async (personId: string) => {
  const found = [];
  for await (const { event, details } of exportEvents({ actor: personId })) found.push({ event, details });
  return found.filter(({ event }) => event.startsWith('recovery'));
};

beforeAll(() => {
  setLogLevel('silent');
  loadSettings();
});

test('a person receives ten recovery codes of 80 bits, and each code works once', async () => {
  const { personId } = await givenPersonWithApp();
  const codes = await makeRecoveryCodes(personId);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  for (const [at, code] of codes.entries()) {
    expect(await countRecoveryCodes(personId)).toBe(10 - at);
    expect(await prove(personId, code)).toEqual(PROOF);
    expect(await prove(personId, code)).toBe('wrong');
  }
  expect(await countRecoveryCodes(personId)).toBe(0);
  expect(await events(personId)).toEqual([
    { event: 'recovery_codes.made', details: {} },
    ...codes.map((_, at) => ({ event: 'recovery_code.used', details: { left: 9 - at } })),
  ]);
});

test('all characters of the recovery code alphabet occur equally often', async () => {
  const { personId } = await givenPersonWithApp();
  const counts = new Map<string, number>();
  for (let made = 0; made < 40; made += 1) {
    for (const code of await makeRecoveryCodes(personId))
      for (const one of code.replaceAll('-', '')) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  // 6,400 characters: each of the 32 is expected 200 times; 75 is five standard deviations
  expect(counts.size).toBe(32);
  for (const [one, count] of counts) expect(Math.abs(count - 200), one).toBeLessThan(75);
});

test('a recovery code is accepted in any case, with or without dashes, and with misread O, I and L', async () => {
  const { personId } = await givenPersonWithApp();
  const ways: ((code: string) => string)[] = [
    (code) => code.toLowerCase(),
    (code) => code.replaceAll('-', ''),
    (code) => code.replaceAll('-', ' '),
    (code) => ` ${code.replaceAll('-', '\u2013')}\r\n`,
    (code) => code.replaceAll('0', 'O').replaceAll('1', 'I'),
    (code) => code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l'),
  ];
  for (const way of ways) {
    // a code that contains both characters that people misread
    let code: string | undefined;
    while (code === undefined)
      code = (await makeRecoveryCodes(personId)).find((one) => /0.*1|1.*0/.test(one));
    expect(await prove(personId, way(code)), way(code)).toEqual(PROOF);
  }
});

test('an invalid recovery code is rejected', async () => {
  const { personId } = await givenPersonWithApp();
  const [code = ''] = await makeRecoveryCodes(personId);
  const wide = code.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  for (const typed of [
    '',
    '-',
    code.slice(0, -1),
    `${code}0`,
    `${code}\u0000`,
    'é'.repeat(16),
    '1'.repeat(10_000),
  ])
    expect(await prove(personId, typed), typed.slice(0, 30)).toBe('wrong');
  if (wide !== code) expect(await prove(personId, wide)).toBe('wrong');
  expect(await countRecoveryCodes(personId)).toBe(10);
});

test('a person cannot use the recovery codes of another person', async () => {
  const [ada, grace] = [await givenPersonWithApp(), await givenPersonWithApp()];
  const [code] = await makeRecoveryCodes(ada.personId);
  await makeRecoveryCodes(grace.personId);
  expect(await prove(grace.personId, code)).toBe('wrong');
  expect(await prove(ada.personId, code)).toEqual(PROOF);
});

test('new recovery codes replace all earlier codes', async () => {
  const { personId } = await givenPersonWithApp();
  const [old] = await makeRecoveryCodes(personId);
  const [fresh] = await makeRecoveryCodes(personId);
  expect(await countRecoveryCodes(personId)).toBe(10);
  expect(await prove(personId, old)).toBe('wrong');
  expect(await prove(personId, fresh)).toEqual(PROOF);
});

test('parallel creation of recovery codes leaves one set of ten codes', async () => {
  const { personId } = await givenPersonWithApp();
  const sets = await Promise.all(Array.from({ length: 8 }, () => makeRecoveryCodes(personId)));
  expect(await countRecoveryCodes(personId)).toBe(10);
  const firsts = await Promise.all(sets.map(([code]) => prove(personId, code)));
  expect(firsts.filter((outcome) => outcome !== 'wrong')).toEqual([PROOF]);
});

test('recovery codes require a second factor and are deleted with the last second factor', async () => {
  const nobody = await givenBarePerson();
  await expect(makeRecoveryCodes(nobody)).rejects.toThrow('this person has none');
  expect(await countRecoveryCodes(nobody)).toBe(0);
  const { personId } = await givenPersonWithApp();
  const [code] = await makeRecoveryCodes(personId);
  await removeTotp(database(), personId, await totpOf(personId));
  expect(await countRecoveryCodes(personId)).toBe(0);
  expect(await prove(personId, code)).toBe('wrong');
  await expect(makeRecoveryCodes(personId)).rejects.toThrow('this person has none');
});

test('recovery codes that are created while the last second factor is removed do not remain', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { personId } = await givenPersonWithApp();
    const app = await totpOf(personId);
    await Promise.allSettled([makeRecoveryCodes(personId), removeTotp(database(), personId, app)]);
    expect(await sql('select 1 from recovery_codes where person_id = $1', [personId])).toEqual([]);
  }
});

test('if the transaction that replaces recovery codes fails, the earlier codes stay valid', async () => {
  const { personId } = await givenPersonWithApp();
  const [code] = await makeRecoveryCodes(personId);
  const change = inTransaction(async (db) => {
    await makeRecoveryCodes(personId, db);
    throw new Error('the rest failed');
  });
  await expect(change).rejects.toThrow('the rest failed');
  expect(await prove(personId, code)).toEqual(PROOF);
  expect((await events(personId)).map(({ event }) => event)).toEqual([
    'recovery_codes.made',
    'recovery_code.used',
  ]);
});
