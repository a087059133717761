import { now } from '#lib/kit/clock.ts';
import type { Message } from './message.ts';

const DAY_SECONDS = 86_400;

const UNTIL = {
  'sign_in.too_many': 'sign_in.too_many_until',
  'register.too_many_mails': 'register.too_many_mails_until',
  'own_account.too_many_mails': 'sign_in.too_many_mails_until',
  'link.too_many': 'sign_in.too_many_network_until',
} as const;
export type TooManyCode = keyof typeof UNTIL;

export const isTooMany = (code: string): code is TooManyCode => Object.hasOwn(UNTIL, code);

/** What a person reads who has to wait: until when, in UTC, because a page does not know the reader's time zone. */
export function tooMany(code: TooManyCode, waitSeconds: number, from = now()): Message {
  if (waitSeconds >= DAY_SECONDS) return { code };
  // rounded up: at the minute that is shown, the wait is over
  const end = Math.ceil((from.getTime() / 1000 + waitSeconds) / 60) * 60;
  const time = new Date(end * 1000).toISOString().slice(11, 16);
  return { code: UNTIL[code], values: { time } };
}

export const tooManyAttempts = (waitSeconds: number, from = now()): Message =>
  tooMany('sign_in.too_many', waitSeconds, from);
