// Quotas of a developer in the registry, if several requests run at the same time.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { changeClient, createClient, deleteClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { changeSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import { type Actor, OPERATOR } from './policy.ts';

const limits = (clients: number, edits: number) =>
  loadSettings({ ...process.env, CLIENTS_PER_OWNER: String(clients), EDITS_PER_MINUTE: String(edits) });

let dev: Person;
let admin: Person;
beforeEach(async () => {
  limits(5, 1_000);
  await givenEmptyRegistry();
  dev = await givenPerson('dev', 'developer');
  admin = await givenPerson('admin', 'administrator');
});

const atOnce = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => refusal(work(at))));
const kinds = (refused: Awaited<ReturnType<typeof atOnce>>) =>
  Object.groupBy(
    refused.map((one) => one?.kind ?? 'done'),
    (kind) => kind,
  );
const countClients = async () => (await sql('select 1 from clients')).length;
const uris = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => `https://shop.example/${at}/`.padEnd(length, 'a'));
const create = (actor: Actor, clientId: string, redirectUris = [`https://${clientId}.example/cb`]) =>
  createClient(actor, { clientId, name: clientId, kind: 'confidential', redirectUris });

describe('limit of clients per owner', () => {
  it('thirty concurrent client creations stop at the owner’s limit', async () => {
    const { done, conflict } = kinds(await atOnce(30, (at) => create(dev, `shop-${at}`)));
    expect([done?.length, conflict?.length]).toEqual([5, 25]);
    expect(await countClients()).toBe(5);
    const refused = await refusal(create(dev, 'one-more'));
    expect(refused?.message).toContain('at most 5 clients');
    await deleteClient(dev, {
      clientId: (await sql<{ id: string }>('select min(client_id) as id from clients'))[0]?.id ?? '',
    });
    expect(await refusal(create(dev, 'one-more'))).toBeNull();
  });

  it('clients created concurrently by another process count toward the limit', async () => {
    await withClient(process.env['DATABASE_URL'] as string, async (other) => {
      await other.query('begin');
      await other.query('select 1 from people where id = $1 for no key update', [dev.id]);
      await other.query(
        `insert into clients (client_id, name, confidential, application_type, owner_id)
         select 'other-' || n, 'Other', true, 'web', $1 from generate_series(1, 5) n`,
        [dev.id],
      );
      const creating = refusal(create(dev, 'late'));
      await vi.waitFor(
        async () =>
          expect(
            await sql(
              "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
            ),
          ).toHaveLength(1),
        15_000,
      );
      await other.query('commit');
      expect((await creating)?.kind).toBe('conflict');
    });
    expect(await countClients()).toBe(5);
  });

  it('administrators and operator create clients without limit, even for another owner', async () => {
    for (let at = 0; at < 5; at += 1) await create(dev, `dev-${at}`);
    for (let at = 0; at < 6; at += 1) await create(admin, `admin-${at}`);
    const given = {
      clientId: 'given',
      name: 'Given',
      kind: 'browser',
      redirectUris: ['https://g.example/'],
    } as const;
    await createClient(OPERATOR, {
      ...given,
      redirectUris: [...given.redirectUris],
      ownerEmail: 'dev@example.com',
    });
    // an owner above the limit can change clients but cannot add one
    const { version } = await readClient(dev, { clientId: 'given' });
    await changeClient(dev, { clientId: 'given', version, name: 'G' });
    expect((await refusal(create(dev, 'more')))?.kind).toBe('conflict');
  });

  it('redirect URIs are limited per client and per owner', async () => {
    expect((await refusal(create(admin, 'large', uris(20, 2_000))))?.faults[0]?.message).toContain(
      '32768 bytes',
    );
    const origins = Array.from({ length: 101 }, (_, at) => `https://o${at}.example`);
    const many = { name: 'Many', kind: 'browser', redirectUris: [], allowedOrigins: origins } as const;
    expect((await refusal(createClient(admin, { ...many, redirectUris: [] })))?.faults[0]?.field).toBe(
      'allowedOrigins',
    );
    const outcome = kinds(await atOnce(5, (at) => create(dev, `shop-${at}`, uris(8, 1_000))));
    expect([outcome.done?.length, outcome.conflict?.length]).toEqual([2, 3]);
    const [first] = await sql<{ client_id: string; version: number }>(
      'select client_id, version from clients',
    );
    const change = { clientId: first?.client_id ?? '', version: first?.version ?? 0 };
    expect(
      (await refusal(changeClient(dev, { ...change, redirectUris: uris(16, 1_000) })))?.message,
    ).toContain('20480 bytes');
    await changeClient(dev, { ...change, redirectUris: [] });
  });

  it('subscriptions are limited, and a scope that is requested twice counts once', async () => {
    limits(1, 1_000);
    await givenClient(dev);
    for (let at = 0; at < 12; at += 1) {
      await sql(
        `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
          refresh_family_ttl) values ($1, $1, 'https://' || $1 || '.example', 60, 'jwt', 'ES256', 60, 60)`,
        [`api-${at}`],
      );
    }
    const ask = (at: number) => requestSubscription(dev, { clientId: 'shop', api: `api-${at}` });
    const { done, conflict } = kinds(await atOnce(12, ask));
    expect([done?.length, conflict?.length]).toEqual([10, 2]);
    await sql("delete from subscriptions where client_id = 'shop'");
    const scopes = Array.from({ length: 1_000 }, () => 'read');
    await requestSubscription(dev, { ...SHOP, scopes });
    await changeSubscription(dev, { ...SHOP, scopes: [...scopes, 'write', 'write'] });
    expect(await sql('select scopes from subscriptions')).toEqual([{ scopes: ['read', 'write'] }]);
  });

  it('a user without the developer role cannot create clients or subscriptions', async () => {
    await givenClient(dev);
    await sql("update people set roles = '{approver}' where id = $1", [dev.id]);
    expect((await refusal(create(dev, 'more')))?.kind).toBe('forbidden');
    expect((await refusal(requestSubscription(dev, SHOP)))?.kind).toBe('forbidden');
    expect(await countClients()).toBe(1);
  });
});

describe('limit of changes per person', () => {
  it('of forty concurrent edits, those beyond the rate per minute fail, and administrators and other users can continue', async () => {
    limits(100, 8);
    const { done, 'slow-down': slow } = kinds(await atOnce(40, (at) => create(dev, `shop-${at}`)));
    expect([done?.length, slow?.length]).toEqual([8, 32]);
    const refused = await refusal(create(dev, 'more'));
    expect([refused?.retryAfterSeconds, refused?.message]).toEqual([
      60,
      'too many changes: wait a minute, then continue',
    ]);
    const other = await givenPerson('other', 'developer');
    expect(await refusal(create(other, 'others'))).toBeNull();
    for (let at = 0; at < 20; at += 1) await create(admin, `admin-${at}`);
  });
});
