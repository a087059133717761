// Every response with an access token contains `scope`, even if it equals the requested one (RFC 6749 §5.1). Spring
// Security grants no authority without it.
import { beforeAll, expect, test } from 'vitest';
import { sql } from '#testing/data/registry.ts';
import { connect, givenDevices, newDevice, poll } from '#testing/in-process/devices.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, openIdTokens, signInTo } from '#testing/in-process/openid.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const post = async (path: string, form: Record<string, string>) =>
  jsonOf(await ask(path, { form: { ...TRU, ...form } })) as Record<string, string>;
const token = (form: Record<string, string>) => post(`${OPENID_PATH}/token`, form);

let cookie: string;
beforeAll(async () => {
  await givenDevices();
  await sql("update subscriptions set machine = true where client_id = 'tru'");
  ({ cookie } = await signInTo('alice@example.com'));
});

const byCode = (scope = 'read') => openIdTokens(TRU, { cookie, scope });
const TYPE = 'urn:ietf:params:oauth:token-type:access_token';

const GRANTS: [string, () => Promise<Record<string, unknown>>, string][] = [
  ['a code', () => byCode(), 'read'],
  ['a code with openid', () => byCode('openid read'), 'openid read'],
  [
    'a refresh',
    async () =>
      token({ grant_type: 'refresh_token', refresh_token: (await byCode())['refresh_token'] ?? '' }),
    'read',
  ],
  [
    'a refresh that names its scope',
    async () =>
      token({
        grant_type: 'refresh_token',
        refresh_token: (await byCode())['refresh_token'] ?? '',
        scope: 'read',
      }),
    'read',
  ],
  [
    'a password',
    () => token({ grant_type: 'password', username: 'alice@example.com', password: 'alice-password-1' }),
    'read write',
  ],
  ['client credentials', () => token({ grant_type: 'client_credentials', scope: 'read' }), 'read'],
  ['client credentials without a scope', () => token({ grant_type: 'client_credentials' }), 'read write'],
  [
    'an exchange',
    async () =>
      post('/auth/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: (await byCode())['access_token'] ?? '',
        subject_token_type: TYPE,
        audience: 'orders',
        scope: 'read',
      }),
    'read',
  ],
  [
    'a device',
    async () => {
      const device = await newDevice({ scope: 'read' });
      await connect(device);
      return poll(device);
    },
    'read',
  ],
];

test.each(GRANTS)('the response to %s contains scope', async (_, ask, scope) => {
  expect(await ask()).toMatchObject({ access_token: expect.any(String), scope });
});
