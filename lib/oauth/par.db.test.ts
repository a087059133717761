// Pushed authorization requests (RFC 9126), tested by requests to the protocol core.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { ASKED, pathIssuer, TRU } from '#testing/in-process/issuer-host.ts';
import { OPENID_PATH } from '#testing/in-process/openid.ts';
import {
  backOf,
  come,
  givenPushing,
  push,
  REQUEST,
  signedInHeaders,
  uriOf,
  visit,
} from '#testing/in-process/pushing.ts';

beforeAll(givenPushing);

test('RFC 9126 §2.2, §4: for a pushed request, client_id and request_uri alone lead to a code, and the push stores nothing', async () => {
  const counts = async () =>
    (
      await sql(
        `select (select count(*) from audit_events where client_id = 'tru') a, (select count(*) from attempts) b, (select count(*) from used_requests) c`,
      )
    )[0];
  const before = await counts();
  const answer = await push();
  expect(answer.status).toBe(201);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
  expect(jsonOf(answer)).toEqual({
    request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:v1\.[\w.-]{60,900}$/),
    expires_in: 90,
  });
  expect(await counts()).toEqual(before);
  const back = backOf(await come(uriOf(answer)));
  expect([back.get('state'), back.get('iss')]).toEqual(['pushed', pathIssuer()]);
  const form = { ...TRU, grant_type: 'authorization_code', code: back.get('code') ?? '' };
  const tokens = await ask(`${OPENID_PATH}/token`, { form: { ...form, redirect_uri: ASKED.redirect_uri } });
  expect(tokens.status, String(tokens.body)).toBe(200);
  const [kept] = await sql<{ hours: number }>(
    'select extract(epoch from expires_at - now()) / 3600 as hours from used_requests',
  );
  expect(Math.round(Number(kept?.hours))).toBe(24);
});

test('RFC 9101 §5, RFC 9126 §4: every other parameter next to the request_uri is ignored', async () => {
  const beside = {
    state: 'other',
    redirect_uri: 'https://evil.example/',
    scope: 'nothing',
    response_type: 'token',
    prompt: 'none',
    max_age: 'x',
    issuer_host: 'https://evil.example',
    request: 'x',
  };
  const query = `${new URLSearchParams({ client_id: 'tru', request_uri: uriOf(await push()), ...beside })}&state=again&scope=x&scope=y`;
  const back = backOf(await visit(query));
  expect([back.get('state'), back.get('error')]).toEqual(['pushed', null]);
  expect(back.get('code')).toMatch(/./);
  // parameters of the address never add to pushed parameters
  const stateless = uriOf(
    await ask(`${OPENID_PATH}/par`, { form: { ...ASKED, ...TRU, issuer_host: 'https://evil.example' } }),
  );
  expect(backOf(await come(stateless, { state: 'beside' })).has('state')).toBe(false);
});

test('client authentication at the PAR endpoint works as at the token endpoint: Basic, body, none, or client_id in the header alone', async () => {
  const basic = `Basic ${Buffer.from('tru:tru-secret-of-the-fixtures').toString('base64')}`;
  const { client_id: _, ...unnamed } = REQUEST;
  const named = await ask(`${OPENID_PATH}/par`, { form: unnamed, headers: { authorization: basic } });
  expect(backOf(await come(uriOf(named))).get('code')).toMatch(/./);
  const json = await ask(`${OPENID_PATH}/par`, { form: REQUEST });
  expect([json.status, jsonOf(json)['error']]).toEqual([401, 'invalid_client']);
  const wrong = await push({ client_secret: 'wrong' });
  expect([wrong.status, jsonOf(wrong)['error']]).toEqual([401, 'invalid_client']);
  const browser = {
    ...REQUEST,
    client_id: 'spa',
    redirect_uri: 'https://spa.example/cb',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  };
  const origin = { origin: 'https://spa.example' };
  const pushed = await ask(`${OPENID_PATH}/par`, { form: browser, headers: origin });
  expect([pushed.status, pushed.headers['access-control-allow-origin']]).toEqual([201, origin.origin]);
  const open = await visit({ client_id: 'spa', request_uri: uriOf(pushed) });
  expect(new URL(locationOf(open)).pathname).toBe('/consent');
});

test('RFC 9126 §2.1: every error of the PAR endpoint is JSON, including a wrong redirect_uri, and other methods return 405', async () => {
  const wrong = await push({ redirect_uri: 'https://evil.example/' });
  expect([wrong.status, jsonOf(wrong)['error']]).toEqual([400, 'invalid_request']);
  const html = await ask(`${OPENID_PATH}/par`, {
    form: { ...REQUEST, ...TRU, redirect_uri: 'x' },
    headers: { accept: 'text/html' },
  });
  expect([html.status, jsonOf(html)['error']]).toEqual([400, 'invalid_request']);
  const inside = await push({ request_uri: uriOf(await push()) });
  expect([inside.status, jsonOf(inside)['error']]).toEqual([400, 'invalid_request']);
  const get = await ask(`${OPENID_PATH}/par?${new URLSearchParams({ ...REQUEST, ...TRU })}`);
  expect([get.status, get.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  const long = Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`x${at}`, 'y'.repeat(15_000)]));
  expect((await push(long)).status, 'unknown parameters are ignored').toBe(201);
  const random = randomBytes(3_500).toString('base64url');
  const repetitive = uriOf(await push({ login_hint: 'x'.repeat(7_000) }));
  expect(backOf(await come(repetitive)).get('code')).toMatch(/./);
  const tooLong = await push({ login_hint: random });
  expect([tooLong.status, jsonOf(tooLong)['error']]).toEqual([400, 'invalid_request']);
});

test('every value of GATEHOUSE_SECRET opens a request_uri, so a new first value interrupts no sign-in', async () => {
  const before = process.env['GATEHOUSE_SECRET'] ?? '';
  const uri = uriOf(await push());
  const session = signedInHeaders();
  try {
    loadSettings({ ...process.env, GATEHOUSE_SECRET: `${'N'.repeat(43)},${before}` });
    expect(backOf(await visit({ client_id: 'tru', request_uri: uri }, session)).get('code')).toMatch(/./);
    const newer = uriOf(await push());
    loadSettings({ ...process.env, GATEHOUSE_SECRET: 'N'.repeat(43) });
    expect(locationOf(await come(newer))).toContain('/login?');
  } finally {
    loadSettings();
  }
});

test('a POST to authorize accepts a request_uri, and a rejected request does not use it up', async () => {
  const uri = uriOf(await push());
  const posted = await ask(`${OPENID_PATH}/authorize`, { form: { client_id: 'tru', request_uri: uri } });
  expect(posted.status).toBe(303);
  const { pathname, search } = new URL(locationOf(posted));
  const silent = uriOf(await push({ prompt: 'none' }));
  expect(backOf(await visit({ client_id: 'tru', request_uri: silent }, {})).get('error')).toBe(
    'login_required',
  );
  expect(backOf(await come(silent)).get('code')).toMatch(/./);
  expect(backOf(await ask(`${pathname}${search}`, { headers: signedInHeaders() })).get('code')).toMatch(/./);
});
