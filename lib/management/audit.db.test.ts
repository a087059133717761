// The audit log.
import { beforeEach, expect, it } from 'vitest';
import { renewIntrospectionSecret } from '#lib/catalogue/apis/operations.ts';
import { grantRole } from '#lib/catalogue/people/operations.ts';
import { givenEmptyRegistry, givenPerson, type Person } from '#testing/data/registry.ts';
import { pageAudit } from './audit.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
});

it('AD-11: the audit log records actor, person, and values before and after, and returns pages', async () => {
  const alice = await givenPerson('alice');
  await grantRole(admin, { id: alice.id, role: 'developer' });
  await renewIntrospectionSecret(admin, { id: 'orders' });
  const { rows } = await pageAudit(admin, { event: 'person.role_granted' });
  expect(rows[0]).toMatchObject({
    actorEmail: 'admin@example.com',
    personEmail: 'alice@example.com',
    details: { role: 'developer', before: { roles: [] }, after: { roles: ['developer'] } },
  });
  const all = (await pageAudit(admin, { limit: 200 })).rows.map((row) => row.id);
  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageAudit(admin, { limit: 2, cursor });
    paged.push(...page.rows.map((row) => row.id));
    cursor = page.next ?? undefined;
  } while (cursor);
  expect(paged).toEqual(all);
  expect((await pageAudit(admin, { event: 'person.', actor: admin.id })).rows).toHaveLength(1);
});

it('the event filter matches name prefixes and the part after the dot', async () => {
  const alice = await givenPerson('alice');
  await grantRole(admin, { id: alice.id, role: 'developer' });
  const found = async (event: string) => (await pageAudit(admin, { event })).rows.map((row) => row.event);
  for (const event of ['person.role_granted', 'person.role', 'role_granted', 'Person role granted'])
    expect(await found(event), event).toContain('person.role_granted');
  expect(new Set((await found('person')).map((name) => name.split('.')[0]))).toEqual(new Set(['person']));
});

it('an unknown event name returns a fault instead of an empty log', async () => {
  for (const event of ['sing_in', 'nothing.at.all', 'zzz'])
    await expect(pageAudit(admin, { event })).rejects.toMatchObject({
      faults: [{ field: 'event', message: expect.stringContaining(`No event is called ${event}.`) }],
    });
});

it('the filters for actor, person, client and API match parts of names', async () => {
  const alice = await givenPerson('alice');
  await grantRole(admin, { id: alice.id, role: 'developer' });
  await renewIntrospectionSecret(admin, { id: 'orders' });
  const found = async (like: Parameters<typeof pageAudit>[1] & object) =>
    (await pageAudit(admin, like)).rows.map((row) => row.event);
  expect(await found({ like: { person: 'ali' } })).toContain('person.role_granted');
  expect(await found({ like: { person: alice.id } })).toContain('person.role_granted');
  expect(await found({ like: { actor: 'admin@' } })).toContain('person.role_granted');
  expect(await found({ like: { api: 'order' } })).toContain('api.changed');
  expect(await found({ like: { api: 'order', client: 'none-of-this' } })).toEqual([]);
});
