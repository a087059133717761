// POST {base_url}/auth/token: a broker's ID token, and a broker's code and state (specification 4.3, contract section
// 6).
import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { throughBroker } from '#testing/brokers/broker.ts';
import type { Client } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { freshPkce } from '#testing/net/pkce.ts';
import { Browser, type Params } from '#testing/service/browser.ts';
import { claimsOf, credentialsOf, refresh, tokensOf } from '#testing/service/token.ts';
import { startLiar } from '../../support/brokers/lying-broker.ts';
import { accessOf, exchangeAt, TYPE } from '../../support/clients/exchange.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { makeClient, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

/** the client that exchanges tokens; it has trusted subscriptions to both APIs */
let back: Client;
const exchange = (client: Client, params: Params) => exchangeAt(door, client, params);

test.beforeAll(async () => {
  back = await makeClient({ trusted: true, apis: ['orders', 'billing'] });
});

test.describe("a broker's ID token", () => {
  test('contract 6: a broker’s ID token is exchanged for a token of the broker’s method, which expires no later', async () => {
    const liar = await startLiar();
    const idToken = await liar.idToken();
    const form = { subject_token: idToken, subject_token_type: `${TYPE}id_token`, audience: 'orders' };
    const token = accessOf(await exchange(back, form));
    expect(claimsOf(token)).toMatchObject({
      iss: issuerOf(door, liar.method),
      exp: claimsOf(idToken)['exp'],
      auth_time: claimsOf(idToken)['iat'],
    });
    expect(accessOf(await exchange(back, { ...form, auth_method: liar.method }))).not.toBe('');
    expectError(await exchange(back, { ...form, auth_method: 'brk' }), 'invalid_request');
    expectError(await exchange(back, { ...form, auth_method: 'pw' }), 'invalid_request');
    expectError(
      await exchange(back, { ...form, subject_token_type: `${TYPE}access_token` }),
      'invalid_request',
    );
    const [row] = await sql<{ person_id: string }>(
      'select person_id from external_identities where auth_method_id = $1',
      [liar.method],
    );
    expect(claimsOf(token)['sub']).toBe(row?.person_id);
    await sql('update people set disabled_at = now() where id = $1', [row?.person_id]);
    expectError(await exchange(back, form), 'invalid_request');
    await liar.close();
  });

  test('AA-08: an ID token that is expired, foreign, malformed or for another audience returns invalid_request', async () => {
    const liar = await startLiar();
    const now = Math.floor(Date.now() / 1000);
    for (const idToken of [
      await liar.idToken({ aud: 'somebody-else' }),
      await liar.idToken({ aud: [liar.clientId, 'x'], azp: 'x' }),
      await liar.idToken({ iss: 'https://evil.example' }),
      await liar.idToken({ exp: now - 60, iat: now - 120 }),
      await liar.idToken({}, {}, true),
      await liar.idToken({}, { kid: 'unknown' }),
      await liar.idToken({ sub: undefined }),
      await liar.idToken({}, { typ: 'at+jwt' }),
      await liar.idToken({ events: {} }),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await liar.idToken()).split('.')[1]}.`,
    ]) {
      const form = {
        subject_token: idToken,
        subject_token_type: `${TYPE}id_token`,
        auth_method: liar.method,
      };
      expectError(await exchange(back, form), 'invalid_request');
    }
    const people = await sql('select 1 from external_identities where auth_method_id = $1', [liar.method]);
    expect(people).toHaveLength(0);
    await liar.close();
  });

  test('an unreachable broker returns temporarily_unavailable', async () => {
    const liar = await startLiar();
    const idToken = await liar.idToken();
    await liar.close();
    const form = {
      subject_token: idToken,
      subject_token_type: `${TYPE}id_token`,
      auth_method: liar.method,
    };
    expectError(await exchange(back, form), 'temporarily_unavailable');
  });
});

test.describe("a broker's code and state", () => {
  /**
   * Starts a sign-in at Gatehouse's authorization endpoint, and intercepts the broker's response for the client.
   */
  const receive = async (client: Client, params: Params = {}, name = randomUUID()) => {
    const departure = await new Browser(door).ask(client, params, { method: 'brk' });
    const answer = new URL(await throughBroker(departure, name)).searchParams;
    return {
      code: answer.get('code') ?? '',
      state: answer.get('state') ?? '',
      iss: answer.get('iss') ?? '',
    };
  };
  const redeem = (client: Client, received: Record<string, string>, extra: Record<string, string> = {}) =>
    send(`${door.url}/auth/token`, {
      form: { grant_type: 'authorization_code', ...credentialsOf(client), ...received, ...extra },
    });

  test('contract 6: the client that started the sign-in receives the token response', async () => {
    const received = await receive(back, { scope: 'read' });
    const answer = await redeem(back, received);
    expectTokens(answer);
    expect(claimsOf(tokensOf(answer).accessToken)).toMatchObject({
      iss: issuerOf(door, 'brk'),
      client_id: back.clientId,
      scope: 'read',
    });
    expectTokens(await refresh(door, back, tokensOf(answer).refreshToken, {}, { method: 'brk' }));
  });

  test('scope openid: the ID token reports authentication at the broker', async () => {
    const liar = await startLiar();
    const departure = await new Browser(door).ask(back, { scope: 'openid' }, { method: liar.method });
    const { searchParams } = new URL(departure.location);
    const nonce = searchParams.get('nonce');
    liar.gives(await liar.idToken({ nonce, amr: ['otp', 'hwk'], acr: 'urn:partner:gold' }));
    const state = searchParams.get('state') ?? '';
    const answer = await redeem(back, { code: 'any', state, iss: liar.issuer });
    expectTokens(answer);
    const idToken = String(answer.json()['id_token']);
    expect(claimsOf(idToken)).toMatchObject({ amr: ['otp', 'hwk'], broker_acr: 'urn:partner:gold' });
    expect(claimsOf(idToken)).not.toHaveProperty('sid');
    await liar.close();
  });

  test('contract 6: an exchange of code and state requires the code_verifier of the authorize request’s code_challenge', async () => {
    const native = await makeClient({
      kind: 'native',
      trusted: true,
      redirectUris: ['com.example.exchange:/cb'],
    });
    const { verifier, params } = freshPkce();
    const received = await receive(native, params);
    expectError(await redeem(native, received), 'invalid_grant');
    expectError(await redeem(native, received, { code_verifier: 'short' }), 'invalid_request');
    expectError(await redeem(native, received, { code_verifier: freshPkce().verifier }), 'invalid_grant');
    expectTokens(await redeem(native, received, { code_verifier: verifier }));
    const plain = await receive(back);
    expectError(await redeem(back, plain, { code_verifier: verifier }), 'invalid_grant');
  });

  test('contract 6: an unknown, used or foreign state returns invalid_grant, and a rejected foreign request keeps the state valid', async () => {
    const received = await receive(back);
    const stranger = await makeClient({ trusted: true });
    expectError(await redeem(stranger, received), 'invalid_grant');
    expectError(await redeem(back, { ...received, state: 'unknown' }), 'invalid_grant');
    expectError(await redeem(back, { code: received.code, state: '' }), 'invalid_request');
    expectError(await redeem(back, { code: '', state: received.state }), 'invalid_request');
    expectError(await redeem(back, received, { redirect_uri: 'https://evil.example/cb' }), 'invalid_grant');
    expectTokens(await redeem(back, received));
    expectError(await redeem(back, received), 'invalid_grant');
  });

  test('contract 6: of ten parallel exchanges of one code and state, exactly one succeeds', async () => {
    const received = await receive(back);
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(back, received)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expectError(answer, 'invalid_grant');
  });

  test('contract 6: a client without an approved trusted subscription receives unauthorized_client', async () => {
    const plain = await makeClient();
    expectError(await redeem(plain, await receive(plain)), 'unauthorized_client');
  });

  test('contract 6: a code that the broker rejects returns invalid_grant', async () => {
    const received = await receive(back);
    expectError(await redeem(back, { ...received, code: 'x' }), 'invalid_grant');
  });
});
