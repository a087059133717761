// What is typed at the command line: wrong usage, whole numbers, moments.
import { now } from '#lib/kit/clock.ts';
import { ownValue } from '#lib/kit/own-value.ts';

/** The command was typed wrongly: exit status 2. */
/** The command cannot continue; the message is for the operator. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
}

export class WrongUsage extends Error {
  override name = 'WrongUsage';
}

export function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new WrongUsage(`${what} must be a whole number`);
  return Number(text);
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A date, `now`, or how long ago. */
export function timeOf(text: string, option: string): Date {
  if (text === 'now') return now();
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) return new Date(now().getTime() - Number(ago[1]) * (ownValue(UNITS, ago[2] as string) ?? 0));
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new WrongUsage(`${option} ${text}: write a date, now, or 30m, 12h, 7d`);
  return date;
}
