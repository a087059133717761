// The audit log after a user was deleted: it keeps the id of the user and the details of events, but no personal
// data.
import { beforeEach, expect, it } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { changePerson, deletePerson, grantRole } from '#lib/catalogue/people/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { givenClient, givenEmptyRegistry, givenPerson, SHOP, sql } from '#testing/data/registry.ts';
import { changeMyProfile, deleteMyAccount } from './my-account.ts';

beforeEach(() => givenEmptyRegistry());

const PERSONAL = /zoe@example|Zoe Quux|Europe\/Berlin/;

async function eventsWith(data: RegExp): Promise<string[]> {
  const rows = await sql<{ event: string; details: string }>(
    'select event, details::text from audit_events order by id',
  );
  return [...new Set(rows.filter(({ details }) => data.test(details)).map(({ event }) => event))].toSorted();
}

for (const how of ['by themselves', 'by an administrator']) {
  it(`after a user is deleted ${how}, diffs mention the user only in events about profiles and about APIs that list the address`, async () => {
    const chief = await givenPerson('chief', 'administrator');
    const zoe = await givenPerson('zoe', 'developer');
    await changeMyProfile(zoe, { name: 'Zoe Quux', zoneinfo: 'Europe/Berlin' });
    await grantRole(chief, { id: zoe.id, role: 'approver' });
    await givenClient(zoe);
    await requestSubscription(zoe, { ...SHOP, trusted: true, scopes: ['read'], message: 'Zoe Quux asks' });
    await changeClient(chief, { clientId: 'shop', ownerEmail: 'chief@example.com' });
    await changeClient(chief, { clientId: 'shop', ownerEmail: 'zoe@example.com' });
    await changePerson(chief, { id: zoe.id, email: 'zoe@example.org' });
    await changeApi(chief, { id: 'orders', approvers: ['zoe@example.org'] });
    if (how === 'by themselves') await deleteMyAccount(zoe, { word: 'delete' });
    else await deletePerson(chief, { id: zoe.id });
    const removed = how === 'by themselves' ? [] : ['person.removed'];
    expect(await eventsWith(PERSONAL)).toEqual([
      'api.changed',
      'person.changed',
      'person.created',
      ...removed,
    ]);
    // owners are stored as ids, and changes of a profile contain only the names of members
    expect(await eventsWith(new RegExp(zoe.id))).toEqual(['client.changed']);
    const [moved] = await sql<{ details: unknown }>(
      "select details from audit_events where event = 'person.changed' order by id desc limit 1",
    );
    expect(moved?.details).toEqual({
      changed: ['email'],
      before: { email: 'zoe@example.com' },
      after: { email: 'zoe@example.org' },
    });
  });
}
