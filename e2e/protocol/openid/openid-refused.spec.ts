// The conformance suite's modules about redirect addresses and request objects (plans Basic OP and Dynamic OP), each
// test named after its module. If a request must not redirect to the client, a page explains the error.
import { expect, test } from '@playwright/test';
import { UnsecuredJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import type { Person } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { Browser, type Params } from '#testing/service/browser.ts';
import { expectErrorRedirect, expectPage } from '../../support/clients/expectations.ts';
import { openIdCast, RelyingParty } from '../../support/clients/openid.ts';
import { makeClient, rowsOf } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const QUERY = '?foo=bar';
const NOT_REGISTERED = 'is not registered for this application';

/**
 * `registered`: the client's redirect addresses, derived from its usual `address`; `sent`: the address in the
 * request.
 */
const PAGES: {
  module: string;
  registered: (address: string) => string[];
  sent: (address: string) => string | undefined;
  says: string;
}[] = [
  {
    module: 'oidcc-ensure-registered-redirect-uri',
    registered: (address) => [address],
    sent: (address) => `${address}/sV8zOFbb9x`,
    says: NOT_REGISTERED,
  },
  {
    module: 'oidcc-redirect-uri-query-mismatch',
    registered: (address) => [`${address}${QUERY}`],
    sent: (address) => `${address}?bar=foo`,
    says: NOT_REGISTERED,
  },
  {
    module: 'oidcc-redirect-uri-query-added',
    registered: (address) => [address],
    sent: (address) => `${address}${QUERY}`,
    says: NOT_REGISTERED,
  },
  {
    module: 'oidcc-ensure-redirect-uri-in-authorization-request',
    registered: (address) => [address, `${address}2`],
    sent: () => undefined,
    says: 'contains no return address',
  },
];

let rp: RelyingParty;
let person: Person;

test.beforeAll(async () => {
  ({ rp, person } = await openIdCast(door));
});

for (const { module, registered, sent, says } of PAGES) {
  test(`${module}: an error page is shown, and nothing is redirected to the client`, async () => {
    const address = 'https://shop.example/cb';
    const client = await makeClient({ kind: 'confidential', redirectUris: registered(address) });
    const { params } = (await RelyingParty.at(door, client)).request({ redirect_uri: sent(address) });
    const answer = await new Browser(door).authorize(params);
    expectPage(answer, 400);
    expect(answer.text).toContain(says);
    expect(await rowsOf(client.clientId)).toMatchObject({ codes: 0, families: 0 });
  });
}

test('oidcc-redirect-uri-query-OK: a registered query remains, and the response parameters are added to it', async () => {
  // openid-client cuts the query off before it redeems the code; oauth4webapi receives the whole address as a
  // parameter
  const redirectUri = `https://shop.example/cb${QUERY}`;
  const registered = await makeClient({ kind: 'confidential', redirectUris: [redirectUri] });
  const { params, verifier = '' } = await (await RelyingParty.at(door, registered)).pkceRequest();
  const { location } = await new Browser(door).finish(params, person);
  expect(location.startsWith(`${redirectUri}&code=`), location).toBe(true);

  const options = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(issuerOf(door));
  const discovered = await oauth.discoveryRequest(issuer, options);
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const client = { client_id: registered.clientId };
  const arrived = oauth.validateAuthResponse(server, client, new URL(location), params['state']);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(registered.secret ?? ''),
    arrived,
    redirectUri,
    verifier,
    options,
  );
  const { nonce: expectedNonce = '' } = params;
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, response, options);
  expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe(person.id);
});

/** Returns a request whose parameters are in an unsigned request object. */
const requestObject = (params: Params) => new UnsecuredJWT({ ...params }).encode();
/** Parameters required outside the request object too (Core §6.1). */
const outside = ({ client_id, response_type, scope, redirect_uri, state }: Params): Params => ({
  client_id,
  response_type,
  scope,
  redirect_uri,
  state,
});

test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: the request returns request_not_supported', async () => {
  expect(rp.metadata['request_parameter_supported']).toBe(false);
  const { params } = rp.request();
  const request = requestObject({ ...params, state: 'inside' });
  const answer = await new Browser(door).authorize({ ...outside(params), request });
  expectErrorRedirect(answer, door, 'request_not_supported', {
    ...rp.client,
    state: params['state'] ?? null,
  });
});

test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: the request returns request_uri_not_supported', async () => {
  // metadata must contain this member, because its default is true (Discovery §3)
  expect(rp.metadata['request_uri_parameter_supported']).toBe(false);
  const { params } = rp.request();
  const request_uri = 'https://shop.example/request.jwt';
  const answer = await new Browser(door).authorize({ ...outside(params), request_uri });
  expectErrorRedirect(answer, door, 'request_uri_not_supported', {
    ...rp.client,
    state: params['state'] ?? null,
  });
});

test('oidcc-ensure-request-object-with-redirect-uri: a wrong redirect_uri outside of the request object shows an error page', async () => {
  const { params } = rp.request();
  const request = requestObject(params);
  const redirect_uri = `${rp.client.redirectUri}/wrong`;
  const answer = await new Browser(door).authorize({ ...outside(params), redirect_uri, request });
  expectPage(answer, 400);
  expect(answer.text).toContain(NOT_REGISTERED);
});
