// Changes of the setting for pairwise subject identifiers: after any change, all tokens of a token family contain the
// same `sub`.
import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeApi, previewApiChange } from '#lib/catalogue/apis/operations.ts';
import { changeClient, previewClientChange } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdCode,
  openIdTokens,
  redeemFor,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { until } from '#testing/net/until.ts';

const PAIRWISE = /^[\w-]{43}$/;
let shop: TrustedClient;
let wide: TrustedClient;
let alice: string;
let cookie: string;

beforeAll(async () => {
  await givenFixtures();
  [shop] = (await givenTrustedClients(['shop'])) as [TrustedClient];
  [wide] = (await givenTrustedClients(['wide'], {
    redirectUris: ['https://wide.example/cb', 'https://other.example/cb', 'http://localhost:3000/cb'],
  })) as [TrustedClient];
});
beforeEach(async () => {
  await changeApi(OPERATOR, { id: 'orders', pairwiseSubjects: false });
  await changeClient(OPERATOR, { clientId: 'shop', subjectType: 'public', sectorIdentifierUri: null });
  await sql('truncate sessions, token_families, codes cascade');
  ({ personId: alice, cookie } = await signInTo('alice@example.com'));
});

const tokens = (client = shop) => openIdTokens(client, { cookie, scope: 'openid read' });
const subOf = async (client = shop) => decodeJwt((await tokens(client))['id_token'] ?? '').sub;
const refresh = (token = '', client = shop) =>
  ask(`${OPENID_PATH}/token`, { form: { ...client, grant_type: 'refresh_token', refresh_token: token } });
const userinfo = (token = '') =>
  ask(`${OPENID_PATH}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
const metadata = async () =>
  jsonOf(await ask(`${OPENID_PATH}/.well-known/openid-configuration`))['subject_types_supported'];

test.each([
  ['the API wants pairwise subjects', () => changeApi(OPERATOR, { id: 'orders', pairwiseSubjects: true })],
  ['the client does', () => changeClient(OPERATOR, { clientId: 'shop', subjectType: 'pairwise' })],
])(
  'Core §12.2: if %s, earlier tokens and codes are revoked, and the next sign-in returns the other sub',
  async (_, change) => {
    const before = await tokens();
    const code = await openIdCode(shop, { cookie, scope: 'openid' });
    expect(decodeJwt(before['id_token'] ?? '').sub).toBe(alice);
    await change();
    const refused = await refresh(before['refresh_token']);
    expect([refused.status, jsonOf(refused)['error']]).toEqual([400, 'invalid_grant']);
    expect(jsonOf(await redeemFor(shop, code))['error']).toBe('invalid_grant');
    expect((await userinfo(before['access_token'])).status).toBe(401);
    expect(await subOf()).toMatch(PAIRWISE);
  },
);

test('the API’s subject type overrides the client’s and appears in metadata, and resetting it restores the old subjects', async () => {
  expect(await metadata()).toEqual(['public', 'pairwise']);
  await changeClient(OPERATOR, { clientId: 'shop', subjectType: 'pairwise' });
  const own = await subOf();
  await changeApi(OPERATOR, { id: 'orders', pairwiseSubjects: true });
  expect(await metadata()).toEqual(['pairwise']);
  expect(await subOf()).toBe(own);
  await changeClient(OPERATOR, { clientId: 'shop', subjectType: 'public' });
  expect(await subOf()).toBe(own);
  await changeApi(OPERATOR, { id: 'orders', pairwiseSubjects: false });
  expect(await subOf()).toBe(alice);
});

test('without a sector identifier, a client with several hosts has its own sector, and a change of the sector changes subjects', async () => {
  await changeApi(OPERATOR, { id: 'orders', pairwiseSubjects: true });
  const alone = await subOf(wide);
  expect(alone).toMatch(PAIRWISE);
  const given = await tokens(wide);
  await changeClient(OPERATOR, { clientId: 'wide', sectorIdentifierUri: 'https://wide.example/list.json' });
  expect((await refresh(given['refresh_token'], wide)).status).toBe(400);
  expect(await subOf(wide)).not.toBe(alone);
});

test('a change that does not affect subjects revokes no tokens', async () => {
  const given = await tokens();
  // the client and the API use public identifiers, which do not depend on the sector
  await changeClient(OPERATOR, { clientId: 'shop', sectorIdentifierUri: 'https://x.example/list.json' });
  await changeApi(OPERATOR, { id: 'orders', description: 'Orders of people' });
  expect((await userinfo(given['access_token'])).status).toBe(200);
});

test('previews warn about a changed sub, and count ended tokens and users', async () => {
  await tokens();
  const api = await previewApiChange(OPERATOR, { id: 'orders', pairwiseSubjects: true });
  expect(api).toMatchObject({
    endsTokens: 1,
    people: 1,
    warnings: expect.arrayContaining([{ text: expect.stringContaining('(sub)') }]),
  });
  const client = await previewClientChange(OPERATOR, { clientId: 'shop', subjectType: 'pairwise' });
  expect(client).toMatchObject({
    endsTokens: 1,
    people: 1,
    warnings: [{ text: expect.stringContaining('(sub)') }],
  });
});

test('after a client change, userinfo never returns the previous sub', async () => {
  const { access_token: token } = await openIdTokens(shop, { cookie, scope: 'openid' });
  expect(jsonOf(await userinfo(token))).toEqual({ sub: alice });
  // simulates a change by another instance without a notification; the token family is not revoked
  await sql(`update clients set subject_type = 'pairwise' where client_id = 'shop'`);
  expect(jsonOf(await userinfo(token))['sub']).toMatch(PAIRWISE);
});

test('no token family receives two subs, even if the API’s subject type changes during eight loops of requests', async () => {
  const subs = new Map<string, Set<string>>();
  const hear = ({ access_token, id_token }: Record<string, string>) => {
    const { jti, sub } = decodeJwt(access_token ?? '');
    const family = String(jti).split('.')[0] ?? '';
    subs.set(
      family,
      (subs.get(family) ?? new Set()).add(String(sub)).add(String(decodeJwt(id_token ?? '').sub)),
    );
  };
  let stopped = false;
  let renewals = 0;
  const loop = async () => {
    while (!stopped) {
      const answer = await redeemFor(shop, await openIdCode(shop, { cookie, scope: 'openid' }));
      if (answer.status !== 200) continue;
      let given = jsonOf(answer) as Record<string, string>;
      hear(given);
      for (let at = 0; at < 4; at += 1) {
        const renewed = await refresh(given['refresh_token']);
        if (renewed.status !== 200) break;
        given = jsonOf(renewed) as Record<string, string>;
        renewals += 1;
        hear(given);
      }
    }
  };
  const loops = Array.from({ length: 8 }, loop);
  for (let at = 0; at < 20; at += 1) {
    const before = subs.size;
    await changeApi(OPERATOR, { id: 'orders', pairwiseSubjects: at % 2 === 0 });
    await until(async () => subs.size > before + 2);
  }
  stopped = true;
  await Promise.all(loops);
  expect(renewals).toBeGreaterThan(0);
  expect([...subs.values()].filter((heard) => heard.size > 1)).toEqual([]);
  expect(new Set([...subs.values()].flatMap((heard) => [...heard])).size).toBe(2);
}, 60_000);
