// Limits on polls of a device, on pending devices, and on guesses of a user (RFC 8628 §3.5, §5.1).
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { attemptLimit } from '#lib/store/hot/limits.ts';
import { REQUESTS } from '#lib/store/refusals.ts';
import { sql } from '#testing/data/registry.ts';
import {
  askForDevice,
  connect,
  type Device,
  givenDevices,
  newDevice,
  poll,
  typeCode,
} from '#testing/in-process/devices.ts';
import { ask, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

beforeAll(givenDevices);
beforeEach(() => sql('truncate attempts, device_requests'));

/** Sets the last poll to this number of seconds ago, in this process and in the row. */
async function lastPolled({ device_code }: Device, seconds: number): Promise<void> {
  const hash = sha256(device_code);
  const [row] = await sql<{ at: number }>(
    `update device_requests set polled_at = now() - make_interval(secs => $2) where device_code_hash = $1
      returning (extract(epoch from polled_at) * 1000)::float8 as at`,
    [hash, seconds],
  );
  processWide<Map<string, number>>('device-polls').value?.set(hash.toString('base64url'), row?.at ?? 0);
}

const rowOf = async () =>
  (
    await sql<{ interval: number; at: Date; place: string }>(
      'select interval_seconds as interval, polled_at as at, ctid::text as place from device_requests',
    )
  )[0];

test('the first poll can be immediate, and a poll that is too early returns slow_down, lengthens the interval and does not restart it', async () => {
  const device = await newDevice();
  expect((await poll(device))['error']).toBe('authorization_pending');
  const first = await rowOf();
  expect(await poll(device)).toMatchObject({ status: 400, error: 'slow_down' });
  expect(await rowOf()).toMatchObject({ interval: 10, at: first?.at });
});

test('polling every 5 seconds succeeds, and clients that ignore slow_down are not locked out', async () => {
  const device = await newDevice();
  await poll(device);
  // the poll is early, but within the tolerance of a second
  await lastPolled(device, 4.2);
  expect((await poll(device))['error']).toBe('authorization_pending');
  for (const interval of [10, 15, 20, 25, 30, 30]) {
    expect((await poll(device))['error']).toBe('slow_down');
    expect((await rowOf())?.interval).toBe(interval);
  }
  await lastPolled(device, 30);
  expect((await poll(device))['error']).toBe('authorization_pending');
});

test('after the first poll, further pending polls write nothing and are not recorded as rejections', async () => {
  const device = await newDevice();
  for (const seconds of [5, 9, 300]) {
    await poll(device);
    await lastPolled(device, seconds);
    const before = await rowOf();
    expect((await poll(device))['error']).toBe('authorization_pending');
    expect(await rowOf()).toEqual(before);
  }
  await poll(device);
  // this read also writes the pending rejections
  await REQUESTS.select({ clientId: 'nat', failedOnly: true }, { after: null, limit: 1 });
  expect(await sql("select error from refused_requests where client_id = 'nat'")).toEqual([]);
});

test('above 20 pending devices per IP address or 1,000 per client, requests return 429 with Retry-After, and other requests succeed', async () => {
  const from = { address: '203.0.113.9' };
  const statuses = await Promise.all(
    Array.from({ length: 22 }, async () => (await askForDevice({}, from)).status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  const refused = await askForDevice({}, from);
  expect([refused.status, jsonOf(refused)['error']]).toEqual([429, 'slow_down']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await askForDevice({}, { address: '203.0.113.10' })).status).toBe(200);
  // simulates requests from 45 other addresses
  const key = attemptLimit('client', 'devices nat', 1).key;
  await sql('update attempts set count = count + 900 where key = $1', [key]);
  const all = await Promise.all(
    Array.from(
      { length: 90 },
      async (_, at) => (await askForDevice({}, { address: `198.51.100.${at}` })).status,
    ),
  );
  expect(all.filter((status) => status === 200)).toHaveLength(100 - 21);
  const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
  expect((await askForDevice(TRU, { address: '198.51.100.200' })).status).toBe(200);
});

test('a denied device still counts toward the limit, and an approved device does not', async () => {
  const from = { address: '203.0.113.20' };
  const devices = await Promise.all(Array.from({ length: 20 }, () => newDevice({}, from)));
  const [denied, allowed] = devices as [Device, Device];
  const visitor = new Visitor();
  const end = await visitor.submit(await typeCode(visitor, denied.user_code), { cancel: '1' });
  expect(end.client.get('done')).toBe('denied');
  expect((await askForDevice({}, from)).status).toBe(429);
  expect(await connect(allowed)).toBe('allowed');
  expect((await askForDevice({}, from)).status).toBe(200);
});

test.each([
  ['-5', 1],
  ['0.5', 1],
  ['x', 1],
  ['90', 90],
  ['1e9', 3600],
])('for wait=%s, the device page shows a pause between 1 s and an hour', async (wait, seconds) => {
  const [page, expected] = await Promise.all(
    [wait, String(seconds)].map((given) =>
      new Visitor().view('device', {
        page: 'device',
        sealed: '',
        with: undefined,
        client: new URLSearchParams({ alert: 'limited', wait: given }),
      }),
    ),
  );
  expect(page).toEqual(expected);
});

test('after 5 wrong codes per browser or 20 per IP address, no further code is checked', async () => {
  const { user_code } = await newDevice();
  const alertOf = async (visitor: Visitor, typed: string) =>
    new URL(locationOf(await visitor.send('/device/submit', { user_code: typed }))).searchParams.get('alert');
  const visitor = new Visitor();
  for (const _ of [1, 2, 3, 4, 5]) expect(await alertOf(visitor, 'BBBB-BBBB')).toBe('unknown');
  // the code was typed without a link, so the page shows no warning about links
  const after = await typeCode(new Visitor(), 'BBBB-BBBC');
  expect(await visitor.view('device', after)).toMatchObject({
    code: '',
    fromLink: false,
    alert: 'device.unknown',
  });
  expect(await alertOf(visitor, user_code)).toBe('limited');
  // the format of the code is invalid, so no guess is counted
  expect(await alertOf(new Visitor(), 'AEIO-1234')).toBe('unknown');
  const guess = (address: string) =>
    ask('/device/submit', {
      form: { user_code: 'CCCC-CCCC' },
      headers: { origin: settings().authUrl },
      address,
    });
  const seen = await Promise.all(Array.from({ length: 30 }, () => guess('2001:db8::1')));
  const alerts = seen.map((answer) => new URL(locationOf(answer)).searchParams.get('alert'));
  expect(alerts.filter((alert) => alert === 'unknown')).toHaveLength(20);
  // an address in the same /64 network
  expect(locationOf(await guess('2001:db8::2'))).toContain('alert=limited');
});

test('a device code that was hashed with an older secret is found, and a cross-site form is rejected', async () => {
  const device = await newDevice();
  const [secret = ''] = settings().secrets;
  loadSettings({ ...process.env, GATEHOUSE_SECRET: `${'n'.repeat(43)},${secret}` });
  const visitor = new Visitor();
  const foreign = await ask('/device/submit', {
    form: { user_code: device.user_code },
    headers: { origin: 'https://evil.example' },
  });
  expect(foreign.status).toBe(403);
  expect(
    (await visitor.onward(await visitor.send('/device/submit', { user_code: device.user_code }))).page,
  ).toBe('login');
  loadSettings();
});
