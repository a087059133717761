// Blocking an unregistered client, and changes of its document.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeClient, disableClient, enableClient } from '#lib/catalogue/clients/operations.ts';
import {
  changeSubscription,
  decideSubscription,
  readSubscription,
} from '#lib/catalogue/subscriptions/operations.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  AGENT_CALLBACK,
  AGENT_PKCE,
  allow,
  comeWith,
  consentOf,
  headingOf,
  startDocumentHost,
} from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { refreshDocumentClient } from './unregistered.ts';

let host: Awaited<ReturnType<typeof startDocumentHost>>;
let alice: string;
let made = 0;
let path: string;
let agent: string;

const ORDERS = '/auth/pw/api/orders';
const API_SECRET = `Basic ${Buffer.from('orders:fixture-orders-introspection-secret').toString('base64')}`;
const IDS = { api: 'orders' };

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  await sql("update apis set agents = 'ask' where id = 'orders'");
  host = await startDocumentHost();
  ({ cookie: alice } = await signInTo('alice@example.com'));
});
beforeEach(async () => {
  made += 1;
  path = `/changing-${made}`;
  agent = host.at(path);
  await currentSnapshot();
  await comeWith(alice, agent, { scope: 'read' });
  await decideSubscription(OPERATOR, { clientId: agent, ...IDS, action: 'approve' });
});
afterAll(async () => {
  shiftClock(0);
  await host.close();
  loadSettings();
});

const come = () => comeWith(alice, agent, { scope: 'read' });
const token = (form: Record<string, string>) =>
  ask(`${ORDERS}/token`, { form: { client_id: agent, ...form } });
const redeem = (code: string) =>
  token({
    grant_type: 'authorization_code',
    code,
    code_verifier: AGENT_PKCE.verifier,
    redirect_uri: AGENT_CALLBACK,
  });
const refresh = (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token });
const isActive = async (given: string) =>
  jsonOf(
    await ask(`${ORDERS}/introspect`, { form: { token: given }, headers: { authorization: API_SECRET } }),
  )['active'];

test('code, refresh and introspection of a blocked client fail immediately and permanently', async () => {
  const given = jsonOf(await redeem(await allow(await come(), alice))) as Record<string, string>;
  const code = new URL(locationOf(await come())).searchParams.get('code') ?? '';
  expect(await isActive(given['access_token'] ?? '')).toBe(true);
  await disableClient(OPERATOR, { clientId: agent });
  expect((await redeem(code)).status).toBe(401);
  expect((await refresh(given['refresh_token'] ?? '')).status).toBe(401);
  expect(await isActive(given['access_token'] ?? '')).toBe(false);
  const page = await come();
  expect([page.status, headingOf(page)]).toEqual([403, 'This application is blocked']);
  await enableClient(OPERATOR, { clientId: agent });
  expect((await refresh(given['refresh_token'] ?? '')).status).toBe(400);
  expect((await redeem(code)).status).toBe(400);
  expect(new URL(locationOf(await come())).searchParams.get('code')).not.toBeNull();
});

test('a code issued while its client is revoked or blocked cannot be redeemed', async () => {
  await allow(await come(), alice);
  for (const end of [
    () => decideSubscription(OPERATOR, { clientId: agent, ...IDS, action: 'revoke' }),
    () => disableClient(OPERATOR, { clientId: agent }),
  ]) {
    const [answers] = await Promise.all([Promise.all(Array.from({ length: 10 }, come)), end()]);
    const codes = answers.flatMap((one) => new URL(locationOf(one) || 'x:').searchParams.get('code') ?? []);
    for (const code of codes) expect((await redeem(code)).status).toBeGreaterThanOrEqual(400);
    expect((await come()).status).toBe(403);
    if (end.toString().includes('disable')) break;
    await sql("update subscriptions set state = 'approved' where client_id = $1", [agent]);
    await currentSnapshot();
  }
});

test('if a document gets a new name, the row is updated and new consent is required, and refresh tokens remain valid', async () => {
  const given = jsonOf(await redeem(await allow(await come(), alice))) as Record<string, string>;
  expect(locationOf(await come())).toContain('code=');
  host.say(path, { client_name: 'Somebody else' });
  shiftClock(600_000);
  try {
    const { view } = await consentOf(await come(), alice);
    expect(view.client.name).toBe('Somebody else');
    expect((await refresh(given['refresh_token'] ?? '')).status).toBe(200);
    await allow(await come(), alice);
    expect(locationOf(await come())).toContain('code=');
  } finally {
    shiftClock(0);
  }
  const events = await sql<{ details: { changed: string[]; before: { name: string } } }>(
    "select details from audit_events where client_id = $1 and event = 'client.changed'",
    [agent],
  );
  expect(events.map(({ details }) => [details.changed, details.before.name])).toEqual([[['name'], 'Agent']]);
  const { clientChangedAt, history } = await readSubscription(OPERATOR, { clientId: agent, ...IDS });
  const approvedAt = history.findLast(({ to }) => to === 'approved')?.at;
  expect(clientChangedAt?.getTime()).toBeGreaterThan(approvedAt?.getTime() ?? Number.POSITIVE_INFINITY);
});

test('if a document changes during a decision, only the version that was shown can be approved', async () => {
  await sql("update subscriptions set state = 'pending' where client_id = $1", [agent]);
  await currentSnapshot();
  const { version } = await readSubscription(OPERATOR, { clientId: agent, ...IDS });
  host.say(path, { client_name: 'Your bank' });
  shiftClock(600_000);
  try {
    await comeWith(undefined, agent);
  } finally {
    shiftClock(0);
  }
  const approve = (seen: number) =>
    decideSubscription(OPERATOR, { clientId: agent, ...IDS, action: 'approve', version: seen });
  await expect(approve(version)).rejects.toThrow(/another person changed/);
  const now = await readSubscription(OPERATOR, { clientId: agent, ...IDS });
  expect(now.clientName).toBe('Your bank');
  expect(await approve(now.version)).toBe('approved');
});

test('concurrent requests record a document change once', async () => {
  host.say(path, { redirect_uris: [AGENT_CALLBACK, 'https://agent.example/other'] });
  shiftClock(600_000);
  try {
    await Promise.all(Array.from({ length: 8 }, come));
  } finally {
    shiftClock(0);
  }
  const changes = "select from audit_events where client_id = $1 and event = 'client.changed'";
  expect(await sql(changes, [agent])).toHaveLength(1);
});

test('a cached document copy older than the row changes nothing', async () => {
  const client = (await currentSnapshot()).clients.get(agent);
  await sql(
    "update clients set name = 'Newer', document_read_at = now() + interval '1 hour' where client_id = $1",
    [agent],
  );
  expect(client && (await refreshDocumentClient(client, { address: null, requestId: 'test' }))).toBe(false);
  expect(await sql('select from clients where client_id = $1 and name = $2', [agent, 'Newer'])).toHaveLength(
    1,
  );
});

test('an operation cannot change fields that come from a document, and clients with a document are never trusted', async () => {
  const change = changeClient(OPERATOR, { clientId: agent, name: 'Mine' });
  await expect(change).rejects.toThrow(/defined by its document/);
  await expect(
    changeClient(OPERATOR, { clientId: agent, redirectUris: ['https://evil.example/cb'] }),
  ).rejects.toThrow(/defined by its document/);
  await expect(
    changeSubscription(OPERATOR, { clientId: agent, api: 'orders', trusted: true }),
  ).rejects.toThrow('cannot be trusted');
});
