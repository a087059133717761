// Number of SQL statements of a sign-in, a redemption and a refresh, counted at the connection pool, including limits,
// audit log and pages. The watch of the registry runs, as in every server process.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import type { Answer } from '#lib/http/message.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { REQUESTS } from '#lib/store/refusals.ts';
import { watchedSnapshot } from '#lib/store/snapshot.ts';
import { watchRegistry } from '#lib/store/snapshot-watch.ts';
import { proofKey, proofOf } from '#testing/net/dpop.ts';
import { prepareWorld } from '../../../scripts/fuzz/world.ts';
import { handleHttp } from '../endpoints.ts';
import { viewConsent } from '../pages/consent.ts';
import { viewSignIn } from '../pages/sign-in.ts';

const ISSUER = '/auth/pw/api/orders';
const CONF = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };
const ASKED = { client_id: 'conf', response_type: 'code', redirect_uri: 'https://conf.example/cb' };

const query = vi.spyOn(pg.Pool.prototype, 'query');
const cookies = new Map<string, string>();
let stop: () => Promise<void>;

beforeAll(async () => {
  await prepareWorld();
  stop = watchRegistry();
  await vi.waitFor(async () => {
    query.mockClear();
    await watchedSnapshot();
    expect(statements()).toEqual([]);
  }, 15_000);
});
afterAll(() => stop());
beforeEach(async () => {
  // the first use of a secret in each minute writes a row
  await send(`${ISSUER}/revoke`, { ...CONF, token: 'none' });
  // rejections are written later, so this read writes the rejections of the previous test first
  await REQUESTS.select({ clientId: '', failedOnly: true }, { after: null, limit: 1 });
  query.mockClear();
});

/** Returns the names of the statements since the last call. */
function statements(): string[] {
  const names = query.mock.calls.map(([statement]) => (statement as unknown as { name: string }).name);
  query.mockClear();
  return names;
}

const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

async function send(
  target: string,
  form?: Record<string, string>,
  { origin = settings().authUrl, ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const { pathname, search } = new URL(target, settings().authUrl);
  const answer = await handleHttp({
    method: form ? 'POST' : 'GET',
    path: pathname,
    query: search.slice(1),
    headers: {
      cookie: cookieHeader(),
      origin,
      ...headers,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: async () => Buffer.from(String(new URLSearchParams(form))),
    peerAddress: '192.0.2.1',
    requestId: randomUUID(),
  });
  if (!answer) throw new Error(`${pathname} is a page`);
  for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/);
    cookies.set(name, value);
  }
  return answer;
}

/** Requests a token with the client’s origin, so that CORS must look up the client. */
async function token(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
  const origin = 'https://conf.example';
  const answer = await send(`${ISSUER}/token`, { ...CONF, ...form }, { origin, ...headers });
  expect(answer.headers['access-control-allow-origin']).toBe(origin);
  return answer;
}
const tokensOf = (answer: Answer) =>
  JSON.parse(String(answer.body)) as { access_token?: string; refresh_token?: string; error?: string };
const authorize = (more: Record<string, string> = {}) =>
  send(`${ISSUER}/authorize?${new URLSearchParams({ ...ASKED, ...more })}`);

const locationOf = ({ headers }: Answer) => new URL(String(headers['location']));
const interactionOf = (answer: Answer) => locationOf(answer).searchParams.get('interaction') ?? '';
const codeOf = (answer: Answer) => locationOf(answer).searchParams.get('code') ?? '';

/** Opens a page and returns the fields that its form sends. */
async function openPage(at: Answer, view: typeof viewSignIn | typeof viewConsent) {
  const interaction = locationOf(at).searchParams.get('interaction') ?? '';
  const shown = await view({ interaction, cookie: cookieHeader() });
  if (shown.kind !== 'ready') throw new Error(`the page is ${shown.kind}`);
  return { interaction: shown.interaction, anti_forgery: shown.antiForgery };
}

async function resume(at: Answer): Promise<Answer> {
  await send(locationOf(at).href);
  return send(`${ISSUER}/authorize?interaction=${interactionOf(at)}`);
}

/** Runs an authorize request through the password sign-in and an optional consent page to the code. */
async function signIn(more: Record<string, string>, consents: boolean): Promise<Answer> {
  const login = await authorize(more);
  const form = await openPage(login, viewSignIn);
  const signedIn = await resume(await send('/login/submit', { ...form, ...ALICE }));
  if (!consents) return signedIn;
  const asked = await openPage(signedIn, viewConsent);
  return resume(await send('/consent/submit', { ...asked, decision: 'allow' }));
}

test('a complete sign-in with consent runs eight database statements (limit: twelve)', async () => {
  expect(codeOf(await signIn({}, true))).not.toBe('');
  expect(statements()).toEqual([
    'authorize', // without a session, the request leads to the sign-in page
    'attempt-begin-staged',
    'credential-find',
    'session-start',
    'authorize', // the request leads to the consent page
    'session-label',
    'consent-grant',
    'authorize', // the request returns the code
  ]);
});

test('with a session and consent, a code costs one database statement', async () => {
  expect(codeOf(await authorize())).not.toBe('');
  expect(statements()).toEqual(['authorize']);
});

test('a sign-in from a known browser with stored consent costs six database statements', async () => {
  expect(codeOf(await signIn({ prompt: 'login' }, false))).not.toBe('');
  const [toPage, ...rest] = statements();
  expect([toPage, rest.length]).toEqual(['authorize', 5]);
  expect(rest).toContain('person-epoch');
});

test('silent renewal costs one database statement, even without a session', async () => {
  const silent = { prompt: 'none', code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  expect(codeOf(await authorize(silent))).not.toBe('');
  expect(statements()).toEqual(['authorize']);
  const kept = [...cookies];
  cookies.clear();
  expect(locationOf(await authorize(silent)).searchParams.get('error')).toBe('invalid_request');
  expect(statements()).toEqual(['authorize']);
  for (const [name, value] of kept) cookies.set(name, value);
});

test('a redemption and a refresh cost one database statement each, and a rejection costs one more for its reason', async () => {
  const code = codeOf(await authorize());
  statements();
  const { refresh_token = '' } = tokensOf(await token({ grant_type: 'authorization_code', code }));
  expect(statements()).toEqual(['code-redeem']);
  const refreshed = tokensOf(await token({ grant_type: 'refresh_token', refresh_token }));
  expect(refreshed.access_token).toBeDefined();
  expect(statements()).toEqual(['refresh-rotate']);

  const again = await token({ grant_type: 'authorization_code', code });
  expect(tokensOf(again).error).toBe('invalid_grant');
  expect(statements().filter((name) => !name.startsWith('refused-'))).toEqual(['code-redeem', 'code-refuse']);
  const reused = await token({ grant_type: 'refresh_token', refresh_token });
  expect(tokensOf(reused).error).toBe('invalid_grant');
  expect(statements().filter((name) => !/^(?:refused-|attempt-)/.test(name))).toEqual([
    'refresh-rotate',
    'refresh-explain',
  ]);
});

test('RFC 9449: a confidential client’s proof costs one extra database statement at PAR, and none at redemption or refresh', async () => {
  const key = await proofKey();
  const proved = async (endpoint: string) => ({
    dpop: await proofOf(key, { address: settings().authUrl + endpoint }),
  });
  statements();
  const push = await send(`${ISSUER}/par`, { ...CONF, ...ASKED }, await proved(`${ISSUER}/par`));
  expect(statements()).toEqual(['proof-use']);
  const { request_uri = '' } = JSON.parse(String(push.body)) as { request_uri?: string };
  const visit = new URLSearchParams({ client_id: 'conf', request_uri });
  const code = codeOf(await send(`${ISSUER}/authorize?${visit}`));
  expect(statements()).toEqual(['authorize']);
  const form = { grant_type: 'authorization_code', code };
  const { refresh_token = '' } = tokensOf(await token(form, await proved(`${ISSUER}/token`)));
  expect(statements()).toEqual(['code-redeem']);
  const refresh = { grant_type: 'refresh_token', refresh_token };
  expect(tokensOf(await token(refresh, await proved(`${ISSUER}/token`))).access_token).toBeDefined();
  expect(statements()).toEqual(['refresh-rotate']);
});

test('with a pairwise sub, redemption and refresh cost one database statement each', async () => {
  await changeClient(OPERATOR, { clientId: 'conf', subjectType: 'pairwise' });
  // the first redemption creates the salt, which is an ordinary registry change
  await token({ grant_type: 'authorization_code', code: codeOf(await authorize()) });
  await vi.waitFor(async () => {
    statements();
    expect((await watchedSnapshot()).sealedSubjectSalt).toBeTruthy();
    expect(statements()).toEqual([]);
  }, 15_000);
  const code = codeOf(await authorize());
  statements();
  const { refresh_token = '' } = tokensOf(await token({ grant_type: 'authorization_code', code }));
  expect(statements()).toEqual(['code-redeem']);
  expect(tokensOf(await token({ grant_type: 'refresh_token', refresh_token })).access_token).toBeDefined();
  expect(statements()).toEqual(['refresh-rotate']);
});
