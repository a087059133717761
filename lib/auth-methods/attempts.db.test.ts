import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listEvents } from '#lib/audit/audit-log.ts';
import { attemptLimit, callerLimits, kindOfLimit } from '#lib/store/hot/limits.ts';
import { query } from '#lib/store/pool.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { accountName, haveTwoNames, passwordLimits, TooManyAttempts, underLimits } from './attempts.ts';

const context = { requestId: 'request', ip: '192.0.2.1' };
const own = (max: number, windowSeconds = 900) => attemptLimit('account', randomUUID(), max, windowSeconds);

/** Runs `n` attempts in parallel. Returns how many were checked, and how many were rejected without a check. */
async function attempts(limits: ReturnType<typeof own>[], n: number, succeeds: boolean) {
  let checked = 0;
  const results = await Promise.allSettled(
    Array.from({ length: n }, () =>
      underLimits(
        limits,
        context,
        async () => {
          checked += 1;
          await sleep(5);
          return succeeds;
        },
        (result) => !result,
      ),
    ),
  );
  const refused = results.filter((one) => one.status === 'rejected');
  for (const one of refused) expect((one as PromiseRejectedResult).reason).toBeInstanceOf(TooManyAttempts);
  return { checked, refused: refused.length };
}

const expire = (key: string) =>
  query({
    text: "update attempts set expires_at = now() - interval '1 second' where key = $1",
    values: [key],
  });
const waitOf = async (limit: ReturnType<typeof own>) =>
  underLimits(
    [limit],
    context,
    async () => false,
    (result) => !result,
  ).then(
    () => null,
    (error: TooManyAttempts) => error.waitSeconds,
  );

test('LG-02: of 200 parallel failing attempts, exactly as many are checked as the limit allows', async () => {
  expect(await attempts([own(10)], 200, false)).toEqual({ checked: 10, refused: 190 });
});

test('LG-02: one attempt counts toward several limits atomically, without deadlock', async () => {
  const narrow = own(5);
  const wide = own(50);
  const both = await Promise.all([
    attempts([narrow, wide], 60, false),
    attempts([wide, narrow], 60, false),
    attempts([wide], 30, false),
  ]);
  expect(both[0].checked + both[1].checked).toBe(5);
  expect(both[2].checked).toBe(30);
  expect((await attempts([wide], 60, false)).checked).toBe(15);
});

test('section 5: 60 parallel right passwords succeed despite a limit of 10', async () => {
  expect(await attempts([own(10)], 60, true)).toEqual({ checked: 60, refused: 0 });
});

test('if the password check throws an exception, no failed attempt is counted', async () => {
  const limit = own(1);
  const broken = underLimits(
    [limit],
    context,
    () => Promise.reject(new Error('broken')),
    () => true,
  );
  await expect(broken).rejects.toThrow('broken');
  expect(await waitOf(limit)).toBeNull();
});

test('LG-01: each time a limit is reached again, its window doubles, up to four times the first window, and later returns to the first', async () => {
  const limit = own(3);
  const waits: number[] = [];
  for (let window = 0; window < 5; window += 1) {
    expect((await attempts([limit], 5, false)).checked).toBe(3);
    waits.push((await waitOf(limit)) ?? 0);
    await expire(limit.key);
  }
  expect(waits.map((wait) => Math.ceil(wait / 900))).toEqual([1, 2, 4, 4, 4]);
  await query({
    text: "update attempts set expires_at = now() - interval '61 minutes' where key = $1",
    values: [limit.key],
  });
  expect((await attempts([limit], 5, false)).checked).toBe(3);
  expect(await waitOf(limit)).toBeLessThanOrEqual(900);
});

test('LG-03: after the window of a limit expires, the right password succeeds', async () => {
  const limit = own(2);
  await attempts([limit], 4, false);
  expect(await attempts([limit], 1, true)).toEqual({ checked: 0, refused: 1 });
  await expire(limit.key);
  expect(await attempts([limit], 1, true)).toEqual({ checked: 1, refused: 0 });
});

test('LG-01: a reached limit creates one audit event without the typed name', async () => {
  const name = randomUUID();
  await attempts([attemptLimit('account', name, 4)], 30, false);
  const events = (await listEvents({ limit: 1000 })).filter((one) => one.event === 'attempts.limited');
  const mine = events.filter((one) => one.details['limit'] === 'account' && one.ip === context.ip);
  expect(mine.length).toBeGreaterThan(0);
  expect(JSON.stringify(events)).not.toContain(name);
});

test('password limits count per account and address block, per client for confidential clients, and per browser for known browsers', () => {
  const local = { id: 'pw', type: 'local' };
  const account = accountName(local, 'A@b.c');
  const from = { account, address: '2001:db8::1', confidentialClientId: null, device: null };
  const kinds = (limits: { key: string; max: number; windowSeconds: number }[]) =>
    limits.map(({ key, max, windowSeconds }) => `${kindOfLimit(key)} ${max}/${windowSeconds}`);
  const alone = ['all 250/5', 'account 10/900'];
  const inBlocks = ['all 250/5', 'wide 600/900', 'wide 125/5', 'address 60/900', 'account 10/900'];
  expect(kinds(passwordLimits(from))).toEqual(inBlocks);
  expect(kinds(passwordLimits({ ...from, address: '192.0.2.1' }))).toEqual([
    'all 250/5',
    'address 60/900',
    'account 10/900',
  ]);
  expect(kinds(passwordLimits({ ...from, confidentialClientId: 'c' }))).toEqual([
    'all 250/5',
    'client 600/900',
    'account 10/900',
  ]);
  expect(kinds(passwordLimits({ ...from, address: null }))).toEqual(alone);
  expect(kinds(passwordLimits({ ...from, device: 'd' }))).toEqual(['account 100/900', 'device 10/900']);
  const two = { ...from, address: null, twoNames: true };
  expect(kinds(passwordLimits(two))).toEqual(['all 250/5', 'account 5/900']);
  expect(kinds(passwordLimits({ ...two, device: 'd' }))).toEqual(['account 50/900', 'device 5/900']);
  expect(accountName(local, 'a@B.C')).toBe(account);
});

test('a person can sign in under two names at local methods with user names and at directories that compare several attributes', () => {
  const may = (type: SnapshotMethod['type'], config = {}, usernames = false) =>
    haveTwoNames({ type, config }, { usernames });
  expect([may('local'), may('local', {}, true), may('external', {}, true)]).toEqual([false, true, false]);
  const [active, both] = [{ server_kind: 'active-directory' }, '(|(uid={username})(mail={username}))'];
  expect([may('ldap', active), may('ldap', { filter: both })]).toEqual([true, true]);
  const ones = [{}, { filter: '(uid={username})' }, { bind_as: 'uid={username},dc=corp', ...active }];
  for (const config of [...ones, { ...active, filter: '(sAMAccountName={username})' }])
    expect(may('ldap', config, true)).toBe(false);
});

test('LG-01: local methods share one store and one limit per account, and each external method has a separate limit', () => {
  const account = accountName({ id: 'pw', type: 'local' }, 'a@b.c');
  expect(accountName({ id: 'pw-2', type: 'local' }, 'a@b.c')).toBe(account);
  expect(accountName({ id: 'campus', type: 'external' }, 'a@b.c')).not.toBe(account);
  expect(accountName({ id: 'local', type: 'external' }, 'a@b.c')).not.toBe(account);
});

test('at an external method, equivalent spellings of a name share one limit', () => {
  const named = (name: string) => accountName({ id: 'campus', type: 'external' }, name);
  for (const spelling of ['ALICE', 'al\u00edce', 'ａｌｉｃｅ', 'al\u00adice', 'alice\u200b', ' alice '])
    expect(named(spelling)).toBe(named('alice'));
  expect(named('alice b')).not.toBe(named('aliceb'));
});

const rowsOf = async () =>
  (await query<{ n: number }>({ text: 'select count(*)::int as n from attempts', values: [] }))[0]?.n;

test('LG-04: password guesses above the limit of an IP address store no row, whatever account they name', async () => {
  const guess = () =>
    attempts(
      passwordLimits({
        account: randomUUID(),
        address: '2001:db8:f:1::1',
        confidentialClientId: null,
        device: null,
      }),
      1,
      false,
    );
  for (let tries = 0; tries < 60; tries += 1) expect((await guess()).checked).toBe(1);
  const before = await rowsOf();
  const more = await Promise.all(Array.from({ length: 200 }, guess));
  expect(more.reduce((sum, one) => sum + one.checked, 0)).toBe(0);
  expect(await rowsOf()).toBe(before);
});

test('LG-04: all /64 networks of one /48 network share a limit, and beyond it, a new /64 network creates no row', async () => {
  const limits = (net: number) =>
    callerLimits(
      { what: 'test', each: 2, windowSeconds: 900, all: 1_000, allSeconds: 5 },
      `2001:db8:e:${net}::1`,
    );
  let checked = 0;
  for (let net = 1; net <= 30; net += 1) checked += (await attempts(limits(net), 1, false)).checked;
  expect(checked).toBe(20);
  const before = await rowsOf();
  const more = await Promise.all(
    Array.from({ length: 100 }, (_, net) => attempts(limits(1_000 + net), 1, false)),
  );
  expect(more.reduce((sum, one) => sum + one.checked, 0)).toBe(0);
  expect(await rowsOf()).toBe(before);
});
