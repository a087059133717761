// Light, dark or as the system says, as a person chose it on a page of ours: a cookie of this browser.
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import type { PageTheme, Words } from '#lib/language/words.ts';
import { settings } from '#lib/settings/settings.ts';

/** `system`: what the browser prefers counts, as without a choice. */
export type ThemeChoice = PageTheme | 'system';

const YEAR_SECONDS = 31_536_000;

const name = () => (settings().secureCookies ? '__Host-gatehouse-theme' : 'gatehouse-theme');

export const isThemeChoice = (given: string | null): given is ThemeChoice =>
  given === 'light' || given === 'dark' || given === 'system';

/** The Set-Cookie value that keeps the choice for a year; `system` deletes it. */
export function keepTheme(choice: ThemeChoice): string {
  return setCookie(name(), choice, {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: choice === 'system' ? 0 : YEAR_SECONDS,
  });
}

/** The words of a page, for a browser that sends these cookies. */
export function inTheme<Of extends Words>(words: Of, cookieHeader: string | undefined): Of {
  const chosen = parseCookies(cookieHeader).get(name());
  return chosen === 'light' || chosen === 'dark' ? { ...words, theme: chosen } : words;
}
