// The language that a person chose on a page of ours: a cookie of this browser, with the moment of the choice.
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { now } from '#lib/kit/clock.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';

const YEAR_SECONDS = 31_536_000;

const name = () => (settings().secureCookies ? '__Host-gatehouse-language' : 'gatehouse-language');

/** The Set-Cookie value that keeps the choice for a year. */
export function keepLanguage(language: Language): string {
  const value = `${language}.${now().getTime()}`;
  return setCookie(name(), value, {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: YEAR_SECONDS,
  });
}

/** `at`: milliseconds since 1970. Null: nothing was chosen, or the cookie is not one of ours. */
export function readLanguage(cookieHeader: string | undefined): { language: Language; at: number } | null {
  const [language, at] = (parseCookies(cookieHeader).get(name()) ?? '').split('.');
  return isLanguage(language) ? { language, at: Number(at) || 0 } : null;
}
