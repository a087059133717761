// The transaction cookie binds the hosted forms to this browser. It contains a random value and lasts ten minutes. A
// form's anti-forgery token is sealed for that value and for the form's interaction, so no other browser or form can
// use it.
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { seal, unseal } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';

export const TRANSACTION_SECONDS = 600;

const name = () => (settings().secureCookies ? '__Host-gatehouse-transaction' : 'gatehouse-transaction');

/** Returns a digest of the cookie of this browser. Null if there is no cookie. */
export function readBrowser(cookieHeader: string | undefined): string | null {
  const value = parseCookies(cookieHeader).get(name());
  return value ? sha256(value).toString('base64url') : null;
}

/** Returns the browser digest, and a Set-Cookie value that extends the cookie by ten minutes. */
export function openTransaction(cookieHeader: string | undefined): { browser: string; cookie: string } {
  const cookieValue = parseCookies(cookieHeader).get(name());
  const value = cookieValue && /^[\w-]{43}$/.test(cookieValue) ? cookieValue : randomToken('');
  const { secureCookies } = settings();
  return {
    browser: sha256(value).toString('base64url'),
    cookie: setCookie(name(), value, { secure: secureCookies, sameSite: 'Lax', maxAge: TRANSACTION_SECONDS }),
  };
}

const purpose = (form: string) => `anti-forgery ${sha256(form).toString('base64url')}`;

export function antiForgeryToken(browser: string, form: string): string {
  return seal(browser, purpose(form), settings().secrets);
}

export function isAntiForgeryToken(token: string | undefined, browser: string | null, form: string): boolean {
  return (
    token !== undefined && browser !== null && unseal(token, purpose(form), settings().secrets) === browser
  );
}

// Sign-in to an application that the user interrupted to choose a new password. A cookie stores it, sealed like the
// address of the sign-in page. No mail and no database row contains it, so it works only in this browser.

/**
 * Maximum length of the cookie: browsers send it with every request, and all headers together are limited to
 * 16 KiB.
 */
const MAX_LENGTH = 3_000;

const interruptedName = () =>
  settings().secureCookies ? '__Host-gatehouse-interrupted' : 'gatehouse-interrupted';

/**
 * Returns the Set-Cookie value that stores this sign-in and replaces an earlier one. A value that is too long is
 * dropped.
 */
export function keepInterrupted(sealed: string): string {
  return sealed.length > MAX_LENGTH ? forgetInterrupted() : cookie(sealed, TRANSACTION_SECONDS);
}

export function readInterrupted(cookieHeader: string | undefined): string | undefined {
  return parseCookies(cookieHeader).get(interruptedName()) || undefined;
}

export function forgetInterrupted(): string {
  return cookie('', 0);
}

function cookie(value: string, maxAge: number): string {
  return setCookie(interruptedName(), value, { secure: settings().secureCookies, sameSite: 'Lax', maxAge });
}
