// Exchanged tokens: their actors, and the operations that revoke them (RFC 8693 §4.1, contract section 6; case
// AA-11).
import { expect, test } from '@playwright/test';
import type { Client } from '#testing/data/fixtures.ts';
import { sha256 } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { signIn } from '#testing/service/browser.ts';
import {
  claimsOf,
  credentialsOf,
  introspect,
  passwordGrant,
  refresh,
  revoke,
  tokensFor,
  tokensOf,
} from '#testing/service/token.ts';
import { accessOf, billing, EXCHANGE, givenExchange, orders, TYPE } from '../../support/clients/exchange.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const off = (text: string, id: string) => sql(text, [id]);

const { cast, exchange, isActive } = givenExchange(door);

test('a revoked subject token, or one whose user, client or subscription is disabled, returns invalid_request', async () => {
  await revoke(door, cast.front, cast.subject.accessToken);
  expectError(await exchange(cast.back), 'invalid_request');
  const other = await makeClient();
  const somebody = await makePerson();
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
    cast.subject = await tokensFor(theirs, other);
    expectTokens(await exchange(cast.back), { refreshToken: false });
    await sql(off, [id]);
    expectError(await exchange(cast.back), 'invalid_request');
    await sql(on, [id]);
  }
});

test('RFC 8693 section 4.1: actor_token adds the act claim, and repeated exchanges nest it', async () => {
  const helper = await makePerson();
  const actor = tokensOf(await passwordGrant(door, cast.back, helper));
  const delegated = {
    audience: 'orders',
    actor_token: actor.accessToken,
    actor_token_type: `${TYPE}access_token`,
  };
  const first = accessOf(await exchange(cast.back, delegated));
  const act = { sub: helper.id, client_id: cast.back.clientId };
  expect(claimsOf(first)).toMatchObject({ sub: cast.person.id, act });

  const second = await makePerson();
  const next = tokensOf(await passwordGrant(door, cast.back, second));
  const chained = accessOf(
    await exchange(cast.back, {
      subject_token: first,
      actor_token: next.accessToken,
      actor_token_type: `${TYPE}access_token`,
    }),
  );
  const told = (await introspect(door, chained, billing)).json();
  expect(told['act']).toEqual({ sub: second.id, client_id: cast.back.clientId, act });

  const kept = accessOf(await exchange(cast.back, { subject_token: first }));
  expect((await introspect(door, kept, billing)).json()['act']).toEqual(act);

  await revoke(door, cast.back, next.refreshToken);
  expectError(
    await exchange(cast.back, { actor_token: next.accessToken, actor_token_type: `${TYPE}access_token` }),
    'invalid_request',
  );
});

test('revocation of the subject token’s family revokes tokens exchanged from it, recursively', async () => {
  const first = accessOf(await exchange(cast.back, { audience: 'orders' }));
  const second = accessOf(await exchange(cast.back, { subject_token: first }));
  const apart = tokensOf(await passwordGrant(door, cast.back, cast.person)).accessToken;
  expect(await isActive(first, orders)).toBe(true);
  expect(await isActive(second)).toBe(true);
  await revoke(door, cast.front, cast.subject.refreshToken);
  expect(await isActive(first, orders)).toBe(false);
  expect(await isActive(second)).toBe(false);
  expect(await isActive(apart, orders)).toBe(true);
});

test('an exchange back to an API never extends the token’s scope', async () => {
  const narrow = await tokensFor(cast.browser, cast.front, { scope: 'read' });
  const away = accessOf(await exchange(cast.back, { subject_token: narrow.accessToken }));
  const back = { subject_token: away, audience: 'orders' };
  expect(claimsOf(accessOf(await exchange(cast.back, back)))['scope']).toBe('read');
  expectError(await exchange(cast.back, { ...back, scope: 'write' }), 'invalid_scope');
  // a second round trip: the scope limit of each API remains
  const home = accessOf(await exchange(cast.back, back));
  const again = accessOf(await exchange(cast.back, { subject_token: home, scope: 'pay' }));
  const twice = accessOf(await exchange(cast.back, { subject_token: again, audience: 'orders' }));
  expect(claimsOf(twice)['scope']).toBe('read');
  expectError(await exchange(cast.back, { subject_token: twice, scope: 'read' }), 'invalid_scope');
});

test('the number of successive exchanges from one token is limited', async () => {
  let subject_token = cast.subject.accessToken;
  for (let depth = 0; depth < 8; depth += 1) {
    subject_token = accessOf(await exchange(cast.back, { subject_token, audience: 'orders' }));
  }
  expectError(await exchange(cast.back, { subject_token, audience: 'orders' }), 'invalid_request');
});

test('exchanged tokens end when the subject token, its client, its subscription or its consent ends', async () => {
  const endings: [string, (client: Client, token: string) => Promise<unknown>][] = [
    [
      'client',
      ({ clientId }) => off('update clients set disabled_at = now() where client_id = $1', clientId),
    ],
    [
      'subscription',
      ({ clientId }) => off("update subscriptions set state = 'revoked' where client_id = $1", clientId),
    ],
    [
      'pause',
      ({ clientId }) => off("update subscriptions set state = 'suspended' where client_id = $1", clientId),
    ],
    ['consent', ({ clientId }) => off('delete from consents where client_id = $1', clientId)],
    ['token', (client, token) => revoke(door, client, token)],
  ];
  for (const [name, end] of endings) {
    const client = await makeClient();
    const { accessToken } = await tokensFor(cast.browser, client);
    const child = accessOf(await exchange(cast.back, { subject_token: accessToken }));
    const grandchild = accessOf(await exchange(cast.back, { subject_token: child, audience: 'orders' }));
    expect(await isActive(grandchild, orders), name).toBe(true);
    await end(client, accessToken);
    expect(await isActive(child), `${name}: child`).toBe(false);
    expect(await isActive(grandchild, orders), `${name}: grandchild`).toBe(false);
    expectError(await exchange(cast.back, { subject_token: child, audience: 'orders' }), 'invalid_request');
  }
});

test('the client can revoke its exchanged token, and the source tokens stay valid', async () => {
  const token = accessOf(await exchange(cast.back));
  await revoke(door, cast.back, token);
  expect(await isActive(token)).toBe(false);
  expect(await isActive(cast.subject.accessToken, orders)).toBe(true);
  expectTokens(await refresh(door, cast.front, cast.subject.refreshToken));
});

test('introspection reports exchanged tokens as inactive after the client loses its trust', async () => {
  const client = await makeClient({ trusted: true, apis: ['billing'] });
  const token = accessOf(await exchange(client));
  expect(await isActive(token)).toBe(true);
  await sql('update subscriptions set trusted = false where client_id = $1', [client.clientId]);
  expect(await isActive(token)).toBe(false);
});

test('AA-11: an issuer’s code is rejected as subject token, and an issuer’s token endpoint rejects exchange', async () => {
  const given = await cast.browser.codeFor(cast.front);
  expectError(await exchange(cast.back, { subject_token: given.code }), 'invalid_request');
  const form = {
    grant_type: EXCHANGE,
    ...credentialsOf(cast.back),
    subject_token: cast.subject.accessToken,
  };
  expectError(await send(`${issuerOf(door)}/token`, { form }), 'unsupported_grant_type');
});

test('an exchanged opaque token is stored as a hash, and the audit log records the exchange', async () => {
  const token = accessOf(await exchange(cast.back));
  const [row] = await sql<{ n: number }>(
    'select count(*)::int as n from opaque_tokens where token_hash = $1',
    [sha256(token)],
  );
  expect(row?.n).toBe(1);
  const [event] = await sql(
    "select details->>'from' as from, api_id from audit_events where event = 'token.exchanged' and client_id = $1 order by id desc limit 1",
    [cast.back.clientId],
  );
  expect(event).toEqual({ from: 'access_token', api_id: 'billing' });
});
