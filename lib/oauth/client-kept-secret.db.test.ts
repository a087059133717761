// Client secrets that the configuration file imports as another service's hash: their check at every endpoint, and the
// stored result.
import { beforeEach, expect, test } from 'vitest';
import { rotateClientSecret } from '#lib/catalogue/clients/operations.ts';
import { replaceKeptSecret } from '#lib/catalogue/clients/rows.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { exportConfiguration } from '#lib/config/export.ts';
import { PasswordHashBusy } from '#lib/kit/password-hash.ts';
import { processWide } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { currentSnapshot, RegistryChanged } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH } from '#testing/in-process/openid.ts';
import { provesKeptSecret } from './client-authentication.ts';

const SECRET = 'hydra+secret%of the shop';
// result of Debian's htpasswd -nbBC 5
const BCRYPT = '$2y$05$EuI1GnJmE2mL3KEt3gD2Ze7mLfkNTJaZeQFkoNBIxZNX6pMrNYYi6';
// result of Python's hashlib.pbkdf2_hmac, in the format of Hydra
const PBKDF2 =
  '$pbkdf2-sha256$i=25000,l=32$AQIDBAUGBwgJCgsMDQ4PEA$h/dg6VITaaBEYCQvIeAZh62pUuIkBiZzk2I557SJ2xc';

const clientWith = (given: object) =>
  applyConfiguration(
    JSON.stringify({
      clients: [
        { client_id: 'moved', confidential: true, redirect_uris: ['https://moved.example/cb'], ...given },
      ],
    }),
    { env: {} },
  );
const rows = () =>
  sql<{ secret: string; kept: string | null }>(
    "select encode(secret_hash, 'hex') as secret, kept_hash as kept from client_secrets where client_id = 'moved'",
  );
const OURS = sha256(SECRET).toString('hex');
const moved = async () => {
  const client = (await currentSnapshot()).clients.get('moved');
  if (!client) throw new Error('the client is not there');
  return client;
};
const inBody = (secret: string) => ({ form: { client_id: 'moved', client_secret: secret } });
const byBasic = (secret: string) => {
  const encoded = new URLSearchParams({ s: secret }).toString().slice(2);
  return { headers: { authorization: `Basic ${Buffer.from(`moved:${encoded}`).toString('base64')}` } };
};
const CODE = {
  response_type: 'code',
  redirect_uri: 'https://moved.example/cb',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
};

/** Returns the endpoint's error. An authenticated client receives an unrelated error. */
async function errorAt(path: string, sent: { form?: object; headers?: Record<string, string> }) {
  const form = { token: 'x', grant_type: 'refresh_token', refresh_token: 'x', ...CODE, ...sent.form };
  const answer = await ask(`${OPENID_PATH}${path}`, { form, ...(sent.headers && { headers: sent.headers }) });
  return String(answer.body) === '' ? 'none' : String(jsonOf(answer)['error'] ?? 'none');
}

beforeEach(async () => {
  await sql('delete from attempts');
  await sql("delete from clients where client_id = 'moved'");
  processWide('kept-secrets').value = undefined;
  await givenFixtures();
});

test.each([
  ['/token', byBasic, BCRYPT, 'unauthorized_client'],
  ['/token', inBody, PBKDF2, 'unauthorized_client'],
  ['/revoke', byBasic, PBKDF2, 'none'],
  ['/introspect', inBody, BCRYPT, 'none'],
  ['/par', inBody, BCRYPT, 'unauthorized_client'],
])(
  'at %s, the first use of the right secret replaces its imported hash by SHA-256',
  async (path, by, hash, then) => {
    await clientWith({ client_secret_hash: hash });
    expect(await rows()).toEqual([{ secret: expect.any(String), kept: hash.replace(',l=32', '') }]);
    for (const wrong of ['wrong', hash, '', OURS])
      expect(await errorAt(path, by(wrong))).toBe('invalid_client');
    expect(await rows()).not.toMatchObject([{ kept: null }]);
    // wrong secrets of a stranger are counted, but do not block other addresses
    await sql('delete from attempts');
    expect(await errorAt(path, by(SECRET))).toBe(then);
    expect(await rows()).toEqual([{ secret: OURS, kept: null }]);
    expect(await errorAt(path, by(SECRET))).toBe(then);
    expect(await errorAt(path, by('wrong'))).toBe('invalid_client');
  },
);

test('the file sets the hash of a secret once: a later apply or export changes nothing, and another value replaces the hash', async () => {
  await clientWith({ client_secret_hash: BCRYPT });
  expect(await clientWith({ client_secret_hash: BCRYPT })).toEqual([]);
  expect(await applyConfiguration(await exportConfiguration(), { env: {} })).toEqual([]);
  expect(await errorAt('/revoke', inBody(SECRET))).toBe('none');
  expect(await clientWith({ client_secret_hash: BCRYPT })).toEqual([]);
  expect(await applyConfiguration(await exportConfiguration(), { env: {} })).toEqual([]);
  // replacing `client_secret` by `client_secret_hash` is a change, despite the same text
  const changed = (lines: string) => [expect.objectContaining({ lines: [lines] })];
  expect(await clientWith({ client_secret: BCRYPT })).toEqual(changed('~ client_secret: (changed)'));
  expect(await rows()).toEqual([{ secret: sha256(BCRYPT).toString('hex'), kept: null }]);
  expect(await clientWith({ client_secret_hash: BCRYPT })).toEqual(
    changed('~ client_secret_hash: (changed)'),
  );
  expect(await rows()).toMatchObject([{ kept: BCRYPT }]);
  expect(await clientWith({ client_secret_hash: PBKDF2 })).toHaveLength(1);
  expect(await rows()).toHaveLength(1);
  expect(await errorAt('/revoke', inBody(SECRET))).toBe('none');
});

test('concurrent first uses of a secret store one SHA-256 hash, even across processes', async () => {
  await clientWith({ client_secret_hash: BCRYPT });
  const uses = Array.from({ length: 8 }, () => errorAt('/revoke', inBody(SECRET)));
  expect(new Set(await Promise.all(uses))).toEqual(new Set(['none']));
  expect(await rows()).toEqual([{ secret: OURS, kept: null }]);
  await clientWith({ client_secret_hash: PBKDF2.replace(',l=32', '') });
  const kept = String((await rows())[0]?.kept);
  const both = [1, 2, 3].map(() => replaceKeptSecret('moved', kept, sha256(SECRET)));
  expect(await Promise.all(both)).toEqual([true, true, true]);
  expect(await rows()).toEqual([{ secret: OURS, kept: null }]);
});

test('a client secret revoked during its first check is rejected and stays revoked', async () => {
  await clientWith({ client_secret_hash: BCRYPT });
  const before = await moved();
  await rotateClientSecret(OPERATOR, { clientId: 'moved' });
  await expect(provesKeptSecret(before, SECRET, null)).rejects.toThrow(RegistryChanged);
  expect(await errorAt('/revoke', inBody(SECRET))).toBe('invalid_client');
  expect((await rows()).map(({ secret }) => secret)).not.toContain(OURS);
  // rotation with overlap: the old secret expires on time, even if it was used for the first time after the
  // rotation
  await clientWith({ client_secret_hash: PBKDF2 });
  await rotateClientSecret(OPERATOR, { clientId: 'moved', overlapSeconds: 3600 });
  expect(await errorAt('/revoke', inBody(SECRET))).toBe('none');
  const [old] = await sql<{ ends: Date | null }>(
    "select expires_at as ends from client_secrets where secret_hash = $1 and client_id = 'moved'",
    [sha256(SECRET)],
  );
  expect(old?.ends).toBeInstanceOf(Date);
  await sql("update client_secrets set expires_at = now() where client_id = 'moved' and secret_hash = $1", [
    sha256(SECRET),
  ]);
  expect(await errorAt('/revoke', inBody(SECRET))).toBe('invalid_client');
});

test('at most four secrets per client and network are checked at once, and each process checks a wrong secret once', async () => {
  await clientWith({ client_secret_hash: BCRYPT });
  const client = await moved();
  const checks = ['a', 'b', 'a', 'c', 'd', 'e'].map((wrong) => provesKeptSecret(client, wrong, null));
  const ends = await Promise.allSettled(checks);
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason))).toEqual([
    ...[false, false, false, false, false],
    expect.any(PasswordHashBusy),
  ]);
  expect(await provesKeptSecret(client, 'e', null)).toBe(false);
  expect(await provesKeptSecret(client, SECRET, null)).toBe(true);
});

test('the right secret is checked even if wrong secrets from another network reach their limit', async () => {
  await clientWith({ client_secret_hash: BCRYPT });
  const client = await moved();
  const wrong = ['s', 't', 'u', 'v', 'w'].map((one) => provesKeptSecret(client, one, '192.0.2.1'));
  const right = provesKeptSecret(client, SECRET, '198.51.100.1');
  const [ends, proved] = await Promise.all([Promise.allSettled(wrong), right]);
  expect(ends.at(-1)).toMatchObject({ status: 'rejected', reason: expect.any(PasswordHashBusy) });
  expect(proved).toBe(true);
  expect(await provesKeptSecret(client, 'x'.repeat(1_025), null)).toBe(false);
});

test('bcrypt reads only 72 bytes, so the hash of a longer secret is not replaced', async () => {
  const [beginning, hash] = [
    '0123456789'.repeat(8),
    '$2y$04$g6N/QzDt6z/q5aL7PHTmlu/BihaYJaqN1/b09WZDqPac6ZMRTPILu',
  ];
  await clientWith({ client_secret_hash: hash });
  for (const end of ['', ' and more'])
    expect(await provesKeptSecret(await moved(), beginning + end, null)).toBe(true);
  expect(await rows()).toMatchObject([{ kept: hash }]);
  const used = () =>
    sql("select 1 from client_secrets where client_id = 'moved' and last_used_at is not null");
  await expect.poll(used).toHaveLength(1);
});
