// A request_uri at the authorize endpoint that is used, expired, changed, pushed by another client, or pushed at
// another address.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '#lib/http/message.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { sealBytes } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import { ALICE } from '#testing/documented-errors/world.ts';
import { ask, locationOf } from '#testing/in-process/in-process.ts';
import { ASKED, askHost, giveHost, ORIGIN, TRU } from '#testing/in-process/issuer-host.ts';
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
import { Visitor } from '#testing/in-process/visitor.ts';

beforeAll(givenPushing);

/** Moves the clock forward by these seconds while `work` runs. */
async function later<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  shiftClock(seconds * 1000);
  try {
    return await work();
  } finally {
    shiftClock(0);
  }
}
async function expectPage(answer: Answer, why: string): Promise<void> {
  expect(answer.status).toBe(400);
  expect(String(answer.headers['content-type'])).toContain('text/html');
  expect(String(answer.body)).toContain(`invalid_request_uri: ${why}`);
}

describe('an unusable request_uri', () => {
  test('a request_uri of another client shows a page with invalid_request_uri, because no redirect URI is proved', async () => {
    const request_uri = uriOf(await push());
    await expectPage(await come(request_uri, { client_id: 'conf' }), 'client_id must be');
    await expectPage(await come(request_uri, { client_id: 'nobody' }), 'client_id must be');
    await expectPage(await visit({ request_uri }), 'client_id must be');
    await expectPage(
      await visit(`client_id=tru&client_id=tru&request_uri=${request_uri}`),
      'client_id is repeated',
    );
    await expectPage(
      await visit(`client_id=tru&request_uri=${request_uri}&request_uri=${request_uri}`),
      'request_uri is repeated',
    );
    expect(backOf(await come(request_uri)).get('code')).toMatch(/./);
  });

  test('a modified, truncated, oversized or wrongly sealed request_uri is rejected', async () => {
    const uri = uriOf(await push());
    const prefix = 'urn:ietf:params:oauth:request_uri:';
    const at = uri.length - 20;
    const other = uri[at] === 'A' ? 'B' : 'A';
    const bad = [
      prefix,
      `${prefix}v1.x.y.z`,
      uri.slice(0, -1),
      `${uri}A`,
      uri.slice(0, at) + other + uri.slice(at + 1),
      `${prefix}${'A'.repeat(4_096)}`,
      prefix + sealBytes(Buffer.from('{}'), 'interaction', settings().secrets),
      prefix + sealBytes(Buffer.from('x'), 'pushed request', ['x'.repeat(43)]),
    ];
    for (const one of bad) await expectPage(await come(one), 'request_uri was not issued by this service');
  });

  test('a request_uri of another service is rejected for OpenID Connect, and ignored otherwise', async () => {
    const foreign = { ...ASKED, request_uri: 'https://tru.example/request.jwt' };
    expect(backOf(await visit(foreign)).get('error')).toBe('request_uri_not_supported');
    expect(backOf(await visit({ ...foreign, scope: 'read' })).get('code')).toMatch(/./);
  });

  test('a used request_uri is rejected at the first visit, before sign-in, in every browser', async () => {
    const uri = uriOf(await push());
    expect(backOf(await come(uri)).get('code')).toMatch(/./);
    for (const headers of [signedInHeaders(), {}] as Record<string, string>[]) {
      const again = backOf(await visit({ client_id: 'tru', request_uri: uri }, headers));
      expect([again.get('error'), again.get('state'), again.has('code')]).toEqual([
        'invalid_request_uri',
        'pushed',
        false,
      ]);
    }
  });

  test('a request_uri that is older than 90 seconds at the first visit has expired', async () => {
    const uri = uriOf(await push());
    const late = backOf(await later(91, () => come(uri)));
    expect([late.get('error'), late.get('state')]).toEqual(['invalid_request_uri', 'pushed']);
    expect(backOf(await later(89, () => come(uri))).get('code')).toMatch(/./);
  });
});

describe('after its first visit, a request_uri does not expire during the sign-in', () => {
  const start = async (visitor: Visitor, uri: string) =>
    visitor.onward(
      await visitor.send(
        `${OPENID_PATH}/authorize?${new URLSearchParams({ client_id: 'tru', request_uri: uri })}`,
      ),
    );

  test('during a sign-in of nine minutes, the request_uri still leads to a code, but only in one of two tabs', async () => {
    const uri = uriOf(await push());
    const visitor = new Visitor();
    const [first, second] = [await start(visitor, uri), await start(visitor, uri)];
    expect([first.page, second.page]).toEqual(['login', 'login']);
    expect(first.sealed).not.toContain('urn');
    const back = await later(540, () => visitor.submit(first, ALICE));
    expect([back.client.get('state'), back.client.get('error')]).toEqual(['pushed', null]);
    expect(back.client.get('code')).toMatch(/./);
    const other = await visitor.submit(second, ALICE);
    expect([other.client.get('error'), other.client.has('code')]).toEqual(['invalid_request_uri', false]);
  });

  test('wrong passwords and denied consent leave the request_uri unused', async () => {
    const asked = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
    const uri = uriOf(await push({ ...asked, redirect_uri: 'https://conf.example/cb', scope: 'read' }));
    const visitor = new Visitor();
    const open = async () =>
      visitor.onward(
        await visitor.send(
          `${OPENID_PATH}/authorize?${new URLSearchParams({ client_id: 'conf', request_uri: uri })}`,
        ),
      );
    const again = await visitor.submit(await open(), { ...ALICE, password: 'wrong' });
    expect(again.page).toBe('login');
    const consent = await visitor.submit(again, ALICE);
    expect((await visitor.submit(consent, { decision: 'deny' })).client.get('error')).toBe('access_denied');
    const asks = await open();
    expect(asks.page).toBe('consent');
    expect((await visitor.submit(asks, { decision: 'allow' })).client.get('code')).toMatch(/./);
  });

  test('one day after the push, no code is issued, even if the page was renewed meanwhile', async () => {
    const uri = uriOf(await push());
    const visitor = new Visitor();
    const page = await start(visitor, uri);
    const { openInteraction, sealInteraction } = await import('./authorize/interaction.ts');
    const { readBrowser } = await import('#lib/sessions/transaction.ts');
    const browser = readBrowser(visitor.jar.header);
    const interaction = openInteraction(page.sealed, browser);
    if (interaction === null || interaction === 'expired') throw new Error('no interaction');
    const late = { ...interaction, startedAt: interaction.startedAt + 86_400_000 };
    const answer = await later(86_401, () =>
      visitor.send(`${OPENID_PATH}/authorize?interaction=${sealInteraction(late)}`),
    );
    expect(backOf(answer).get('error')).toBe('invalid_request_uri');
  });
});

test('a request_uri works only at the issuer address to which it was pushed: path or host', async () => {
  await giveHost({ pw: ORIGIN });
  try {
    const form = { ...REQUEST, ...TRU };
    const hosted = uriOf(await askHost('/par', { form }));
    await expectPage(await come(hosted), 'request_uri was pushed at another issuer address');
    const query = String(new URLSearchParams({ client_id: 'tru', request_uri: hosted }));
    const sent = new URL(locationOf(await askHost(`/authorize?${query}`)));
    expect(sent.searchParams.get('issuer_host')).toBe(ORIGIN);
    const back = backOf(await ask(`${sent.pathname}${sent.search}`, { headers: signedInHeaders() }));
    expect([back.get('iss'), back.get('state')]).toEqual([ORIGIN, 'pushed']);
    expect(back.get('code')).toMatch(/./);
    const byPath = uriOf(await push());
    const toHost = new URL(locationOf(await askHost(`/authorize?client_id=tru&request_uri=${byPath}`)));
    await expectPage(
      await ask(`${toHost.pathname}${toHost.search}`, { headers: signedInHeaders() }),
      'request_uri was pushed at another issuer address',
    );
    const ofOther = await ask(`/auth/ext/api/orders/authorize?client_id=tru&request_uri=${byPath}`);
    await expectPage(ofOther, 'request_uri was pushed at another issuer address');
  } finally {
    await giveHost(null);
  }
});
