// Unmodified standard OpenID Connect clients that are configured with an issuer's address: sign-in, ID token,
// userinfo, refresh.
import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import type { Client } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { Browser } from '#testing/service/browser.ts';
import { RelyingParty } from '../../support/clients/openid.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { hasPython, PYTHON } from '../../support/service/python.ts';

const SCOPE = 'openid profile email offline_access';
const AUTHENTICATIONS = {
  client_secret_basic: ({ secret }: Client) => openid.ClientSecretBasic(secret),
  client_secret_post: ({ secret }: Client) => openid.ClientSecretPost(secret ?? ''),
  none: () => openid.None(),
};

const hasAuthlib = hasPython('authlib, requests, cryptography');

/**
 * Python program that is run twice: the first prints the authorization URL and the state, and the second reads the
 * redirect URL of the browser.
 */
const AUTHLIB = `
import json, sys, requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken
given = json.load(sys.stdin)
metadata = requests.get(given["issuer"] + "/.well-known/openid-configuration").json()
client = OAuth2Session(given["client_id"], given["client_secret"], scope=given["scope"],
    redirect_uri=given["redirect_uri"], code_challenge_method="S256", state=given.get("state"))
if "answer" not in given:
    url, state = client.create_authorization_url(metadata["authorization_endpoint"], nonce="a nonce",
        code_verifier=given["verifier"])
    print(json.dumps({"url": url, "state": state}))
    sys.exit()
def claims_of(token, nonce):
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"]).json())
    claims = jwt.decode(token["id_token"], keys, claims_cls=CodeIDToken,
        claims_options={"iss": {"value": metadata["issuer"]}, "aud": {"value": given["client_id"]}},
        claims_params={"nonce": nonce, "client_id": given["client_id"], "access_token": token["access_token"]})
    claims.validate()
    return claims
token = client.fetch_token(metadata["token_endpoint"], authorization_response=given["answer"],
    code_verifier=given["verifier"])
claims = claims_of(token, "a nonce")
userinfo = client.get(metadata["userinfo_endpoint"]).json()
again = client.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
print(json.dumps({"sub": claims["sub"], "userinfo": userinfo, "again": claims_of(again, None)["sub"]}))`;

let person: Person;
const known = () => ({
  sub: person.id,
  name: person.name,
  updated_at: expect.any(Number),
  email: person.email,
  email_verified: false,
});

test.beforeAll(async () => {
  person = await makePerson();
});

for (const [name, authenticationOf] of Object.entries(AUTHENTICATIONS)) {
  test(`openid-client with ${name} completes sign-in, verified ID token, userinfo and refresh`, async () => {
    const client = await makeClient(
      name === 'none'
        ? { kind: 'native', redirectUris: ['com.example.library:/cb'] }
        : { kind: 'confidential' },
    );
    const rp = await RelyingParty.at(door, client, { authentication: authenticationOf(client) });
    const asked = await rp.pkceRequest({ scope: SCOPE, max_age: '3600' });
    const { location } = await new Browser(door).finish(asked.params, person);
    const signedIn = await rp.finish(asked, location);
    expect(await rp.userinfo(signedIn)).toEqual(known());
    const renewed = await openid.refreshTokenGrant(rp.config, signedIn.tokens.refresh_token ?? '');
    expect((await rp.verified(renewed)).claims).toMatchObject({
      sub: person.id,
      auth_time: signedIn.claims['auth_time'],
    });
    expect(await openid.fetchUserInfo(rp.config, renewed.access_token, person.id)).toEqual(known());
  });
}

for (const kind of ['browser', 'confidential'] as const) {
  test(`oauth4webapi as a ${kind} client completes sign-in, verified ID token, userinfo${kind === 'browser' ? '' : ', refresh'}`, async () => {
    const options = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(issuerOf(door));
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, options),
    );
    const registered = await makeClient({ kind });
    const client: oauth.Client = { client_id: registered.clientId };
    const authentication =
      kind === 'browser' ? oauth.None() : oauth.ClientSecretBasic(registered.secret ?? '');
    const { params, verifier = '' } = await (await RelyingParty.at(door, registered)).pkceRequest({
      scope: SCOPE,
    });
    const { location } = await new Browser(door).finish(params, person);
    const arrived = oauth.validateAuthResponse(server, client, new URL(location), params['state']);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      arrived,
      registered.redirectUri,
      verifier,
      options,
    );
    const { nonce: expectedNonce = '' } = params;
    const checks = { expectedNonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
    await oauth.validateApplicationLevelSignature(server, response, options);
    const { sub = '' } = oauth.getValidatedIdTokenClaims(tokens) ?? {};
    const asked = await oauth.userInfoRequest(server, client, tokens.access_token, options);
    expect(await oauth.processUserInfoResponse(server, client, sub, asked)).toEqual(known());
    if (kind === 'browser') return expect(tokens).not.toHaveProperty('refresh_token');
    const refreshed = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      tokens.refresh_token ?? '',
      options,
    );
    const next = await oauth.processRefreshTokenResponse(server, client, refreshed);
    await oauth.validateApplicationLevelSignature(server, refreshed, options);
    expect(oauth.getValidatedIdTokenClaims(next)?.sub).toBe(person.id);
  });
}

test('authlib completes sign-in with PKCE, verified ID token with at_hash and nonce, userinfo and refresh', async () => {
  test.skip(!hasAuthlib, 'authlib is not installed');
  const { clientId, secret, redirectUri } = await makeClient({ kind: 'confidential' });
  const given = {
    issuer: issuerOf(door),
    client_id: clientId,
    client_secret: secret,
    redirect_uri: redirectUri,
    scope: SCOPE,
    verifier: openid.randomPKCECodeVerifier(),
  };
  const run = (input: object) =>
    JSON.parse(
      execFileSync(PYTHON, ['-W', 'ignore', '-c', AUTHLIB], { input: JSON.stringify(input) }).toString(),
    );
  const { url, state } = run(given) as { url: string; state: string };
  const params = Object.fromEntries(new URL(url).searchParams);
  const { location } = await new Browser(door).finish(params, person);
  expect(run({ ...given, state, answer: location })).toEqual({
    sub: person.id,
    userinfo: known(),
    again: person.id,
  });
});
