// Lifetime of a user's consent (`max_days` of a subscription), also if the limit is set or shortened after the consent.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeTerms } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { CONF } from '#testing/in-process/delegations.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, openIdCode, openIdTokens, redeemFor, signInTo } from '#testing/in-process/openid.ts';

let cookie: string;
beforeAll(givenFixtures);
beforeEach(async () => {
  await sql('delete from consents');
  await last(null);
  const alice = await signInTo('alice@example.com');
  cookie = alice.cookie;
  await sql(
    `insert into consents (person_id, client_id, api_id, scopes) values ($1, 'conf', 'orders', '{openid,read}')`,
    [alice.personId],
  );
});

const last = (maxDays: number | null) => changeTerms(OPERATOR, { clientId: 'conf', api: 'orders', maxDays });
const allowedDaysAgo = (days: number) =>
  sql('update consents set updated_at = now() - make_interval(days => $1)', [days]);
const given = () => openIdTokens(CONF, { cookie, scope: 'openid read' });
const refresh = async ({ refresh_token = '' }: Record<string, string>) => {
  const form = { ...CONF, grant_type: 'refresh_token', refresh_token };
  const answer = await ask(`${OPENID_PATH}/token`, { form });
  return [answer.status, jsonOf(answer) as Record<string, string>] as const;
};
const isActive = async ({ access_token = '' }: Record<string, string>) =>
  jsonOf(await ask(`${OPENID_PATH}/introspect`, { form: { ...CONF, token: access_token } }))['active'];

test('max_days also ends refresh tokens and access tokens issued before it was set', async () => {
  const tokens = await given();
  await allowedDaysAgo(3);
  await last(5);
  const [status, next] = await refresh(tokens);
  expect([status, await isActive(next)]).toEqual([200, true]);
  await last(2);
  expect([(await refresh(next))[0], await isActive(next)]).toEqual([400, false]);
  // without a limit, the age of the consent does not matter
  await last(null);
  expect([(await refresh(next))[0], await isActive(next)]).toEqual([200, true]);
});

test('an authorization code issued before max_days was set fails after consent expiry', async () => {
  const code = await openIdCode(CONF, { cookie, scope: 'read' });
  await allowedDaysAgo(3);
  await last(2);
  expect((await redeemFor(CONF, code)).status).toBe(400);
});
