// Users who decide on a request see every name of the client that other users will read: on the page of the request, in
// the mail and in the audit log.
import { beforeEach, expect, it } from 'vitest';
import { changeClient, readClient } from '#lib/catalogue/clients/operations.ts';
import {
  decideSubscription,
  pageInbox,
  readSubscription,
  requestSubscription,
} from '#lib/catalogue/subscriptions/operations.ts';
import { listDevelopmentMail, settleNotices } from '#lib/mail/send.ts';
import { events, givenClient, givenEmptyRegistry, givenPerson, SHOP } from '#testing/data/registry.ts';

beforeEach(() => givenEmptyRegistry());

const NAMES = { en: 'Calendar helper', de: 'Sparkasse Konto-Schutz' };

it('a client’s name in a second language appears in inbox, page, mail and approval record', async () => {
  const developer = await givenPerson('dev', 'developer');
  const judge = await givenPerson('judge', 'approver');
  await givenClient(developer);
  const { version } = await readClient(developer, SHOP);
  await changeClient(developer, {
    clientId: SHOP.clientId,
    version,
    name: NAMES,
    tosUri: 'https://tos.example/',
  });
  await requestSubscription(developer, { ...SHOP, trusted: true });
  const shown = { clientNames: NAMES, clientTosUri: 'https://tos.example/' };
  expect((await pageInbox(judge)).rows).toEqual([expect.objectContaining(shown)]);
  expect(await readSubscription(judge, SHOP)).toMatchObject(shown);
  await settleNotices();
  const mail = ((await listDevelopmentMail({ fromThisMachine: true })) ?? []).find(
    ({ to }) => to === 'judge@example.com',
  );
  expect(mail?.text).toContain('\n> en: Calendar helper\n> de: Sparkasse Konto-Schutz\n');
  await decideSubscription(judge, { ...SHOP, action: 'approve' });
  const approved = await events('subscription.approved');
  expect(approved).toEqual([expect.objectContaining({ details: expect.objectContaining({ names: NAMES }) })]);
});
