import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '#lib/catalogue/apis/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { events, givenClient, givenPerson, givenToken, type Person, sql } from '#testing/data/registry.ts';
import { givenManagementApi, callManagement as send } from '#testing/in-process/management.ts';
import { ACCESS } from '#testing/in-process/management-access.ts';
import { schemasOf } from './openapi.ts';
import { routes } from './routes.ts';

const SCHEMAS = schemasOf(routes);

const people: Record<string, Person> = {};
const tokens: Record<string, string> = {};
const ROLES = ['developer', 'approver', 'administrator'] as const;

async function givenWorld(): Promise<void> {
  await givenManagementApi();
  await requestSubscription(OPERATOR, { clientId: 'ops', api: 'orders' });
  people['end user'] = await givenPerson('user');
  for (const role of ROLES) people[role] = await givenPerson(role, role);
  for (const [name, person] of Object.entries(people)) tokens[name] = await givenToken(person);
}

const nameOf = (route: { method: string; path: string }) => `${route.method} ${route.path}`;

describe('AD-05: permissions of each role', () => {
  beforeAll(givenWorld);

  it('every route has an entry in the table, and every entry a route', () => {
    expect(Object.keys(ACCESS).toSorted()).toEqual(routes.map(nameOf).toSorted());
  });

  for (const route of routes) {
    it(`${nameOf(route)} permits exactly the roles in the table`, async () => {
      // no object has this name, so a call that is accepted changes nothing
      const path = route.path.replace(/:role/, 'developer').replaceAll(/:\w+/g, 'nothing');
      const sent = { method: route.method, json: route.method === 'GET' ? undefined : {} };
      const bodyless = route.body ? sent : { method: route.method };
      const nobody = await send(path, bodyless);
      expect(nobody.status, 'nobody').toBe(401);
      expect(nobody.headers['www-authenticate']).toMatch(/^Bearer /);
      const access = ACCESS[nameOf(route)] ?? [];
      for (const [name, person] of Object.entries(people)) {
        // a route for signing out revokes the caller's own token
        const { status } = await send(path, { ...bodyless, token: await givenToken(person) });
        const allowed = access === 'everybody' || person.roles.some((role) => access.includes(role as never));
        if (allowed) expect([200, 204, 404, 409, 422, 428], `${name}: ${status}`).toContain(status);
        else expect(status, name).toBe(403);
      }
    });
  }

  it('each 403 is audited with actor and action: one event per kind, plus a count', async () => {
    const denied = await events('access.denied');
    const [counted] = await sql<{ n: number }>(
      "select sum(count)::int as n from refusals where event = 'access.denied'",
    );
    expect(denied.length + (counted?.n ?? 0)).toBeGreaterThan(100);
    expect(new Set(denied.map((one) => one['actor'])).size).toBe(3);
    expect(new Set(denied.map((one) => one['actor']))).not.toContain(people['administrator']?.id);
  });
});

describe('the management API', () => {
  beforeEach(givenWorld);
  const admin = () => tokens['administrator'] as string;
  const dev = () => tokens['developer'] as string;

  it('the management API accepts only tokens issued for it, and only in the Authorization header', async () => {
    expect((await send('/me', { token: dev() })).json.email).toBe('developer@example.com');
    const other = await givenToken(people['developer'] as Person, { api: 'orders', scopes: ['read'] });
    for (const token of [other, 'garbage', `${dev()}x`]) {
      const answer = await send('/me', { token });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    }
    expect((await send('/me', { query: `access_token=${dev()}` })).status).toBe(401);
    await sql('update token_families set revoked_at = now()');
    expect((await send('/me', { token: dev() })).status).toBe(401);
  });

  it('the management API reads the user’s roles for each request, and the token’s scopes limit them', async () => {
    const person = people['administrator'] as Person;
    const narrow = await givenToken(person, { scopes: ['people:read'] });
    expect((await send('/people', { token: narrow })).status).toBe(200);
    const answer = await send('/people', { token: narrow, method: 'POST', json: {} });
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toContain('insufficient_scope", scope="people:write"');
    await sql(`update people set roles = '{}' where id = $1`, [person.id]);
    expect((await send('/people', { token: admin() })).status).toBe(403);
    await sql(`update people set disabled_at = now() where id = $1`, [person.id]);
    expect((await send('/people', { token: admin() })).status).toBe(401);
  });

  it('AD-12: an old sign-in returns the challenge of RFC 9470', async () => {
    const token = await givenToken(people['administrator'] as Person, { minutesAgo: 16 });
    const path = `/people/${people['end user']?.id}/roles/developer`;
    const answer = await send(path, { token, method: 'PUT' });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('insufficient_user_authentication", max_age="900"');
    expect((await send(path, { token: admin(), method: 'PUT' })).status).toBe(204);
    expect((await send('/people/user@example.com', { token: admin() })).json.roles).toEqual(['developer']);
  });

  const client = { name: 'Shop', kind: 'confidential', redirect_uris: ['https://shop.example/cb'] };

  it('an edit must name the read version: 428 if missing, 412 if outdated', async () => {
    const made = await send('/clients', {
      token: dev(),
      method: 'POST',
      json: { ...client, client_id: 'shop' },
    });
    expect(made).toMatchObject({ status: 201, headers: { location: '/api/v1/clients/shop' } });
    expect(made.json.secret).toMatch(/^ghcs_/);
    const { headers } = await send('/clients/shop', { token: dev() });
    const edit = { token: dev(), method: 'PATCH', json: { name: 'Other' } };
    expect((await send('/clients/shop', edit)).status).toBe(428);
    const match = { 'if-match': String(headers['etag']) };
    const saved = await send('/clients/shop', { ...edit, headers: match });
    expect(saved).toMatchObject({ status: 200, json: { name: 'Other' } });
    expect(saved.headers['etag']).not.toBe(headers['etag']);
    const late = await send('/clients/shop', { ...edit, headers: match });
    expect(late).toMatchObject({ status: 412, json: { type: 'urn:gatehouse:problem:stale' } });
    expect((await send('/clients/shop', { ...edit, headers: { 'if-match': 'W/"1"' } })).status).toBe(412);
  });

  it('AD-01: additional members in a developer’s request body are rejected and change nothing', async () => {
    const json = { client_id: 'ops', api: 'orders', state: 'approved', approved: true, trusted: true };
    const answer = await send('/subscriptions', { token: admin(), method: 'POST', json });
    expect(answer.status).toBe(422);
    expect((await send('/clients/ops/x', { token: dev() })).status).toBe(404);
    expect((await send('/clients/ops', { token: dev() })).status).toBe(404);
  });

  it('PATCH of a client lists subscriptions that return to pending', async () => {
    await givenClient(people['developer'] as Person, 'shop');
    const asked = { client_id: 'shop', api: 'orders', trusted: true };
    await send('/subscriptions', { token: dev(), method: 'POST', json: asked });
    const path = '/subscriptions/shop/orders';
    await send(`${path}/decision`, { token: admin(), method: 'POST', json: { action: 'approve' } });
    const patch = async (json: object) => {
      const { headers } = await send('/clients/shop', { token: dev() });
      const etag = String(headers['etag']);
      return send('/clients/shop', { token: dev(), method: 'PATCH', headers: { 'if-match': etag }, json });
    };
    const renamed = await patch({ name: 'Another shop' });
    expect(renamed).toMatchObject({ status: 200, json: { returned_to_pending: [] } });
    const moved = await patch({ redirect_uris: ['https://elsewhere.example/cb'] });
    expect(moved.json.returned_to_pending).toEqual([{ client_id: 'shop', api: 'orders' }]);
    expect(SCHEMAS['ChangedClient']?.safeParse(moved.json).error?.issues ?? []).toEqual([]);
    expect((await send(path, { token: dev() })).json.state).toBe('pending');
  });

  it('a problem response lists the faults by field, and the request id', async () => {
    const json = { ...client, client_id: 'no good', redirect_uris: ['http://shop.example/'] };
    const { status, headers, json: problem } = await send('/clients', { token: dev(), method: 'POST', json });
    expect(status).toBe(422);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(SCHEMAS['Problem']?.safeParse(problem).success).toBe(true);
    expect(problem.errors.map((one: { field: string }) => one.field)).toEqual([
      'client_id',
      'redirect_uris.0',
    ]);
    expect(headers['x-request-id']).toBe(problem.request_id);
    const raw = { token: dev(), method: 'POST', json: {}, headers: { 'content-type': 'text/plain' } };
    expect((await send('/clients', raw)).status).toBe(415);
    expect((await send('/clients', { token: dev(), query: 'limit=0' })).status).toBe(422);
    expect((await send('/clients', { token: dev(), query: 'limit=1&limit=2' })).status).toBe(400);
    expect((await send('/nowhere', { token: dev() })).status).toBe(404);
    const wrong = await send('/me', { token: dev(), method: 'POST', json: {} });
    expect(wrong).toMatchObject({ status: 405, headers: { allow: 'GET, PATCH, OPTIONS' } });
  });

  it('every response matches the OpenAPI document, and pages link to each other', async () => {
    await givenClient(people['developer'] as Person, 'shop');
    await requestSubscription(people['developer'] as Person, {
      clientId: 'shop',
      api: 'orders',
      trusted: true,
    });
    await createApi(OPERATOR, { id: 'files', name: 'Files', url: 'https://files.example' });
    const consent = `insert into consents (person_id, client_id, api_id, scopes) values ($1, 'shop', 'orders', '{read}')`;
    await sql(consent, [people['administrator']?.id]);
    await sql(`insert into groups (id, name) values ('editors', 'Editors')`);
    await sql(`insert into person_registrations (auth_method_id, email, kind, handle_hash, expires_at)
      values ('local', 'user@example.com', 'waiting', 'x', now() + interval '1 day')`);
    const ids: Record<string, string> = { client_id: 'shop', api: 'orders', kid: 'x', id: 'orders' };
    const { json: keys } = await send('/keys', { token: admin() });
    ids['kid'] = keys.rows[0].kid;
    let checked = 0;
    for (const route of routes) {
      const preview = /\/preview$/.test(route.path);
      if (!route.answers || route.path === '/find' || (route.method !== 'GET' && !preview)) continue;
      if (route.path.startsWith('/people/')) ids['id'] = 'user@example.com';
      if (route.path.startsWith('/apis/')) ids['id'] = 'orders';
      if (route.path.startsWith('/auth-methods/')) ids['id'] = 'local';
      if (route.path.startsWith('/groups/')) ids['id'] = 'editors';
      const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'x');
      const sent = { token: admin(), method: route.method, ...(preview ? { json: {} } : {}) };
      const { status, json } = await send(path, sent);
      expect(status, `${route.method} ${path}`).toBe(200);
      const schema = SCHEMAS[route.answers.name];
      const isList = route.answers.as === 'page' || route.answers.as === 'list';
      for (const row of isList ? json.rows : [json]) {
        const parsed = schema?.safeParse(row);
        expect(parsed?.error?.issues ?? [], nameOf(route)).toEqual([]);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(40);
    const first = await send('/clients', { token: admin(), query: 'limit=1' });
    const second = await send('/clients', {
      token: admin(),
      query: `limit=1&${new URLSearchParams({ cursor: first.json.next })}`,
    });
    expect([first, second].map((page) => page.json.rows[0].client_id)).toEqual(['ops', 'shop']);
    expect(second.json.next).toBeNull();
  });

  it('created objects have an address, and editable objects a version', async () => {
    const posted = { token: admin(), method: 'POST' };
    const made = await send('/apis', {
      ...posted,
      json: { id: 'maps', name: 'Maps', url: 'https://maps.example' },
    });
    expect(made).toMatchObject({ status: 201, headers: { location: '/api/v1/apis/maps', etag: '"1"' } });
    const person = await send('/people', { ...posted, json: { email: 'new@example.com' } });
    expect(person.headers['location']).toBe(`/api/v1/people/${person.json.id}`);
    expect((await send('/me', { token: dev() })).headers['etag']).toBe(`"1"`);
    expect((await send('/apis/maps/introspection-secret', posted)).status).toBe(201);
    expect((await send('/clients', { token: admin() })).headers['etag']).toBeUndefined();
  });

  it('decisions through the management API and through the console use the same operation', async () => {
    await givenClient(people['developer'] as Person, 'shop');
    const asked = { client_id: 'shop', api: 'orders', trusted: true, message: 'please' };
    const made = await send('/subscriptions', { token: dev(), method: 'POST', json: asked });
    expect(made).toMatchObject({ status: 201, json: { state: 'pending' } });
    expect(made.headers['location']).toBe('/api/v1/subscriptions/shop/orders');
    const approver = tokens['approver'] as string;
    const inbox = await send('/inbox', { token: approver });
    expect(inbox.json.rows[0]).toMatchObject({
      client_id: 'shop',
      message: 'please',
      may: { approve: true },
    });
    const decision = { method: 'POST', json: { action: 'approve' } };
    const path = '/subscriptions/shop/orders/decision';
    expect((await send(path, { ...decision, token: dev() })).status).toBe(403);
    const old = { ...decision, token: approver, headers: { 'if-match': '"99"' } };
    expect((await send(path, old)).status).toBe(412);
    expect((await send(path, { ...decision, token: approver })).json).toEqual({ state: 'approved' });
    expect((await send(path, { ...decision, token: approver })).status).toBe(409);
  });

  it('the OpenAPI 3.1 document of the management API names every route, and requires no token', async () => {
    const { status, json } = await send('/openapi.json');
    expect(status).toBe(200);
    expect(json.openapi).toBe('3.1.0');
    const named = Object.entries(json.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(named.toSorted()).toEqual(routes.map(nameOf).toSorted());
    const ids = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (methods) => Object.values(methods).map((one) => one.operationId),
    );
    expect(new Set(ids).size).toBe(routes.length);
    expect(JSON.stringify(json).match(/#\/components\/schemas\/\w+/g)).not.toBeNull();
    for (const [reference] of JSON.stringify(json).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(Object.keys(json.components.schemas)).toContain(reference.split('/').at(-1));
    }
  });
});
