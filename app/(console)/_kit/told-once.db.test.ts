import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, expect, it, test } from 'vitest';
import { wordsOf } from '#lib/language/words.ts';
import { sql } from '#testing/data/registry.ts';
import { type AtConsole, givenLocal, givenMethods } from '#testing/in-process/links.ts';
import { storeNotice, takeNotice } from './notices.ts';
import { Notice } from './page-start.tsx';

let [ada, ben] = [] as unknown as [AtConsole['actor'], AtConsole['actor']];
beforeAll(async () => {
  await givenMethods();
  [ada, ben] = [(await givenLocal('ada')).actor, (await givenLocal('ben')).actor];
});

const stored = async (notice: string, about: string | null) =>
  (await storeNotice(notice, { about }, ada)) ?? '';

it('ten concurrent page loads show a notice once', async () => {
  const id = await stored('decided-approve', 'Team 1 → Billing');
  const told = await Promise.all(Array.from({ length: 10 }, () => takeNotice(id, 'decided-approve', ada)));
  expect(told.filter((one) => one?.about === 'Team 1 → Billing')).toHaveLength(1);
  expect(told.filter((one) => one === undefined)).toHaveLength(9);
  expect(await takeNotice(id, 'decided-approve', ada)).toBeUndefined();
});

it('two equal notices are shown once each', async () => {
  for (let at = 0; at < 2; at += 1)
    expect(await takeNotice(await stored('role-granted', null), 'role-granted', ada)).toMatchObject({
      about: null,
    });
});

test('a request with another user, another notice or another id shows nothing and keeps the notice', async () => {
  const id = await stored('decided-approve', 'Team 1 → Billing');
  expect(await takeNotice(id, 'decided-approve', ben)).toBeUndefined();
  expect(await takeNotice(id, 'decided-reject', ada)).toBeUndefined();
  expect(await takeNotice(id, undefined, ada)).toBeUndefined();
  expect(await takeNotice('v1.invented', 'decided-approve', ada)).toBeUndefined();
  expect(await takeNotice(id, 'decided-approve', ada)).toMatchObject({ about: 'Team 1 → Billing' });
});

test('notices expire after ten minutes', async () => {
  const id = await stored('decided-approve', 'Team 1 → Billing');
  await sql(`update page_states set expires_at = expires_at - interval '601 seconds'`);
  expect(await takeNotice(id, 'decided-approve', ada)).toBeUndefined();
});

test.each([
  [
    'decided-approve',
    'Team 1 → Billing',
    'Approved: Team 1 → Billing. It takes effect immediately, and the requester will be notified.',
  ],
  ['person-rejected', 'ada@example.com', 'Rejected: ada@example.com. The person will be notified by email.'],
  ['decided-pending', 'A → B', 'A → B: Approval is needed,'],
  ['decided-approve', null, 'Approved. It takes effect immediately'],
])('the notice %s about %s contains its sentence', (done, about, text) => {
  const page = renderToStaticMarkup(createElement(Notice, { done, about, told: wordsOf('en').told }));
  expect(page.replaceAll(/<[^>]*>/g, '')).toContain(text);
});
