// POST {base_url}/auth/token: token exchange (RFC 8693), and a broker's code (specification 4.3, contract section 6).
import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { throughBroker } from '../support/broker.ts';
import { authorizeParams, Browser, type Params, signIn } from '../support/browser.ts';
import {
  type Client,
  makeApi,
  makeClient,
  makePerson,
  type Person,
  rowsOf,
  sha256,
  sql,
} from '../support/database.ts';
import { eachDoor, issuerOf } from '../support/doors.ts';
import { expectJsonError, expectTokens } from '../support/expectations.ts';
import { fixtureApi, fixturePerson } from '../support/fixtures.ts';
import { type Answer, send } from '../support/http.ts';
import { startLiar } from '../support/lying-broker.ts';
import { freshPkce } from '../support/pkce.ts';
import {
  basic,
  claimsOf,
  credentialsOf,
  introspect,
  passwordGrant,
  refresh,
  revoke,
  type Tokens,
  tokensFor,
  tokensOf,
} from '../support/token.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TYPE = 'urn:ietf:params:oauth:token-type:';
const orders = { id: 'orders', ...fixtureApi('orders') };
const billing = { id: 'billing', ...fixtureApi('billing') };

eachDoor((door) => {
  let person: Person;
  let browser: Browser;
  /** gets the subject tokens: has an ordinary subscription to orders */
  let front: Client;
  /** exchanges them: has trusted subscriptions to both APIs */
  let back: Client;
  let subject: Tokens;

  const exchange = (client: Client, changes: Params = {}) => {
    const form = {
      grant_type: EXCHANGE,
      ...credentialsOf(client),
      subject_token: subject.accessToken,
      subject_token_type: `${TYPE}access_token`,
      audience: 'billing',
      ...changes,
    };
    const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return send(`${door.url}/auth/token`, { form: Object.fromEntries(given) });
  };
  const accessOf = (answer: Answer): string => {
    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    return String(answer.json()['access_token']);
  };
  const isActive = async (token: string, api = billing) => {
    const { active } = (await introspect(door, token, api)).json();
    return active;
  };

  test.beforeAll(async () => {
    person = await makePerson(fixturePerson('alice'));
    front = await makeClient({ kind: 'confidential', apis: ['orders', 'billing'] });
    back = await makeClient({ kind: 'confidential', trusted: true, apis: ['orders', 'billing'] });
    browser = await signIn(door, person, front);
  });
  test.beforeEach(async () => {
    subject = await tokensFor(browser, front);
  });

  test('contract 6: an access token is exchanged for one at another API, of the same person and method', async () => {
    const answer = await exchange(back);
    expectTokens(answer, { refreshToken: false });
    const body = answer.json();
    expect(body['issued_token_type']).toBe(`${TYPE}access_token`);
    expect(body['scope']).toBe('read pay');
    const told = (await introspect(door, accessOf(answer), billing)).json();
    expect(told).toMatchObject({
      active: true,
      iss: issuerOf(door, 'pw', 'billing'),
      aud: billing.url,
      sub: person.id,
      client_id: back.clientId,
      scope: 'read pay',
    });
    expect(told).not.toHaveProperty('act');
    expect(told['auth_time']).toBe(claimsOf(subject.accessToken)['auth_time']);
  });

  test('contract 6: an opaque token is exchanged for a JWT that verifies at its own issuer', async () => {
    subject = tokensOf(
      await send(`${issuerOf(door, 'pw', 'billing')}/token`, {
        form: {
          grant_type: 'password',
          ...credentialsOf(back),
          username: person.email,
          password: person.password,
        },
      }),
    );
    expect(subject.accessToken).not.toContain('.');
    for (const target of [
      { audience: 'orders' },
      { audience: orders.url },
      { audience: undefined, resource: orders.url },
    ]) {
      const token = accessOf(await exchange(back, target));
      const keys = createRemoteJWKSet(new URL(`${issuerOf(door)}/jwks`));
      const { payload } = await jwtVerify(token, keys, {
        issuer: issuerOf(door),
        audience: orders.url,
        typ: 'at+jwt',
      });
      expect(payload).toMatchObject({ sub: person.id, client_id: back.clientId, scope: 'read write' });
      expect(await isActive(token, orders)).toBe(true);
    }
  });

  test('RFC 8693 section 2.1: JSON and HTTP Basic work as at the token address', async () => {
    const json = {
      grant_type: EXCHANGE,
      subject_token: subject.accessToken,
      subject_token_type: `${TYPE}jwt`,
      audience: 'billing',
    };
    const headers = basic(back.clientId, back.secret ?? '');
    expectTokens(await send(`${door.url}/auth/token`, { json, headers }), { refreshToken: false });
  });

  test('contract 6: the new token never outlives the subject token', async () => {
    const api = await makeApi({ access_token_ttl: 90 });
    await sql(
      "insert into subscriptions (client_id, api_id, state, trusted) values ($1, $2, 'approved', true)",
      [back.clientId, api.id],
    );
    subject = tokensOf(
      await send(`${issuerOf(door, 'pw', api.id)}/token`, {
        form: {
          grant_type: 'password',
          ...credentialsOf(back),
          username: person.email,
          password: person.password,
        },
      }),
    );
    const end = Number(claimsOf(subject.accessToken)['exp']);
    const wide = await exchange(back, { audience: 'orders' });
    expect(Number(wide.json()['expires_in'])).toBeLessThanOrEqual(90);
    expect(claimsOf(accessOf(wide))['exp']).toBe(end);
    const opaque = accessOf(await exchange(back, { audience: 'billing' }));
    expect((await introspect(door, opaque, billing)).json()['exp']).toBe(end);
  });

  test('contract 6: scope narrows, and at its own API a token never grows', async () => {
    const narrow = await exchange(back, { scope: 'pay' });
    expect(narrow.json()).not.toHaveProperty('scope');
    expect((await introspect(door, accessOf(narrow), billing)).json()['scope']).toBe('pay');
    expectJsonError(await exchange(back, { scope: 'write' }), 400, 'invalid_scope');

    subject = await tokensFor(browser, front, { scope: 'read' });
    const same = accessOf(await exchange(back, { audience: 'orders' }));
    expect(claimsOf(same)['scope']).toBe('read');
    expectJsonError(await exchange(back, { audience: 'orders', scope: 'write' }), 400, 'invalid_scope');
    expectJsonError(await exchange(back, { audience: 'orders', scope: 'read write' }), 400, 'invalid_scope');
  });

  test("contract 6: a subscription's ceiling holds for exchanged tokens too", async () => {
    const low = await makeClient({
      kind: 'confidential',
      trusted: true,
      apis: ['billing'],
      scopes: ['read'],
    });
    expect((await introspect(door, accessOf(await exchange(low)), billing)).json()['scope']).toBe('read');
    expectJsonError(await exchange(low, { scope: 'pay' }), 400, 'invalid_scope');
  });

  test('contract 6: without an approved trusted subscription to the target it is unauthorized_client', async () => {
    expectJsonError(await exchange(front), 400, 'unauthorized_client');
    for (const state of ['pending', 'suspended', 'revoked', 'rejected']) {
      const waiting = await makeClient({ kind: 'confidential', trusted: true, apis: ['billing'], state });
      expectJsonError(await exchange(waiting), 400, 'unauthorized_client');
      expect(await rowsOf(waiting.clientId)).toMatchObject({ families: 0 });
    }
    const elsewhere = await makeClient({ kind: 'confidential', trusted: true, apis: ['orders'] });
    expectJsonError(await exchange(elsewhere), 400, 'unauthorized_client');
  });

  test('contract 6: an unknown target, or two, is invalid_target', async () => {
    for (const target of [
      { audience: 'nosuch' },
      { audience: undefined, resource: 'https://api.example/nosuch' },
      { audience: undefined, resource: 'billing' },
      { audience: 'billing', resource: orders.url },
      { audience: 'nosuch', resource: billing.url },
    ])
      expectJsonError(await exchange(back, target), 400, 'invalid_target');
    expectTokens(await exchange(back, { audience: 'billing', resource: billing.url }), {
      refreshToken: false,
    });
    expectJsonError(await exchange(back, { audience: undefined }), 400, 'invalid_request');
    const twice: [string, string][] = [
      ['grant_type', EXCHANGE],
      ...Object.entries(credentialsOf(back)),
      ['subject_token', subject.accessToken],
      ['subject_token_type', `${TYPE}access_token`],
      ['audience', 'billing'],
      ['audience', 'orders'],
    ];
    expectJsonError(await send(`${door.url}/auth/token`, { form: twice }), 400, 'invalid_target');
    const other = [...twice.slice(0, -1), ['subject_token', 'x'] as [string, string]];
    expectJsonError(await send(`${door.url}/auth/token`, { form: other }), 400, 'invalid_request');
  });

  test("contract 6: a target that does not take the subject's method is invalid_target", async () => {
    const api = await makeApi({});
    await sql('delete from combinations where api_id = $1', [api.id]);
    await sql("insert into combinations (auth_method_id, api_id) values ('ext', $1)", [api.id]);
    await sql(
      "insert into subscriptions (client_id, api_id, state, trusted) values ($1, $2, 'approved', true)",
      [back.clientId, api.id],
    );
    expectJsonError(await exchange(back, { audience: api.id }), 400, 'invalid_target');
  });

  test('RFC 8693 section 2.2.2: a subject token that is missing, of another type, or nothing is invalid_request', async () => {
    const [head, body, signature = ''] = subject.accessToken.split('.');
    for (const changes of [
      { subject_token: undefined },
      { subject_token_type: undefined },
      { subject_token_type: `${TYPE}refresh_token` },
      { subject_token_type: `${TYPE}saml2` },
      { subject_token_type: `${TYPE}id_token` },
      { subject_token: 'garbage' },
      { subject_token: `${head}.${body}.${signature.slice(0, -4)}AAAA` },
      { subject_token: subject.refreshToken },
      { requested_token_type: `${TYPE}refresh_token` },
      { actor_token: subject.accessToken },
      { actor_token_type: `${TYPE}access_token` },
      { actor_token: 'garbage', actor_token_type: `${TYPE}access_token` },
      { auth_method: 'brk' },
    ])
      expectJsonError(await exchange(back, changes), 400, 'invalid_request');
    expect(await rowsOf(front.clientId)).toMatchObject({ revoked_families: 0 });
  });

  test('a subject token that was revoked, or whose person, client or subscription is switched off, is invalid_request', async () => {
    await revoke(door, front, subject.accessToken);
    expectJsonError(await exchange(back), 400, 'invalid_request');
    const other = await makeClient({ kind: 'confidential' });
    const somebody = await makePerson(fixturePerson('alice'));
    const theirs = await signIn(door, somebody, other);
    const switches: [string, string, string][] = [
      [
        "update subscriptions set state = 'suspended' where client_id = $1",
        "update subscriptions set state = 'approved' where client_id = $1",
        other.clientId,
      ],
      [
        'update clients set disabled_at = now() where client_id = $1',
        'update clients set disabled_at = null where client_id = $1',
        other.clientId,
      ],
      [
        'update people set disabled_at = now() where id = $1',
        'update people set disabled_at = null where id = $1',
        somebody.id,
      ],
    ];
    for (const [off, on, id] of switches) {
      subject = await tokensFor(theirs, other);
      expectTokens(await exchange(back), { refreshToken: false });
      await sql(off, [id]);
      expectJsonError(await exchange(back), 400, 'invalid_request');
      await sql(on, [id]);
    }
  });

  test('RFC 8693 section 4.1: with an actor_token the new token says who acts, and a chain of them', async () => {
    const helper = await makePerson(fixturePerson('alice'));
    const actor = tokensOf(await passwordGrant(door, back, helper));
    const delegated = {
      audience: 'orders',
      actor_token: actor.accessToken,
      actor_token_type: `${TYPE}access_token`,
    };
    const first = accessOf(await exchange(back, delegated));
    const act = { sub: helper.id, client_id: back.clientId };
    expect(claimsOf(first)).toMatchObject({ sub: person.id, act });

    const second = await makePerson(fixturePerson('alice'));
    const next = tokensOf(await passwordGrant(door, back, second));
    const chained = accessOf(
      await exchange(back, {
        subject_token: first,
        actor_token: next.accessToken,
        actor_token_type: `${TYPE}access_token`,
      }),
    );
    const told = (await introspect(door, chained, billing)).json();
    expect(told['act']).toEqual({ sub: second.id, client_id: back.clientId, act });

    const kept = accessOf(await exchange(back, { subject_token: first }));
    expect((await introspect(door, kept, billing)).json()['act']).toEqual(act);

    await revoke(door, back, next.refreshToken);
    expectJsonError(
      await exchange(back, { actor_token: next.accessToken, actor_token_type: `${TYPE}access_token` }),
      400,
      'invalid_request',
    );
  });

  test("revoking the subject's family ends what was exchanged for its tokens, and so on down", async () => {
    const first = accessOf(await exchange(back, { audience: 'orders' }));
    const second = accessOf(await exchange(back, { subject_token: first }));
    const apart = tokensOf(await passwordGrant(door, back, person)).accessToken;
    expect(await isActive(first, orders)).toBe(true);
    expect(await isActive(second)).toBe(true);
    await revoke(door, front, subject.refreshToken);
    expect(await isActive(first, orders)).toBe(false);
    expect(await isActive(second)).toBe(false);
    expect(await isActive(apart, orders)).toBe(true);
  });

  test("an exchanged token is its client's to revoke, and harms nothing that it came from", async () => {
    const token = accessOf(await exchange(back));
    await revoke(door, back, token);
    expect(await isActive(token)).toBe(false);
    expect(await isActive(subject.accessToken, orders)).toBe(true);
    expectTokens(await refresh(door, front, subject.refreshToken));
  });

  test('a trusted subscription that is taken back ends its exchanged tokens for who introspects', async () => {
    const client = await makeClient({ kind: 'confidential', trusted: true, apis: ['billing'] });
    const token = accessOf(await exchange(client));
    expect(await isActive(token)).toBe(true);
    await sql('update subscriptions set trusted = false where client_id = $1', [client.clientId]);
    expect(await isActive(token)).toBe(false);
  });

  test("AA-11: a refresh token, a code of Area B and a broker's code are of no use here, and Area B's address does not exchange", async () => {
    const given = await browser.codeFor(front);
    expectJsonError(await exchange(back, { subject_token: given.code }), 400, 'invalid_request');
    const form = { grant_type: EXCHANGE, ...credentialsOf(back), subject_token: subject.accessToken };
    expectJsonError(await send(`${issuerOf(door)}/token`, { form }), 400, 'unsupported_grant_type');
  });

  test('only the hash of an exchanged opaque token is stored, and the audit log says what happened', async () => {
    const token = accessOf(await exchange(back));
    const [row] = await sql<{ n: number }>(
      'select count(*)::int as n from opaque_tokens where token_hash = $1',
      [sha256(token)],
    );
    expect(row?.n).toBe(1);
    const [event] = await sql(
      "select details->>'from' as from, api_id from audit_events where event = 'token.exchanged' and client_id = $1 order by id desc limit 1",
      [back.clientId],
    );
    expect(event).toEqual({ from: 'access_token', api_id: 'billing' });
  });

  test.describe("a broker's ID token", () => {
    test('contract 6: is exchanged for a token of its broker method, and never outlives it', async () => {
      const liar = await startLiar();
      const idToken = await liar.idToken();
      const form = { subject_token: idToken, subject_token_type: `${TYPE}id_token`, audience: 'orders' };
      const token = accessOf(await exchange(back, form));
      expect(claimsOf(token)).toMatchObject({
        iss: issuerOf(door, liar.method),
        exp: claimsOf(idToken)['exp'],
        auth_time: claimsOf(idToken)['iat'],
      });
      expect(accessOf(await exchange(back, { ...form, auth_method: liar.method }))).not.toBe('');
      expectJsonError(await exchange(back, { ...form, auth_method: 'brk' }), 400, 'invalid_request');
      expectJsonError(await exchange(back, { ...form, auth_method: 'pw' }), 400, 'invalid_request');
      expectJsonError(
        await exchange(back, { ...form, subject_token_type: `${TYPE}access_token` }),
        400,
        'invalid_request',
      );
      const [row] = await sql<{ person_id: string }>(
        'select person_id from external_identities where auth_method_id = $1',
        [liar.method],
      );
      expect(claimsOf(token)['sub']).toBe(row?.person_id);
      await sql('update people set disabled_at = now() where id = $1', [row?.person_id]);
      expectJsonError(await exchange(back, form), 400, 'invalid_request');
      await liar.close();
    });

    test('AA-08: one that is for another, expired, of a stranger, or no ID token is invalid_request', async () => {
      const liar = await startLiar();
      const now = Math.floor(Date.now() / 1000);
      for (const idToken of [
        await liar.idToken({ aud: 'somebody-else' }),
        await liar.idToken({ aud: [liar.clientId, 'x'], azp: 'x' }),
        await liar.idToken({ iss: 'https://evil.example' }),
        await liar.idToken({ exp: now - 60, iat: now - 120 }),
        await liar.idToken({}, {}, true),
        await liar.idToken({}, { kid: 'unknown' }),
        await liar.idToken({ sub: undefined }),
        await liar.idToken({}, { typ: 'at+jwt' }),
        await liar.idToken({ events: {} }),
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await liar.idToken()).split('.')[1]}.`,
      ]) {
        const form = {
          subject_token: idToken,
          subject_token_type: `${TYPE}id_token`,
          auth_method: liar.method,
        };
        expectJsonError(await exchange(back, form), 400, 'invalid_request');
      }
      const people = await sql('select 1 from external_identities where auth_method_id = $1', [liar.method]);
      expect(people).toHaveLength(0);
      await liar.close();
    });

    test('one whose broker is gone is temporarily_unavailable', async () => {
      const liar = await startLiar();
      const idToken = await liar.idToken();
      await liar.close();
      const form = { subject_token: idToken, subject_token_type: `${TYPE}id_token` };
      expectJsonError(await exchange(back, form), 503, 'temporarily_unavailable');
    });
  });

  test.describe("a broker's code and state", () => {
    /** A client starts at our authorize address, and gets hold of what the broker answers. */
    const receive = async (client: Client, params: Params = {}, name = randomUUID()) => {
      const departure = await new Browser(door).authorize(authorizeParams(client, params), { method: 'brk' });
      const answer = new URL(await throughBroker(departure, name)).searchParams;
      return { code: answer.get('code') ?? '', state: answer.get('state') ?? '' };
    };
    const redeem = (client: Client, received: Record<string, string>, extra: Record<string, string> = {}) =>
      send(`${door.url}/auth/token`, {
        form: { grant_type: 'authorization_code', ...credentialsOf(client), ...received, ...extra },
      });

    test('contract 6: give the answer of the token address to the client that started', async () => {
      const received = await receive(back, { scope: 'read' });
      const answer = await redeem(back, received);
      expectTokens(answer);
      expect(claimsOf(tokensOf(answer).accessToken)).toMatchObject({
        iss: issuerOf(door, 'brk'),
        client_id: back.clientId,
        scope: 'read',
      });
      expectTokens(await refresh(door, back, tokensOf(answer).refreshToken, {}, { method: 'brk' }));
    });

    test('contract 6: code_verifier must fit the code_challenge of the authorize request', async () => {
      const native = await makeClient({
        kind: 'native',
        trusted: true,
        redirectUris: ['com.example.exchange:/cb'],
      });
      const { verifier, params } = freshPkce();
      const received = await receive(native, params);
      expectJsonError(await redeem(native, received), 400, 'invalid_grant');
      expectJsonError(await redeem(native, received, { code_verifier: 'short' }), 400, 'invalid_request');
      expectJsonError(
        await redeem(native, received, { code_verifier: freshPkce().verifier }),
        400,
        'invalid_grant',
      );
      expectTokens(await redeem(native, received, { code_verifier: verifier }));
      const plain = await receive(back);
      expectJsonError(await redeem(back, plain, { code_verifier: verifier }), 400, 'invalid_grant');
    });

    test("contract 6: another client's state, an unknown and a used one are invalid_grant; a stranger burns nothing", async () => {
      const received = await receive(back);
      const stranger = await makeClient({ kind: 'confidential', trusted: true });
      expectJsonError(await redeem(stranger, received), 400, 'invalid_grant');
      expectJsonError(await redeem(back, { ...received, state: 'unknown' }), 400, 'invalid_grant');
      expectJsonError(await redeem(back, { code: received.code, state: '' }), 400, 'invalid_request');
      expectJsonError(await redeem(back, { code: '', state: received.state }), 400, 'invalid_request');
      expectJsonError(
        await redeem(back, received, { redirect_uri: 'https://evil.example/cb' }),
        400,
        'invalid_grant',
      );
      expectTokens(await redeem(back, received));
      expectJsonError(await redeem(back, received), 400, 'invalid_grant');
    });

    test('contract 6: of ten parallel uses exactly one succeeds', async () => {
      const received = await receive(back);
      const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(back, received)));
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      for (const answer of answers) if (answer.status !== 200) expectJsonError(answer, 400, 'invalid_grant');
    });

    test('contract 6: without an approved trusted subscription it is unauthorized_client', async () => {
      const plain = await makeClient({ kind: 'confidential' });
      expectJsonError(await redeem(plain, await receive(plain)), 400, 'unauthorized_client');
    });

    test('contract 6: a code that the broker refuses is invalid_grant', async () => {
      const received = await receive(back);
      expectJsonError(await redeem(back, { ...received, code: 'x' }), 400, 'invalid_grant');
    });
  });
});
