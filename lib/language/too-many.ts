import { now } from '#lib/kit/index.ts';
import type { Message } from '#lib/language/index.ts';

const DAY_SECONDS = 86_400;

/** What a person reads who has to wait: until when, in UTC, because a page does not know the reader's time zone. */
export function tooManyAttempts(waitSeconds: number, from = now()): Message {
  if (waitSeconds >= DAY_SECONDS) return { code: 'sign_in.too_many' };
  // rounded up: at the minute that is shown, the wait is over
  const end = Math.ceil((from.getTime() / 1000 + waitSeconds) / 60) * 60;
  const time = new Date(end * 1000).toISOString().slice(11, 16);
  return { code: 'sign_in.too_many_until', values: { time } };
}
