import { beforeEach, expect, it } from 'vitest';
import { listCatalogue } from '#lib/catalogue/apis/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import {
  countLiveFamilies,
  events,
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import {
  addSecret,
  changeClient,
  createClient,
  deleteClient,
  disableClient,
  dropSecret,
  enableClient,
  pageClients,
  previewClientChange,
  previewClientDeletion,
  readClient,
  rotateClientSecret,
} from './operations.ts';

let dev: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  dev = await givenPerson('dev', 'developer');
});

it('LK-05: a client secret is returned once, at creation', async () => {
  const secret = await givenClient(dev);
  expect(secret).toMatch(/^ghcs_[\w-]{43}$/);
  const view = await readClient(dev, { clientId: 'shop' });
  expect(JSON.stringify([view, await pageClients(dev), await events('client.created')])).not.toContain(
    secret,
  );
  expect(view.secrets).toEqual([expect.objectContaining({ expiresAt: null, lastUsedAt: null })]);
});

it('two client secrets are valid together, a third is rejected, and deletion takes effect immediately', async () => {
  await givenClient(dev);
  const results = await Promise.allSettled([1, 2, 3].map(() => addSecret(dev, { clientId: 'shop' })));
  expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  const { secrets } = await readClient(dev, { clientId: 'shop' });
  expect(secrets).toHaveLength(2);
  const secretId = secrets[0]?.id as string;
  await dropSecret(dev, { clientId: 'shop', secretId });
  expect((await refusal(dropSecret(dev, { clientId: 'shop', secretId })))?.kind).toBe('not-found');
  await rotateClientSecret(dev, { clientId: 'shop', overlapSeconds: 60 });
  expect((await readClient(dev, { clientId: 'shop' })).secrets).toHaveLength(2);
  expect((await events('client.secret_dropped')).map((one) => one.actor)).toEqual([dev.id]);
});

it('an invalid client returns one fault per field', async () => {
  const wrong = {
    name: ' ',
    kind: 'browser',
    redirectUris: ['https://ok.example/cb', 'javascript:alert(1)', 'https://ok.example/cb'],
    allowedOrigins: ['https://ok.example/path'],
  } as const;
  const input = {
    ...wrong,
    redirectUris: [...wrong.redirectUris],
    allowedOrigins: [...wrong.allowedOrigins],
  };
  const refused = await refusal(createClient(dev, input));
  expect(refused?.faults.map((fault) => fault.field)).toEqual([
    'name',
    'redirectUris.1',
    'redirectUris.2',
    'allowedOrigins.0',
  ]);
});

it('a missing client id is derived from the name, and a taken client or API id is rejected', async () => {
  const client = { name: 'Süß & Söhne', kind: 'native', redirectUris: ['com.example:/cb'] } as const;
  const values = { ...client, redirectUris: [...client.redirectUris] };
  expect((await createClient(dev, values)).clientId).toMatch(/^[a-z0-9-]+-[0-9a-f]{8}$/);
  for (const clientId of ['orders', 'shop', 'shop']) {
    await refusal(createClient(dev, { ...values, clientId }));
  }
  expect((await pageClients(dev)).rows.map((row) => row.clientId)).toContain('shop');
  expect((await refusal(createClient(dev, { ...values, clientId: 'orders' })))?.kind).toBe('conflict');
  const hidden = await refusal(createClient(dev, { ...values, clientId: 'new' }));
  expect(hidden?.faults).toMatchObject([
    {
      field: 'clientId',
      code: 'input.wrong',
      message: 'client_id must not be new: the console uses that name for its pages',
    },
  ]);
});

it('only administrators set identity assertion audiences, and owner changes preserve them', async () => {
  await givenClient(dev);
  const idJagAudiences = ['https://login.chat.example f53f191f'];
  const own = { clientId: 'shop', idJagAudiences };
  expect((await refusal(changeClient(dev, own)))?.kind).toBe('forbidden');
  const made = { name: 'Wiki', kind: 'confidential', redirectUris: ['https://wiki.example/cb'] } as const;
  const wiki = { ...made, redirectUris: [...made.redirectUris], clientId: 'wiki', idJagAudiences };
  expect((await refusal(createClient(dev, wiki)))?.kind).toBe('forbidden');
  await changeClient(OPERATOR, own);
  const renamed = await changeClient(dev, { ...own, name: 'Shop Two' });
  expect(renamed).toMatchObject({ name: 'Shop Two', idJagAudiences });
  expect((await refusal(changeClient(dev, { clientId: 'shop', idJagAudiences: [] })))?.kind).toBe(
    'forbidden',
  );
});

it('of two concurrent client edits, the second fails with the error "stale", and no change is lost', async () => {
  await givenClient(dev);
  const { version } = await readClient(dev, { clientId: 'shop' });
  const edits = ['One', 'Two'].map((name) => changeClient(dev, { clientId: 'shop', version, name }));
  const settled = await Promise.allSettled(edits);
  expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  const refused = settled.find((one) => one.status === 'rejected');
  expect(refused?.reason).toMatchObject({ kind: 'stale' });
  const [changed] = await events('client.changed');
  expect(changed).toMatchObject({ actor: dev.id, details: { changed: ['name'], before: { name: 'shop' } } });
  expect((await readClient(dev, { clientId: 'shop' })).version).toBe(version + 1);
});

it('a change from confidential to public has a preview, and ends the client’s tokens and secrets', async () => {
  await givenClient(dev);
  await givenFamily(dev);
  const change = { clientId: 'shop', kind: 'browser' } as const;
  expect(await previewClientChange(dev, change)).toMatchObject({ endsTokens: 1, people: 1, faults: [] });
  const { version } = await readClient(dev, { clientId: 'shop' });
  const after = await changeClient(dev, { ...change, version });
  expect(after).toMatchObject({ kind: 'browser', secrets: [] });
  expect(await countLiveFamilies()).toBe(0);
  expect((await refusal(addSecret(dev, { clientId: 'shop' })))?.kind).toBe('conflict');
});

it('client deletion deletes dependent objects, and the preview lists them', async () => {
  await givenClient(dev);
  await requestSubscription(dev, SHOP);
  await givenFamily(dev);
  expect(await previewClientDeletion(dev, { clientId: 'shop' })).toMatchObject({
    losesAccess: [SHOP],
    endsTokens: 1,
  });
  await deleteClient(dev, { clientId: 'shop' });
  expect(await countLiveFamilies()).toBe(0);
  expect((await refusal(readClient(dev, { clientId: 'shop' })))?.foreign).toBe(false);
});

it('AD-06: operations on another developer’s client return not-found, and each attempt is audited', async () => {
  await givenClient(dev);
  const other = await givenPerson('other', 'developer');
  const clientId = 'shop';
  const attempts: (() => Promise<unknown>)[] = [
    () => readClient(other, { clientId }),
    () => changeClient(other, { clientId, version: 1, redirectUris: ['https://evil.example/'] }),
    () => previewClientChange(other, { clientId }),
    () => previewClientDeletion(other, { clientId }),
    () => deleteClient(other, { clientId }),
    () => addSecret(other, { clientId }),
    () => dropSecret(other, { clientId, secretId: '00000000-0000-0000-0000-000000000000' }),
    () => rotateClientSecret(other, { clientId }),
    () => disableClient(other, { clientId }),
    () => listCatalogue(other, { clientId }),
  ];
  for (const attempt of attempts) {
    expect(await refusal(attempt())).toMatchObject({ kind: 'not-found', foreign: true });
  }
  expect(await events('access.denied')).toHaveLength(attempts.length);
  expect((await pageClients(other)).rows).toEqual([]);
  expect((await refusal(readClient(other, { clientId: 'nothing' })))?.message).toBe(
    'you have no client nothing',
  );
});

it('only administrators can enable a disabled client and change a client’s owner', async () => {
  await givenClient(dev);
  const admin = await givenPerson('admin', 'administrator');
  await disableClient(dev, { clientId: 'shop' });
  expect((await refusal(enableClient(dev, { clientId: 'shop' })))?.kind).toBe('forbidden');
  await enableClient(admin, { clientId: 'shop' });
  const { version } = await readClient(dev, { clientId: 'shop' });
  const change = { clientId: 'shop', version, ownerEmail: 'admin@example.com' };
  expect((await refusal(changeClient(dev, change)))?.kind).toBe('forbidden');
  await changeClient(admin, change);
  expect((await refusal(readClient(dev, { clientId: 'shop' })))?.kind).toBe('not-found');
});

it('the client list supports pages by key, search and filters', async () => {
  await sql(`insert into clients (client_id, name, confidential, application_type, disabled_at)
    select 'c' || lpad(n::text, 3, '0'), 'Client ' || n, n % 2 = 0, case n % 2 when 0 then 'web' else 'browser' end,
      case when n % 10 = 0 then now() end from generate_series(1, 120) n`);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageClients(OPERATOR, { limit: 50, cursor });
    seen.push(...page.rows.map((row) => row.clientId));
    // rows that were inserted before the cursor do not shift later rows
    await sql(`insert into clients (client_id, name, confidential, application_type)
      values ('a' || gen_random_uuid(), 'New', true, 'web')`);
    cursor = page.next ?? undefined;
  } while (cursor);
  expect(new Set(seen).size).toBe(120);
  const { rows } = await pageClients(OPERATOR, { search: 'CLIENT 11', kind: 'browser', state: 'active' });
  expect(rows.map((row) => row.clientId)).toEqual(['c011', 'c111', 'c113', 'c115', 'c117', 'c119']);
  expect((await refusal(pageClients(OPERATOR, { limit: 201 })))?.faults[0]?.field).toBe('limit');
  expect((await refusal(pageClients(OPERATOR, { cursor: 'W10' })))?.faults[0]?.field).toBe('cursor');
});
