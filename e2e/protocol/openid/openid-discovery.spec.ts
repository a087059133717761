// The conformance suite's module of the plan Config OP, and the one about rotated keys (plan Dynamic OP).
import { expect, test } from '@playwright/test';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { until } from '#testing/net/until.ts';
import { Browser } from '#testing/service/browser.ts';
import { applyFixtures, gatehouse, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { RelyingParty } from '../../support/clients/openid.ts';
import { eachDoor } from '../../support/service/doors.ts';

/**
 * Every member that the suite knows (RFC 8414 §2, RFC 9207, Discovery §3, RP-Initiated and Back-Channel Logout, and
 * more).
 */
const KNOWN = `issuer authorization_endpoint token_endpoint jwks_uri registration_endpoint scopes_supported
response_types_supported response_modes_supported grant_types_supported token_endpoint_auth_methods_supported
token_endpoint_auth_signing_alg_values_supported service_documentation ui_locales_supported op_policy_uri op_tos_uri
revocation_endpoint revocation_endpoint_auth_methods_supported revocation_endpoint_auth_signing_alg_values_supported
introspection_endpoint introspection_endpoint_auth_methods_supported
introspection_endpoint_auth_signing_alg_values_supported code_challenge_methods_supported signed_metadata
authorization_response_iss_parameter_supported userinfo_endpoint acr_values_supported subject_types_supported
id_token_signing_alg_values_supported userinfo_signing_alg_values_supported display_values_supported
claim_types_supported claims_supported claims_locales_supported claims_parameter_supported request_parameter_supported
request_uri_parameter_supported require_request_uri_registration request_object_signing_alg_values_supported
prompt_values_supported end_session_endpoint backchannel_logout_supported backchannel_logout_session_supported
frontchannel_logout_supported frontchannel_logout_session_supported check_session_iframe
pushed_authorization_request_endpoint require_pushed_authorization_requests dpop_signing_alg_values_supported
device_authorization_endpoint client_id_metadata_document_supported protected_resources
authorization_grant_profiles_supported`.split(/\s+/);

async function keysAt(address: string): Promise<Record<string, string>[]> {
  const answer = await send(address);
  expect(answer.status).toBe(200);
  return answer.json()['keys'] as Record<string, string>[];
}

eachDoor((door) => {
  for (const method of ['pw', 'ext', 'brk']) {
    test(`oidcc-discovery-endpoint-verification: an issuer of ${method} publishes its metadata`, async () => {
      const issuer = issuerOf(door, method);
      const answer = await send(`${issuer}/.well-known/openid-configuration`);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      const metadata = answer.json();
      expect(metadata['issuer']).toBe(issuer);
      expect(Object.keys(metadata).filter((name) => !KNOWN.includes(name))).toEqual([]);
      expect(metadata).toMatchObject({
        response_types_supported: expect.arrayContaining(['code']),
        subject_types_supported: expect.arrayContaining(['public']),
        id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
        scopes_supported: expect.arrayContaining(['openid']),
        grant_types_supported: expect.arrayContaining(['authorization_code']),
        claims_supported: expect.arrayContaining(['sub']),
        claims_parameter_supported: true,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
      });
      for (const [name, value] of Object.entries(metadata)) {
        // the suite requires https; this test checks the issuer's origin instead
        if (/_(endpoint|uri)$/.test(name)) expect(new URL(String(value)).origin, name).toBe(door.url);
        // RFC 8414 §3.2: metadata must not contain empty lists
        if (Array.isArray(value)) expect(value, name).not.toEqual([]);
      }
      for (const scope of metadata['scopes_supported'] as string[])
        expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
      for (const name of ['ui_locales_supported', 'claims_locales_supported'])
        for (const locale of (metadata[name] ?? []) as string[])
          expect(Intl.getCanonicalLocales(locale)).toEqual([locale]);
    });
  }

  test('oidcc-discovery-endpoint-verification: the key set has a key for each algorithm of ID tokens, and no duplicate kid', async () => {
    const rp = await RelyingParty.at(door, fixtureClient('tru'));
    const keys = await keysAt(String(rp.metadata.jwks_uri));
    expect(keys.map(({ alg }) => alg)).toEqual(expect.arrayContaining(['RS256', 'ES256']));
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
  });
});

test('oidcc-server-rotate-keys: a new key appears, the old key remains, and both servers accept an old ID token hint', async () => {
  test.setTimeout(120_000);
  const own = await startOwnDatabase();
  applyFixtures(own.env);
  const ports = { node: await freePort(), next: await freePort() };
  const servers = await Promise.all([startDoor('node', ports.node, own), startDoor('next', ports.next, own)]);
  try {
    for (const name of ['node', 'next'] as const) {
      const door = { url: `http://localhost:${ports[name]}` };
      const rp = await RelyingParty.at(door, fixtureClient('tru'));
      const browser = new Browser(door);
      const alice = { id: '', name: '', ...fixturePerson('alice') };
      const { idToken } = await rp.signIn(browser, alice);
      const { jwks_uri: jwks = '' } = rp.metadata;
      const before = await keysAt(jwks);
      gatehouse(own.env, 'keys', 'rotate');
      const added = (keys: Record<string, string>[]) =>
        keys.filter(({ kid, alg }) => alg === 'RS256' && !before.some((key) => key['kid'] === kid));
      expect(await until(async () => added(await keysAt(jwks)).length > 0)).toBe(true);
      const after = await keysAt(jwks);
      expect(added(after)).toHaveLength(1);
      expect(after).toEqual(expect.arrayContaining(before));
      expect(new Set(after.map(({ kid }) => kid)).size).toBe(after.length);
      const { protectedHeader, payload } = await jwtVerify(
        idToken,
        createLocalJWKSet({ keys: after } as unknown as JSONWebKeySet),
      );

      // OpenID Connect Core §3.1.2.1: a hint signed with a retired key still identifies its user
      const { kid = '' } = protectedHeader;
      gatehouse(own.env, 'keys', 'retire', kid);
      expect(await until(async () => !(await keysAt(jwks)).some((key) => key['kid'] === kid))).toBe(true);
      // openid-client caches keys for a minute; a new instance has none
      const later = await RelyingParty.at(door, fixtureClient('tru'));
      const asked = later.request({ prompt: 'none', id_token_hint: idToken });
      const next = await later.finish(asked, (await browser.authorize(asked.params)).location);
      expect(next.claims.sub).toBe(payload.sub);
      const successor = decodeProtectedHeader(next.idToken).kid;
      expect(added(after).map((key) => key['kid'])).toContain(successor);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await own.stop();
  }
});
