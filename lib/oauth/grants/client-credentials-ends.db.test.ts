// Events that make client_credentials tokens inactive, and endpoints that reject these tokens, tested by requests to
// the protocol core.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { passwordForm } from '#testing/clients/asserted.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { giveFormat, givenMachines } from '#testing/in-process/machines.ts';
import { OPENID_PATH, type TrustedClient } from '#testing/in-process/openid.ts';

let machines: Awaited<ReturnType<typeof givenMachines>>;

beforeAll(async () => {
  machines = await givenMachines();
});
beforeEach(async () => {
  await giveFormat('jwt');
  await sql('truncate machine_tokens, attempts');
});

const ONCE = "where client_id = 'bot'";
const ENDINGS: [what: string, off: string, on: string, comesBack: boolean][] = [
  [
    'a suspension',
    `update subscriptions set state = 'suspended' ${ONCE}`,
    `update subscriptions set state = 'approved' ${ONCE}`,
    true,
  ],
  [
    'a narrower ceiling',
    `update subscriptions set scopes = '{write}' ${ONCE}`,
    `update subscriptions set scopes = '{}' ${ONCE}`,
    true,
  ],
  [
    'a revoked subscription',
    `update subscriptions set state = 'revoked' ${ONCE}`,
    `update subscriptions set state = 'approved' ${ONCE}`,
    false,
  ],
  [
    'machine taken away',
    `update subscriptions set machine = false ${ONCE}`,
    `update subscriptions set machine = true ${ONCE}`,
    false,
  ],
  [
    'a disabled client',
    `update clients set disabled_at = now() ${ONCE}`,
    `update clients set disabled_at = null ${ONCE}`,
    false,
  ],
  [
    'a client turned public',
    `update clients set confidential = false ${ONCE}`,
    `update clients set confidential = true ${ONCE}`,
    false,
  ],
  [
    'a combination taken away',
    "delete from combinations where api_id = 'orders' and auth_method_id = 'pw'",
    "insert into combinations (api_id, auth_method_id) values ('orders', 'pw')",
    false,
  ],
];

describe.each(['jwt', 'opaque'])('machine tokens of the format %s', (format) => {
  test.each(ENDINGS)('%s revokes the machine token immediately', async (_, off, on, comesBack) => {
    await giveFormat(format);
    const token = await machines.tokenFor({ scope: 'read' });
    await sql(off);
    // the issuer may be deleted, so the test introspects the token at another issuer of the API
    expect(await machines.introspect(token, '/auth/ext/api/orders')).toEqual({ active: false });
    await sql(on);
    expect((await machines.introspect(token))['active']).toBe(comesBack);
  });

  test('RFC 7009: only the token’s client can revoke a machine token, and the log names the client and no user', async () => {
    await giveFormat(format);
    await sql('truncate audit_events');
    const token = await machines.tokenFor();
    const revoke = (client: TrustedClient) => ask(`${OPENID_PATH}/revoke`, { form: { ...client, token } });
    expect((await revoke(machines.other)).status).toBe(200);
    expect((await machines.introspect(token))['active']).toBe(true);
    await Promise.all([revoke(machines.bot), revoke(machines.bot)]);
    expect(await machines.introspect(token)).toEqual({ active: false });
    const events = await sql(
      'select event, client_id, person_id, actor, details from audit_events order by id',
    );
    const of = { client_id: 'bot', person_id: null, actor: null };
    expect(events).toEqual([
      { event: 'token.issued', ...of, details: { grant_type: 'client_credentials' } },
      { event: 'token.revoked', ...of, details: {} },
    ]);
  });

  test('Core §5.3: userinfo returns 403 for an active machine token, and 401 for a revoked token or at another issuer', async () => {
    await giveFormat(format);
    const token = await machines.tokenFor();
    const userinfo = async (path = OPENID_PATH) => {
      const answer = await ask(`${path}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
      return `${answer.status} ${jsonOf(answer)['error']}`;
    };
    expect(await userinfo()).toBe('403 insufficient_scope');
    expect(await userinfo('/auth/ext/api/orders')).toBe('401 invalid_token');
    await sql('truncate machine_tokens');
    expect(await userinfo()).toBe('401 invalid_token');
  });

  test('RFC 8693: a machine token is rejected as subject token, and as actor token it names the client', async () => {
    await giveFormat(format);
    const actor = await machines.tokenFor();
    const person = String(
      jsonOf(await ask(`${OPENID_PATH}/token`, { form: { ...machines.bot, ...passwordForm() } }))[
        'access_token'
      ],
    );
    const type = 'urn:ietf:params:oauth:token-type:access_token';
    const exchange = (form: Record<string, string>) =>
      ask('/auth/token', {
        form: {
          ...machines.other,
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          audience: 'orders',
          ...form,
        },
      });
    const refused = jsonOf(await exchange({ subject_token: actor, subject_token_type: type }));
    expect(refused).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('not to a person'),
    });
    const given = await exchange({
      subject_token: person,
      subject_token_type: type,
      actor_token: actor,
      actor_token_type: type,
    });
    expect(given.status, String(given.body)).toBe(200);
    const { act } = await machines.introspect(String(jsonOf(given)['access_token']));
    expect(act).toEqual({ sub: 'bot', client_id: 'bot' });
  });
});

test('if a subscription is suspended during fifty token requests, no issued token is active', async () => {
  const asked = Array.from({ length: 50 }, () => machines.request());
  const suspended = sql("update subscriptions set state = 'suspended' where client_id = 'bot'");
  const answers = await Promise.all(asked);
  await suspended;
  for (const answer of answers) {
    if (answer.status !== 200) expect(jsonOf(answer)['error']).toBe('unauthorized_client');
    else expect(await machines.introspect(String(jsonOf(answer)['access_token']))).toEqual({ active: false });
  }
  expect(await machines.outcome()).toBe('400 unauthorized_client');
  await sql("update subscriptions set state = 'approved' where client_id = 'bot'");
});

test('if a client is disabled and enabled during fifty token requests, earlier tokens stay invalid', async () => {
  const asked = Array.from({ length: 50 }, () => machines.request());
  await sql("update clients set disabled_at = now() where client_id = 'bot'");
  const answers = await Promise.all(asked);
  const given = answers
    .filter(({ status }) => status === 200)
    .map((one) => String(jsonOf(one)['access_token']));
  await sql("update clients set disabled_at = null where client_id = 'bot'");
  for (const token of given) expect(await machines.introspect(token)).toEqual({ active: false });
});
