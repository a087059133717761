// NIST SP 800-63B-4 §3.2.2: at most a hundred consecutive failures. Between attempts, the tests let the 15-minute
// limits expire.
import { beforeAll, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import {
  codeOf,
  FACTOR_CONTEXT as context,
  givenPersonWithApp,
  laterBySteps,
  wrongCodeOf,
} from '#testing/factors/factors.ts';
import { makeRecoveryCodes, proveRecoveryCode, proveTotp } from './totp.ts';

beforeAll(() => {
  setLogLevel('silent');
  loadSettings();
  laterBySteps(0);
});

type Person = { personId: string; secret: string };
const later = () => sql('delete from attempts');

async function guess(
  { personId, secret }: Person,
  times: number,
): Promise<{ news: string[]; ends: string[] }> {
  const news: string[] = [];
  const ends = new Set<string>();
  for (let at = 0; at < times; at += 1) {
    if (at % 10 === 0) await later();
    const tell = (told: string) => news.push(told);
    ends.add(String(await proveTotp({ personId, code: wrongCodeOf(secret), context, tell })));
  }
  return { news, ends: [...ends] };
}
const right = ({ personId, secret }: Person) => {
  laterBySteps(3);
  return proveTotp({ personId, code: codeOf(secret), context });
};

test('ten consecutive wrong codes cause one notice to the user, and a right code resets the count', async () => {
  const person = await givenPersonWithApp();
  expect(await guess(person, 9)).toEqual({ news: [], ends: ['wrong'] });
  await later();
  expect(await right(person)).toMatchObject({ kind: 'totp' });
  expect((await guess(person, 9)).news).toEqual([]);
  expect((await guess(person, 30)).news).toEqual(['codes-guessed']);
});

test('after a hundred consecutive wrong codes every code is rejected until a recovery code resets the count', async () => {
  const person = await givenPersonWithApp();
  expect((await guess(person, 99)).news).toEqual(['codes-guessed']);
  await later();
  // ten codes are checked in parallel, and the hundredth failure is among them
  const code = wrongCodeOf(person.secret);
  const news: string[] = [];
  const tell = (told: string) => news.push(told);
  await Promise.all(
    Array.from({ length: 10 }, () => proveTotp({ personId: person.personId, code, context, tell })),
  );
  expect(news).toEqual(['codes-ended']);
  await later();
  expect(await right(person)).toBe('used-up');
  expect(await guess(person, 20)).toEqual({ news: [], ends: ['used-up'] });
  const [spare = ''] = await makeRecoveryCodes(person.personId);
  expect(await proveRecoveryCode({ personId: person.personId, code: spare, context })).toMatchObject({
    kind: 'recovery_code',
  });
  expect(await right(person)).toMatchObject({ kind: 'totp' });
});

test('a notice is sent only for the tenth and the hundredth wrong code, in whatever order wrong codes arrive', async () => {
  const person = await givenPersonWithApp();
  const { news, ends } = await guess(person, 130);
  expect({ news, ends }).toEqual({ news: ['codes-guessed', 'codes-ended'], ends: ['wrong', 'used-up'] });
});
