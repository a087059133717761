// Size of tokens with many groups, and the removal and logging of oversized claims.
import { decodeJwt } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { createGroup } from '#lib/catalogue/groups/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import {
  byVerifier,
  elsewhere,
  givenPeopleElsewhere,
  verifierWith,
} from '#testing/brokers/people-elsewhere.ts';
import { sql } from '#testing/data/registry.ts';
import { openIdTokens, signInTo } from '#testing/in-process/openid.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

givenPeopleElsewhere();

beforeEach(async () => {
  await verifierWith({ claims: { groups: 'memberOf' } });
  await createGroup(OPERATOR, { id: 'partners', name: 'Partners' });
});

const told = ({ access_token = '' }: Record<string, string>) => {
  const { groups, roles } = decodeJwt(access_token);
  return { groups, roles };
};
const leftOut = () =>
  sql(`select api_id, auth_method_id, details -> 'claims' as claims from audit_events
    where event = 'claims.left_out' order by id`);

test('a token with 200 groups stays below a fixed size, and the largest claims above 8 KiB are dropped', async () => {
  const many = (length: number) => Array.from({ length: 200 }, (_, at) => `g${at}`.padEnd(length, '-x'));
  const tokenOf = async (groups: string[]) => {
    await sql('insert into groups (id, name) select id, id from unnest($1::text[]) id', [groups]);
    await sql('delete from group_members');
    await sql(
      "insert into group_members (person_id, group_id) select p.id, g from people p, unnest($1::text[]) g where p.email = 'alice@example.com'",
      [groups],
    );
    const { cookie } = await signInTo('alice@example.com');
    return (await openIdTokens(TRU, { cookie, scope: 'read' })) as Record<string, string>;
  };
  await changeApi(OPERATOR, {
    ...{ id: 'orders', groupsClaim: ['*'], roles: { one: ['partners'] } },
    tokenClaims: ['groups', 'roles'],
  });
  const short = await tokenOf(many(20));
  expect(told(short).groups).toHaveLength(200);
  expect((short['access_token'] ?? '').length).toBeLessThan(7_168);
  const long = await tokenOf(many(63));
  expect(told(long)).toEqual({ groups: undefined, roles: [] });
  expect((long['access_token'] ?? '').length).toBeLessThan(1_536);
  await expect
    .poll(() => leftOut())
    .toEqual([{ api_id: 'orders', auth_method_id: 'pw', claims: ['groups'] }]);
  // oversized method claims are logged too
  elsewhere.say = { memberOf: many(63) };
  await byVerifier('ugo');
  const [, ofMethod] = await leftOut();
  expect(ofMethod).toEqual({ api_id: null, auth_method_id: 'ext', claims: ['groups'] });
});
