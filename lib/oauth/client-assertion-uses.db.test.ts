// Events that invalidate an assertion: its use, also by concurrent requests, too many bad assertions, and a change of
// the client's authentication method.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addSecret,
  changeClient,
  createClient,
  readClient,
  rotateClientSecret,
} from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { spendAssertion } from '#lib/store/hot/credentials.ts';
import {
  ACCEPTED,
  expectReason,
  issuerHere,
  outcomeOf,
  passwordForm,
  REFUSED,
  sendAssertion,
} from '#testing/clients/asserted.ts';
import { makeAssertion, makePair, type Pair, setOf } from '#testing/clients/client-keys.ts';
import { sql } from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH } from '#testing/in-process/openid.ts';

const CLIENT = 'keyed';
const BY_KEYS = { tokenEndpointAuthMethod: 'private_key_jwt' } as const;
let pair: Pair;

beforeAll(async () => {
  await givenFixtures();
  pair = await makePair('RS256');
  await givenTrustedClients([CLIENT, 'turns', 'busy'], { ...BY_KEYS, jwks: setOf(pair) });
});
beforeEach(() => sql('delete from attempts'));

const assertionOf = (clientId = CLIENT, by = pair, claims = {}) =>
  makeAssertion({ clientId, audience: issuerHere(), pair: by }, { claims });
const rows = async () =>
  (await sql<{ n: number }>('select count(*)::int as n from used_assertions'))[0]?.n ?? 0;

test('RFC 7523 §3: of twenty parallel uses of one assertion, exactly one is accepted', async () => {
  const assertion = await assertionOf();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(assertion)));
  expect(outcomes.toSorted()).toEqual([ACCEPTED, ...Array<string>(19).fill(REFUSED)]);
});

const databaseUrl = () => process.env['DATABASE_URL'] ?? '';

test.each([
  ['commit', false],
  ['rollback', true],
])(
  'of two concurrent uses of an assertion the second waits, and after %s of the first, the second is accepted: %s',
  async (end, first) => {
    await withClient(databaseUrl(), async (other) => {
      const idHash = randomBytes(32);
      await other.query('begin');
      await other.query("insert into used_assertions values ($1, now() + interval '1 minute')", [idHash]);
      const waiting = spendAssertion({ idHash, seconds: 60 });
      await expect.poll(() => lockWaits()).toBe(1);
      await other.query(end);
      expect(await waiting).toBe(first);
    });
  },
);

const lockWaits = async () =>
  (
    await sql<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  )[0]?.n;

test('only an accepted assertion stores a row, for a few minutes, and unrelated requests store none', async () => {
  await sql('delete from used_assertions');
  await outcomeOf(await assertionOf(CLIENT, await makePair('RS256', pair.kid)));
  await outcomeOf(await assertionOf(CLIENT, pair, { aud: 'x' }));
  await outcomeOf(await assertionOf('nobody'));
  await ask(`${OPENID_PATH}/token`, { form: { client_id: 'tru', grant_type: 'refresh_token' } });
  expect(await rows()).toBe(0);
  await outcomeOf(await assertionOf());
  await deleteExpired();
  expect(await rows()).toBe(1);
  await sql("update used_assertions set expires_at = now() - interval '1 second'");
  await deleteExpired();
  expect(await rows()).toBe(0);
});

test('if the registry changes during a request, it is retried with its assertion counted once', async () => {
  const changes = (async () => {
    // fewer changes than a request waits for, so that a slow machine accepts it too
    for (let change = 0; change < 12; change += 1) {
      await sql("update clients set name = name || '.' where client_id = 'busy'");
      await sleep(15);
    }
  })();
  const send = async () => (await sendAssertion(await assertionOf('busy'), { form: passwordForm() })).status;
  const statuses = await Promise.all(Array.from({ length: 8 }, send));
  await changes;
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses).toContain(200);
});

test('bad assertions count as wrong secrets: after 60 in five minutes, even a valid assertion returns 429', async () => {
  const address = '192.0.2.44';
  const bad = () => assertionOf(CLIENT, pair, { aud: 'https://elsewhere.example' });
  for (let at = 0; at < 60; at += 1) expect(await outcomeOf(await bad(), { address })).toBe(REFUSED);
  expect(await outcomeOf(await bad(), { address })).toBe('429 slow_down');
  expect(await outcomeOf(await assertionOf(), { address })).toBe('429 slow_down');
  expect(await outcomeOf(await assertionOf(), { address: '198.51.100.7' })).toBe(ACCEPTED);
});

test('a new client with keys receives no secret, and no secret can be added to it', async () => {
  const made = await createClient(OPERATOR, {
    ...{ clientId: 'born-keyed', name: 'Keyed', kind: 'confidential', redirectUris: [] },
    ...BY_KEYS,
    jwks: setOf(pair),
  });
  expect(made).toEqual({ clientId: 'born-keyed', secret: null });
  for (const operation of [addSecret, rotateClientSecret])
    await expect(operation(OPERATOR, { clientId: 'born-keyed' })).rejects.toThrow(
      'born-keyed authenticates by private_key_jwt and has no secret',
    );
});

test('a change of the authentication method invalidates the previous credentials from the next request on', async () => {
  const withSecret = async (secret: string) => {
    const form = {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: 'turns',
      client_secret: secret,
    };
    return (await ask(`${OPENID_PATH}/token`, { form })).status;
  };
  await changeClient(OPERATOR, { clientId: 'turns', tokenEndpointAuthMethod: null, jwks: null });
  expect(await outcomeOf(await assertionOf('turns'))).toBe(REFUSED);
  await expectReason('turns', 'assertion-not-expected');
  const { secret } = await addSecret(OPERATOR, { clientId: 'turns' });
  expect(await withSecret(secret)).toBe(400);
  await changeClient(OPERATOR, { clientId: 'turns', ...BY_KEYS, jwks: setOf(pair) });
  expect(await withSecret(secret)).toBe(401);
  expect((await readClient(OPERATOR, { clientId: 'turns' })).secrets).toEqual([]);
  // after the authentication method changes back, the old secret stays invalid
  await changeClient(OPERATOR, {
    clientId: 'turns',
    tokenEndpointAuthMethod: 'client_secret_post',
    jwks: null,
  });
  expect(await withSecret(secret)).toBe(401);
});

test('a client’s new key set invalidates removed keys', async () => {
  const next = await makePair('EdDSA');
  await changeClient(OPERATOR, { clientId: CLIENT, jwks: setOf(pair, next) });
  expect(await outcomeOf(await assertionOf(CLIENT, next))).toBe(ACCEPTED);
  expect(await outcomeOf(await assertionOf())).toBe(ACCEPTED);
  await changeClient(OPERATOR, { clientId: CLIENT, jwks: setOf(next) });
  expect(await outcomeOf(await assertionOf())).toBe(REFUSED);
  expect(await outcomeOf(await assertionOf(CLIENT, next))).toBe(ACCEPTED);
});

test('RFC 7591 §2: client_secret_basic accepts the secret only in the header, client_secret_post only in the body', async () => {
  const [basic, post] = await Promise.all(
    (['client_secret_basic', 'client_secret_post'] as const).map(async (tokenEndpointAuthMethod) => {
      const [client] = await givenTrustedClients([tokenEndpointAuthMethod.replaceAll('_', '-')], {
        tokenEndpointAuthMethod,
      });
      return client as { client_id: string; client_secret: string };
    }),
  );
  const form = { grant_type: 'refresh_token', refresh_token: 'x' };
  const inBody = async (client = post) =>
    (await ask(`${OPENID_PATH}/token`, { form: { ...form, ...client } })).status;
  const inHeader = async (client = basic) => {
    const encoded = Buffer.from(`${client?.client_id}:${client?.client_secret}`).toString('base64');
    return (await ask(`${OPENID_PATH}/token`, { form, headers: { authorization: `Basic ${encoded}` } }))
      .status;
  };
  expect([await inBody(), await inHeader(), await inBody(basic), await inHeader(post)]).toEqual([
    400, 400, 401, 401,
  ]);
  await expectReason('client-secret-basic', 'secret-misplaced');
  await expectReason('client-secret-post', 'secret-misplaced');
});
