// Invented requests to every address: the answer is always documented, never a 500, and the process never crashes.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { findUndocumented } from '../../scripts/fuzz/documented.ts';
import { asRequest, requests } from '../../scripts/fuzz/requests.ts';
import { faultOf } from '../../scripts/fuzz/shape.ts';
import { prepareWorld } from '../../scripts/fuzz/world.ts';
import { endpoints, handleHttp } from './endpoints.ts';

const RUNS = 10_000;

test(`${RUNS} invented requests to every address each get a documented response, and none gets a 500`, async () => {
  setLogLevel('silent');
  const world = await prepareWorld();
  const patterns = endpoints.map((endpoint) => endpoint.pattern);
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(requests(world, patterns), async (invented) => {
      const requestId = randomUUID();
      const answer = await handleHttp(asRequest(invented, requestId));
      const kind = String(answer?.status ?? 'page');
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      expect(faultOf(invented, answer, requestId, world)).toBeNull();
      expect(findUndocumented(invented, answer)).toBeNull();
    }),
    { numRuns: RUNS },
  );
  // the requests passed the first checks and reached deeper code
  for (const kind of ['200', '204', '302', '303', '400', '401', '403', '404', '405', '422'])
    expect(seen.get(kind) ?? 0, `${kind}: ${JSON.stringify(Object.fromEntries(seen))}`).toBeGreaterThan(10);
}, 300_000);

test('UN-01: a NUL in redirect_uri is rejected, and the valid code stays usable', async () => {
  const world = await prepareWorld();
  const redeem = async (redirectUri: string) => {
    const form = {
      client_id: 'tru',
      client_secret: 'tru-secret-of-the-fixtures',
      grant_type: 'authorization_code',
      code: world.known['code']?.[0] ?? '',
      redirect_uri: redirectUri,
    };
    const answer = await ask('/auth/pw/api/orders/token', { form });
    return [answer.status, jsonOf(answer)['error']];
  };
  expect(await redeem('https://tru.example/cb\u0000')).toEqual([400, 'invalid_grant']);
  expect(await redeem('https://tru.example/cb')).toEqual([200, undefined]);
});
