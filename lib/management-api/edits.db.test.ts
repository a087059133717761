// Tests for every route that only administrators can edit the registry without a limit.
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenPerson, givenToken, type Person } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';
import { ACCESS, onlyReads } from '#testing/in-process/management-access.ts';
import { routes } from './routes.ts';

/** Bodies that pass validation, for routes where `{}` does not. */
const BODIES: Record<string, unknown> = {
  'POST /clients': { name: 'Shop', kind: 'browser', redirect_uris: ['https://shop.example/cb'] },
  'POST /subscriptions': { client_id: 'ops', api: 'orders' },
  'POST /subscriptions/:client_id/:api/decision': { action: 'reject' },
  'POST /inbox/decisions': { action: 'reject', requests: [{ client_id: 'ops', api: 'orders' }] },
};
/** The route that is not counted as an edit, because the change that it undoes was counted. */
const UNCOUNTED = 'DELETE /subscriptions/:client_id/:api/decision';
const nameOf = (route: { method: string; path: string }) => `${route.method} ${route.path}`;
const edits = routes.filter((route) => {
  const access = ACCESS[nameOf(route)] ?? [];
  const others = Array.isArray(access) && access.some((role) => role !== 'administrator');
  return others && !onlyReads(route) && nameOf(route) !== UNCOUNTED;
});

describe('once a minute’s changes are used up', () => {
  const people: Record<string, string> = {};
  beforeAll(async () => {
    await givenManagementApi();
    loadSettings({ ...process.env, EDITS_PER_MINUTE: '1' });
    for (const role of ['developer', 'approver'] as const) {
      const person: Person = await givenPerson(role, role, 'developer');
      await createClient(person, { name: role, kind: 'browser', redirectUris: ['https://shop.example/cb'] });
      people[role] = await givenToken(person);
    }
  });

  it('some management API routes count as changes', () => expect(edits.length).toBeGreaterThan(8));

  for (const route of edits) {
    it(`${nameOf(route)} above the limit returns 429 with Retry-After`, async () => {
      const access = ACCESS[nameOf(route)] as readonly string[];
      const token = people[access.includes('developer') ? 'developer' : 'approver'];
      const json = BODIES[nameOf(route)] ?? {};
      const path = route.path
        .replace(':client_id', 'ops')
        .replace(':api', 'orders')
        .replaceAll(/:\w+/g, 'nothing');
      const headers = { 'if-match': '"1"' };
      const call = { method: route.method, token, headers, ...(route.body && { json }) };
      const answer = await callManagement(path, call);
      expect([answer.status, answer.headers['retry-after']], String(answer.body)).toEqual([429, '60']);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    });
  }
});
