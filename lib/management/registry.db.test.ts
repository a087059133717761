import { beforeEach, expect, it } from 'vitest';
import { applyConfiguration, exportConfiguration } from '#lib/config/index.ts';
import type { ApiInput } from '#lib/registry/index.ts';
import {
  countLiveFamilies,
  events,
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  PASSWORD,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/registry.ts';
import {
  changeApi,
  changeAuthMethod,
  changePerson,
  createApi,
  createAuthMethod,
  createPerson,
  deleteApi,
  deleteAuthMethod,
  deletePerson,
  endSession,
  endSessionsOf,
  ensureManagementApi,
  grantRole,
  isOwnSession,
  listCatalogue,
  MANAGEMENT_API,
  OPERATOR,
  pageApis,
  pageAudit,
  pagePeople,
  pageSessions,
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  readApi,
  readAuthMethod,
  readOverview,
  readPerson,
  renewIntrospectionSecret,
  requestSubscription,
  rotateSigningKeys,
  signInToConsole,
} from './index.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
});

const BILLING: ApiInput = {
  id: 'billing',
  name: 'Billing',
  url: 'https://billing.example',
  authMethods: ['local'],
};

it('an API is made, changed by whoever saw it last, and deleted with what rests on it', async () => {
  const api = await createApi(admin, BILLING);
  expect(api).toMatchObject({ accessTokenTtlSeconds: 3600, authMethods: ['local'], managed: false });
  const edits = ['One', 'Two'].map((name) => changeApi(admin, { id: 'billing', version: api.version, name }));
  const settled = await Promise.allSettled(edits);
  expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  expect(settled.find((one) => one.status === 'rejected')?.reason).toMatchObject({ kind: 'stale' });
  expect(await events('api.changed')).toMatchObject([
    { actor: admin.id, details: { changed: ['name'], before: { name: 'Billing' } } },
  ]);
  await deleteApi(admin, { id: 'billing' });
  expect((await refusal(readApi(admin, { id: 'billing' })))?.kind).toBe('not-found');
});

it('what is wrong with an API is said field by field', async () => {
  const wrong = {
    ...BILLING,
    id: 'No Good',
    accessTokenTtlSeconds: 0,
    scopes: [{ name: 'a b', description: '' }],
  };
  expect((await refusal(createApi(admin, wrong)))?.faults.map((fault) => fault.field)).toEqual([
    'id',
    'scopes.0.name',
    'accessTokenTtlSeconds',
  ]);
  const double = { ...BILLING, url: 'https://orders.example', authMethods: ['none'] };
  expect((await refusal(createApi(admin, double)))?.faults.map((fault) => fault.field)).toEqual([
    'url',
    'authMethods.0',
  ]);
  expect((await refusal(createApi(admin, { ...BILLING, id: 'orders' })))?.kind).toBe('conflict');
});

it('a combination that goes ends its tokens, and that is said before', async () => {
  const dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  await requestSubscription(dev, SHOP);
  await givenFamily(dev);
  const { version } = await readApi(admin, { id: 'orders' });
  const change = { id: 'orders', authMethods: [], scopes: [{ name: 'read', description: 'See' }] };
  const { endsTokens, warnings } = await previewApiChange(admin, change);
  expect(endsTokens).toBe(1);
  expect(warnings.join(' ')).toMatch(/local .* gone.*write/s);
  expect((await previewApiDeletion(admin, { id: 'orders' })).losesAccess).toEqual([SHOP]);
  await changeApi(admin, { ...change, version });
  expect(await countLiveFamilies()).toBe(0);
});

it('a method’s secret goes in sealed and never comes out; another issuer forgets who signed in', async () => {
  const config = { issuer: 'https://login.example', client_id: 'gatehouse' };
  const input = { id: 'partner', type: 'broker', name: 'Partner', config, secret: 'very-secret' } as const;
  await createAuthMethod(admin, input);
  const method = await readAuthMethod(admin, { id: 'partner' });
  expect(method).toMatchObject({ hasSecret: true, config: { ...config, allow_private_network: false } });
  expect(JSON.stringify([method, await events('auth_method.created')])).not.toContain('very-secret');
  await sql(
    `insert into external_identities (auth_method_id, subject, person_id) values ('partner', 's', $1)`,
    [admin.id],
  );
  const change = { id: 'partner', config: { ...config, issuer: 'https://other.example' } };
  expect((await previewAuthMethodChange(admin, change)).warnings).toHaveLength(1);
  await changeAuthMethod(admin, { ...change, version: method.version });
  expect(await sql('select 1 from external_identities')).toEqual([]);
  const broken = { ...input, id: 'broken', config: { issuer: 'http://login.example', client_id: '' } };
  expect((await refusal(createAuthMethod(admin, broken)))?.faults.map((fault) => fault.field)).toContain(
    'config.client_id',
  );
});

it('the last local method stays: administrators sign in with it', async () => {
  expect((await refusal(deleteAuthMethod(admin, { id: 'local' })))?.kind).toBe('conflict');
  await createAuthMethod(admin, { id: 'second', type: 'local', name: 'Second' });
  await deleteAuthMethod(admin, { id: 'local' });
});

it('the built-in API is there with every local method, stays as it is, and no file brings or removes it', async () => {
  await createAuthMethod(admin, { id: 'second', type: 'local', name: 'Second' });
  const [before] = (await pageApis(admin, { search: MANAGEMENT_API })).rows;
  expect(before?.authMethods).toEqual(['local', 'second']);
  const change = { id: MANAGEMENT_API, version: before?.version ?? 0, name: 'Mine' };
  expect((await refusal(changeApi(admin, change)))?.kind).toBe('conflict');
  expect((await refusal(deleteApi(admin, { id: MANAGEMENT_API })))?.kind).toBe('conflict');
  const file = `
auth_methods: [{ id: local, type: local }]
apis: [{ id: files, url: "https://files.example", auth_methods: [local] }]
clients: [{ client_id: ops, confidential: true, redirect_uris: ["https://ops.example/cb"] }]
subscriptions: [{ client_id: ops, api: management, scopes: ["people:read"] }]`;
  await applyConfiguration(file, { env: {}, prune: true });
  const [after] = (await pageApis(admin, { search: MANAGEMENT_API })).rows;
  expect(after?.version).toBe(before?.version);
  expect(await sql(`select state from subscriptions where client_id = 'ops'`)).toEqual([
    { state: 'pending' },
  ]);
  const exported = await exportConfiguration();
  expect(exported).not.toContain('- id: management');
  expect(await applyConfiguration(exported, { env: {} })).toEqual([]);
  const taken = 'apis: [{ id: management, url: "https://x.example" }]';
  await expect(applyConfiguration(taken, { env: {} })).rejects.toThrow('built in');
  await ensureManagementApi();
  expect((await readApi(admin, { id: MANAGEMENT_API })).version).toBe(before?.version);
});

it('people are found, changed by whoever saw them last, and deleted; a new address is not verified', async () => {
  const alice = await givenPerson('alice');
  await sql('update people set email_verified_at = now()');
  const { rows } = await pagePeople(admin, { search: 'ALICE', state: 'active' });
  expect(rows.map((row) => row.email)).toEqual(['alice@example.com']);
  const { version } = await readPerson(admin, { id: alice.id });
  const moved = await changePerson(admin, { id: alice.id, version, email: 'A@example.com', name: 'A' });
  expect(moved).toMatchObject({ email: 'a@example.com', emailVerified: false });
  expect((await refusal(changePerson(admin, { id: alice.id, version, name: 'B' })))?.kind).toBe('stale');
  const taken = { id: alice.id, version: moved.version, email: 'admin@example.com' };
  expect((await refusal(changePerson(admin, taken)))?.kind).toBe('conflict');
  await deletePerson(admin, { id: alice.id });
  expect((await refusal(readPerson(admin, { id: alice.id })))?.kind).toBe('not-found');
});

it('nothing is called new: at that address the console makes one', async () => {
  const made = [
    createApi(admin, { ...BILLING, id: 'new' }),
    createAuthMethod(admin, { id: 'new', type: 'local', name: 'New' }),
  ];
  for (const work of made) {
    expect((await refusal(work))?.faults).toEqual([
      { field: 'id', message: expect.stringContaining('must not be new') },
    ]);
  }
});

it('AD-12: roles, passwords and keys want a sign-in of the last 15 minutes', async () => {
  const old = { ...admin, signedInAt: new Date(Date.now() - 16 * 60_000) };
  const email = 'admin@example.com';
  for (const attempt of [
    () => grantRole(old, { email, role: 'developer' }),
    () => createPerson(old, { email: 'new@example.com', roles: ['administrator'], password: PASSWORD }),
    () => rotateSigningKeys(old),
  ]) {
    expect((await refusal(attempt()))?.kind).toBe('reauthenticate');
  }
});

it('administrators see and end sessions; ending all of a person’s ends their tokens', async () => {
  const alice = await givenPerson('alice');
  await givenFamily(alice);
  const browser = { cookieHeader: undefined, ip: null, userAgent: null, requestId: 'r' };
  const account = { authMethodId: 'local', username: 'alice@example.com', password: PASSWORD };
  for (let at = 0; at < 3; at += 1) await signInToConsole({ ...browser, ...account });
  const first = await pageSessions(admin, { personId: alice.id, limit: 2 });
  expect(first.rows).toHaveLength(2);
  const [mine, other] = first.rows.map((row) => row.id);
  const session = { idHash: Buffer.from(mine ?? '', 'hex'), authMethodId: 'local' };
  expect(isOwnSession({ ...admin, session }, mine ?? '')).toBe(true);
  expect(isOwnSession({ ...admin, session }, other ?? '')).toBe(false);
  expect(isOwnSession(admin, mine ?? '')).toBe(false);
  await endSession(admin, { id: first.rows[0]?.id ?? '' });
  const rest = await pageSessions(admin, { search: 'alice', cursor: first.next ?? '' });
  expect(rest.rows).toHaveLength(1);
  await endSessionsOf(admin, { personId: alice.id });
  expect((await pageSessions(admin, { personId: alice.id })).rows).toEqual([]);
  expect(await countLiveFamilies()).toBe(0);
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

it('the first page counts what waits for whom, and the catalogue shows what a client has', async () => {
  const dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  await requestSubscription(dev, { ...SHOP, trusted: true });
  expect(await readOverview(admin, { counts: true })).toMatchObject({ pending: 1, counts: { clients: 1 } });
  expect(await readOverview(dev)).toEqual({ pending: 0, counts: null });
  const [entry] = await listCatalogue(dev, { clientId: 'shop' });
  expect(entry).toMatchObject({ id: 'orders', subscription: { state: 'pending', trusted: true } });
  expect((await listCatalogue(OPERATOR))[0]?.subscription).toBeNull();
});

const BROKER = { issuer: 'https://login.example', client_id: 'x', allow_private_network: false };

it('contract 8: a broker method shows the address to register; a change that is silent about it leaves it', async () => {
  const made = await createAuthMethod(admin, { id: 'partner', type: 'broker', name: 'P', config: BROKER });
  expect(made.callback).toBe('http://localhost:3000/auth/callback/partner');
  expect((await readAuthMethod(admin, { id: 'local' })).callback).toBeNull();
  const shared = { id: 'partner', config: { ...BROKER, shared_callback: true } };
  expect((await previewAuthMethodChange(admin, shared)).warnings).toEqual([
    expect.stringContaining('/auth/callback/broker'),
  ]);
  const { version } = await changeAuthMethod(admin, { ...shared, version: made.version });
  const silent = await changeAuthMethod(admin, {
    id: 'partner',
    config: { ...BROKER, client_id: 'y' },
    version,
  });
  expect(silent.config).toMatchObject({ client_id: 'y', shared_callback: true });
  const own = { id: 'partner', config: { ...BROKER, client_id: 'y', shared_callback: false } };
  const after = await changeAuthMethod(admin, { ...own, version: silent.version });
  expect(after.config).not.toHaveProperty('shared_callback');
});

it('SR-01: an address in a private range is refused by the console and the management API as by apply', async () => {
  for (const issuer of ['https://169.254.169.254', 'https://0x0a000001', 'https://[fd00::1]']) {
    const broker = { id: 'inside', type: 'broker', name: 'I', config: { ...BROKER, issuer } } as const;
    expect((await refusal(createAuthMethod(admin, broker)))?.faults.map((fault) => fault.field)).toEqual([
      'config.issuer',
    ]);
    const allowed = { ...broker.config, allow_private_network: true };
    await createAuthMethod(admin, { ...broker, config: allowed });
    await deleteAuthMethod(admin, { id: 'inside' });
  }
});
