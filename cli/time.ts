// A moment as somebody types it: a date, or how long ago.
import { now } from '#lib/kit/index.ts';
import { WrongUsage } from './command.ts';

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function timeOf(text: string, option: string): Date {
  if (text === 'now') return now();
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) return new Date(now().getTime() - Number(ago[1]) * (UNITS[ago[2] as string] ?? 0));
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new WrongUsage(`${option} ${text}: write a date, now, or 30m, 12h, 7d`);
  return date;
}
