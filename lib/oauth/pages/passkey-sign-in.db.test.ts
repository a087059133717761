// Sign-in by passkey alone, tested by requests to the protocol core with a software authenticator.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { readBrowser } from '#lib/sessions/transaction.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import type { Authenticator, Wrong } from '#testing/factors/authenticator.ts';
import { givenPasskey } from '#testing/factors/passkeys.ts';
import { ask, cookieOf, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { openInteraction } from '../authorize/interaction.ts';
import { viewSignIn } from './sign-in.ts';

const ASKED = { client_id: 'tru', response_type: 'code', redirect_uri: 'https://tru.example/cb' };
const AUTHORIZE = '/auth/pw/api/orders/authorize';

let alice: string;
let authenticator: Authenticator;

const query = (params: Record<string, string>) => `?${new URLSearchParams(params)}`;
const at = (location: string) => new URL(location).searchParams.get('interaction') ?? '';

beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  alice = (await sql<{ id: string }>("select id from people where email = 'alice@example.com'"))[0]?.id ?? '';
});
beforeEach(async () => {
  await sql('truncate attempts, refusals, passkeys, sessions');
  await sql('update people set disabled_at = null where id = $1', [alice]);
  authenticator = await givenPasskey(alice);
});

/** Opens the sign-in page in a new browser. */
async function openPage(method = 'pw') {
  const started = await ask(`/auth/${method}/api/orders/authorize${query(ASKED)}`);
  const cookie = cookieOf(started);
  const view = await viewSignIn({ interaction: at(locationOf(started)), cookie });
  if (view.kind !== 'ready') throw new Error(view.kind);
  return { view, cookie };
}
type Opened = Awaited<ReturnType<typeof openPage>>;

const formOf = ({ view }: Opened, wrong: Wrong = {}) => ({
  interaction: view.interaction,
  anti_forgery: view.antiForgery,
  passkey_state: view.passkey?.state ?? '',
  credential: view.passkey ? authenticator.get(view.passkey.options, wrong) : '{}',
});
const post = (form: Record<string, string>, cookie: string) =>
  ask('/login/passkey', { form, headers: { cookie, origin: settings().authUrl, 'user-agent': 'A browser' } });

const sessions = () =>
  sql('select person_id, auth_method_id, acr_level, amr from sessions where ended_at is null');
const alertOf = (location: string, cookie: string) => {
  const interaction = openInteraction(at(location), readBrowser(cookie));
  return interaction === null || interaction === 'expired' ? null : interaction.alert;
};

test('a passkey alone signs the user in, the session is phishing-resistant, and the request continues', async () => {
  const page = await openPage();
  const answer = await post(formOf(page), page.cookie);
  expect(answer.status).toBe(303);
  expect(locationOf(answer)).toMatch(/\/continue\?interaction=/);
  expect(await sessions()).toEqual([
    { person_id: alice, auth_method_id: 'pw', acr_level: 3, amr: ['hwk', 'user', 'mfa'] },
  ]);
  const [event] = await sql(
    "select person_id from audit_events where event = 'sign_in.succeeded' order by id desc limit 1",
  );
  expect(event).toEqual({ person_id: alice });
  const cookie = `${page.cookie}; ${cookieOf(answer)}`;
  const done = await ask(`${AUTHORIZE}${query({ interaction: at(locationOf(answer)) })}`, {
    headers: { cookie },
  });
  expect(new URL(locationOf(done)).searchParams.get('code')).toBeTruthy();
});

test('an invalid passkey assertion counts as one rejection, and the alert names nobody', async () => {
  const page = await openPage();
  const answer = await post(formOf(page, { flags: { uv: false } }), page.cookie);
  expect(answer.status).toBe(303);
  expect(answer.headers).not.toHaveProperty('set-cookie');
  expect(alertOf(locationOf(answer), page.cookie)).toEqual('factor.passkey_not_accepted');
  expect(await sessions()).toEqual([]);
  const [refused] = await sql(
    "select person_id, details from audit_events where event = 'sign_in.refused' order by id desc limit 1",
  );
  expect(refused).toEqual({ person_id: null, details: { reason: 'passkey' } });
});

test('ten concurrent copies of a passkey form sign the user in once', async () => {
  const page = await openPage();
  const form = formOf(page);
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(form, page.cookie)));
  expect(answers.filter((answer) => locationOf(answer).includes('/continue'))).toHaveLength(1);
  expect(await sessions()).toHaveLength(1);
  expect(locationOf(await post(form, page.cookie))).toContain('/login?');
});

test('a passkey form works only in its browser, on its page and from its origin', async () => {
  const page = await openPage();
  const other = await openPage();
  const form = formOf(page);
  const wrong = [
    await post(form, other.cookie),
    await post({ ...form, anti_forgery: other.view.antiForgery }, page.cookie),
    await ask('/login/passkey', { form, headers: { cookie: page.cookie, origin: 'https://evil.example' } }),
  ];
  expect(wrong.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect((await ask('/login/passkey')).status).toBe(405);
  // the sealed state of another browser's page
  const foreign = { ...form, passkey_state: other.view.passkey?.state ?? '' };
  expect(locationOf(await post(foreign, page.cookie))).toContain('/login?');
  expect(await sessions()).toEqual([]);
});

test('a user disabled while the passkey page is open cannot sign in', async () => {
  const page = await openPage();
  await sql('update people set disabled_at = now() where id = $1', [alice]);
  expect(locationOf(await post(formOf(page), page.cookie))).toContain('/login?');
  expect(await sessions()).toEqual([]);
});

test('passkeys are unavailable if second factors are off, at non-local methods, or on IP addresses', async () => {
  expect((await openPage('ext')).view.passkey).toBeNull();
  const page = await openPage();
  const { baseUrl, authUrl } = settings();
  loadSettings({ ...process.env, BASE_URL: 'http://127.0.0.1:3000' });
  expect((await openPage()).view.passkey).toBeNull();
  loadSettings({ ...process.env, BASE_URL: baseUrl, AUTH_URL: authUrl });
  await sql(`update auth_methods set config = config || '{"second_factor": "off"}' where id = 'pw'`);
  expect((await openPage()).view.passkey).toBeNull();
  expect((await post(formOf(page), page.cookie)).status).toBe(404);
  await sql(`update auth_methods set config = config - 'second_factor' where id = 'pw'`);
  expect((await openPage()).view.passkey).not.toBeNull();
  expect(await sessions()).toEqual([]);
});

test('WebAuthn Level 3 §5.11.1: the related origins for passkeys are those of BASE_URL and AUTH_URL', async () => {
  const { baseUrl, authUrl } = settings();
  const origins = async () => jsonOf(await ask('/.well-known/webauthn'))['origins'];
  expect(await origins()).toEqual([baseUrl]);
  loadSettings({ ...process.env, BASE_URL: 'https://www.example', AUTH_URL: 'https://login.example' });
  expect(await origins()).toEqual(['https://login.example', 'https://www.example']);
  loadSettings({ ...process.env, BASE_URL: baseUrl, AUTH_URL: authUrl });
});
