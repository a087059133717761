// Devices connected by user code (RFC 8628); requests go to the protocol core in this process.
import { DEVICE_CODE } from '#lib/oauth/rules.ts';
import { sql } from '../data/registry.ts';
import { ask, givenFixtures, jsonOf } from './in-process.ts';
import { type Place, Visitor } from './visitor.ts';

export const DEVICES_AT = '/auth/pw/api/orders';
const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };

export type Device = { device_code: string; user_code: string; interval: number };

/** Applies fixtures in which the clients `nat` and `tru` may connect devices to `orders`. */
export async function givenDevices(): Promise<void> {
  await givenFixtures();
  await sql("update apis set device_grant = 'on' where id = 'orders'");
  await sql(
    "update subscriptions set device = true where client_id in ('nat', 'tru', 'conf') and api_id = 'orders'",
  );
}

type From = { address?: string; path?: string };

export const askForDevice = (form: Record<string, string> = {}, { address, path = DEVICES_AT }: From = {}) =>
  ask(`${path}/device_authorization`, { form: { client_id: 'nat', ...form }, address });

export async function newDevice(form: Record<string, string> = {}, from: From = {}): Promise<Device> {
  const answer = await askForDevice(form, from);
  if (answer.status !== 200) throw new Error(String(answer.body));
  return jsonOf(answer) as Device;
}

export const pollForm = (
  { device_code }: Pick<Device, 'device_code'>,
  form: Record<string, string> = {},
) => ({
  grant_type: DEVICE_CODE,
  client_id: 'nat',
  device_code,
  ...form,
});

/** Polls, and returns the body and status of the response. */
export async function poll(
  device: Pick<Device, 'device_code'>,
  form: Record<string, string> = {},
  path = DEVICES_AT,
): Promise<Record<string, unknown>> {
  const answer = await ask(`${path}/token`, { form: pollForm(device, form) });
  return { status: answer.status, ...jsonOf(answer) };
}

/** Submits the user code on the device page. Returns the next page. */
export const typeCode = async (visitor: Visitor, user_code: string): Promise<Place> =>
  visitor.onward(await visitor.send('/device/submit', { user_code }));

/** Continues until the page shows the device. */
export async function upToDecision(
  { user_code }: Pick<Device, 'user_code'>,
  visitor = new Visitor(),
  who = ALICE,
): Promise<{ visitor: Visitor; place: Place }> {
  const place = await visitor.submit(await typeCode(visitor, user_code), who);
  return { visitor, place };
}

/** Connects the device as a user who approves everything, and returns the final page. */
export async function connect(device: Pick<Device, 'user_code'>, visitor = new Visitor(), who = ALICE) {
  let { place } = await upToDecision(device, visitor, who);
  place = await visitor.submit(place, { decision: 'allow' });
  return place.client.get('done');
}
