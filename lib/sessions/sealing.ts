// Session cookies: JSON in the seal of the kit, each kind for its own purpose. Cookies of the version before, which
// iron-session sealed, are still opened: nobody is signed out by the update.
import type { z } from 'zod';
import { parseAs, sealJson, sha256, unsealJson } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { openIronSeal } from './iron.ts';

/** How iron-session ends its cookies. */
const IRON_VERSION = '~2';

export type CookiePurpose = 'sign-in session' | 'console session';

export function sealCookie(value: object, purpose: CookiePurpose): string {
  return sealJson(value, purpose, settings().secrets);
}

/** The value; null for a cookie that was not sealed here for this purpose, and for no cookie. */
export function openCookie<Value>(
  shape: z.ZodType<Value>,
  cookie: string | undefined,
  purpose: CookiePurpose,
): Value | null {
  const { secrets } = settings();
  if (!cookie?.endsWith(IRON_VERSION)) return unsealJson(shape, cookie ?? '', purpose, secrets);
  const passwords = Object.fromEntries(
    secrets.map((secret) => [String(sha256(`session:${secret}`).readUInt32BE(0)), secret]),
  );
  const text = openIronSeal(cookie.slice(0, -IRON_VERSION.length), passwords);
  return text === null ? null : parseAs(shape, text);
}
