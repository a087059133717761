// Theme (light, dark or system): the stored choice, and the HTML of the page.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withCookie } from '#lib/http/cookies.ts';
import { renderPage } from '#lib/http/page.ts';
import { wordsOf } from '#lib/language/words.ts';
import { inTheme, keepTheme, type ThemeChoice } from '#lib/sessions/choices.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { chooseTheme } from './theme.ts';

loadSettings({
  DATABASE_URL: 'postgres://none/x',
  GATEHOUSE_SECRET: 'x'.repeat(43),
  BASE_URL: 'https://login.example',
});

type Headers = Record<string, string>;
const choose = (path: string, query: string, method = 'GET', headers: Headers = {}) =>
  chooseTheme({ method, path, query: new URLSearchParams(query), headers });
const pageFor = (cookie?: string) =>
  renderPage(
    { title: 'errors.link', heading: 'errors.link', message: 'errors.link' },
    inTheme(wordsOf('en'), cookie),
  );

describe('the theme parameter and its cookie', () => {
  it('the chosen theme is stored in a cookie, and the redirect omits the parameter', () => {
    expect(choose('/login', 'interaction=a%2Bb&theme=dark')).toEqual({
      location: '/login?interaction=a%2Bb',
      cookie: '__Host-gatehouse-theme=dark; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000',
    });
    expect(choose('/apis', 'theme=light')?.location).toBe('/apis');
  });

  it.each<[string, Headers, boolean]>([
    ['a page of ours', { 'sec-fetch-site': 'same-origin' }, true],
    ['a typed address', { 'sec-fetch-site': 'none' }, true],
    ['another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }, false],
    ['a browser without Fetch Metadata', {}, true],
  ])('the chosen theme is not stored if the request comes from another host: %s', (_, headers, isKept) => {
    const chosen = choose('/apis', 'theme=dark', 'GET', headers);
    expect(chosen?.location).toBe('/apis');
    expect(chosen?.cookie !== null).toBe(isKept);
  });

  it('the redirect that removes the theme parameter never leads to another host, whatever the path begins with', () => {
    for (const path of ['//elsewhere.example', '/\\elsewhere.example', '///elsewhere.example'])
      expect(choose(path, 'theme=dark')?.location, path).toBe('/elsewhere.example');
  });

  it.each(['', 'theme=', 'theme=blue', 'theme=__proto__', 'Theme=dark'])(
    'the query %j chooses no theme',
    (query) => {
      expect(choose('/', query)).toBeNull();
    },
  );

  it('a posted form with theme=dark chooses no theme', () => {
    expect(choose('/', 'theme=dark', 'POST')).toBeNull();
  });

  it('the theme is set before any style sheet loads, so that no page flashes', () => {
    for (const [theme, paper] of [
      ['light', '#f7f5f0'],
      ['dark', '#141613'],
    ] as const) {
      const page = pageFor(withCookie(undefined, keepTheme(theme)));
      expect(page).toContain(`<html lang="en" dir="ltr" data-theme="${theme}">`);
      expect(page).toContain(`<meta name="color-scheme" content="${theme}">`);
      expect(page).toContain(`<meta name="theme-color" content="${paper}">`);
    }
  });

  it('the choice of the system theme deletes the cookie', () => {
    expect(keepTheme('system')).toContain('Max-Age=0');
    expect(pageFor(withCookie(undefined, keepTheme('system')))).toBe(pageFor());
    expect(pageFor()).toContain('<meta name="color-scheme" content="light dark">');
  });

  it.each(['blue', '', 'dark light', '"dark"', 'dark; __Host-gatehouse-theme=light'])(
    'a theme cookie with the value %j is ignored',
    (value) => {
      expect(pageFor(`__Host-gatehouse-theme=${value}`)).toBe(pageFor());
    },
  );
});

it('the chosen dark theme and the system’s dark theme use equal colours', () => {
  const sheet = readFileSync('public/gatehouse.css', 'utf8');
  const values = (selector: string) => {
    const start = sheet.indexOf(`${selector} {`);
    return sheet.slice(start, sheet.indexOf('}', start)).match(/--[\w-]+: [^;]+/g);
  };
  expect(values(':root[data-theme="dark"]')).toEqual(values(':root:not([data-theme="light"])'));
  expect(values(':root[data-theme="dark"]')?.length).toBeGreaterThan(10);
});

const ALL: ThemeChoice[] = ['system', 'light', 'dark'];
it.each(ALL)('the theme parameter accepts %s', (choice) => {
  expect(choose('/', `theme=${choice}`)).not.toBeNull();
});
