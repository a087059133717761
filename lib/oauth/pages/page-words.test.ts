import { beforeAll, expect, test } from 'vitest';
import { languageOfUiLocales } from '#lib/language/negotiate.ts';
import { keepLanguage } from '#lib/sessions/choices.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { sealInteraction } from '../authorize/interaction.ts';
import { keptQuery } from '../authorize/request.ts';
import { sealSignOut } from '../sign-out-request.ts';
import { pageWords } from './frame.ts';

const env = { DATABASE_URL: 'postgres://none/x', GATEHOUSE_SECRET: 'A'.repeat(43), DEFAULT_LANGUAGE: 'it' };
beforeAll(() => void loadSettings(env));

const cookieOf = (setCookie: string) => setCookie.split(';')[0] as string;

function begun(uiLocales: string | null, startedAt = Date.now()) {
  const { browser, cookie } = openTransaction(undefined);
  const query = uiLocales === null ? 'client_id=c' : `client_id=c&ui_locales=${uiLocales}`;
  const sealed = sealInteraction({ authMethodId: 'm', apiId: 'a', query, startedAt, browser });
  return { sealed, cookie: cookieOf(cookie), browser };
}

test('OpenID Connect Core §3.1.2.1: the page uses the language of the request, then the user’s choice, then the Accept-Language header', () => {
  const { sealed, cookie } = begun('ja', Date.now() + 1_000);
  const chosen = cookieOf(keepLanguage('pl'));
  const headers = { cookie: `${cookie}; ${chosen}`, 'accept-language': 'tr' };
  expect(pageWords(headers, sealed).language).toBe('ja');
  expect(pageWords(headers).language).toBe('pl');
  expect(pageWords({ 'accept-language': 'tr' }, sealed).language).toBe('tr');
  expect(pageWords({}).language).toBe('it');
});

test('a language chosen on a page of this request overrides ui_locales', () => {
  const { sealed, cookie } = begun('ja', Date.now() - 1_000);
  const chosen = cookieOf(keepLanguage('pl'));
  expect(pageWords({ cookie: `${cookie}; ${chosen}` }, sealed).language).toBe('pl');
});

test('sign-out requests can contain ui_locales too', () => {
  const { cookie, browser } = begun(null);
  const after = { authMethodId: 'm', apiId: 'a', returnTo: null, fault: null, done: false };
  const sealed = sealSignOut({ ...after, startedAt: Date.now(), browser, uiLocales: 'fr' });
  expect(pageWords({ cookie }, sealed).language).toBe('fr');
});

test.each([
  'gatehouse-language=xx.1',
  'gatehouse-language=',
  'gatehouse-language=de',
  'gatehouse-language=__proto__.1',
])('the language cookie %s causes no error', (cookie) => {
  expect(['de', 'it']).toContain(pageWords({ cookie }).language);
});

test('ui_locales is reduced to one supported language, regardless of length', () => {
  const values = new Map([
    ['client_id', 'c'],
    ['ui_locales', `${'xx '.repeat(5)}de-CH ${'qq-'.repeat(9_000)}`],
  ]);
  expect(keptQuery({ values, repeated: new Set() })).toBe('client_id=c&ui_locales=de');
  values.set('ui_locales', 'klingon'.repeat(2_000));
  expect(keptQuery({ values, repeated: new Set() })).toBe('client_id=c');
  expect(languageOfUiLocales('')).toBe(null);
});
