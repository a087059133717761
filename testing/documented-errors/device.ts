// Requests for each device flow error (RFC 8628): device authorization endpoint and polling.
import { sha256 } from '#lib/kit/random.ts';
import { DEVICE_CODE } from '#lib/oauth/rules.ts';
import { post, type Requests } from './requests.ts';
import { CONF, jsonOf, overLimit, PW, send, sql, TRU, type Values } from './world.ts';

const ASK = `${PW}/device_authorization`;

export const allowDevices = async (): Promise<void> => {
  await sql("update apis set device_grant = 'on' where id = 'orders'");
  await sql("update subscriptions set device = true where client_id = 'tru'");
};

const ask = (form: Values) => send(ASK, { form: { ...TRU, ...form } });

export const deviceRequests: Requests = {
  'The body is neither a form nor a JSON': [
    (address) => post(address, '{', { headers: { 'content-type': 'application/json' } }),
    (address) => post(address, 'client_id=tru&client_id=tru'),
  ],
  'The API does not allow the device grant (`device_grant`': [
    () => send('/auth/pw/api/billing/device_authorization', { form: TRU }),
  ],
  'The client has no approved subscription to the API': [() => send(ASK, { form: CONF })],
  'A scope is unknown': [() => ask({ scope: 'fly' })],
  'resource is not the API of this issuer.': [() => ask({ resource: 'https://api.example/other' })],
  'nonce is longer': [() => ask({ scope: 'openid', nonce: 'x'.repeat(2_049) })],
  'Limit of pending devices: 20 from an address (a': [() => overLimit('3client', 1000, () => ask({}))],
};

const poll = (device_code: unknown, form: Values = TRU, path = PW) =>
  send(`${path}/token`, { form: { ...form, grant_type: DEVICE_CODE, device_code: String(device_code) } });
const given = async () => String(jsonOf(await ask({}))['device_code']);
const decided = async (change: string) => {
  const code = await given();
  await sql(`update device_requests set ${change} where device_code_hash = $1`, [sha256(code)]);
  return poll(code);
};

export const pollRequests: Requests = {
  'The person has not decided yet': [async () => poll(await given())],
  'The poll came too early': [
    async () => {
      const code = await given();
      await poll(code);
      return poll(code);
    },
  ],
  'The person denied the device.': [() => decided("decision = 'denied'")],
  'The device code is older': [() => decided('expires_at = now()')],
  'The device code is unknown': [
    () => poll('x'),
    async () => poll(await given(), TRU, '/auth/ext/api/orders'),
  ],
  'The device grant for a client': [async () => poll(await given(), CONF)],
  'The device grant at an API': [() => poll('x', CONF, '/auth/pw/api/billing')],
};
