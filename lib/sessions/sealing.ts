// Session cookies: JSON in the seal of the kit, each kind for its own purpose.
import type { z } from 'zod';
import { sealJson, unsealJson } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';

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
  return unsealJson(shape, cookie ?? '', purpose, settings().secrets);
}
