// Rights removed during a slow verifier response are not granted afterwards (docs/project/decisions/0004).
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { RIGHT_PASSWORD, startVerifier, type Verifier } from '#testing/brokers/verifier.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
let verifier: Verifier;
let other: Verifier;
let meanwhile: () => Promise<unknown>;

const verifyAt = (url: string) =>
  sql(
    "update auth_methods set config = config || jsonb_build_object('verify_url', $1::text) where id = 'ext'",
    [url],
  );

beforeAll(async () => {
  await givenFixtures();
  other = await startVerifier();
  verifier = await startVerifier({
    more: async () => {
      await meanwhile();
      return {};
    },
  });
});
beforeEach(async () => {
  verifier.calls.length = 0;
  await sql('delete from attempts');
  await verifyAt(verifier.url);
});
afterAll(() => Promise.all([verifier.close(), other.close()]));

const signIn = () =>
  ask('/auth/ext/api/orders/token', {
    form: { ...TRU, grant_type: 'password', username: 'ada', password: RIGHT_PASSWORD },
    address: '192.0.2.7',
  });
const counted = () => sql("select key from attempts where failed > 0 and key not like '1%'");

test('the password grant returns the scopes that the API has when the verifier responds, and checks the password once', async () => {
  meanwhile = () =>
    changeApi(OPERATOR, { id: 'orders', scopes: [{ name: 'read', description: 'See your orders' }] });
  const answer = await signIn();
  expect([answer.status, jsonOf(answer)['scope']]).toEqual([200, 'read']);
  expect(await sql('select scopes from token_families')).toEqual([{ scopes: ['read'] }]);
  expect(verifier.calls).toHaveLength(1);
  expect(await counted()).toEqual([]);
});

test('if the method gets another verifier during a check, the response of the first verifier is discarded', async () => {
  meanwhile = () => verifyAt(other.url);
  expect((await signIn()).status).toBe(200);
  expect([verifier.calls.length, other.calls.length]).toEqual([1, 1]);
  expect(await counted()).toEqual([]);
});
