// The trusted-browser cookie contains a random token for each user who trusts this browser. The database stores the
// token's hash. A token replaces only the second factor. The maximum number of users is the same as in the
// known-device cookie.

import { z } from 'zod';
import { parseCookies, setCookie } from '#lib/http/cookies.ts';
import { now } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';

const MAX_PEOPLE = 12;
const PURPOSE = 'trusted browser';
const DAY_MS = 86_400_000;

const shape = z.object({
  people: z.array(z.object({ name: z.string(), token: z.string(), at: z.number() })),
});
type Trusting = z.output<typeof shape>['people'];

const name = () => (settings().secureCookies ? '__Host-gatehouse-trusted' : 'gatehouse-trusted');
const nameOf = (personId: string, authMethodId: string) =>
  sha256(`${authMethodId} ${personId}`).toString('base64url').slice(0, 22);

function read(cookieHeader: string | undefined): Trusting {
  const cookie = parseCookies(cookieHeader).get(name());
  const trusting = cookie === undefined ? null : unsealJson(shape, cookie, PURPOSE, settings().secrets);
  const oldest = now().getTime() - settings().trustedBrowserDays * DAY_MS;
  return trusting?.people.filter(({ at }) => at > oldest) ?? [];
}

/**
 * Returns the hash of the user's token. Null if the user does not trust this browser, or if trusted browsers are
 * disabled.
 */
export function readTrustedBrowser(
  cookieHeader: string | undefined,
  personId: string,
  authMethodId: string,
): Buffer | null {
  const trustEntry = read(cookieHeader).find((entry) => entry.name === nameOf(personId, authMethodId));
  return trustEntry ? sha256(trustEntry.token) : null;
}

/**
 * Creates a token for this user. Returns its hash, the hash of the token that it replaces, and the Set-Cookie value.
 * Returns null if trusted browsers are disabled.
 */
export function trustBrowser(
  cookieHeader: string | undefined,
  personId: string,
  authMethodId: string,
): { tokenHash: Buffer; replaces: Buffer | null; days: number; cookie: string } | null {
  const days = settings().trustedBrowserDays;
  if (days === 0) return null;
  const entryName = nameOf(personId, authMethodId);
  const token = randomToken('');
  const others = read(cookieHeader).filter((entry) => entry.name !== entryName);
  const people = [{ name: entryName, token, at: now().getTime() }, ...others].slice(0, MAX_PEOPLE);
  const sealed = sealJson({ people }, PURPOSE, settings().secrets);
  return {
    tokenHash: sha256(token),
    replaces: readTrustedBrowser(cookieHeader, personId, authMethodId),
    days,
    cookie: setCookie(name(), sealed, {
      secure: settings().secureCookies,
      sameSite: 'Lax',
      maxAge: (days * DAY_MS) / 1000,
    }),
  };
}
