// Texts that pages display, at each operation: unreadable texts are rejected and not stored.
import { beforeEach, expect, it } from 'vitest';
import { createApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { invitePeople, rejectPerson } from '#lib/catalogue/people/invitations.ts';
import { createPerson } from '#lib/catalogue/people/operations.ts';
import {
  changeSubscription,
  decideSubscription,
  requestSubscription,
} from '#lib/catalogue/subscriptions/operations.ts';
import { givenClient, givenEmptyRegistry, givenPerson, refusal, SHOP, sql } from '#testing/data/registry.ts';
import { changeMyProfile } from './my-account.ts';

beforeEach(() => givenEmptyRegistry());

const DECEIVING = [
  'a\u202eb',
  'a\u2066b',
  'a\u061cb',
  'a\u200bb',
  'a\u00adb',
  'a\u115fb',
  'a\u3164b',
  '\u2800',
  'a\u{e0041}b',
];

it.each(DECEIVING)(
  'the text %j is rejected as name, message and reason in every operation that stores such a text',
  async (text) => {
    const developer = await givenPerson('dev', 'developer');
    const judge = await givenPerson('judge', 'approver');
    const admin = await givenPerson('admin', 'administrator');
    await givenClient(developer);
    await requestSubscription(developer, { ...SHOP, trusted: true, message: 'Ours.' });
    const { version } = await readClient(developer, SHOP);
    const api = { id: 'notes', name: text, url: 'https://notes.example' };
    const doors: Record<string, () => Promise<unknown>> = {
      'a client': () => changeClient(developer, { clientId: SHOP.clientId, version, name: text }),
      'in another language': () =>
        changeClient(developer, { clientId: SHOP.clientId, version, name: { en: 'Shop', de: text } }),
      'an API': () => createApi(admin, api),
      message: () => changeSubscription(developer, { ...SHOP, message: text }),
      reason: () => decideSubscription(judge, { ...SHOP, action: 'reject', reason: text }),
      'reason to a person': () =>
        rejectPerson(admin, { id: '00000000-0000-4000-8000-000000000000', reason: text }),
      person: () => createPerson(admin, { email: 'new@example.com', name: text }),
      'of oneself': () => changeMyProfile(developer, { name: text }),
      invitation: () => invitePeople(admin, { emails: ['new@example.com'], name: text }),
    };
    for (const [door, open] of Object.entries(doors))
      expect((await refusal(open()))?.kind, door).toBe('invalid');
    expect(await sql('select 1 from people where name = $1', [text])).toEqual([]);
    expect(await sql('select 1 from clients where name = $1 or name_texts is not null', [text])).toEqual([]);
  },
);

it('message and reason permit multiple lines and every script', async () => {
  const developer = await givenPerson('dev', 'developer');
  const judge = await givenPerson('judge', 'approver');
  await givenClient(developer);
  const message = 'می\u200cخواهم\n\n- 👩\u200d💻 ours';
  await requestSubscription(developer, { ...SHOP, trusted: true, message });
  await decideSubscription(judge, { ...SHOP, action: 'reject', reason: 'No.\nNot yet.' });
  const [row] = await sql<{ message: string; reason: string }>('select message, reason from subscriptions');
  expect(row).toEqual({ message, reason: 'No.\nNot yet.' });
});
