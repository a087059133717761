// The audit log.
import { beforeEach, expect, it } from 'vitest';
import { givenEmptyRegistry, givenPerson, type Person } from '#testing/registry.ts';
import { grantRole, pageAudit, renewIntrospectionSecret } from './index.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
});

it('AD-11: the audit log says who did what to whom, before and after, and is read page by page', async () => {
  const alice = await givenPerson('alice');
  await grantRole(admin, { id: alice.id, role: 'developer' });
  await renewIntrospectionSecret(admin, { id: 'orders' });
  const { rows } = await pageAudit(admin, { event: 'person.role_granted' });
  expect(rows[0]).toMatchObject({
    actorEmail: 'admin@example.com',
    personEmail: 'alice@example.com',
    details: { role: 'developer', before: [], after: ['developer'] },
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
