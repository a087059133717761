// The search over HTTP: it shows what the caller can see, and no address contains a credential.
import { beforeAll, expect, it } from 'vitest';
import { givenClient, givenPerson, givenToken, sql } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';

const tokens: Record<string, string> = {};

beforeAll(async () => {
  await givenManagementApi();
  const owner = await givenPerson('owner', 'developer');
  await givenClient(owner, 'shop');
  tokens['owner'] = await givenToken(owner);
  tokens['other'] = await givenToken(await givenPerson('other', 'developer'));
});

const found = (who: string, q: string) =>
  callManagement('/find', { token: tokens[who] ?? '', query: `${new URLSearchParams({ q })}` });

it('a developer finds only the developer’s own clients', async () => {
  const { status, json } = await found('owner', 'shop');
  expect(status).toBe(200);
  expect(json.rows).toEqual([expect.objectContaining({ kind: 'client', id: 'shop', by: 'id', exact: true })]);
  expect((await found('other', 'shop')).json.rows).toEqual([]);
});

it('a search with a token in its address is rejected, a token in the body is inspected, and events omit the token', async () => {
  const token = tokens['owner'] ?? '';
  const refused = await found('owner', token);
  expect([refused.status, JSON.stringify(refused.json)]).toEqual([
    422,
    expect.stringContaining('POST /token-inspections'),
  ]);
  expect(JSON.stringify(refused.json)).not.toContain(token);
  const inspected = await callManagement('/token-inspections', {
    token,
    method: 'POST',
    json: { token },
  });
  expect(inspected.status).toBe(200);
  expect(inspected.json).toMatchObject({ kind: expect.stringMatching(/^(jwt|opaque)$/), has_expired: false });
  const events = await sql('select details::text from audit_events');
  expect(JSON.stringify(events)).not.toContain(token);
});
