// The choice of columns: where it is kept, for which person, and where its form leads.
import { expect, it } from 'vitest';
import { withCookie } from '#lib/http/index.ts';
import { hiddenColumns } from '#lib/sessions/index.ts';
import { loadSettings } from '#lib/settings/index.ts';
import { chooseColumns } from './column-lists.ts';

loadSettings({
  DATABASE_URL: 'postgres://none/x',
  GATEHOUSE_SECRET: 'x'.repeat(43),
  BASE_URL: 'https://login.example',
});

const person = (digit: number) => `${`${digit}`.repeat(8)}-0000-4000-8000-000000000000`;
const choose = (address: string, { cookie, who = 1, method = 'GET' }: Partial<Browser> = {}) =>
  chooseColumns({ method, url: new URL(address, 'https://login.example'), cookie }, person(who));
type Browser = { cookie: string | undefined; who: number; method: string };
const after = (address: string, browser: Partial<Browser> = {}) =>
  withCookie(browser.cookie, choose(address, browser)?.cookie ?? '');
const hiddenIn = (cookie: string, list: string, who = 1) => [...hiddenColumns(cookie, person(who), list)];

it('is kept, and leads to the same address without it', () => {
  expect(choose('/admin/people?search=a%2Bb&columns=people&column=email&column=seen&order=name')).toEqual({
    location: '/admin/people?search=a%2Bb&order=name',
    cookie:
      '__Host-gatehouse-columns=11111111.people.roles.factors.created; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000',
  });
});

it('is of one list and one person each; another choice takes its place, and all of them delete it', () => {
  let cookie = after('/admin/people?columns=people&column=email');
  cookie = after('/admin/clients?columns=clients&column=kind', { cookie });
  cookie = after('/admin/people?columns=people', { cookie, who: 2 });
  expect(hiddenIn(cookie, 'people')).toEqual(['roles', 'factors', 'seen', 'created']);
  expect(hiddenIn(cookie, 'clients')).toEqual(['id', 'apis', 'owner', 'created']);
  expect(hiddenIn(cookie, 'people', 2)).toHaveLength(5);
  expect(hiddenIn(cookie, 'clients', 2)).toEqual([]);
  cookie = after('/admin/people?columns=people&column=seen', { cookie });
  expect(hiddenIn(cookie, 'people')).toEqual(['email', 'roles', 'factors', 'created']);
  expect(hiddenIn(cookie, 'clients')).toHaveLength(4);
  const all = 'column=email&column=roles&column=factors&column=seen&column=created';
  expect(hiddenIn(after(`/admin/people?columns=people&${all}`, { cookie }), 'people')).toEqual([]);
  const only = after('/admin/apis?columns=apis');
  const none = choose('/admin/apis?columns=apis&column=id&column=methods&column=subscriptions', {
    cookie: only,
  });
  expect(none?.cookie).toContain('Max-Age=0');
});

it('of many people of one browser, those who chose last are remembered', () => {
  let cookie = '';
  for (const who of [1, 2, 3, 4]) cookie = after('/admin/audit?columns=audit', { cookie, who });
  expect([1, 2, 3, 4].map((who) => hiddenIn(cookie, 'audit', who).length)).toEqual([0, 5, 5, 5]);
});

it('is none with an unknown list, without one, and in a form that is posted', () => {
  for (const query of ['', 'columns=', 'columns=__proto__', 'columns=People', 'column=email'])
    expect(choose(`/admin/people?${query}`), query).toBeNull();
  expect(choose('/admin/people?columns=people', { method: 'POST' })).toBeNull();
});

it('has only columns that the list has, and a cookie of another form counts as none', () => {
  const cookie = after('/admin/apis?columns=apis&column=name&column=__proto__&column=id');
  expect(hiddenIn(cookie, 'apis')).toEqual(['methods', 'subscriptions']);
  for (const value of [
    '',
    '~',
    '1.people',
    `11111111.people`,
    `11111111.people.<b>`,
    '"11111111.people.seen"',
  ])
    expect(hiddenIn(`__Host-gatehouse-columns=${value}`, 'people'), value).toEqual([]);
});
