import { createHash } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { disableClient } from '#lib/catalogue/clients/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { GRANT_EVENTS, GRANT_TITLES } from '#lib/registry/audit-event.ts';
import { authorize as issueCode } from '#lib/store/hot/authorize.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mint } from '#lib/tokens/formats.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import { ask } from '#testing/in-process/in-process.ts';
import { pageClientRequests, requestInEnglish } from './inspector.ts';
import { OPERATOR } from './policy.ts';

const ISSUER = '/auth/local/api/orders';
let dev: Person;
let alice: Person;
let secret: string;

beforeEach(async () => {
  await sql('truncate refused_requests');
  await givenEmptyRegistry();
  dev = await givenPerson('dev', 'developer');
  alice = await givenPerson('alice');
  secret = (await givenClient(dev)) as string;
  await requestSubscription(dev, SHOP);
});

const from = { address: '192.0.2.1' };
const authorize = (params: Record<string, string>) =>
  ask(`${ISSUER}/authorize?${new URLSearchParams({ client_id: 'shop', ...params })}`, from);
const token = (form: Record<string, string>) =>
  ask(`${ISSUER}/token`, { ...from, form: { client_id: 'shop', client_secret: secret, ...form } });

async function givenCode(codeChallenge: string | null = null): Promise<string> {
  const code = mint('code');
  await sql('update subscriptions set trusted = true where not trusted');
  const { version, methods } = await currentSnapshot();
  const { issued } = await issueCode({
    version,
    signIn: {
      kind: 'person',
      personId: alice.id,
      personEpoch: '0',
      methodEpoch: methods.get('local')?.epoch ?? '',
      authTime: new Date(),
    },
    clientId: 'shop',
    apiId: 'orders',
    authMethodId: 'local',
    restricted: false,
    issuerHost: null,
    codeChallenge,
    freshChallenge: false,
    strength: { level: null, secondFactor: 'off', graceSeconds: 0, trustedDays: 30 },
    code: {
      hash: code.hash,
      redirectUri: 'https://shop.example/cb',
      scopes: ['read'],
      scopeAsked: true,
      basis: 'trust',
      maxAgeSeconds: null,
      consentScopes: ['read'],
      openid: null,
      expectedPersonId: null,
    },
    requestId: 'r',
    ip: null,
  });
  expect(issued).toBe(true);
  return code.value;
}

/** Waits until this number of rejected requests has been recorded, then returns the newest. */
async function noted(count = 1) {
  const page = () => pageClientRequests(dev, { clientId: 'shop', failedOnly: true });
  await expect.poll(async () => (await page()).rows.length).toBe(count);
  const [row] = (await page()).rows;
  return row && requestInEnglish(row);
}

it('the inspector shows an unregistered redirect_uri next to the registered URIs, with the likely mistake', async () => {
  await authorize({ response_type: 'code', redirect_uri: 'https://shop.example/cb/' });
  const row = await noted();
  expect(row).toMatchObject({ endpoint: 'authorize', ok: false, title: 'redirect_uri is not registered' });
  expect(row?.explanation).toContain('https://shop.example/cb/');
  expect(row?.explanation).toContain('one of https://shop.example/cb exactly.');
  expect(row?.explanation).toContain('trailing slash');
});

it('the inspector records errors redirected to clients', async () => {
  await authorize({ response_type: 'token', redirect_uri: 'https://shop.example/cb' });
  expect(await noted()).toMatchObject({
    error: 'unsupported_response_type',
    facts: expect.arrayContaining([{ name: 'response_type', value: 'token' }]),
  });
});

it('the inspector names subscription and scope errors of the authorization endpoint like errors of the token endpoint, each once', async () => {
  const request = {
    response_type: 'code',
    redirect_uri: 'https://shop.example/cb',
    code_challenge: CHALLENGE,
  };
  await authorize({ ...request, code_challenge_method: 'S256', scope: 'reed' });
  expect(await noted()).toMatchObject({
    title: 'A requested scope is not allowed',
    explanation: expect.stringContaining("'reed'"),
  });
  await authorize({ response_type: 'token', redirect_uri: 'https://shop.example/cb' });
  expect(await noted(2)).toMatchObject({ error: 'unsupported_response_type', explanation: null });
  await sql('delete from subscriptions');
  await authorize({ ...request, code_challenge_method: 'S256' });
  expect((await noted(3))?.title).toBe('No subscription to this API');
});

it('the inspector records a rejected pushed request with its content, and does not record an accepted one', async () => {
  const push = (form: Record<string, string>) =>
    ask(`${ISSUER}/par`, { ...from, form: { client_id: 'shop', client_secret: secret, ...form } });
  const request = { response_type: 'code', redirect_uri: 'https://shop.example/cb', scope: 'read' };
  expect((await push(request)).status).toBe(201);
  await push({ ...request, redirect_uri: 'https://shop.example/cb/' });
  const row = await noted();
  expect(row).toMatchObject({ endpoint: 'par', ok: false, title: 'redirect_uri is not registered' });
  expect(row?.explanation).toContain('trailing slash');
  await push({ ...request, scope: 'reed' });
  expect((await noted(2))?.title).toBe('A requested scope is not allowed');
  await push({ ...request, client_secret: 'wrong' });
  expect((await noted(3))?.title).toBe('The client secret is wrong');
});

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

it.each([
  ['verifier-missing', CHALLENGE, {}, 'PKCE: code_verifier is missing'],
  ['verifier-wrong', CHALLENGE, { code_verifier: 'w'.repeat(43) }, 'PKCE: code_verifier does not match'],
  ['verifier-not-expected', null, { code_verifier: VERIFIER }, 'PKCE: code_verifier was sent'],
  [
    'other redirect',
    null,
    { redirect_uri: 'https://shop.example/x' },
    'The redirect_uri differs from the one',
  ],
])('the inspector names the fault of a code: %s', async (_, challenge, form, title) => {
  const code = await givenCode(challenge);
  await token({ grant_type: 'authorization_code', code, ...form });
  expect((await noted())?.title).toContain(title);
});

it('the inspector names a wrong secret, a used code and a used refresh token, and lists successful requests between them', async () => {
  const code = await givenCode();
  const grant = { grant_type: 'authorization_code', code };
  await token({ ...grant, client_secret: 'wrong' });
  expect((await noted())?.title).toBe('The client secret is wrong');
  const answer = JSON.parse(String((await token(grant))?.body));
  await token(grant);
  expect((await noted(2))?.title).toBe('The code has already been used');
  const refresh = { grant_type: 'refresh_token', refresh_token: answer.refresh_token };
  await token(refresh);
  expect((await noted(3))?.title).toBe('The chain of refresh tokens has ended');
  const { rows } = await pageClientRequests(dev, { clientId: 'shop' });
  expect(rows.map((row) => row.title)).toContain('Tokens were issued');
  const first = await pageClientRequests(dev, { clientId: 'shop', limit: 2 });
  const second = await pageClientRequests(dev, { clientId: 'shop', limit: 3, cursor: first.next as string });
  expect([...first.rows, ...second.rows]).toEqual(rows.slice(0, 5));
});

it('LK-01: requests that the inspector records contain no secret, code, verifier, token or password', async () => {
  const code = await givenCode(CHALLENGE);
  const verifier = 'x'.repeat(50);
  await token({ grant_type: 'authorization_code', code, code_verifier: verifier });
  await token({ grant_type: 'password', username: 'alice@example.com', password: 'hunter-hunter-2' });
  await token({ grant_type: 'refresh_token', refresh_token: mint('refresh').value });
  await noted(3);
  const [row] = await sql<{ text: string }>('select json_agg(r)::text as text from refused_requests r');
  for (const value of [code, verifier, secret, 'hunter-hunter-2', 'alice@', 'ghr_', CHALLENGE]) {
    expect(row?.text).not.toContain(value);
  }
});

it('AD-06: the inspector does not find another developer’s client, and names a disabled client or an ended subscription as the cause', async () => {
  const other = await givenPerson('other', 'developer');
  await expect(pageClientRequests(other, { clientId: 'shop' })).rejects.toMatchObject({ kind: 'not-found' });
  await sql(`update subscriptions set state = 'suspended'`);
  await token({ grant_type: 'authorization_code', code: 'x' });
  expect((await noted())?.title).toBe('The subscription is suspended');
  await disableClient(OPERATOR, { clientId: 'shop' });
  await token({ grant_type: 'authorization_code', code: 'x' });
  expect((await noted(2))?.title).toBe('The client is disabled');
});

it.each(GRANT_EVENTS)('the inspector lists %s with a title', async (event) => {
  await sql(
    `insert into audit_events (event, client_id, api_id, auth_method_id, request_id)
    values ($1, 'shop', 'orders', 'local', gen_random_uuid()::text)`,
    [event],
  );
  const { rows } = await pageClientRequests(dev, { clientId: 'shop', limit: 1 });
  expect(rows[0]).toMatchObject({ ok: true, title: GRANT_TITLES[event] });
});

it('after a flood of rejected requests, the inspector keeps only the newest 200', async () => {
  await sql(`insert into refused_requests (client_id, endpoint, error, description, at)
    select 'shop', 'token', 'invalid_request', 'old', now() - interval '1 day' from generate_series(1, 300)`);
  await token({ grant_type: 'bogus' });
  await expect
    .poll(() => sql('select count(*)::int as n from refused_requests'), { timeout: 5_000 })
    .toEqual([{ n: 200 }]);
  expect(await sql(`select count(*)::int as n from refused_requests where description <> 'old'`)).toEqual([
    { n: 1 },
  ]);
});
