// Explanation of the device grant (RFC 8628), compared with a device whose user approves everything.
import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { explainAccess, stepInEnglish } from '#lib/management/explanation.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { CONF } from '#testing/in-process/delegations.ts';
import { askForDevice, connect, type Device, givenDevices, poll } from '#testing/in-process/devices.ts';
import { jsonOf } from '#testing/in-process/in-process.ts';
import { DEVICE_CODE } from './rules.ts';

const EMAIL = 'alice@example.com';

beforeAll(givenDevices);
beforeEach(async () => {
  await sql('truncate attempts, device_requests, consents');
  await sql("update apis set device_grant = 'on' where id = 'orders'");
  await sql("update clients set disabled_at = null where client_id = 'conf'");
  await set("device = true, state = 'approved', trusted = false, required_claim = null");
});

const set = (what: string) =>
  sql(`update subscriptions set ${what} where client_id = 'conf' and api_id = 'orders'`);
const other = `'{"name": "groups", "values": ["finance"]}'`;

type Situation = { before?: () => Promise<unknown>; scope?: string };
/** Situations, each with the rejecting step; null: access granted. */
const ROWS: [what: string, situation: Situation, step: string | null][] = [
  ['a subscription for devices', {}, null],
  ['with a scope', { scope: 'read' }, null],
  ['with openid and offline_access', { scope: 'openid offline_access read' }, null],
  ['an unknown scope', { scope: 'nope' }, 'scope'],
  ['a trusted one', { before: () => set('trusted = true') }, null],
  ['one that is not for devices', { before: () => set('device = false') }, 'subscription'],
  ['a suspended one', { before: () => set("state = 'suspended'") }, 'subscription'],
  ['one for other people', { before: () => set(`required_claim = ${other}`) }, 'claim'],
  [
    'an API that connects none',
    { before: () => sql("update apis set device_grant = 'off' where id = 'orders'") },
    'grant',
  ],
  [
    'a disabled client',
    { before: () => sql("update clients set disabled_at = now() where client_id = 'conf'") },
    'client',
  ],
];

test.each(ROWS)(
  'the explanation of a device grant names the failing step: %s',
  async (_, { before, scope }, step) => {
    await before?.();
    const { steps, token } = await explainAccess(OPERATOR, {
      ...{ clientId: 'conf', email: EMAIL, authMethod: 'pw', scope },
      ...{ grantType: DEVICE_CODE, api: 'orders' },
    });
    const refused = steps.filter(({ ok }) => !ok).map(stepInEnglish);
    expect(refused.map((one) => one.step)).toEqual(step === null ? [] : [step]);
    for (const { reason, change } of refused) {
      expect(reason).toMatch(/\w/);
      expect(change).toMatch(/\w/);
    }
    const asked = steps.find((one) => one.step === 'consent');
    if (step === null) expect(asked?.reason).toBeDefined();
    expect(token ? comparable(token) : null).toEqual(await got(scope));
  },
);

/** Returns the claims without those that differ for each token. */
function comparable({ jti, iat, exp, auth_time, amr, ...same }: Record<string, unknown>) {
  return same;
}

/** Claims of the device's token; null: the device receives no token. */
async function got(scope: string | undefined): Promise<Record<string, unknown> | null> {
  const device = jsonOf(await askForDevice({ ...CONF, ...(scope && { scope }) }));
  if (device['user_code'] === undefined) return null;
  // if a page rejects the user, the device continues to poll
  await connect(device as unknown as Device).catch(() => null);
  const token = (await poll(device as unknown as Device, CONF))['access_token'];
  return typeof token === 'string' ? comparable(decodeJwt(token)) : null;
}
