import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { query } from '#lib/store/pool.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';

const guess = async (secret: string) => {
  const form = { client_id: 'tru', client_secret: secret, grant_type: 'refresh_token', refresh_token: 'x' };
  return (await ask('/auth/pw/api/orders/token', { form })).status;
};

test('CA-20: while the registry keeps changing, a wrong secret still counts once', async () => {
  await givenFixtures();
  let changing = true;
  const changes = (async () => {
    while (changing) {
      await query({ text: 'update directory_version set version = version + 1 where id = 1', values: [] });
      // a request that reloads the registry waits at most three seconds for a moment without changes, so the
      // loop pauses between changes
      await sleep(40);
    }
  })();
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => guess(`wrong-${index}`)));
  changing = false;
  await changes;
  expect(statuses.filter((status) => status !== 401)).toEqual([]);
  expect(await guess('wrong-60')).toBe(429);
});
