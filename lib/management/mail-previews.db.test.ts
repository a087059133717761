// Administrators preview mails with the brand of an API or client, and send a preview to their own address.
import { beforeEach, expect, test } from 'vitest';
import { settleNotices } from '#lib/mail/send.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  mailTo,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { listMailPreviews, previewMail, sendMailPreview } from './mail-previews.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
});

const asked = { mail: 'password-reset', language: 'de' } as const;

test('the preview of a mail uses the approved client’s brand, otherwise the API’s brand, otherwise the service’s brand', async () => {
  const dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  await sql(`update apis set brand = '{"accent": "#1f3f7a"}' where id = 'orders'`);
  await sql(`update clients set brand = '{"accent": "#8a3d00"}'`);
  await sql(`insert into subscriptions (client_id, api_id, state) values ('shop', 'orders', 'pending')`);
  const html = async (more: object) => (await previewMail(admin, { ...asked, ...more })).html;
  const [own, api, client] = ['#1f5f4a', '#1f3f7a', '#8a3d00'].map((colour) => `background-color:${colour}`);
  expect(await html({})).toContain(own);
  expect(await html({ apiId: 'orders' })).toContain(api);
  expect(await html({ apiId: 'orders', clientId: 'shop' })).toContain(api);
  await sql(`update subscriptions set state = 'approved'`);
  expect(await html({ apiId: 'orders', clientId: 'shop' })).toContain(client);
  expect(await html({ clientId: 'shop' })).toContain(client);
  expect(await html({ mail: 'invited', apiId: 'orders', clientId: 'shop' })).toContain(own);
});

test('previews of unknown mails, APIs or clients are rejected', async () => {
  for (const wrong of [{ mail: 'constructor' }, { apiId: 'none' }, { clientId: 'none' }])
    expect((await refusal(previewMail(admin, { ...asked, ...wrong })))?.kind).toBe('not-found');
});

test('a preview mail goes only to the requesting administrator, in the selected language, and is audited and limited', async () => {
  for (let sent = 0; sent < 5; sent += 1) await sendMailPreview(admin, asked);
  await settleNotices();
  const [mail] = await mailTo('admin@example.com');
  expect(mail?.subject).toBe((await previewMail(admin, asked)).subject);
  expect(await events('mail.preview_sent')).toHaveLength(5);
  const refused = await refusal(sendMailPreview(admin, asked));
  expect(refused?.kind).toBe('slow-down');
  expect(await events('mail.preview_sent')).toHaveLength(5);
});

test('only administrators can list and send mail previews', async () => {
  for (const role of ['developer', 'approver'] as const) {
    const other = await givenPerson(role, role);
    for (const run of [
      () => listMailPreviews(other, { language: 'en' }),
      () => previewMail(other, asked),
      () => sendMailPreview(other, asked),
    ])
      expect((await refusal(run()))?.kind).toBe('forbidden');
  }
});
