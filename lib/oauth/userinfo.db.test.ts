// POST to userinfo without a body, tested by requests to the protocol core.
import { beforeAll, expect, test } from 'vitest';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

beforeAll(givenFixtures);

const post = (headers: Record<string, string>) =>
  ask('/auth/pw/api/orders/userinfo', { method: 'POST', headers });

test('OpenID Connect Core §5.3.1: a POST without a body uses the Authorization header, and requires no content type', async () => {
  const presented = await post({ authorization: 'Bearer x' });
  expect([presented.status, jsonOf(presented)['error']]).toEqual([401, 'invalid_token']);
  // without a token, the challenge contains no error code (RFC 6750 §3)
  const missing = await post({});
  expect([missing.status, missing.headers['www-authenticate']]).toEqual([401, 'Bearer realm="Gatehouse"']);
});

test('RFC 6750 §3.1: an Authorization header with two tokens is malformed, and another scheme counts as no token', async () => {
  for (const method of ['GET', 'POST']) {
    const send = (authorization: string) =>
      ask('/auth/pw/api/orders/userinfo', { method, headers: { authorization } });
    const two = await send('Bearer a b');
    expect([two.status, jsonOf(two)['error']]).toEqual([400, 'invalid_request']);
    expect(two.headers['www-authenticate']).toContain('error="invalid_request"');
    const other = await send('Basic eDp5');
    expect([other.status, other.headers['www-authenticate']]).toEqual([401, 'Bearer realm="Gatehouse"']);
  }
});
