// An API that no longer allows devices (RFC 8628): tokens of devices are revoked, and no page connects a device.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '#testing/data/registry.ts';
import {
  connect,
  DEVICES_AT,
  givenDevices,
  newDevice,
  poll,
  typeCode,
  upToDecision,
} from '#testing/in-process/devices.ts';
import { ask, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };

beforeAll(givenDevices);
beforeEach(async () => {
  await sql('truncate attempts, device_requests, consents');
  await setApi("device_grant = 'on'");
});

const setApi = (change: string) => sql(`update apis set ${change} where id = 'orders'`);

const token = async (form: Record<string, string>) =>
  jsonOf(await ask(`${DEVICES_AT}/token`, { form: { ...TRU, ...form } }));
const refresh = (refresh_token: unknown) =>
  token({ grant_type: 'refresh_token', refresh_token: String(refresh_token) });

test.each([
  ["device_grant = 'off'", "device_grant = 'on'"],
  ["profile = 'fapi-2.0'", 'profile = null'],
])(
  'setting %s revokes device tokens and pending approvals permanently, and nothing else',
  async (off, on) => {
    const device = await newDevice(TRU);
    expect(await connect(device)).toBe('allowed');
    const held = await poll(device, TRU);
    const place = await new Visitor().signIn(ALICE);
    const redirect_uri = 'https://tru.example/cb';
    const code = place.client.get('code') ?? '';
    const own = await token({ grant_type: 'authorization_code', code, redirect_uri });
    await setApi("contact_uri = 'https://api.example/help'");
    const next = await refresh(held['refresh_token']);
    expect(next['error']).toBeUndefined();
    const waiting = await newDevice(TRU);
    expect(await connect(waiting)).toBe('allowed');
    await setApi(off);
    await setApi(on);
    expect((await refresh(next['refresh_token']))['error']).toBe('invalid_grant');
    expect((await poll(waiting, TRU))['error']).toBe('invalid_grant');
    expect((await refresh(own['refresh_token']))['error']).toBeUndefined();
  },
);

test('if the device grant is turned off while a user is on the device pages, the user cannot connect a device', async () => {
  const { visitor, place } = await upToDecision(await newDevice(TRU));
  const shown = await visitor.view('device', place);
  if (shown.kind !== 'ready') throw new Error(shown.kind);
  const { interaction, antiForgery: anti_forgery } = shown;
  const late = new Visitor();
  const login = await typeCode(late, (await newDevice(TRU)).user_code);
  await setApi("device_grant = 'off'");
  expect(await visitor.view('device', place)).toMatchObject({ kind: 'ended', heading: 'device.gone' });
  const yes = await visitor.send('/device/submit', { interaction, anti_forgery, decision: 'allow' });
  expect(locationOf(yes)).toMatch(/\/device\?done=gone$/);
  await expect(late.submit(login, ALICE)).rejects.toThrow(/^400 /);
  const decided = await sql('select 1 from device_requests where decision is not null');
  expect([...decided, ...(await sql('select 1 from consents'))]).toEqual([]);
});

test('the device page shows the host of the client, or the id of a client without a web address', async () => {
  const shownOf = async (form: Record<string, string>) => {
    const { visitor, place } = await upToDecision(await newDevice(form));
    return visitor.view('device', place);
  };
  expect(await shownOf(TRU)).toMatchObject({ knownBy: 'tru.example' });
  expect(await shownOf({})).toMatchObject({ knownBy: 'nat' });
});

test('RFC 8628 §3.3.1: the device page asks the user to compare a code that came in a link, even if the page shows an alert', async () => {
  for (const more of ['', '&alert=unknown', '&alert=limited&wait=60']) {
    const client = new URLSearchParams(`user_code=BCDF-GHJK${more}`);
    const place = { page: 'device', sealed: '', with: undefined, client };
    expect(await new Visitor().view('device', place)).toMatchObject({ code: 'BCDF-GHJK', fromLink: true });
  }
});

test('RFC 9126 §6: a client that must use PAR can connect devices, because no browser carries the device request', async () => {
  await sql("update clients set require_pushed_authorization_requests = true where client_id = 'nat'");
  const device = await newDevice();
  expect(await connect(device)).toBe('allowed');
  expect((await poll(device))['status']).toBe(200);
  await sql("update clients set require_pushed_authorization_requests = false where client_id = 'nat'");
});
