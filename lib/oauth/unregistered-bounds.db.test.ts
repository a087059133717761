// Limits on pending unregistered clients per user, host and API. No limit hides the requests of other users.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { decideSubscription, pageInbox } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { comeWith, factOf, headingOf, startDocumentHost } from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { worldOn } from '#testing/data/world.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';

let host: Awaited<ReturnType<typeof startDocumentHost>>;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  await sql("update apis set agents = 'ask' where id = 'orders'");
  await currentSnapshot();
  host = await startDocumentHost();
});
beforeEach(() => sql('delete from clients where origin is not null'));
afterAll(async () => {
  await host.close();
  loadSettings();
});

const somebody = async () => (await signInTo((await worldOn(sql).makePerson()).email)).cookie;
/** Address of a document on one of forty loopback addresses, each of which is a separate host. */
const url = (at: number, name = `127.0.0.${(at % 40) + 1}`) => host.at(`/spray-${at}`, name);

/** Inserts this number of pending requests of the person, each for a different host. */
async function waiting(count: number, personId: string, hostOf = (at: number) => `host-${at}.example`) {
  const ids = Array.from({ length: count }, (_, at) => `https://${hostOf(at)}/client-${at}-${personId}`);
  await sql(
    `insert into clients (client_id, name, confidential, application_type, origin)
     select id, 'Agent', false, 'native', 'document' from unnest($1::text[]) id`,
    [ids],
  );
  await sql(
    `insert into subscriptions (client_id, api_id, state, requested_by)
     select id, 'orders', 'pending', $2 from unnest($1::text[]) id`,
    [ids, personId],
  );
  await sql(
    `insert into agent_requests (client_id, api_id, person_id, request_id)
     select id, 'orders', $2, 'r' from unnest($1::text[]) id`,
    [ids, personId],
  );
  await currentSnapshot();
}

test('a user who opens many invented client addresses can have ten waiting clients, and other users can still request clients', async () => {
  const cookie = await somebody();
  const headings = [];
  for (let at = 0; at < 10; at += 5)
    headings.push(...(await Promise.all([0, 1, 2, 3, 4].map((more) => comeWith(cookie, url(at + more))))));
  expect(headings.map(headingOf)).toEqual(headings.map(() => 'Waiting for approval'));
  const spray = await Promise.all([20, 21, 22].map((at) => comeWith(cookie, url(at))));
  expect(spray.map((one) => [one.status, headingOf(one)])).toEqual(
    spray.map(() => [403, 'Too many requests are waiting']),
  );
  expect(await sql("select from clients where origin = 'document'")).toHaveLength(10);
  expect(headingOf(await comeWith(await somebody(), url(30)))).toBe('Waiting for approval');
  // over the limit, users still see requests that are already pending, and nothing is counted
  const other = await comeWith(cookie, url(30));
  expect([headingOf(other), factOf(other, 'Request id').length]).toEqual(['Waiting for approval', 36]);
  const row = (await pageInbox(OPERATOR, { limit: 50 })).rows.find(({ clientId }) => clientId === url(30));
  expect(row?.askers).toBe(1);
});

test('parallel requests of a user respect the limit of waiting clients', async () => {
  const { id, email } = await worldOn(sql).makePerson();
  await waiting(8, id);
  const { cookie } = await signInTo(email);
  const headings = (await Promise.all([0, 1, 2, 3, 4, 5].map((at) => comeWith(cookie, url(at))))).map(
    headingOf,
  );
  expect(headings.filter((one) => one === 'Waiting for approval')).toHaveLength(2);
});

test('a host or API with too many waiting clients rejects new ones, and a decision frees a place', async () => {
  const { id } = await worldOn(sql).makePerson();
  const cookie = await somebody();
  await waiting(20, id, () => '127.0.0.2');
  const same = await comeWith(cookie, url(1));
  expect([same.status, headingOf(same)]).toEqual([403, 'Too many requests are waiting']);
  expect(headingOf(await comeWith(cookie, url(2)))).toBe('Waiting for approval');
  await sql('delete from clients where origin is not null');
  await waiting(200, id);
  expect(headingOf(await comeWith(cookie, url(3)))).toBe('Too many requests are waiting');
  const clientId = `https://host-0.example/client-0-${id}`;
  await decideSubscription(OPERATOR, { clientId, api: 'orders', action: 'reject' });
  expect(headingOf(await comeWith(cookie, url(3)))).toBe('Waiting for approval');
});

test('document addresses of one host share its limit, in any spelling of the scheme', async () => {
  const { id } = await worldOn(sql).makePerson();
  await waiting(20, id, () => '127.0.0.2');
  await sql(
    "update clients set client_id = replace(client_id, 'https://', 'HTTPS://') where origin is not null",
  );
  await currentSnapshot();
  expect(headingOf(await comeWith(await somebody(), url(1)))).toBe('Too many requests are waiting');
});

test('requests without a decision are deleted after a month, and decided and blocked clients remain', async () => {
  const { id } = await worldOn(sql).makePerson();
  await waiting(5, id);
  const [pending = '', rejected = '', approved = '', blocked = '', fresh = ''] = Array.from(
    { length: 5 },
    (_, at) => `https://host-${at}.example/client-${at}-${id}`,
  );
  await decideSubscription(OPERATOR, { clientId: rejected, api: 'orders', action: 'reject' });
  await decideSubscription(OPERATOR, { clientId: approved, api: 'orders', action: 'approve' });
  await sql('update clients set disabled_at = now() where client_id = $1', [blocked]);
  await sql("update clients set created_at = now() - interval '31 days' where client_id = any ($1)", [
    [pending, rejected, approved, blocked],
  ]);
  await deleteExpired();
  const left = await sql<{ id: string }>('select client_id as id from clients where origin is not null');
  expect(new Set(left.map((one) => one.id))).toEqual(new Set([rejected, approved, blocked, fresh]));
});

test('auto_approve accepts 100 new clients of its hosts per API and day, and later clients wait for an approver', async () => {
  const rule = [{ host: '*.many.example', scopes: [], max_days: null }];
  await sql("update apis set auto_approve = $1::jsonb where id = 'orders'", [
    JSON.stringify([...rule, { ...rule[0], host: '127.0.0.2' }]),
  ]);
  try {
    const { id, email } = await worldOn(sql).makePerson();
    await waiting(100, id, (at) => (at % 2 ? `user-${at}.many.example` : '127.0.0.2'));
    await sql("update subscriptions set state = 'approved' where api_id = 'orders' and requested_by = $1", [
      id,
    ]);
    await sql("update agent_requests set asked_at = now() - interval '2 days' where person_id = $1", [id]);
    await currentSnapshot();
    const { cookie } = await signInTo(email);
    expect((await comeWith(cookie, url(1))).status).toBe(303);
    await waiting(50, (await worldOn(sql).makePerson()).id, () => '127.0.0.2');
    await sql("update subscriptions set state = 'approved' where api_id = 'orders'");
    await currentSnapshot();
    expect(headingOf(await comeWith(cookie, host.at('/spray-901', '127.0.0.2')))).toBe(
      'Waiting for approval',
    );
    await sql("update subscriptions set created_at = now() - interval '25 hours' where api_id = 'orders'");
    expect((await comeWith(cookie, host.at('/spray-902', '127.0.0.2'))).status).toBe(303);
  } finally {
    await sql("update apis set auto_approve = '[]'::jsonb where id = 'orders'");
    await currentSnapshot();
  }
});
