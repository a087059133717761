import { spawnSync } from 'node:child_process';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { shiftClock } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { keepOpened, openCookie, openedBefore, sealCookie } from './session-rows.ts';

const OLD = 'A'.repeat(43);
const NEW = 'B'.repeat(43);
const shape = z.object({ ids: z.record(z.string(), z.string()) });
const value = { ids: { local: 'ghs_x' } };

const secrets = (GATEHOUSE_SECRET: string) =>
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET });
/** Simulates a second process, whose cache contains no cookies. */
const forget = () => {
  processWide('opened session cookies').value = undefined;
};
const open = (cookie: string | undefined) => openCookie(shape, cookie, 'sign-in session');

beforeEach(() => {
  forget();
  secrets(OLD);
});

test('a sealed cookie opens only if purpose and shape match', async () => {
  const cookie = await sealCookie(value, 'sign-in session');
  for (const before of [() => {}, forget]) {
    before();
    expect(await openCookie(shape, cookie, 'console session')).toBeNull();
    expect(await openCookie(z.object({ console: z.string() }), cookie, 'sign-in session')).toBeNull();
    expect(await open(cookie)).toEqual(value);
    expect(await openCookie(shape, cookie, 'console session')).toBeNull();
  }
  for (const odd of [{}, { ids: null }, { ids: { local: 7 } }, []])
    expect(await open(await sealCookie(odd, 'sign-in session'))).toBeNull();
});

test('the first secret seals cookies, every listed secret opens them, and a removed secret opens none, even from the cache', async () => {
  const cookie = await sealCookie(value, 'sign-in session');
  secrets(`${NEW},${OLD}`);
  expect(await open(cookie)).toEqual(value);
  const newer = await sealCookie(value, 'sign-in session');
  secrets(NEW);
  expect(await open(newer)).toEqual(value);
  expect(await open(cookie)).toBeNull();
  forget();
  expect(await open(newer)).toEqual(value);
  expect(await open(cookie)).toBeNull();
  secrets(OLD);
  expect(await open(newer)).toBeNull();
  expect(await open(cookie)).toEqual(value);
});

test('SN-07: a sealed cookie with a changed, missing or extra character does not open', async () => {
  const cookie = await sealCookie(value, 'sign-in session');
  for (let at = 0; at < cookie.length; at += 1) {
    const [before, after] = [cookie.slice(0, at), cookie.slice(at + 1)];
    const other = cookie[at] === '0' ? '1' : '0';
    expect(await open(before + other + after), `character ${at}`).toBeNull();
    expect(await open(before + after), `without ${at}`).toBeNull();
    expect(await open(`${before}0${cookie.slice(at)}`), `more at ${at}`).toBeNull();
  }
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const opens = await Promise.all([...letters].map((last) => open(cookie.replace(/.~2$/, `${last}~2`))));
  expect(opens.filter((opened) => opened !== null)).toEqual([value]);
});

test('a session cookie expires after SESSION_MAX, even in a process that cached it', async () => {
  const cookie = await sealCookie(value, 'sign-in session');
  const { sessionMaxSeconds } = settings();
  try {
    for (const before of [() => {}, forget]) {
      shiftClock((sessionMaxSeconds - 5) * 1000);
      expect(await open(cookie)).toEqual(value);
      before();
      shiftClock(sessionMaxSeconds * 1000);
      expect(await open(cookie)).toBeNull();
    }
  } finally {
    shiftClock(0);
  }
});

test('the cookie cache stores no forged cookies, and above its limit evicts the oldest entries', async () => {
  const cookie = await sealCookie(value, 'sign-in session');
  const forged = [...'AEIMQUYcgkosw048'].map((last) => cookie.replace(/.~2$/, `${last}~2`));
  const others = forged.filter((one) => one !== cookie);
  expect(await Promise.all(others.map(open))).toEqual(others.map(() => null));
  const { value: kept } = processWide<Map<string, unknown>>('opened session cookies');
  expect(kept?.size).toBe(1);
  const [name = ''] = kept?.keys() ?? [];
  for (let i = 0; i < 20_000; i += 1) {
    keepOpened(`other ${i}`, { until: 0 });
    if (i % 1_000 === 0) expect(openedBefore(name)).toMatchObject({ held: value });
  }
  expect(kept?.size).toBe(10_000);
  expect(openedBefore('other 0')).toBeUndefined();
  expect(await open(cookie)).toEqual(value);
});

test('the protocol endpoints, and reading a cookie without a session, do not load iron-session, which token requests never need', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
    await import('#lib/oauth/endpoints.ts');
    const { loadSettings } = await import('#lib/settings/settings.ts');
    loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: 'A'.repeat(43) });
    const { openCookie, sealCookie } = await import('#lib/sessions/session-rows.ts');
    await openCookie(null, 'Fe26.2*1*a*b*c**d*e~2', 'sign-in session');
    const loaded = () => seen.includes('iron-session');
    const before = loaded();
    await sealCookie({}, 'sign-in session');
    console.log(JSON.stringify({ before, after: loaded() }));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual({ before: false, after: true });
});
