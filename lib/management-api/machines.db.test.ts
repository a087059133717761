// Programs at the management API: an administrator approves a program, and scopes limit its operations. A
// program cannot run operations that need a recent sign-in, operations on accounts, or operations on its own
// client.
import { beforeEach, describe, expect, it } from 'vitest';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { MANAGEMENT_API } from '#lib/management/built-in.ts';
import { MANAGEMENT_SCOPES, OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { givenClient, givenPerson, type Person, refusal, sql } from '#testing/data/registry.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { givenManagementApi, callManagement as send } from '#testing/in-process/management.ts';
import { ACCESS } from '#testing/in-process/management-access.ts';
import { routes } from './routes.ts';

const BOT = { clientId: 'bot', api: MANAGEMENT_API };
let owner: Person;
let chief: Person;
let secret: string;

beforeEach(async () => {
  await givenManagementApi();
  owner = await givenPerson('owner', 'developer', 'approver');
  chief = await givenPerson('chief', 'administrator');
  secret = String(await givenClient(owner, 'bot'));
  await requestSubscription(owner, { ...BOT, machine: true, scopes: [...MANAGEMENT_SCOPES] });
  await decideSubscription(chief, { ...BOT, action: 'approve' });
});

const WIKI = { client_id: 'wiki', name: 'Wiki', kind: 'confidential', redirect_uris: [] };

const request = (scope?: string) =>
  ask(`/auth/local/api/${MANAGEMENT_API}/token`, {
    form: {
      client_id: 'bot',
      client_secret: secret,
      grant_type: 'client_credentials',
      ...(scope && { scope }),
    },
  });
const tokenFor = async (scope?: string) => String(jsonOf(await request(scope))['access_token']);
const decision = (client: string, action: string) => ({
  path: `/subscriptions/${client}/orders/decision`,
  call: { method: 'POST', json: { action, reason: 'for the test' } },
});

it('a machine client of the management API can create as many clients per day as its owner, then receives 429', async () => {
  const token = await tokenFor('clients:write');
  const make = (at: number) => {
    const json = { ...WIKI, client_id: `made-${at}` };
    return send('/clients', { token, method: 'POST', json });
  };
  const before = settings().clientsPerOwner;
  settings().clientsPerOwner = 3;
  try {
    const made = await Promise.all([0, 1, 2, 3, 4].map(make));
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 429, 429]);
    expect(await sql("select from clients where client_id like 'made-%'")).toHaveLength(3);
    const events = await sql(
      "select from audit_events where event = 'attempts.limited' and client_id = 'bot'",
    );
    expect(events).toHaveLength(1);
  } finally {
    settings().clientsPerOwner = before;
  }
});

describe('permissions of a machine client at the management API', () => {
  it('a machine client reads and changes within its scopes, and the audit log names the client, not a user', async () => {
    const token = await tokenFor('clients:read clients:write');
    expect((await send('/clients', { token })).json.rows).toHaveLength(2);
    const beyond = await send('/people', { token });
    expect(beyond.status).toBe(403);
    expect(beyond.headers['www-authenticate']).toContain('insufficient_scope", scope="people:read"');
    const json = { client_id: 'made', name: 'Made', kind: 'confidential', redirect_uris: [] };
    const made = await send('/clients', { token, method: 'POST', json, requestId: 'the-program' });
    expect(made.status).toBe(201);
    const [event] = await sql(
      'select event, actor, person_id, client_id from audit_events where request_id = $1',
      ['the-program'],
    );
    expect(event).toEqual({
      event: 'client.created',
      actor: 'client:bot',
      person_id: null,
      client_id: 'made',
    });
    const log = await tokenFor('audit:read');
    expect(
      (await send('/audit', { token: log, query: 'actor=client%3Abot' })).json.rows.map(
        (one: { event: string }) => one.event,
      ),
    ).toEqual(['client.created', 'access.denied']);
  });

  it('a machine client receives 403 for operations that need a recent sign-in or concern accounts, and changes nothing', async () => {
    const token = await tokenFor();
    const person = (await sql<{ id: string }>("select id from people where email = 'owner@example.com'"))[0]
      ?.id;
    const fresh: [string, string, object?][] = [
      ['POST', '/people', { email: 'new@example.com' }],
      ['PUT', `/people/${person}/roles/administrator`],
      ['PUT', `/people/${person}/password`, { password: 'long-enough-2' }],
      ['POST', '/apis', { id: 'x', name: 'X', url: 'https://x.example' }],
      ['POST', '/auth-methods', { id: 'x', type: 'local', name: 'X' }],
      ['POST', '/keys/rotation', {}],
      ['POST', '/clients/ops/enable'],
      ['POST', '/clients/ops/secrets'],
      ['POST', '/clients', { ...WIKI, id_jag_audiences: ['https://login.chat.example'] }],
    ];
    for (const [method, path, json] of fresh) {
      const answer = await send(path, { token, method, ...(json && { json }) });
      expect([answer.status, answer.json?.detail], `${method} ${path}`).toEqual([
        403,
        'this requires a person who has just signed in, not a program',
      ]);
    }
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      const path = route.path.replace(/:role/, 'developer').replaceAll(/:\w+/g, 'nothing');
      const json = route.body && route.method !== 'GET' ? { json: {} } : {};
      const { status } = await send(path, { token, method: route.method, ...json });
      if (ACCESS[name] === 'everybody') expect(status, name).toBe(403);
      else expect([200, 204, 403, 404, 409, 422, 428], `${name}: ${status}`).toContain(status);
    }
  });

  it('a machine client cannot approve but can suspend subscriptions, and only users resume them', async () => {
    const token = await tokenFor();
    await givenClient(OPERATOR, 'shop');
    await requestSubscription(OPERATOR, { clientId: 'shop', api: 'orders', trusted: true });
    const approve = decision('shop', 'approve');
    expect((await send(approve.path, { token, ...approve.call })).status).toBe(403);
    expect((await send('/subscriptions/shop/orders', { token })).json.may).toMatchObject({
      approve: false,
      reject: true,
    });
    await decideSubscription(chief, { clientId: 'shop', api: 'orders', action: 'approve' });
    const suspend = decision('shop', 'suspend');
    expect((await send(suspend.path, { token, ...suspend.call })).json).toEqual({ state: 'suspended' });
    const resume = decision('shop', 'resume');
    expect((await send(resume.path, { token, ...resume.call })).status).toBe(403);
    const { json } = await send('/subscriptions/shop/orders', { token });
    expect(json.history.at(-1)).toMatchObject({ to: 'suspended', actor: 'client bot' });
  });

  it('subscription requests by a machine client count as requests of its owner, who cannot approve them (AD-03)', async () => {
    const token = await tokenFor();
    await givenClient(OPERATOR, 'shop');
    const json = { client_id: 'shop', api: 'orders', machine: true };
    expect((await send('/subscriptions', { token, method: 'POST', json })).json).toEqual({
      state: 'pending',
    });
    const approve = { clientId: 'shop', api: 'orders', action: 'approve' } as const;
    expect((await refusal(decideSubscription(owner, approve)))?.kind).toBe('forbidden');
    expect(await decideSubscription(chief, approve)).toBe('approved');
  });

  it('a machine client cannot change its own registration or permissions', async () => {
    const token = await tokenFor();
    const { headers } = await send('/clients/bot', { token });
    const match = { 'if-match': String(headers['etag']) };
    const own: [string, string, object?][] = [
      ['PATCH', '/clients/bot', { name: 'Root' }],
      ['DELETE', '/clients/bot'],
      ['POST', '/clients/bot/secrets'],
      ['POST', '/clients/bot/secret-rotation'],
      ['POST', '/clients/bot/disable'],
      ['POST', '/subscriptions', { client_id: 'bot', api: 'orders' }],
      ['PATCH', `/subscriptions/bot/${MANAGEMENT_API}`, { scopes: ['keys:write'] }],
      ['DELETE', `/subscriptions/bot/${MANAGEMENT_API}`],
      ['POST', `/subscriptions/bot/${MANAGEMENT_API}/decision`, { action: 'suspend' }],
    ];
    for (const [method, path, json] of own) {
      const answer = await send(path, { token, method, headers: match, ...(json && { json }) });
      expect(answer.status, `${method} ${path}`).toBe(403);
    }
  });
});

it('suspension ends a machine client’s access, and tokens of another API are rejected', async () => {
  const token = await tokenFor();
  expect((await send('/clients', { token })).status).toBe(200);
  await decideSubscription(chief, { ...BOT, action: 'suspend' });
  expect((await send('/clients', { token })).status).toBe(401);
  expect((await request()).status).toBe(400);
  await requestSubscription(owner, { clientId: 'bot', api: 'orders', machine: true });
  await decideSubscription(chief, { clientId: 'bot', api: 'orders', action: 'approve' });
  const form = { client_id: 'bot', client_secret: secret, grant_type: 'client_credentials' };
  const other = jsonOf(await ask('/auth/local/api/orders/token', { form }));
  expect((await send('/clients', { token: String(other['access_token']) })).status).toBe(401);
});

it('the approval of a machine client stores explicit scopes, even if all boxes are ticked, and an approval without scopes is rejected', async () => {
  await givenClient(owner, 'wide');
  const wide = { clientId: 'wide', api: MANAGEMENT_API };
  await requestSubscription(owner, { ...wide, machine: true, scopes: [...MANAGEMENT_SCOPES] });
  const ceiling = async () =>
    (await sql<{ scopes: string[] }>("select scopes from subscriptions where client_id = 'wide'"))[0]?.scopes;
  await decideSubscription(chief, { ...wide, action: 'approve', scopes: [...MANAGEMENT_SCOPES] });
  expect(await ceiling()).toEqual(MANAGEMENT_SCOPES);
  await sql("update subscriptions set state = 'pending', scopes = '{}' where client_id = 'wide'");
  const all = decideSubscription(chief, { ...wide, action: 'approve' });
  expect((await refusal(all))?.faults[0]?.field).toBe('scopes');
  expect(await decideSubscription(chief, { ...wide, action: 'reject', reason: 'none' })).toBe('rejected');
});

it('a machine subscription to the management API must name scopes, in request and file, and only administrators approve it', async () => {
  await givenClient(owner, 'wide');
  const wide = { clientId: 'wide', api: MANAGEMENT_API };
  expect((await refusal(requestSubscription(owner, { ...wide, machine: true })))?.faults[0]?.field).toBe(
    'scopes',
  );
  await requestSubscription(owner, { ...wide, machine: true, scopes: ['audit:read'] });
  const judge = await givenPerson('judge', 'approver');
  expect((await refusal(decideSubscription(judge, { ...wide, action: 'approve' })))?.kind).toBe('forbidden');
  const file = (line: string) => `
clients: [{ client_id: job, confidential: true }]
users: [{ email: ada@example.com, roles: [administrator] }]
subscriptions: [{ client_id: job, api: management, machine: true, approved_by: ada@example.com${line} }]
`;
  const apply = (line: string) => applyConfiguration(file(line), { env: {}, prune: false, dryRun: false });
  await expect(apply('')).rejects.toThrow();
  await apply(', scopes: ["audit:read"]');
  expect(await sql("select state, machine from subscriptions where client_id = 'job'")).toEqual([
    { state: 'approved', machine: true },
  ]);
});
