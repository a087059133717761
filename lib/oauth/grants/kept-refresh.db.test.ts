// `refresh_token_rotation: never` for clients with DPoP, at APIs without a profile: one refresh token per sign-in, and
// a proof for each use.
import { beforeAll, expect, test, vi } from 'vitest';
import { changeClient, createClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { selectConsents } from '#lib/store/consents.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdCode,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

const hashed: string[] = [];
vi.mock('#lib/kit/random.ts', async (original) => {
  const real = await original<typeof import('#lib/kit/random.ts')>();
  const sha256: typeof real.sha256 = (value) => {
    hashed.push(value);
    return real.sha256(value);
  };
  return { ...real, sha256 };
});

let cookie = '';
let client: TrustedClient;
let key: ProofKey;

beforeAll(async () => {
  await givenFixtures();
  cookie = (await signInTo('alice@example.com')).cookie;
  [client] = (await givenTrustedClients(['kept'], { refreshTokenRotation: 'never' })) as [TrustedClient];
  key = await proofKey();
});

async function token(form: Record<string, string>, by: ProofKey | null = key) {
  const headers = by
    ? { dpop: await proofOf(by, { address: `${settings().authUrl}${OPENID_PATH}/token` }) }
    : {};
  const answer = await ask(`${OPENID_PATH}/token`, { form: { ...client, ...form }, headers });
  return { status: answer.status, body: jsonOf(answer) as Record<string, string> };
}
const refresh = (refresh_token = '', by?: ProofKey | null) =>
  token({ grant_type: 'refresh_token', refresh_token }, by);
const byCode = async () =>
  token({ grant_type: 'authorization_code', code: await openIdCode(client, { cookie, scope: 'openid' }) });
const byPassword = () =>
  token({ grant_type: 'password', username: 'alice@example.com', password: 'alice-password-1' });

test.each([
  ['a code', byCode],
  ['a password', byPassword],
])(
  'the refresh token of %s is not rotated, requires a proof, and expires with its family',
  async (_, given) => {
    const { body } = await given();
    expect(body['refresh_token']).toMatch(/^ghrk_/);
    const [ends] = await sql<{ same: boolean }>(
      'select r.expires_at = f.expires_at as same from refresh_tokens r join token_families f on f.id = r.family_id order by f.auth_time desc, f.expires_at desc limit 1',
    );
    expect(ends?.same).toBe(true);
    expect((await refresh(body['refresh_token'], null)).body['error']).toBe('invalid_dpop_proof');
    for (const by of [key, key, await proofKey()]) {
      const again = await refresh(body['refresh_token'], by);
      expect([again.status, again.body['token_type'], again.body['refresh_token']]).toEqual([
        200,
        'DPoP',
        undefined,
      ]);
    }
  },
);

test('a refresh computes one SHA-256 hash of its token, with rotation or without', async () => {
  const { body: kept } = await byCode();
  await changeClient(OPERATOR, { clientId: 'kept', refreshTokenRotation: 'always' });
  const { body: rotated } = await byCode();
  await changeClient(OPERATOR, { clientId: 'kept', refreshTokenRotation: 'never' });
  // loads the changed registry, because the first request after a change is repeated
  await refresh('ghrk_none');
  for (const { refresh_token: value = '' } of [kept, rotated]) {
    hashed.length = 0;
    expect((await refresh(value)).status).toBe(200);
    expect(hashed.filter((one) => one === value)).toHaveLength(1);
  }
});

test('after refresh_token_rotation is set back to always, tokens of new sign-ins rotate, and tokens of earlier sign-ins do not', async () => {
  const { body: before } = await byCode();
  await changeClient(OPERATOR, { clientId: 'kept', refreshTokenRotation: 'always' });
  const { body: after } = await byCode();
  expect(after['refresh_token']).toMatch(/^ghr_/);
  expect((await refresh(after['refresh_token'])).body['refresh_token']).toMatch(/^ghr_/);
  expect((await refresh(before['refresh_token'])).status).toBe(200);
  await changeClient(OPERATOR, { clientId: 'kept', refreshTokenRotation: 'never' });
});

test('the account page shows when a refresh token without rotation was last used', async () => {
  await sql('truncate consents, token_families cascade');
  const { body } = await byCode();
  const [given] = await sql<{ person_id: string }>(
    `insert into consents (person_id, client_id, api_id, scopes)
      select person_id, client_id, api_id, scopes from token_families returning person_id`,
  );
  const lastUsed = async () => {
    const [consent] = await inTransaction((db) => selectConsents(db, given?.person_id ?? ''));
    return consent?.lastUsedAt?.getTime() ?? 0;
  };
  const before = await lastUsed();
  expect((await refresh(body['refresh_token'])).status).toBe(200);
  expect(await lastUsed()).toBeGreaterThan(before);
});

test('refresh tokens of a sign-in without a key rotate, and a public client cannot disable rotation', async () => {
  const code = await openIdCode(client, { cookie, scope: 'openid' });
  const { body } = await token({ grant_type: 'authorization_code', code }, null);
  expect(body['refresh_token']).toMatch(/^ghr_/);
  const made = {
    name: 'No',
    redirectUris: ['https://no.example/cb'],
    refreshTokenRotation: 'never' as const,
  };
  for (const kind of ['native', 'browser'] as const)
    await expect(createClient(OPERATOR, { ...made, kind })).rejects.toThrow('a public client rotate');
});
