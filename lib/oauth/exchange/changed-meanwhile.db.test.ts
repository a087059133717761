// Rights removed during a slow broker response are not granted afterwards (docs/project/decisions/0004).
import { SignJWT } from 'jose';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeSubscription, decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { type IdentityProvider, startIdentityProvider } from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
let idp: IdentityProvider;

beforeAll(givenFixtures);
beforeEach(async () => {
  idp = await startIdentityProvider('RS256');
  await sql(
    `update auth_methods set config = config || jsonb_build_object('issuer', $1::text) where id = 'brk'`,
    [idp.issuer],
  );
  await ceiling([]);
  return () => idp.close();
});

async function ceiling(scopes: string[]): Promise<void> {
  const of = { clientId: 'tru', api: 'orders' };
  const { state } = await changeSubscription(OPERATOR, { ...of, trusted: true, scopes });
  if (state === 'pending') await decideSubscription(OPERATOR, { ...of, action: 'approve' });
}

const idToken = (claims: Record<string, unknown> = {}) =>
  new SignJWT({ sub: 'U1', ...claims })
    .setIssuer(idp.issuer)
    .setAudience('gatehouse')
    .setIssuedAt()
    .setExpirationTime('5m')
    .setProtectedHeader({ alg: idp.pair.alg, kid: idp.pair.kid })
    .sign(idp.pair.privateKey);

test('if the scope ceiling changes while the broker’s keys are fetched, an exchange of the broker’s ID token applies the new ceiling', async () => {
  idp.state.beforeKeys = () => ceiling(['read']);
  const answer = await ask('/auth/token', {
    form: {
      ...TRU,
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: await idToken(),
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      audience: 'orders',
      auth_method: 'brk',
    },
  });
  expect(answer.status).toBe(200);
  const scopes = await sql('select scopes from token_families order by created_at desc limit 1');
  expect(scopes).toEqual([{ scopes: ['read'] }]);
});

async function depart(): Promise<URLSearchParams> {
  const query = new URLSearchParams({
    client_id: 'tru',
    response_type: 'code',
    redirect_uri: 'https://tru.example/cb',
  });
  return new URL(locationOf(await ask(`/auth/brk/api/orders/authorize?${query}`))).searchParams;
}

const redeem = (sent: URLSearchParams) =>
  ask('/auth/token', {
    form: { ...TRU, grant_type: 'authorization_code', code: 'any', state: sent.get('state') ?? '' },
  });

test('redeeming a broker’s code applies the scope ceiling at the time of the broker’s response', async () => {
  const sent = await depart();
  idp.state.tokens = async () => {
    await ceiling(['read']);
    return { access_token: 'x', token_type: 'Bearer', id_token: await idToken({ nonce: sent.get('nonce') }) };
  };
  const answer = await redeem(sent);
  expect([answer.status, jsonOf(answer)['scope']]).toEqual([200, 'read']);
});

test('a self-registered client suspended during sign-in receives unauthorized_client, and its state stays unused', async () => {
  await sql("update clients set origin = 'registration' where client_id = 'tru'");
  const sent = await depart();
  const of = { clientId: 'tru', api: 'orders' };
  await decideSubscription(OPERATOR, { ...of, action: 'suspend', reason: 'a test' });
  const answer = await redeem(sent);
  expect([answer.status, jsonOf(answer)['error']]).toEqual([400, 'unauthorized_client']);
  await decideSubscription(OPERATOR, { ...of, action: 'resume' });
  idp.state.tokens = async () => ({
    access_token: 'x',
    token_type: 'Bearer',
    id_token: await idToken({ nonce: sent.get('nonce') }),
  });
  expect((await redeem(sent)).status).toBe(200);
});
