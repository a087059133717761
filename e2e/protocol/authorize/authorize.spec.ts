// The authorization endpoint: accepted and rejected requests, and the responses to both (contract section 5, cases
// AZ).
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { freshPkce } from '#testing/net/pkce.ts';
import {
  type At,
  authorizeParams,
  authorizeUrl,
  Browser,
  isConsentPage,
  type Params,
  signIn,
} from '#testing/service/browser.ts';
import { expectCode, expectErrorRedirect, expectPage } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, rowsOf, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');
const spa = fixtureClient('spa');

let browser: Browser;
const refusals = async (cases: Params[], error: string | string[], state: string | null = 'S') => {
  for (const changes of cases) {
    const answer = await browser.ask(conf, changes);
    expectErrorRedirect(answer, door, error, { ...conf, state });
  }
};

test.beforeAll(async () => {
  const alice = await makePerson();
  browser = await signIn(door, alice, conf);
  await browser.finish(authorizeParams(conf));
});

test('AZ-01: a permitted request returns 302 with exactly code, state and iss', async () => {
  expectCode(await browser.ask(conf), door, conf);
  expectCode(await browser.ask(conf, { state: undefined }), door, {
    ...conf,
    state: null,
  });
});

test('AZ-03, AZ-04: an unknown and a disabled client get the same page and no redirect', async () => {
  const pages = [];
  for (const clientId of ['nosuch', 'dis']) {
    const answer = await browser.ask(conf, { client_id: clientId });
    expectPage(answer, 400);
    pages.push(answer.text.replaceAll(String(answer.headers['x-request-id']), ''));
  }
  expect(pages[0]).toBe(pages[1]);
  expect(pages[0]).toContain('client_id is not the id of an enabled client.');
});

test('AZ-03: the page names the missing parameter, whatever else the request contains', async () => {
  const several = await makeClient({
    apis: ['orders'],
    redirectUris: ['https://one.example/cb', 'https://two.example/cb'],
  });
  const cases: [Params, At, string][] = [
    [{ client_id: undefined }, {}, 'client_id is missing or empty.'],
    [{ client_id: '' }, {}, 'client_id is missing or empty.'],
    [{ client_id: undefined, redirect_uri: undefined }, {}, 'client_id is missing or empty.'],
    [{ redirect_uri: undefined }, { api: 'billing' }, 'redirect_uri is missing or empty, and this API'],
    [{ redirect_uri: '' }, { api: 'billing' }, 'redirect_uri is missing or empty, and this API'],
    [
      { client_id: several.clientId, redirect_uri: undefined },
      {},
      'redirect_uri is missing or empty, and the client does not have exactly one',
    ],
  ];
  for (const [changes, at, words] of cases) {
    const answer = await browser.ask(conf, changes, at);
    expectPage(answer, 400);
    expect(answer.text).toContain(words);
  }
  const bare = await browser.get(authorizeUrl(door, ''));
  expectPage(bare, 400);
  expect(bare.text).toContain('client_id is missing or empty.');
});

test('AZ-03: error pages contain no request values', async () => {
  const odd = "<b id='x'>\"&";
  for (const name of ['client_id', 'redirect_uri', 'state', 'scope', 'extra']) {
    const answer = await browser.ask(conf, { client_id: undefined, redirect_uri: odd, [name]: odd });
    expectPage(answer, 400);
    expect(answer.text).not.toMatch(/id=(?:'|&#39;)x/);
  }
});

test('AZ-05: a missing response_type returns invalid_request', async () => {
  await refusals([{ response_type: undefined }, { response_type: '' }], 'invalid_request');
});

test('AZ-06, AZ-07: any response_type except code returns unsupported_response_type, in the query', async () => {
  const types = ['token', 'code token', 'id_token', 'CODE', 'code code', 'none'];
  await refusals(
    types.map((type) => ({ response_type: type })),
    'unsupported_response_type',
  );
});

test('AZ-08: an unknown issuer returns the same 404 page for an unknown method and an unknown API', async () => {
  const pages = [];
  for (const at of [{ api: 'nosuch' }, { method: 'nosuch' }, { method: 'nosuch', api: 'nosuch' }]) {
    const answer = await browser.ask(conf, {}, at);
    expectPage(answer, 404);
    pages.push(answer.text.replaceAll(String(answer.headers['x-request-id']), ''));
  }
  expect(new Set(pages).size).toBe(1);
  const json = await send(`${door.url}/auth/pw/api/nosuch/token`, {
    form: {},
    headers: { accept: 'application/json' },
  });
  expect(json.status).toBe(404);
  expect(json.headers['content-type']).toMatch(/^application\/json/);
});

test('AZ-11: a scope with invalid characters returns invalid_scope and stores nothing', async () => {
  const client = await makeClient();
  const before = await rowsOf(client.clientId);
  for (const scope of ['a\tb', 'a"b', 'a\\b', 'é', 'nosuch', 'read nosuch', ' ']) {
    const answer = await browser.ask(client, { scope });
    expectErrorRedirect(answer, door, 'invalid_scope', client);
  }
  expect(await rowsOf(client.clientId)).toEqual(before);
});

test('AZ-12: another order of the scopes requires no second consent', async () => {
  expectCode(await browser.finish(authorizeParams(conf, { scope: 'write read' })), door, conf);
  expectCode(await browser.ask(conf, { scope: 'read write' }), door, conf);
});

test('AZ-13: a request with five thousand scope tokens is rejected', async () => {
  const scope = Array.from({ length: 5_000 }, (_, index) => `s${index % 10}`).join(' ');
  const answer = await browser.ask(conf, { scope });
  if (answer.status === 302) expectErrorRedirect(answer, door, 'invalid_scope', conf);
  else expect([414, 431]).toContain(answer.status);
});

test('AZ-14: a missing scope requests the scopes of the API, which the consent page names', async () => {
  const person = await makePerson();
  const client = await makeClient({ scopes: ['read'] });
  const fresh = await signIn(door, person, client);
  expect(isConsentPage(await fresh.start(client, { scope: undefined }))).toBe(true);
  expectCode(await fresh.finish(authorizeParams(client, { scope: undefined })), door, client);
  const [row] = await sql('select scopes from codes where client_id = $1', [client.clientId]);
  expect(row).toEqual({ scopes: ['read'] });
});

test('AZ-15: unknown parameters, including request and request_uri, are ignored', async () => {
  const extra = { extra: 'foobar', request: 'x.y.z', request_uri: 'http://127.0.0.1:1/' };
  expectCode(await browser.ask(conf, extra), door, conf);
});

test('AZ-21: any response_mode except query returns invalid_request, in the query', async () => {
  const modes = ['fragment', 'form_post', 'query.jwt'];
  await refusals(
    modes.map((mode) => ({ response_mode: mode })),
    'invalid_request',
  );
  expectCode(await browser.ask(conf, { response_mode: 'query' }), door, conf);
});

test('AZ-22: a HEAD request creates no code', async () => {
  const client = await makeClient({ trusted: true });
  const answer = await browser.get(authorizeUrl(door, authorizeParams(client)), { method: 'HEAD' });
  expect(answer.status).toBe(405);
  expect(answer.headers['allow']).toMatch(/GET.*POST/);
  expect(answer.text).toBe('');
  expect(await rowsOf(client.clientId)).toMatchObject({ codes: 0 });
});

test('AZ-26: two tabs that complete in swapped order each receive their own code', async () => {
  const person = await makePerson();
  const tabs = new Browser(door);
  const pkce = freshPkce();
  const first = await tabs.start(conf, { state: 'first' });
  const second = await tabs.start(spa, { state: 'second', ...pkce.params });
  const end = async (page: typeof first) => {
    const signedIn = await tabs.onward(await tabs.signInOn(page, person));
    return isConsentPage(signedIn) ? tabs.onward(await tabs.decideOn(signedIn, 'allow')) : signedIn;
  };
  expectCode(await end(second), door, { ...spa, state: 'second' });
  expectCode(await end(first), door, { ...conf, state: 'first' });
});

test('AZ-29: parameters that change during sign-in never produce a code', async () => {
  const person = await makePerson();
  const client = await makeClient();
  const fresh = new Browser(door);
  const page = await fresh.start(client, { scope: 'read' });
  const next = await fresh.signInOn(page, person);
  const sealed = new URL(next.location).searchParams.get('interaction') ?? '';
  // with separate parameters, the request becomes a new request, without the sign-in of the interaction
  const swapped = await fresh.get(
    authorizeUrl(door, { interaction: sealed, ...authorizeParams(client, { scope: 'write' }) }),
  );
  expect(swapped.location).not.toContain('code=');
  const other = await fresh.get(authorizeUrl(door, { interaction: sealed }, { api: 'billing' }));
  expectPage(other, 400);
  const tampered = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`;
  expectPage(await fresh.get(authorizeUrl(door, { interaction: tampered })), 400);
  expect(await rowsOf(client.clientId)).toMatchObject({ codes: 0, consents: 0 });
});

test('section 5: a client without an approved subscription receives unauthorized_client', async () => {
  for (const state of ['pending', 'rejected', 'suspended', 'revoked']) {
    const client = await makeClient({ state });
    expectErrorRedirect(await browser.ask(client), door, 'unauthorized_client', client);
  }
  const nowhere = await makeClient({ apis: [] });
  expectErrorRedirect(await browser.ask(nowhere), door, 'unauthorized_client', nowhere);
});

test('section 5: an empty parameter counts as absent, and a state over 2,048 bytes returns an error without state', async () => {
  const state = 'x'.repeat(2_048);
  expectCode(await browser.ask(conf, { state }), door, { ...conf, state });
  await refusals([{ state: `${state}x` }], 'invalid_request', null);
  expectCode(await browser.ask(conf, { prompt: '', state: '' }), door, {
    ...conf,
    state: null,
  });
});

test('section 5: a POST receives the same response as a GET', async () => {
  const form = authorizeParams(conf) as Record<string, string>;
  const answer = await browser.get(authorizeUrl(door, ''), { method: 'POST', form });
  expect(answer.status).toBe(303);
  expectCode(await browser.onward(answer), door, conf);
});
