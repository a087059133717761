// The language and the theme that a person chose: cookies of this browser.
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { now } from '#lib/kit/clock.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import type { PageTheme, Words } from '#lib/language/words.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';

const YEAR_SECONDS = 31_536_000;

const languageCookie = () => (settings().secureCookies ? '__Host-gatehouse-language' : 'gatehouse-language');

/** The Set-Cookie value that keeps the choice for a year. */
export function keepLanguage(language: Language): string {
  const value = `${language}.${now().getTime()}`;
  return setCookie(languageCookie(), value, {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: YEAR_SECONDS,
  });
}

/** `at`: milliseconds since 1970. Null: nothing was chosen, or the cookie is not one of ours. */
export function readLanguage(cookieHeader: string | undefined): { language: Language; at: number } | null {
  const [language, at] = (parseCookies(cookieHeader).get(languageCookie()) ?? '').split('.');
  return isLanguage(language) ? { language, at: Number(at) || 0 } : null;
}

// Light, dark or as the system says, as a person chose it on a page of ours: a cookie of this browser.

/** `system`: what the browser prefers counts, as without a choice. */
export type ThemeChoice = PageTheme | 'system';

const themeCookie = () => (settings().secureCookies ? '__Host-gatehouse-theme' : 'gatehouse-theme');

export const isThemeChoice = (given: string | null): given is ThemeChoice =>
  given === 'light' || given === 'dark' || given === 'system';

/** The Set-Cookie value that keeps the choice for a year; `system` deletes it. */
export function keepTheme(choice: ThemeChoice): string {
  return setCookie(themeCookie(), choice, {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: choice === 'system' ? 0 : YEAR_SECONDS,
  });
}

/** The words of a page, for a browser that sends these cookies. */
export function inTheme<Of extends Words>(words: Of, cookieHeader: string | undefined): Of {
  const chosen = parseCookies(cookieHeader).get(themeCookie());
  return chosen === 'light' || chosen === 'dark' ? { ...words, theme: chosen } : words;
}
