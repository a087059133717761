// The conformance suite's modules about codes and refresh tokens (plan Basic OP), each test named after its module.
import { expect, test } from '@playwright/test';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import type { Person } from '#testing/data/world.ts';
import { send } from '#testing/net/http.ts';
import { until } from '#testing/net/until.ts';
import { Browser } from '#testing/service/browser.ts';
import { redeem, refresh } from '#testing/service/token.ts';
import { expectError } from '../../support/clients/expectations.ts';
import { openIdCast, RelyingParty } from '../../support/clients/openid.ts';
import { makeClient, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const IDENTITY = ['iss', 'sub', 'aud', 'auth_time', 'azp', 'sid', 'acr', 'amr'];

let rp: RelyingParty;
let person: Person;

test.beforeAll(async () => {
  ({ rp, person } = await openIdCast(door));
});

for (const { module, seconds } of [
  { module: 'oidcc-codereuse', seconds: 0 },
  { module: 'oidcc-codereuse-30seconds', seconds: 30 },
]) {
  test(`${module}: the request returns invalid_grant, and userinfo rejects the access token`, async () => {
    const { answer, tokens } = await rp.signIn(new Browser(door), person);
    const userinfo = () =>
      send(rp.metadata.userinfo_endpoint ?? '', {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
    expect((await userinfo()).status).toBe(200);
    // instead of waiting like the suite, ages the code
    await sql(
      `update codes set issued_at = issued_at - $2 * interval '1 second', used_at = used_at - $2 * interval '1 second',
         expires_at = expires_at - $2 * interval '1 second'
       where client_id = $1`,
      [rp.client.clientId, seconds],
    );
    const code = answer.searchParams.get('code') ?? '';
    expectError(await redeem(door, rp.client, { code }), 'invalid_grant');
    const after = await userinfo();
    expect(after.status).toBe(401);
    expect(after.headers['www-authenticate']).toContain('error="invalid_token"');
  });
}

test('oidcc-refresh-token: the refresh token is bound to its client, the response is not cached, and the ID token claims are unchanged', async () => {
  const { scopes_supported: scopes, grant_types_supported: grants } = rp.metadata;
  expect(scopes).toContain('offline_access');
  expect(grants).toContain('refresh_token');
  const other = await RelyingParty.at(door, await makeClient({ kind: 'confidential' }));
  const ask = { scope: 'openid offline_access', prompt: 'consent' };
  const first = await rp.signIn(new Browser(door), person, ask);
  const second = await other.signIn(new Browser(door), person, ask);
  // characters that a refresh token may contain (RFC 6749 §A.17)
  for (const { tokens } of [first, second]) expect(tokens.refresh_token).toMatch(/^[\x20-\x7e]{22,}$/);

  expect(await until(() => Date.now() / 1_000 >= Number(first.claims.iat) + 1)).toBe(true);
  const answer = await refresh(door, rp.client, first.tokens.refresh_token ?? '', {
    scope: ask.scope,
  });
  expect(answer.headers['cache-control']).toContain('no-store');
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  const renewed = answer.json() as openid.TokenEndpointResponse;
  const { claims } = await rp.verified(renewed);
  for (const claim of IDENTITY) expect(claims[claim], claim).toEqual(first.claims[claim]);
  expect(claims.iat).toBeGreaterThan(Number(first.claims.iat));
  expect([undefined, first.claims['nonce']]).toContain(claims['nonce']);
  expect(renewed.access_token).not.toBe(first.tokens.access_token);
  expect(await openid.fetchUserInfo(rp.config, renewed.access_token, person.id)).toEqual({
    sub: person.id,
  });

  expectError(await refresh(door, rp.client, second.tokens.refresh_token ?? ''), 'invalid_grant');
  // the client of this refresh token redeems it without `scope`, despite the failed attempt of the other
  // client
  const own = await openid.refreshTokenGrant(other.config, second.tokens.refresh_token ?? '');
  expect(decodeJwt(own.id_token ?? '').aud).toBe(other.client.clientId);
});
