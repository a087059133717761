import { sealData, unsealData } from 'iron-session';
import { expect, test } from 'vitest';
import { openSeal } from './iron.ts';

const passwords = {
  7: 'a-password-of-at-least-thirty-two-characters',
  9: 'another-password-of-thirty-two-characters',
};
const VALUE = { ids: { local: 'ghs_something', ünïcode: '☃' } };
const VERSION = '~2';

const sealed = async (password: Record<number, string>, ttl = 0) =>
  (await sealData(VALUE, { password, ttl })).slice(0, -VERSION.length);

test('what iron-session sealed by any of the passwords opens as it does there', async () => {
  for (const id of [7, 9] as const) {
    const seal = await sealed({ [id]: passwords[id] });
    expect(JSON.parse(openSeal(seal, passwords) ?? 'null')).toEqual(VALUE);
    expect(await unsealData(seal + VERSION, { password: passwords, ttl: 0 })).toEqual(VALUE);
  }
});

test('a seal that was changed in any character of any part is none', async () => {
  const seal = await sealed({ 7: passwords[7] });
  const parts = seal.split('*');
  for (const [index, part] of parts.entries()) {
    const at = Math.floor(part.length / 2);
    const other = part.slice(0, at) + (part[at] === 'a' ? 'b' : 'a') + part.slice(at + 1);
    expect(openSeal(parts.with(index, other).join('*'), passwords), `part ${index}`).toBeNull();
    expect(openSeal(parts.toSpliced(index, 1).join('*'), passwords)).toBeNull();
  }
  expect(openSeal(`${seal}*`, passwords)).toBeNull();
  expect(openSeal(parts.with(1, 'constructor').join('*'), passwords)).toBeNull();
  expect(openSeal(parts.with(1, '9').join('*'), passwords)).toBeNull();
});

test('a password that is gone, a seal with an end, and no seal at all open nothing', async () => {
  expect(openSeal(await sealed({ 7: passwords[7] }), { 9: passwords[9] })).toBeNull();
  expect(openSeal(await sealed({ 7: passwords[7] }, 3600), passwords)).toBeNull();
  for (const text of ['', '*', '*******', 'Fe26.2', 'Fe26.1**0*x*x**x*x'])
    expect(openSeal(text, passwords)).toBeNull();
});
