// Several instances are one service: what they make on an empty database they make once. A database of their own.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import { freePort } from '#testing/free-port.ts';
import { ensureEmbeddedDatabase } from '../../lib/store/index.ts';
import { fixtureClient, fixturePerson } from '../support/fixtures.ts';
import { send } from '../support/http.ts';
import { launch, ready, stop } from '../support/service.ts';

test('two instances started at once on an empty database both come up, and one takes the other’s tokens', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-instances-'));
  const database = await ensureEmbeddedDatabase(folder);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: database.databaseUrl,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
    GATEHOUSE_DATA_DIR: folder,
    NODE_ENV: 'production',
  };
  const ports = [await freePort(), await freePort()];
  // one address for both, as behind a load balancer: the issuer is the same
  const baseUrl = `http://localhost:${ports[0]}`;
  const servers = ports.map((port, index) =>
    launch(
      'node_modules/.bin/node',
      ['server.ts'],
      { ...env, BASE_URL: baseUrl, PORT: String(port) },
      path.join(folder, `${index}.log`),
    ),
  );
  const client = new pg.Client({ connectionString: database.databaseUrl });
  try {
    await Promise.all(ports.map(ready));
    await client.connect();
    const { rows } = await client.query(
      'select migration_name, count(*)::int from _prisma_migrations group by 1 having count(*) > 1',
    );
    expect(rows).toEqual([]);

    execFileSync('node_modules/.bin/node', ['cli/main.ts', 'apply', 'e2e/support/fixtures.yaml'], {
      env,
      stdio: 'ignore',
    });
    const [first, second] = ports.map((port) => `http://localhost:${port}/auth/pw/api/orders`);
    const { email, password } = fixturePerson('alice');
    const form = {
      grant_type: 'password',
      client_id: 'tru',
      client_secret: fixtureClient('tru').secret as string,
      username: email,
      password,
    };
    const answers = await Promise.all([first, second].map((issuer) => send(`${issuer}/token`, { form })));
    for (const [index, answer] of answers.entries()) {
      expect(answer.status, answer.text).toBe(200);
      const other = createRemoteJWKSet(new URL(`${index === 0 ? second : first}/jwks`));
      const token = answer.json()['access_token'] as string;
      await jwtVerify(token, other, { issuer: `${baseUrl}/auth/pw/api/orders` });
    }
    const keys = await client.query(
      'select alg, count(*)::int as keys from signing_keys group by 1 order by 1',
    );
    expect(keys.rows.every((row: { keys: number }) => row.keys === 1)).toBe(true);
  } finally {
    await client.end();
    await Promise.all(servers.map(stop));
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
