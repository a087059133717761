// Gateways reject an ended token at the next request. A token whose subscription was only suspended works again
// afterwards.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disablePerson, enablePerson } from '#lib/catalogue/people/operations.ts';
import { retireKey } from '#lib/keys/keys.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { bearer, type GatewayWorld, givenGateway, nodeGateway } from '#testing/in-process/forward-auth.ts';
import { ask } from '#testing/in-process/in-process.ts';
import { giveFormat } from '#testing/in-process/machines.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { TRU, tokensAs } from '#testing/in-process/step-up.ts';

let world: GatewayWorld;
beforeAll(async () => {
  setLogLevel('silent');
  world = await givenGateway();
});
afterAll(() => world.door.close());

const status = async (token: string) =>
  (await nodeGateway(world.door)('', { headers: bearer(token) })).status;

/** Issues a JWT and an opaque token to alice. */
async function givenTokens(): Promise<string[]> {
  const { cookie } = await signInTo('alice@example.com');
  const tokens: string[] = [];
  for (const format of ['opaque', 'jwt']) {
    await giveFormat(format);
    tokens.push((await tokensAs(cookie, { scope: 'read' }))['access_token'] ?? '');
  }
  expect(await Promise.all(tokens.map(status))).toEqual([200, 200]);
  return tokens;
}

test('suspension of a subscription pauses client tokens, and removal of the machine permission revokes them', async () => {
  const tokens = await givenTokens();
  await sql("update subscriptions set state = 'suspended' where client_id = 'tru'");
  expect(await Promise.all(tokens.map(status))).toEqual([401, 401]);
  await sql("update subscriptions set state = 'approved' where client_id = 'tru'");
  expect(await Promise.all(tokens.map(status))).toEqual([200, 200]);
  const machine = await world.machineToken({ scope: 'read' });
  expect(await status(machine)).toBe(200);
  await sql("update subscriptions set machine = false where client_id = 'bot'");
  expect(await status(machine)).toBe(401);
});

test('tokens of a disabled user stay invalid after the user is enabled again', async () => {
  const tokens = await givenTokens();
  await disablePerson(OPERATOR, { id: world.alice.personId });
  expect(await Promise.all(tokens.map(status))).toEqual([401, 401]);
  await enablePerson(OPERATOR, { id: world.alice.personId });
  expect(await Promise.all(tokens.map(status))).toEqual([401, 401]);
});

test('when one token is revoked, other tokens remain valid', async () => {
  const [opaque = '', jwt = ''] = await givenTokens();
  await ask('/auth/pw/api/orders/revoke', { form: { ...TRU, token: jwt } });
  expect(await Promise.all([opaque, jwt].map(status))).toEqual([200, 401]);
});

test('retiring a key invalidates its tokens, and the next key signs', async () => {
  const [opaque = '', jwt = ''] = await givenTokens();
  const { kid } = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
  expect(await retireKey(kid)).toBe(true);
  expect(await Promise.all([opaque, jwt].map(status))).toEqual([200, 401]);
  await givenTokens();
});
