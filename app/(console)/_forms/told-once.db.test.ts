import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, expect, it, test, vi } from 'vitest';
import { wordsOf } from '#lib/language/index.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { Notice } from '../_visit/notice.tsx';
import { sealNotice, tellOnce } from './told-once.ts';

beforeAll(givenFixtures);

const [ADA, BEN] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;

it('a notice is told once: ten pages that are loaded at once with it say it one time', async () => {
  const sealed = sealNotice('decided-approve', { about: 'Team 1 → Billing' }, ADA);
  const told = await Promise.all(Array.from({ length: 10 }, () => tellOnce(sealed, 'decided-approve', ADA)));
  expect(told.filter((one) => one?.about === 'Team 1 → Billing')).toHaveLength(1);
  expect(told.filter((one) => one === undefined)).toHaveLength(9);
  expect(await tellOnce(sealed, 'decided-approve', ADA)).toBeUndefined();
});

it('two that say the same of the same are both told', async () => {
  for (let at = 0; at < 2; at += 1)
    expect(
      await tellOnce(sealNotice('role-granted', { about: null }, ADA), 'role-granted', ADA),
    ).toMatchObject({
      about: null,
    });
});

test('another person, another text, an older page and an invented one are told nothing, and use nothing up', async () => {
  const sealed = sealNotice('decided-approve', { about: 'Team 1 → Billing' }, ADA);
  expect(await tellOnce(sealed, 'decided-approve', BEN)).toBeUndefined();
  expect(await tellOnce(sealed, 'decided-reject', ADA)).toBeUndefined();
  expect(await tellOnce(sealed, undefined, ADA)).toBeUndefined();
  expect(await tellOnce('v1.invented', 'decided-approve', ADA)).toBeUndefined();
  vi.useFakeTimers({ now: Date.now() + 601_000, toFake: ['Date'] });
  expect(await tellOnce(sealed, 'decided-approve', ADA)).toBeUndefined();
  vi.useRealTimers();
  expect(await tellOnce(sealed, 'decided-approve', ADA)).toMatchObject({ about: 'Team 1 → Billing' });
});

test.each([
  [
    'decided-approve',
    'Team 1 → Billing',
    'Approved: Team 1 → Billing. It works at once, and the requester is told.',
  ],
  ['person-rejected', 'ada@example.com', 'Rejected: ada@example.com. A mail tells them.'],
  ['decided-pending', 'A → B', 'A → B: It waits for approval:'],
  ['decided-approve', null, 'Approved. It works at once'],
])('%s of %s', (done, about, text) => {
  const page = renderToStaticMarkup(createElement(Notice, { done, about, told: wordsOf('en').told }));
  expect(page.replaceAll(/<[^>]*>/g, '')).toContain(text);
});
