// Nobody but an administrator changes the registry as often as they like: every route, so that none is forgotten.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenClient, givenEmptyRegistry, givenPerson, givenToken, type Person } from '#testing/registry.ts';
import {
  createClient,
  decideSubscription,
  ensureManagementApi,
  MANAGEMENT_API,
  OPERATOR,
  requestSubscription,
} from '../management/index.ts';
import { loadSettings } from '../settings/index.ts';
import { ACCESS, handleManagementApi, routes } from './index.ts';

/** What gets past the checks of the input, where `{}` does not. */
const BODIES: Record<string, unknown> = {
  'POST /clients': { name: 'Shop', kind: 'browser', redirect_uris: ['https://shop.example/cb'] },
  'POST /subscriptions': { client_id: 'ops', api: 'orders' },
  'POST /subscriptions/:client_id/:api/decision': { action: 'reject' },
};
const nameOf = (route: { method: string; path: string }) => `${route.method} ${route.path}`;
const edits = routes.filter((route) => {
  const access = ACCESS[nameOf(route)] ?? [];
  const others = Array.isArray(access) && access.some((role) => role !== 'administrator');
  return others && route.method !== 'GET' && !route.path.endsWith('/preview');
});

describe('once a minute’s changes are used up', () => {
  const people: Record<string, string> = {};
  beforeAll(async () => {
    await givenEmptyRegistry();
    await ensureManagementApi();
    await givenClient(OPERATOR, 'ops');
    const ops = { clientId: 'ops', api: MANAGEMENT_API };
    await requestSubscription(OPERATOR, ops);
    await decideSubscription(OPERATOR, { ...ops, action: 'approve' });
    loadSettings({ ...process.env, EDITS_PER_MINUTE: '1' });
    for (const role of ['developer', 'approver'] as const) {
      const person: Person = await givenPerson(role, role, 'developer');
      await createClient(person, { name: role, kind: 'browser', redirectUris: ['https://shop.example/cb'] });
      people[role] = await givenToken(person);
    }
  });

  it('there are such routes', () => expect(edits.length).toBeGreaterThan(8));

  for (const route of edits) {
    it(`${nameOf(route)} is refused with 429 and Retry-After`, async () => {
      const access = ACCESS[nameOf(route)] as readonly string[];
      const token = people[access.includes('developer') ? 'developer' : 'approver'];
      const json = BODIES[nameOf(route)] ?? {};
      const answer = await handleManagementApi({
        method: route.method,
        path: `/api/v1${route.path.replace(':client_id', 'ops').replace(':api', 'orders').replaceAll(/:\w+/g, 'nothing')}`,
        query: '',
        headers: {
          authorization: `Bearer ${token}`,
          'if-match': '"1"',
          ...(route.body ? { 'content-type': 'application/json' } : {}),
        },
        body: async () => Buffer.from(route.body ? JSON.stringify(json) : ''),
        peerAddress: '192.0.2.1',
        requestId: randomUUID(),
      });
      expect([answer?.status, answer?.headers['retry-after']], String(answer?.body)).toEqual([429, '60']);
      expect(answer?.headers['content-type']).toContain('application/problem+json');
    });
  }
});
