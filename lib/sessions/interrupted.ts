// The sign-in to an application that a person left to choose a new password. It waits in a cookie, sealed as in the
// address of the sign-in page; neither the mail nor the database holds it, and it works in this browser only.
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { settings } from '#lib/settings/settings.ts';
import { TRANSACTION_SECONDS } from './transaction.ts';

/** Every request carries it, in a header of 16 KiB at most. */
const MAX_LENGTH = 3_000;

const name = () => (settings().secureCookies ? '__Host-gatehouse-interrupted' : 'gatehouse-interrupted');

/** The Set-Cookie value that keeps this sign-in and replaces an earlier one; one that is too long is not kept. */
export function keepInterrupted(sealed: string): string {
  return sealed.length > MAX_LENGTH ? forgetInterrupted() : cookie(sealed, TRANSACTION_SECONDS);
}

export function readInterrupted(cookieHeader: string | undefined): string | undefined {
  return parseCookies(cookieHeader).get(name()) || undefined;
}

export function forgetInterrupted(): string {
  return cookie('', 0);
}

function cookie(value: string, maxAge: number): string {
  return setCookie(name(), value, { secure: settings().secureCookies, sameSite: 'Lax', maxAge });
}
