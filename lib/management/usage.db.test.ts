// The usage page for operators: the tests send requests to the endpoints, then read the numbers as an administrator.
import { beforeAll, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { givenPerson, refusal, sql } from '#testing/data/registry.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { OPERATOR } from './policy.ts';
import { readUsage, type Usage } from './service.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };

const token = (form: Record<string, string>, issuer = '/auth/pw/api/orders') =>
  ask(`${issuer}/token`, { form: { grant_type: 'password', ...form } });
const read = (asked: { apiId?: string; authMethodId?: string } = {}) =>
  readUsage(OPERATOR, { range: 'hour', ...asked });
const sumOf = ({ steps }: Usage, of: 'signIns' | 'tokens') => {
  const sums: Record<string, number> = {};
  for (const step of steps)
    for (const [name, n] of Object.entries(step[of])) sums[name] = (sums[name] ?? 0) + n;
  return sums;
};

beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  for (const form of [
    { ...TRU, ...ALICE },
    { ...TRU, ...ALICE },
    { ...TRU, ...ALICE, password: 'wrong' },
    { ...TRU, client_secret: 'wrong' },
    { client_id: 'invented', client_secret: 'wrong' },
  ])
    await token(form);
  // the verifier of this method cannot be reached
  await token({ ...TRU, ...ALICE }, '/auth/ext/api/orders');
  await token({ ...TRU, ...ALICE }, '/auth/pw/api/no-such-api');
  await ask('/auth/pw/api/orders/authorize?client_id=invented');
});

test('the usage counts sign-ins by outcome, tokens by grant, and rejections by reason', async () => {
  const usage = await read();
  expect(sumOf(usage, 'signIns')).toEqual({ succeeded: 2, refused: 1, unavailable: 1 });
  expect(sumOf(usage, 'tokens')).toEqual({ password: 2 });
  expect(usage.refusals.map(({ error, reason, n }) => [error, reason, n]).sort()).toEqual([
    ['invalid_client', '', 1],
    ['invalid_client', 'secret-wrong', 1],
    ['invalid_grant', '', 1],
    ['invalid_request', 'unidentified', 1],
    ['temporarily_unavailable', '', 1],
  ]);
  for (const { title, explanation, error } of usage.refusals) {
    expect(title).not.toBe(error);
    expect(explanation).not.toBe('');
  }
});

test('the usage lists a verifier that does not respond, with the longest duration of its calls', async () => {
  const { calls } = await read();
  expect(calls).toMatchObject([
    { authMethodId: 'ext', name: 'External', answered: 0, failed: 1, half: null, most: null },
  ]);
  expect(calls[0]?.longest).toBeGreaterThan(0);
});

test('median and 95th percentile of durations are computed from latency buckets', async () => {
  const add = (detail: string, n: number, longest: number) =>
    sql(
      `insert into usage_counts values (5, date_bin('5 minutes', now(), 'epoch'), 'call', 'answered', $1, '', 'brk', $2, $3)`,
      [detail, n, longest],
    );
  await add('50', 60, 50);
  await add('500', 30, 480);
  await add('more', 10, 7_000);
  const { calls } = await read({ authMethodId: 'brk' });
  expect(calls).toMatchObject([{ name: 'Broker', answered: 100, half: 50, most: null, longest: 7_000 }]);
});

test('the usage can be filtered by API and method, and unknown ids are reported', async () => {
  const billing = await read({ apiId: 'billing' });
  expect(billing.refusals).toEqual([]);
  expect(sumOf(billing, 'tokens')).toEqual({});
  expect(sumOf(await read({ apiId: 'orders', authMethodId: 'pw' }), 'signIns')).toEqual({
    succeeded: 2,
    refused: 1,
  });
  const none = await read({ apiId: 'no-such-api', authMethodId: "'; drop table apis --" });
  expect(none.faults).toHaveLength(2);
  const { apis, methods } = await read();
  // an API id that does not exist gets no row
  expect(apis.map(({ id }) => id)).toEqual(['orders']);
  expect(methods.map(({ id }) => id).sort()).toEqual(['ext', 'pw']);
});

test.each([
  ['hour', 12, 5],
  ['day', 24, 60],
  ['week', 28, 360],
] as const)(
  '%s usage has %i steps of %i minutes, and the last step is still in progress',
  async (range, steps, stepMinutes) => {
    const usage = await readUsage(OPERATOR, { range });
    expect([usage.steps.length, usage.stepMinutes]).toEqual([steps, stepMinutes]);
    const last = usage.steps.at(-1)?.at.getTime() ?? 0;
    expect(last).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(last + stepMinutes * 60_000).toBeGreaterThan(Date.now() - 1_000);
    expect(sumOf(usage, 'tokens')).toEqual({ password: 2 });
  },
);

test('the usage of a service with a hundred thousand APIs lists ten APIs', async () => {
  await sql(`insert into usage_counts select 5, date_bin('5 minutes', now(), 'epoch'), 'token', 'password', '',
    'api-' || n, 'pw', 1 from generate_series(1, 100000) n`);
  const usage = await read();
  expect(usage.apis).toHaveLength(10);
  await sql(`delete from usage_counts where api_id like 'api-%'`);
});

test('only administrators can read the usage', async () => {
  for (const roles of [[], ['developer'], ['approver']] as const) {
    const person = await givenPerson(`nobody-${roles[0] ?? 'at-all'}`, ...roles);
    expect((await refusal(readUsage(person, { range: 'day' })))?.kind).toBe('forbidden');
  }
});
