// How many mails strangers may have sent: to one address, from one place, and all together. Every request counts,
// before anything is looked up, so that the limit tells nothing about an address either.
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import type { Language } from '#lib/settings/languages.ts';
import { attemptLimit, callerLimits, type Limit } from '#lib/store/tokens/limits.ts';

/** `pageLanguage`: of the page where the person asks. */
export type From = { ip: string | null; requestId: string; pageLanguage?: Language };

const MAILS = { what: 'mails', each: 30, windowSeconds: 900, all: 100, allSeconds: 5 };

export function mailLimits(
  kind: 'reset' | 'verify' | 'register' | 'address' | 'preview',
  email: string,
  ip: string | null,
): Limit[] {
  return [...callerLimits(MAILS, ip), attemptLimit('mail', `${kind} ${email}`, 5)];
}

/** Counts each call. Over a limit it does not send, and returns the seconds to wait; otherwise null. */
export async function limited(
  limits: Limit[],
  from: From,
  send: () => Promise<void>,
): Promise<number | null> {
  try {
    await underLimits(limits, from, send, () => true);
    return null;
  } catch (error) {
    if (error instanceof TooManyAttempts) return error.waitSeconds;
    throw error;
  }
}
