// One refresh token that is used several times: by concurrent requests, and much later.
import { beforeAll, expect, test } from 'vitest';
import { expectReason } from '#testing/clients/asserted.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';

let client: TrustedClient;
beforeAll(async () => {
  await givenFixtures();
  [client] = (await givenTrustedClients(['reuser'])) as [TrustedClient];
});

const refresh = (refresh_token: string) =>
  ask(`${OPENID_PATH}/token`, { form: { ...client, grant_type: 'refresh_token', refresh_token } });
const tokenOf = (answer: Awaited<ReturnType<typeof refresh>>) => String(jsonOf(answer)['refresh_token']);
const isRevoked = async () =>
  (
    await sql<{ revoked: boolean }>(
      "select revoked_at is not null as revoked from token_families where client_id = 'reuser' order by created_at desc limit 1",
    )
  )[0]?.revoked;

test('RFC 9700 §4.14.2: of three concurrent refreshes one succeeds, and reuse 40 minutes later revokes the token family', async () => {
  const { cookie } = await signInTo('alice@example.com');
  const first = String((await openIdTokens(client, { cookie, scope: 'read' }))['refresh_token']);
  const answers = await Promise.all([refresh(first), refresh(first), refresh(first)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  await expectReason('reuser', 'refresh-race');
  expect(await isRevoked()).toBe(false);
  const winner = answers.find(({ status }) => status === 200);
  if (!winner) throw new Error('one of them wins');
  const next = await refresh(tokenOf(winner));
  expect(next.status).toBe(200);
  await sql("update refresh_tokens set used_at = used_at - interval '40 minutes' where used_at is not null");
  expect(jsonOf(await refresh(first))['error']).toBe('invalid_grant');
  await expectReason('reuser', 'refresh-used');
  expect(await isRevoked()).toBe(true);
  expect((await refresh(tokenOf(next))).status).toBe(400);
});
