// At a FAPI 2.0 API, userinfo accepts a proof once across all processes. Other APIs store no proofs.
import { beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { findLiveTokenOnce } from '#lib/store/hot/access-tokens.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { readAccessToken } from '#lib/tokens/access-token.ts';
import { sql } from '#testing/data/registry.ts';
import { bank, issuer, openBank, resourceWith, tokensFor } from '#testing/fapi2/bank.ts';
import { proofKey, proofOf } from '#testing/net/dpop.ts';

beforeAll(openBank);

const noted = async () => (await sql('select 1 from used_proofs')).length;
/** Simulates another process, which has seen no proofs. */
const elsewhere = () => {
  processWide<unknown>('dpop-proofs').value = undefined;
};
async function headersFor(token: string, by = bank.first.key) {
  const dpop = await proofOf(by, { method: 'GET', address: `${issuer()}/userinfo`, token });
  return { authorization: `DPoP ${token}`, dpop };
}
const refusedAs = ({ headers }: Awaited<ReturnType<typeof resourceWith>>) =>
  /error="(\w+)"/.exec(String(headers['www-authenticate']))?.[1];

test.each(['jwt', 'opaque'] as const)(
  '%s tokens: another process also rejects a proof on its second use',
  async (accessTokenFormat) => {
    await changeApi(OPERATOR, { id: 'accounts', accessTokenFormat });
    const { access_token: token = '' } = await tokensFor(bank.first);
    // removes the proofs of the token request
    await sql('delete from used_proofs');
    const good = await headersFor(token);
    expect((await resourceWith(good)).status).toBe(200);
    elsewhere();
    const again = await resourceWith(good);
    expect([again.status, refusedAs(again)]).toEqual([401, 'invalid_dpop_proof']);
    expect(await noted()).toBe(1);
    // a request that is rejected for another reason stores no proof
    elsewhere();
    const other = await resourceWith(await headersFor(token, await proofKey()));
    expect([other.status, refusedAs(other)]).toEqual([401, 'invalid_dpop_proof']);
    expect((await resourceWith({ authorization: `Bearer ${token}` })).status).toBe(401);
    await sql('update token_families set revoked_at = now()');
    expect((await resourceWith(await headersFor(token))).status).toBe(401);
    expect(await noted()).toBe(1);
  },
);

test('of 100 concurrent uses of one proof exactly one is accepted, and the cleanup deletes expired proofs', async () => {
  await changeApi(OPERATOR, { id: 'accounts', accessTokenFormat: 'jwt' });
  const { access_token: token = '' } = await tokensFor(bank.first);
  const snapshot = await currentSnapshot();
  const access = readAccessToken(token, snapshot);
  if (!access) throw new Error('no token');
  const asked = { version: snapshot.version, askedBy: null, refreshHash: null, access };
  const proof = { hash: sha256('a proof'), jkt: sha256('its key') };
  let first = 0;
  const all = await Promise.all(
    Array.from({ length: 100 }, () =>
      findLiveTokenOnce({ ...asked, proof }, () => {
        first += 1;
      }),
    ),
  );
  expect([first, all.filter((live) => live !== null).length]).toEqual([1, 100]);
  await sql("update used_proofs set expires_at = now() - interval '1 second'");
  await deleteExpired();
  expect(await noted()).toBe(0);
});

test('used_proofs is an unlogged table, and requests at an API without a profile write no row to it', async () => {
  expect(await sql("select relpersistence as kind from pg_class where relname = 'used_proofs'")).toEqual([
    { kind: 'u' },
  ]);
  const { access_token: token = '' } = await tokensFor(bank.first);
  await sql('delete from used_proofs');
  await changeApi(OPERATOR, { id: 'accounts', profile: null });
  expect((await resourceWith(await headersFor(token))).status).toBe(200);
  expect(await noted()).toBe(0);
});
