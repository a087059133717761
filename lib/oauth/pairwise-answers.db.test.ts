// All requests of a pairwise client, in every order. No response, back-channel message or page for these requests
// contains the id of the user or of the user's session.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '#lib/http/message.ts';
import { pageClientRequests } from '#lib/management/inspector.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { startLogoutReceivers } from '#testing/in-process/logout-receivers.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { until } from '#testing/net/until.ts';
import { deliverLogouts } from './back-channel.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
let receivers: Awaited<ReturnType<typeof startLogoutReceivers>>;
let hidden: TrustedClient;
/** another client, which has public subject identifiers: its `sub` is the user's id */
let open: TrustedClient;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  receivers = await startLogoutReceivers();
  const backchannelLogoutUri = `${receivers.url}/hidden`;
  const over = { subjectType: 'pairwise', backchannelLogoutUri };
  [hidden] = (await givenTrustedClients(['hidden'], over)) as [TrustedClient];
  [open] = (await givenTrustedClients(['open'])) as [TrustedClient];
});
afterAll(async () => {
  await receivers.close();
  loadSettings();
});

/** Returns the text plus the decoded content of every JWT in it. */
function opened(text: string): string {
  const parts = text.match(/eyJ[\w-]+/g) ?? [];
  return [text, ...parts.map((part) => Buffer.from(part, 'base64url').toString())].join('\n');
}
const said = ({ headers, body }: Answer) => opened(JSON.stringify([headers, String(body)]));

const STEPS = [
  'code',
  'code of bob',
  'redeem',
  'refresh',
  'refresh less',
  'refresh again',
  'userinfo',
  'introspect',
  'introspect the refresh token',
  'introspect another’s',
  'exchange',
  'exchange for somebody',
  'hint',
  'ask for a sub',
  'password',
  'revoke',
  'sign out',
] as const;

type World = { cookie: string; bob: string; last: Record<string, string>; foreign: string; ids: string[] };

async function begin(): Promise<World> {
  const [alice, bob] = [await signInTo('alice@example.com'), await signInTo('bob@example.com')];
  const sids = await sql<{ sid: string }>('select sid from sessions where ended_at is null');
  const world = { cookie: alice.cookie, bob: bob.cookie, last: {}, foreign: '' };
  const form = { ...open, grant_type: 'password', username: 'bob@example.com', password: 'bob-password-1' };
  world.foreign = String(jsonOf(await ask(`${OPENID_PATH}/token`, { form }))['access_token']);
  return { ...world, ids: [alice.personId, bob.personId, ...sids.map(({ sid }) => sid)] };
}

const token = (form: Record<string, string | undefined>) =>
  ask(`${OPENID_PATH}/token`, { form: { ...hidden, ...form } as Record<string, string> });

function authorize(world: World, over: Record<string, string>, cookie = world.cookie): Promise<Answer> {
  const query = { client_id: 'hidden', redirect_uri: 'https://hidden.example/cb', response_type: 'code' };
  const all = new URLSearchParams({ ...query, scope: 'openid profile email read', ...over });
  return ask(`${OPENID_PATH}/authorize?${all}`, { headers: { cookie } });
}

function take(world: World, step: (typeof STEPS)[number]): Promise<Answer> {
  const { code = 'x', access_token = 'x', refresh_token = 'x', id_token = 'x', used = 'x' } = world.last;
  const headers = { authorization: `Bearer ${access_token}` };
  const introspect = (value: string) =>
    ask(`${OPENID_PATH}/introspect`, { form: { ...hidden, token: value } });
  const exchange = (over: Record<string, string>) =>
    ask('/auth/token', {
      form: {
        ...hidden,
        grant_type: EXCHANGE,
        subject_token_type: ACCESS_TOKEN,
        audience: 'orders',
        ...over,
      },
    });
  switch (step) {
    case 'code':
      return authorize(world, { nonce: 'n' });
    case 'code of bob':
      return authorize(world, {}, world.bob);
    case 'redeem':
      return token({ grant_type: 'authorization_code', code, redirect_uri: 'https://hidden.example/cb' });
    case 'refresh':
      return token({ grant_type: 'refresh_token', refresh_token });
    case 'refresh less':
      return token({ grant_type: 'refresh_token', refresh_token, scope: 'read' });
    case 'refresh again':
      return token({ grant_type: 'refresh_token', refresh_token: used });
    case 'userinfo':
      return ask(`${OPENID_PATH}/userinfo`, { headers });
    case 'introspect':
      return introspect(access_token);
    case 'introspect the refresh token':
      return introspect(refresh_token);
    case 'introspect another’s':
      return introspect('gha_nothing');
    case 'exchange':
      return exchange({ subject_token: world.foreign });
    case 'exchange for somebody':
      return exchange({
        subject_token: access_token,
        actor_token: world.foreign,
        actor_token_type: ACCESS_TOKEN,
      });
    case 'hint':
      return authorize(world, { prompt: 'none', id_token_hint: id_token });
    case 'ask for a sub':
      return authorize(world, {
        claims: '{"userinfo":{"sub":null},"id_token":{"sub":null,"name":null,"sid":null}}',
      });
    case 'password':
      return token({ grant_type: 'password', username: 'alice@example.com', password: 'alice-password-1' });
    case 'revoke':
      return ask(`${OPENID_PATH}/revoke`, { form: { ...hidden, token: access_token } });
    case 'sign out':
      return ask(`${OPENID_PATH}/logout?id_token_hint=${id_token}`, { headers: { cookie: world.cookie } });
  }
}

function remember({ last }: World, answer: Answer): void {
  const code = /[?&]code=([^&]+)/.exec(locationOf(answer))?.[1];
  if (code) last['code'] = code;
  if (answer.status !== 200 || !String(answer.headers['content-type']).includes('json')) return;
  const { access_token, refresh_token, id_token } = jsonOf(answer) as Record<string, string>;
  if (refresh_token && last['refresh_token']) last['used'] = last['refresh_token'];
  Object.assign(last, { ...(access_token && { access_token }), ...(refresh_token && { refresh_token }) });
  if (id_token) last['id_token'] = id_token;
}

test('responses to a client with pairwise subjects contain no person id and no session id', async () => {
  const walk = fc.array(fc.constantFrom(...STEPS), { minLength: 4, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(walk, async (steps) => {
      const world = await begin();
      for (const step of ['code', 'redeem', ...steps] as const) {
        const answer = await take(world, step);
        expect(answer.status, step).toBeLessThan(500);
        for (const id of world.ids) expect(said(answer), step).not.toContain(id);
        remember(world, answer);
      }
    }),
    { numRuns: 25 },
  );
  const ids = (await sql<{ id: string }>('select id from people union select sid from sessions')).map(
    ({ id }) => id,
  );
  const shown = JSON.stringify(await pageClientRequests(OPERATOR, { clientId: 'hidden' }));
  for (const id of ids) expect(shown).not.toContain(id);
}, 120_000);

test('a logout token contains the ID token’s pairwise sub and sid, and no internal ids', async () => {
  await deliverLogouts();
  receivers.received.length = 0;
  const world = await begin();
  for (const step of ['code', 'redeem', 'sign out'] as const) remember(world, await take(world, step));
  await until(async () => receivers.received.length === 1);
  const logoutToken = receivers.received[0]?.form.get('logout_token') ?? '';
  const claimsOf = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  const { sub, sid } = claimsOf(world.last['id_token']);
  expect(sub).toMatch(/^[\w-]{43}$/);
  expect(claimsOf(logoutToken)).toMatchObject({ sub, sid, aud: 'hidden' });
  for (const id of world.ids) expect(opened(logoutToken)).not.toContain(id);
});
