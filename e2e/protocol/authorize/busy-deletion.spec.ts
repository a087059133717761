// Confirmed deletions match the displayed consequences, even while users sign in: a client is deleted
// atomically, and a method is removed from an API. A change in the meantime requires a new confirmation,
// which names the change.
import { expect, test } from '@playwright/test';
import { type Client, fixturePerson } from '#testing/data/fixtures.ts';
import type { CookieJar } from '#testing/net/cookie-jar.ts';
import { send } from '#testing/net/http.ts';
import { passwordGrant } from '#testing/service/token.ts';
import { consoleJar, postForm } from '../../support/console/console.ts';
import { makeApi, makeClient, makePerson, rowsOf, sql, subscribe } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

/** Signs users in at this client continuously until stopped. */
async function keepBusy(client: Client, api = 'orders'): Promise<() => Promise<number>> {
  let going = true;
  let families = 0;
  const loop = async () => {
    while (going) {
      const answer = await passwordGrant(nodeDoor, client, fixturePerson('alice'), {}, { at: { api } });
      if (answer.status === 200) families += 1;
    }
  };
  const loops = [loop(), loop(), loop()];
  // waits for the first sign-ins
  await expect.poll(() => families).toBeGreaterThan(2);
  return async () => {
    going = false;
    await Promise.all(loops);
    return families;
  };
}

/** Returns the hidden fields and the text of the page's form. */
async function formOf(jar: CookieJar, path: string, form: string) {
  const { text } = await send(`${nodeDoor.url}${path}`, { jar, headers: { accept: 'text/html' } });
  const [, inside = ''] =
    new RegExp(`<form[^>]*action="/\\w+/submit/${form}"[^>]*>(.*?)</form>`, 's').exec(text) ?? [];
  const hidden = [...inside.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => {
    const value = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
    return [value('name'), value('value')] as [string, string];
  });
  return { text: inside, fields: hidden.filter(([name]) => name !== 'anti_forgery') };
}

test('AD-11: a client is deleted atomically during sign-ins', async () => {
  const jar = await consoleJar(nodeDoor, await makePerson('administrator'));
  const client = await makeClient({ trusted: true });
  const stop = await keepBusy(client);
  const { fields, text } = await formOf(jar, `/admin/clients/${client.clientId}/delete`, 'client-delete');
  expect(text).toContain('must sign in again');
  const families = async () => Number((await rowsOf(client.clientId))['families']);
  const seen = await families();
  // waits until more users have signed in
  await expect.poll(families).toBeGreaterThan(seen);
  const answer = await postForm(jar, 'client-delete', fields, { area: 'admin' });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json()).toEqual({ go: expect.stringContaining('done=client-deleted') });
  await stop();
  expect(await sql('select 1 from clients where client_id = $1', [client.clientId])).toEqual([]);
});

test('AD-11: after a confirmation on the page, a method is removed from an API that is in use', async () => {
  const jar = await consoleJar(nodeDoor, await makePerson('administrator'));
  const api = await makeApi();
  await sql("insert into combinations (auth_method_id, api_id) values ('ext', $1)", [api.id]);
  const client = await makeClient({ trusted: true, apis: [api.id] });
  const stop = await keepBusy(client, api.id);
  const [row] = await sql<{ version: number; name: string; url: string }>(
    'select version, name, url from apis where id = $1',
    [api.id],
  );
  const typed: [string, string][] = [
    ['id', api.id],
    ['version', String(row?.version)],
    ['name', row?.name ?? ''],
    ['url', row?.url ?? ''],
    ['authMethods', 'ext'],
    ['accessTokenTtlSeconds', '60'],
    ['refreshTokenTtlSeconds', '600'],
    ['refreshFamilyTtlSeconds', '600'],
    ['accessTokenFormat', 'jwt'],
    ['signingAlg', 'ES256'],
  ];
  const asked = await postForm(jar, 'api-change', typed, { area: 'admin' });
  const back = (asked.json() as { go: string }).go;
  expect(back).toContain('draft=');
  const { fields, text } = await formOf(jar, back, 'api-change');
  expect(text).toContain('Saving this has consequences');
  const confirmed = fields.filter(([name]) => name === 'confirmed');
  const answer = await postForm(jar, 'api-change', [...typed, ...confirmed], { area: 'admin' });
  expect(answer.json()).toEqual({ go: expect.stringContaining('done=api-changed') });
  await stop();
});

test('AD-11: changes after page load require another confirmation, which lists them', async () => {
  const jar = await consoleJar(nodeDoor, await makePerson('administrator'));
  const client = await makeClient();
  const path = `/admin/clients/${client.clientId}/delete`;
  const { fields } = await formOf(jar, path, 'client-delete');
  await subscribe(client, 'billing');
  const asked = await postForm(jar, 'client-delete', fields, { area: 'admin' });
  const back = (asked.json() as { go: string }).go;
  expect(back).toContain('draft=');
  const again = await formOf(jar, back, 'client-delete');
  expect(again.text).toContain('more consequences than you confirmed');
  expect(again.text).toMatch(/New since you opened this page.*loses its access to billing/s);
  const answer = await postForm(jar, 'client-delete', again.fields, { area: 'admin' });
  expect(answer.json()).toEqual({ go: expect.stringContaining('done=client-deleted') });
});
