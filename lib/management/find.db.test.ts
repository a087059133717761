// Results of the search for each role and each kind of object, and how the search interprets a text.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { newRequestId } from '#lib/kit/random.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { givenClient, givenEmptyRegistry, givenPerson, type Person, sql } from '#testing/data/registry.ts';
import { findAnything } from './find.ts';
import { type Actor, OPERATOR } from './policy.ts';

const roles: Record<string, Actor> = {};
const ids: Record<string, string> = {};
const REFUSED = newRequestId();
const GRANTED = newRequestId();

beforeAll(async () => {
  await sql('truncate refused_requests');
  await givenEmptyRegistry();
  const dev = await givenPerson('dev', 'developer');
  const other = await givenPerson('other', 'developer');
  const approver = await givenPerson('approver', 'approver');
  const admin = await givenPerson('admin', 'administrator');
  const stranger = await givenPerson('stranger', 'approver');
  Object.assign(roles, { dev, other, approver, stranger, admin, operator: OPERATOR });
  ids['person'] = dev.id;
  await sql(`update apis set name = 'Orders', approvers = $1`, [[(approver as Person).email]]);
  await givenClient(dev);
  await sql(`update clients set name = 'Corner Shop', redirect_uris = $1 where client_id = 'shop'`, [
    ['https://Shop.example:8443/cb', 'http://localhost:3000/cb', 'com.example.shop:/cb'],
  ]);
  await requestSubscription(dev, { clientId: 'shop', api: 'orders' });
  await sql(`insert into groups (id, name) values ('staff-1', 'Editors') on conflict do nothing`);
  const { keys } = await currentSnapshot();
  ids['kid'] = keys[0]?.kid ?? '';
  await sql(
    `insert into refused_requests (client_id, api_id, endpoint, error, description, request_id)
      values ('shop', 'orders', 'token', 'invalid_grant', 'none', $1)`,
    [REFUSED],
  );
  await sql(
    `insert into audit_events (event, client_id, api_id, request_id) values ('token.issued', 'shop', 'orders', $1)`,
    [GRANTED],
  );
});
afterAll(() => sql('truncate refused_requests'));

const found = async (actor: Actor | undefined, text: string) =>
  (await findAnything(actor as Actor, { text })).rows.map(
    ({ kind, id, api, exact }) => `${exact ? '=' : '~'} ${kind} ${id}${api === null ? '' : ` ${api}`}`,
  );

const SHOP = ['= client shop'];
const PAIR = ['= subscription shop orders'];
const ASKED = ['~ subscription shop orders'];
const NONE: string[] = [];
const PERSON = () => [`= person ${ids['person']}`];
const API = ['= api orders'];

/**
 * The objects that these actors find for each text: the owner, another developer, an approver of the API, another
 * approver, an administrator.
 */
const TABLE: [what: string, text: () => string, row: (string[] | (() => string[]))[]][] = [
  ['a client by its id', () => 'shop', [SHOP, NONE, ASKED, NONE, SHOP]],
  [
    'a client by the beginning of its id',
    () => 'sho',
    [['~ client shop'], NONE, ASKED, NONE, ['~ client shop']],
  ],
  ['a client by its name', () => 'CORNER sh', [['~ client shop'], NONE, ASKED, NONE, ['~ client shop']]],
  [
    'a client by a redirect host',
    () => 'shop.example',
    [['~ client shop'], NONE, ASKED, NONE, ['~ client shop']],
  ],
  [
    'a client by an address with the host',
    () => 'https://shop.EXAMPLE/other',
    [['~ client shop'], NONE, ASKED, NONE, ['~ client shop']],
  ],
  ['a subscription', () => 'shop orders', [PAIR, NONE, PAIR, NONE, PAIR]],
  ['a subscription, with a stroke', () => 'shop/orders', [PAIR, NONE, PAIR, NONE, PAIR]],
  ['a person by their id', () => ids['person'] ?? '', [NONE, NONE, NONE, NONE, PERSON]],
  ['a person by their address', () => 'DEV@example.com', [NONE, NONE, NONE, NONE, PERSON]],
  [
    'a person by the beginning of it',
    () => 'dev@exam',
    [NONE, NONE, NONE, NONE, () => [`~ person ${ids['person']}`]],
  ],
  // everyone finds the API, because its page is public
  ['an API by its id', () => 'orders', [API, API, API, API, API]],
  [
    'an API by a part of its name',
    () => 'rder',
    [['~ api orders'], ['~ api orders'], ['~ api orders'], ['~ api orders'], ['~ api orders']],
  ],
  ['a sign-in method', () => 'local', [NONE, NONE, NONE, NONE, ['= method local']]],
  ['a group by a part of its name', () => 'ditor', [NONE, NONE, NONE, NONE, ['~ group staff-1']]],
  [
    'a refused request',
    () => REFUSED,
    [['= request shop orders'], NONE, NONE, NONE, ['= request shop orders']],
  ],
  [
    'a request that went well',
    () => GRANTED.toUpperCase(),
    [['= request shop orders'], NONE, NONE, NONE, ['= request shop orders', `= event ${GRANTED}`]],
  ],
  ['nothing', () => 'no-such-thing', [NONE, NONE, NONE, NONE, NONE]],
];
const WHO = ['dev', 'other', 'approver', 'stranger', 'admin'];

describe.each(TABLE)('search for %s', (_, text, row) => {
  it.each(WHO.map((who, at) => [who, row[at] ?? []] as const))(
    'the search finds only what this user may see: %s',
    async (who, expected) => {
      expect(await found(roles[who], text())).toEqual(typeof expected === 'function' ? expected() : expected);
      // the operator and an administrator find the same objects
      if (who === 'admin') expect(await found(OPERATOR, text())).toEqual(await found(roles['admin'], text()));
    },
  );
});

it('only administrators can find signing keys, by id or prefix', async () => {
  await sql(`insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
    values ('key-of-test', 'ES256', '{}', 'none', now()) on conflict do nothing`);
  for (const who of WHO) {
    const isAdmin = who === 'admin';
    expect(await found(roles[who], 'key-of-test'), who).toEqual(isAdmin ? ['= key key-of-test'] : []);
    expect(await found(roles[who], 'key-of'), who).toEqual(isAdmin ? ['~ key key-of-test'] : []);
  }
  await sql(`delete from signing_keys where kid = 'key-of-test'`);
});

it('users without a role get the error "forbidden" instead of search results', async () => {
  const nobody = await givenPerson('nobody');
  await expect(findAnything(nobody, { text: 'shop' })).rejects.toMatchObject({ kind: 'forbidden' });
});

it.each(['%', '_', "' or true --", '\\', '(shop', 'https://', ' ', 'a'.repeat(301)])(
  'the search text %j is treated as plain text and finds nothing',
  async (text) => {
    expect(await found(OPERATOR, text)).toEqual([]);
  },
);
