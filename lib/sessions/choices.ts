// Language and theme that the user selected, stored in cookies of the browser.
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { now } from '#lib/kit/clock.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import type { PageTheme, Words } from '#lib/language/words.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';

const YEAR_SECONDS = 31_536_000;

const languageCookie = () => (settings().secureCookies ? '__Host-gatehouse-language' : 'gatehouse-language');

/** Returns the Set-Cookie value that stores the language for one year. */
export function keepLanguage(language: Language): string {
  const value = `${language}.${now().getTime()}`;
  return setCookie(languageCookie(), value, {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: YEAR_SECONDS,
  });
}

/** `at`: milliseconds since 1970. Null if the user selected nothing, or the cookie is invalid. */
export function readLanguage(cookieHeader: string | undefined): { language: Language; at: number } | null {
  const [language, at] = (parseCookies(cookieHeader).get(languageCookie()) ?? '').split('.');
  return isLanguage(language) ? { language, at: Number(at) || 0 } : null;
}

// Theme that the user selected on a page of Gatehouse (light, dark or system), stored in a cookie.

/** The theme that the user selected. `system`: the preference of the browser applies, as without a choice. */
export type ThemeChoice = PageTheme | 'system';

const themeCookie = () => (settings().secureCookies ? '__Host-gatehouse-theme' : 'gatehouse-theme');

export const isThemeChoice = (choice: string | null): choice is ThemeChoice =>
  choice === 'light' || choice === 'dark' || choice === 'system';

/** Returns the Set-Cookie value that stores the choice for a year. `system` deletes the cookie. */
export function keepTheme(choice: ThemeChoice): string {
  return setCookie(themeCookie(), choice, {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: choice === 'system' ? 0 : YEAR_SECONDS,
  });
}

/** Adds the theme in the cookie to the texts of a page. */
export function inTheme<Of extends Words>(words: Of, cookieHeader: string | undefined): Of {
  const chosen = parseCookies(cookieHeader).get(themeCookie());
  return chosen === 'light' || chosen === 'dark' ? { ...words, theme: chosen } : words;
}
