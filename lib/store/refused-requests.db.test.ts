// The developer's list of refused requests shows the newest first, also for refusals that were written together.
import { beforeEach, expect, it } from 'vitest';
import { givenClient, givenEmptyRegistry, givenPerson, SHOP, sql } from '#testing/data/registry.ts';
import { noteRefusedRequest } from './refusals.ts';

beforeEach(() => givenEmptyRegistry());

it('of two kinds of rejected requests, the one repeated last is listed first and shows its count', async () => {
  await givenClient(await givenPerson('dev', 'developer'));
  const refused = {
    clientId: SHOP.clientId,
    apiId: SHOP.api,
    authMethodId: 'local',
    endpoint: 'token',
  } as const;
  for (const error of ['invalid_grant', 'invalid_scope', 'invalid_grant'])
    noteRefusedRequest({ ...refused, error, description: error, details: {}, requestId: error, ip: null });
  const list = () =>
    sql<{ error: string; count: number }>(
      'select error, count from refused_requests order by at desc, id desc',
    );
  await expect.poll(list).toEqual([
    { error: 'invalid_grant', count: 2 },
    { error: 'invalid_scope', count: 1 },
  ]);
});
