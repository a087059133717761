// A client that users consented to cannot change its identity without notice.

import { beforeEach, expect, it } from 'vitest';
import { inEnglish } from '#lib/language/words.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenSubscribedShop } from '#testing/data/issuing.ts';
import { givenPerson, type Person, sql } from '#testing/data/registry.ts';
import {
  addSecret,
  type ClientChange,
  changeClient,
  previewClientChange,
  rotateClientSecret,
} from './operations.ts';

let owner: Person;
beforeEach(async () => {
  const alice = await givenSubscribedShop();
  await sql('delete from consents');
  await sql(
    "insert into consents (person_id, client_id, api_id, scopes) values ($1, 'shop', 'orders', '{read}')",
    [alice.id],
  );
  owner = await givenPerson('owner', 'developer');
  await sql("update clients set owner_id = $1 where client_id = 'shop'", [owner.id]);
});

const old = () => ({ ...owner, signedInAt: new Date(Date.now() - 9 * 3_600_000) });
const change = (values: Partial<ClientChange>): ClientChange =>
  ({ clientId: 'shop', ...values }) as ClientChange;
const identityOf = async () =>
  (
    await sql<{ at: Date | null }>("select identity_changed_at as at from clients where client_id = 'shop'")
  )[0]?.at;

const IDENTITY: Record<string, Partial<ClientChange>> = {
  name: { name: 'Your bank' },
  'name in another language': { name: { en: 'shop', de: 'Ihre Bank' } },
  'redirect address': { redirectUris: ['https://evil.example/cb'] },
};
const KEYS: Partial<ClientChange> = { tokenEndpointAuthMethod: 'client_secret_post' };

it.each(Object.entries(IDENTITY))(
  'a changed client %s requires a recent sign-in, and invalidates consents',
  async (_, values) => {
    await expect(changeClient(old(), change(values))).rejects.toMatchObject({ kind: 'reauthenticate' });
    const program = { kind: 'machine', clientId: 'ops', ownerId: null, scopes: ['clients:write'] } as const;
    const asProgram = { ...program, request: { id: 'r', ip: null } };
    await expect(changeClient(asProgram, change(values))).rejects.toMatchObject({ kind: 'forbidden' });
    expect(await identityOf()).toBeNull();
    const { warnings } = await previewClientChange(owner, change(values));
    expect(warnings.map(inEnglish).join()).toContain('People must consent again');
    await changeClient(owner, change(values));
    expect(await identityOf()).not.toBeNull();
  },
);

it('new keys and second secrets require a recent sign-in, and consents remain, because name and addresses are unchanged', async () => {
  for (const work of [
    () => changeClient(old(), change(KEYS)),
    () => addSecret(old(), { clientId: 'shop' }),
    () => rotateClientSecret(old(), { clientId: 'shop' }),
  ])
    await expect(work()).rejects.toMatchObject({ kind: 'reauthenticate' });
  await changeClient(owner, change(KEYS));
  await addSecret(owner, { clientId: 'shop' });
  expect(await identityOf()).toBeNull();
});

it('an old sign-in can change an unused client, but not an approved client', async () => {
  await sql('delete from consents');
  await changeClient(old(), change({ name: 'Early' }));
  await sql("update apis set require_approval = true where id = 'orders'");
  await expect(changeClient(old(), change({ name: 'Later' }))).rejects.toMatchObject({
    kind: 'reauthenticate',
  });
});

it('changes without effect and removed redirect URIs keep a client’s consents', async () => {
  await sql(
    "update clients set redirect_uris = redirect_uris || '{https://shop.example/2}' where client_id = 'shop'",
  );
  const [row] = await sql<{ uris: string[] }>(
    "select redirect_uris as uris from clients where client_id = 'shop'",
  );
  await changeClient(OPERATOR, change({ redirectUris: row?.uris ?? [] }));
  await changeClient(OPERATOR, change({ redirectUris: row?.uris.slice(0, 1) ?? [] }));
  await changeClient(OPERATOR, change({ logoUri: 'https://shop.example/logo.png' }));
  expect(await identityOf()).toBeNull();
});
