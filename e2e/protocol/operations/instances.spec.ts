// Several instances with one empty database: migrations and keys are created once.
import { expect, test } from '@playwright/test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { FIXTURES, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { withClient } from '#testing/data/sql.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import type { Program } from '#testing/net/program.ts';
import { gatehouse, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { passwordGrant, tokensOf } from '#testing/service/token.ts';

test('two instances start with an empty database, and accept each other’s tokens', async () => {
  test.setTimeout(90_000);
  const ports = [await freePort(), await freePort()];
  const doors = ports.map((port) => ({ url: `http://localhost:${port}` }));
  const [first = { url: '' }, second = { url: '' }] = doors;
  // both instances have the same URL, as behind a load balancer, so their issuers are equal
  const own = await startOwnDatabase({ BASE_URL: first.url });
  const servers: Program[] = [];
  try {
    servers.push(...(await Promise.all(ports.map((port) => startDoor('node', port, own)))));
    const migrations = await withClient(own.databaseUrl, (client) =>
      client.query('select migration_name from _prisma_migrations group by 1 having count(*) > 1'),
    );
    expect(migrations.rows).toEqual([]);

    gatehouse(own.env, 'apply', FIXTURES);
    const answers = await Promise.all(
      doors.map((door) => passwordGrant(door, fixtureClient('tru'), fixturePerson('alice'))),
    );
    for (const [index, answer] of answers.entries()) {
      const other = createRemoteJWKSet(new URL(`${issuerOf(index === 0 ? second : first)}/jwks`));
      await jwtVerify(tokensOf(answer).accessToken, other, { issuer: issuerOf(first) });
    }
    const keys = await withClient(own.databaseUrl, (client) =>
      client.query<{ keys: number }>('select count(*)::int as keys from signing_keys group by alg'),
    );
    expect(keys.rows.every((row) => row.keys === 1)).toBe(true);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await own.stop();
  }
});
