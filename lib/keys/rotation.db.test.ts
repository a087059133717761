// Rotation from the view of an API: a real verifier (jose) with a JWKS cache, over HTTP.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { promisify } from 'node:util';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot, type SnapshotApi } from '#lib/store/snapshot.ts';
import { signAccessToken } from '#lib/tokens/access-token.ts';
import { withClient } from '#testing/data/sql.ts';
import { listen } from '#testing/net/listen.ts';
import { findPublicKey, publicKeys, retireKey, rotateKeys } from './keys.ts';

const api = (signingAlg: 'ES256' | 'RS256') =>
  ({ url: 'https://api.example/orders', signingAlg, accessTokenTtlSeconds: 60 }) as SnapshotApi;
const sign = async (alg: 'ES256' | 'RS256') =>
  signAccessToken(
    {
      issuer: 'https://login.example/auth/local/api/orders',
      api: api(alg),
      familyId: randomUUID(),
      sub: randomUUID(),
      clientId: 'shop',
      scopes: ['read'],
      authTime: new Date(),
    },
    await currentSnapshot(),
  );

const server = await listen(
  http.createServer(async (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(publicKeys(await currentSnapshot())));
  }),
);
const jwksUrl = new URL(`${server.url}/jwks`);
afterAll(() => server.close());

test('JK-02: while keys rotate every second under load, no verification fails', async () => {
  // the real intervals, at least 75 times shorter: JWKS cache 0.6 s, earliest new fetch after 0.3 s
  const jwks = createRemoteJWKSet(jwksUrl, { cacheMaxAge: 600, cooldownDuration: 300 });
  const kids = new Set<string>();
  const kept: string[] = [];
  const verify = (token: string) =>
    jwtVerify(token, jwks, { audience: api('ES256').url, algorithms: ['ES256', 'RS256'] });
  const failures: unknown[] = [];
  let done = false;
  const load = async (alg: 'ES256' | 'RS256') => {
    while (!done) {
      const token = await sign(alg);
      const kid = String(decodeProtectedHeader(token).kid);
      if (!kids.has(kid)) kept.push(token);
      kids.add(kid);
      await verify(token).catch((error) => failures.push(error));
    }
  };
  await Promise.all((['ES256', 'RS256'] as const).map(sign));
  const loads = [load('ES256'), load('ES256'), load('RS256')];
  for (let second = 0; second < 7; second += 1) {
    await rotateKeys({ publishSeconds: 2 });
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  done = true;
  await Promise.all(loads);
  expect(failures).toEqual([]);
  expect(kids.size).toBeGreaterThan(5);
  // each key that ever signed still verifies its tokens
  for (const token of kept) await verify(token);
});

test('tokens signed by a retired key are rejected', async () => {
  const token = await sign('ES256');
  const { kid = '' } = decodeProtectedHeader(token);
  await retireKey(kid);
  expect(findPublicKey(await currentSnapshot(), kid)).toBeNull();
  await expect(jwtVerify(token, createRemoteJWKSet(jwksUrl))).rejects.toMatchObject({
    code: 'ERR_JWKS_NO_MATCHING_KEY',
  });
});

test('JK-05: three processes that start on an empty database create exactly one key set', async () => {
  const name = `empty_${randomUUID().replaceAll('-', '')}`;
  await withClient(settings().databaseUrl, (admin) => admin.query(`create database ${name}`));
  const DATABASE_URL = settings().databaseUrl.replace(/\/[^/]*$/, `/${name}`);
  const program = `
    import { currentKey } from '#lib/keys/keys.ts';
    import { start } from '#lib/embedded-database/start.ts';
    import { closePool } from '#lib/store/pool.ts';
    import { currentSnapshot } from '#lib/store/snapshot.ts';
    import { migrate } from '#lib/store/migrate.ts';
    await start();
    await migrate();
    for (const alg of ['ES256', 'RS256']) console.log((await currentKey(alg, await currentSnapshot())).kid);
    await closePool();`;
  const run = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, DATABASE_URL },
    });
  const outputs = (await Promise.all([run(), run(), run()])).map(({ stdout }) => stdout);
  expect(new Set(outputs).size).toBe(1);
  const { rows } = await withClient(DATABASE_URL, (empty) =>
    empty.query('select alg from signing_keys order by alg'),
  );
  expect(rows).toEqual([{ alg: 'ES256' }, { alg: 'RS256' }]);
});
