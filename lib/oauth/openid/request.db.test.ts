// What an `openid` request demands of the person and of the sign-in (OpenID Connect Core §5.5.1), and by which way it
// is answered.
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

test('claims that name a sub give nobody else a code; an essential acr that no sign-in has is refused', async () => {
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
  // she could have a second factor, and no page can ask her
  expect(await errorOf(acr({ essential: true, value: unknown }))).toBe('login_required');
});

test('form_post is for addresses of the web: an app that opens by its own scheme would get no form', async () => {
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
