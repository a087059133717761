// Opens every page and sends every form of the console as each visitor, and compares the responses with
// support/console-access.ts.
import { expect, test } from '@playwright/test';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { consoleJar, postForm, tokenFor } from '../../support/console/console.ts';
import { PAGES, VISITORS } from '../../support/console/console-access.ts';
import { fill, givenCast } from '../../support/console/console-cast.ts';
import { FORMS } from '../../support/console/console-form-access.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { eachDoor, nodeDoor } from '../../support/service/doors.ts';

/** Names of forms that end the session of the user who sends them. */
const ENDING = new Set(['session-end', 'sessions-end', 'sign-out']);

function seen(answer: Answer): number | 'sign-in' {
  const signIn = answer.status === 200 && answer.text.includes('action="/account/submit/sign-in"');
  return signIn ? 'sign-in' : answer.status;
}

eachDoor((door) => {
  test('AD-05: a console page appears only for the roles that the table lists', async () => {
    test.setTimeout(180_000);
    const { jars, words } = await givenCast();
    const wrong: string[] = [];
    for (const [, address, row] of PAGES) {
      for (const [at, visitor] of VISITORS.entries()) {
        const jar = jars[visitor].copy();
        const answer = await send(`${door.url}${fill(address, words)}`, {
          jar,
          headers: { accept: 'text/html' },
        });
        if (seen(answer) !== row[at]) wrong.push(`${visitor} at ${address}: ${seen(answer)}, not ${row[at]}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

test('unknown console pages and missing objects keep the layout of the console', async () => {
  const { jars } = await givenCast();
  const wrong: string[] = [];
  for (const [visitor, address, status] of [
    ['administrator', '/admin/no-such-page', 404],
    ['administrator', '/admin/clients/no-such-client', 404],
    ['administrator', '/account/refused', 404],
    ['developer', '/developer/no-such-page', 404],
    ['developer', '/developer/clients/no-such-client', 404],
    ['developer', '/admin/keys', 403],
  ] as const) {
    const headers = { accept: 'text/html', 'accept-language': 'de' };
    const answer = await send(`${nodeDoor.url}${address}`, { jar: jars[visitor].copy(), headers });
    const { text } = answer;
    const isFramed = text.includes('class="console-nav"') && text.includes('href="/developer/catalogue"');
    const hasHeading = /<main id="content"[^>]*>.*<h1>[^<]+<\/h1>/s.test(text);
    if (answer.status !== status || !isFramed || !hasHeading || text.includes('Zu Ihrem Konto'))
      wrong.push(`${visitor} at ${address}: ${answer.status}, ${isFramed}, ${hasHeading}`);
  }
  expect(wrong).toEqual([]);
});

test('AD-04, AD-05: a console form works only for the roles that the table lists', async () => {
  test.setTimeout(180_000);
  const { jars, people } = await givenCast();
  await send(`${nodeDoor.url}/account`, { jar: jars.nobody, headers: { accept: 'text/html' } });
  const wrong: string[] = [];
  for (const [area, forms] of Object.entries(FORMS)) {
    for (const [form, row] of Object.entries(forms)) {
      for (const [at, visitor] of VISITORS.entries()) {
        const jar = jars[visitor].copy();
        const answer = await postForm(jar, form, {}, { area, token: await tokenFor(jar, form) });
        const got = answer.status === 403 ? 403 : answer.status < 500 ? 'may' : answer.status;
        if (got !== row[at]) wrong.push(`${visitor} sends ${area}/${form}: ${answer.status}, not ${row[at]}`);
        const person = people.get(visitor);
        if (person && ENDING.has(form)) jars[visitor] = await consoleJar(nodeDoor, person);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('AD-06: another user’s client returns 404 from page, form and check, and the attempts are recorded', async () => {
  const developer = await makePerson('developer');
  const jar = await consoleJar(nodeDoor, developer);
  const other = await makeClient({ trusted: true });
  const { clientId } = other;
  const before = await sql('select * from clients where client_id = $1', [clientId]);
  const sent: [string, Record<string, string>][] = [
    [
      'client-change',
      { clientId, name: 'Mine', kind: 'confidential', redirectUris: 'https://evil.example/', version: '1' },
    ],
    ['client-delete', { clientId, version: '1' }],
    ['client-revoke', { clientId }],
    ['client-disable', { clientId }],
    ['secret-add', { clientId }],
    ['secret-drop', { clientId, secretId: '00000000-0000-0000-0000-000000000000' }],
    ['subscription-request', { clientId, api: 'billing', scopes: 'read' }],
    ['subscription-change', { clientId, api: 'orders', scopes: 'read', version: '1' }],
    ['subscription-cancel', { clientId, api: 'orders' }],
    ['playground-register', { clientId, version: '1' }],
  ];
  for (const [form, fields] of sent) {
    expect((await postForm(jar, form, fields)).status, form).toBe(404);
  }
  expect(await sql('select * from clients where client_id = $1', [clientId])).toEqual(before);
  const [state] = await sql<{ state: string }>('select state from subscriptions where client_id = $1', [
    clientId,
  ]);
  expect(state?.state).toBe('approved');
  const denied = await sql<{ n: number }>(
    // the first rejection of a kind creates an event, later rejections increase its count
    `select (select count(*) from audit_events where event = 'access.denied' and actor = $1)::int
      + (select coalesce(sum(count), 0) from refusals where event = 'access.denied' and actor = $1)::int as n`,
    [developer.id],
  );
  expect(denied[0]?.n).toBeGreaterThanOrEqual(sent.length);
});
