// Requirements of an `openid` request for the user and the sign-in (OpenID Connect Core §5.5.1), and its response mode.
import { beforeAll, expect, test } from 'vitest';
import { ask, givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';

let client: TrustedClient;
let alice: Awaited<ReturnType<typeof signInTo>>;

beforeAll(async () => {
  await givenFixtures();
  [client] = (await givenTrustedClients(['asks'])) as [typeof client];
  alice = await signInTo('alice@example.com');
});

const authorize = (over: Record<string, string>, { cookie } = alice) => {
  const asked = {
    client_id: 'asks',
    response_type: 'code',
    redirect_uri: 'https://asks.example/cb',
    ...over,
  };
  return ask(`${OPENID_PATH}/authorize?${new URLSearchParams(asked)}`, { headers: { cookie } });
};

const errorOf = async (answer: ReturnType<typeof authorize>) =>
  new URL(locationOf(await answer)).searchParams.get('error');

test('a claims parameter with the sub of another user is rejected, and so is an essential acr that the user cannot reach', async () => {
  const by = (idToken: object, over = {}) => ({
    scope: 'openid',
    prompt: 'none',
    claims: JSON.stringify({ id_token: idToken }),
    ...over,
  });
  const bob = await signInTo('bob@example.com');
  expect(locationOf(await authorize(by({ sub: { value: alice.personId } })))).toContain('code=');
  expect(await errorOf(authorize(by({ sub: { value: alice.personId } }), bob))).toBe('login_required');
  expect(await errorOf(authorize(by({ sub: { value: 'nobody' } })))).toBe('login_required');
  expect(await errorOf(authorize(by({ sub: { values: [bob.personId] } })))).toBe('login_required');
  const { id_token: hint = '' } = await openIdTokens(client, { cookie: alice.cookie, scope: 'openid' });
  const two = by({ sub: { value: bob.personId } }, { id_token_hint: hint });
  expect(await errorOf(authorize(two))).toBe('invalid_request');
  const acr = (given: object) => authorize(by({ acr: given }));
  const [known, unknown] = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa'];
  expect(locationOf(await acr({ essential: true, values: [unknown, known] }))).toContain('code=');
  expect(locationOf(await acr({ values: [unknown] }))).toContain('code=');
  expect(await errorOf(acr({ essential: true, value: 'urn:example:gold' }))).toBe(
    'unmet_authentication_requirements',
  );
  // the user could add a second factor, but prompt=none shows no page
  expect(await errorOf(acr({ essential: true, value: unknown }))).toBe('login_required');
});

test('form_post requires a redirect URI with http or https, because private-use schemes cannot receive a form', async () => {
  const native = { client_id: 'nat', code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  const answer = await authorize({
    ...native,
    redirect_uri: 'com.example.app:/cb',
    response_mode: 'form_post',
  });
  expect(locationOf(answer)).toMatch(/^com\.example\.app:\/cb\?error=invalid_request/);
  const posted = await authorize({
    ...native,
    scope: 'openid',
    redirect_uri: 'http://127.0.0.1:4711/cb',
    response_mode: 'form_post',
    prompt: 'none',
  });
  expect(String(posted.body)).toContain('action="http://127.0.0.1:4711/cb"');
});

/** Returns an unsigned request object with these claims (OpenID Connect Core §6.1). */
const requestObject = (claims: unknown, header: object = { alg: 'none' }) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

const inObject = { response_mode: 'form_post' };
const formObject = requestObject(inObject);
const [head = '', body = ''] = formObject.split('.');

test.each<[string, 'form' | 'query', Record<string, string>]>([
  ['form_post in the object', 'form', { request: formObject }],
  ['form_post in a signed object', 'form', { request: `${requestObject(inObject, { alg: 'RS256' })}c2ln` }],
  [
    'form_post in an object with other claims',
    'form',
    { request: requestObject({ ...inObject, state: 'X' }) },
  ],
  ['form_post in the query beside an object', 'form', { ...inObject, request: requestObject({}) }],
  ['query in the query, form_post in the object', 'query', { response_mode: 'query', request: formObject }],
  ['query in the object', 'query', { request: requestObject({ response_mode: 'query' }) }],
  ['fragment in the object', 'query', { request: requestObject({ response_mode: 'fragment' }) }],
  ['form_post.jwt in the object', 'query', { request: requestObject({ response_mode: 'form_post.jwt' }) }],
  ['a list in the object', 'query', { request: requestObject({ response_mode: ['form_post'] }) }],
  ['null in the object', 'query', { request: requestObject({ response_mode: null }) }],
  ['no response_mode in the object', 'query', { request: requestObject({}) }],
  ['an object without dots', 'query', { request: 'form_post' }],
  ['an object of two parts', 'query', { request: `${head}.${body}` }],
  ['an object of four parts', 'query', { request: `${formObject}.` }],
  ['an object whose body is no JSON', 'query', { request: `${head}.${body.slice(1)}.` }],
  ['an object whose body is a list', 'query', { request: requestObject([inObject]) }],
  ['an object whose header is no JSON', 'query', { request: `x.${body}.` }],
  ['an object with plain base64', 'query', { request: `${head}.${body}==.` }],
  [
    'an object of 20,000 characters',
    'query',
    { request: requestObject({ ...inObject, x: 'x'.repeat(15_000) }) },
  ],
  ['a request_uri', 'query', { request_uri: `https://asks.example/${formObject}` }],
])('OpenID Connect Core §6.1: %s is rejected with an error in the %s', async (_, way, over) => {
  const answer = await authorize({ scope: 'openid', state: 'S', ...over });
  const code = 'request' in over ? 'request_not_supported' : 'request_uri_not_supported';
  if (way === 'query') {
    const { searchParams } = new URL(locationOf(answer));
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual([code, 'S']);
    return;
  }
  expect([answer.status, locationOf(answer)]).toEqual([200, '']);
  expect(String(answer.body)).toContain('action="https://asks.example/cb"');
  expect(String(answer.body)).toContain(`name="error" value="${code}"`);
  expect(String(answer.body)).toContain('name="state" value="S"');
});

test('OpenID Connect Core §6.1: response_mode in a request object is ignored without the scope openid', async () => {
  const answer = await authorize({ scope: 'read', request: formObject });
  expect(new URL(locationOf(answer)).searchParams.get('code')).toMatch(/^ghc_/);
});
