// The words and colours of what is counted. No meaning is only in a colour: a legend and a table say the same.
export type Tone = 'good' | 'waiting' | 'refused' | 'plain' | 'ink';
type Kind = readonly [key: string, name: string, tone: Tone];

export const SIGN_INS: readonly Kind[] = [
  ['succeeded', 'signed in', 'good'],
  ['refused', 'refused', 'refused'],
  ['unavailable', 'no verdict', 'waiting'],
  ['limited', 'over a limit', 'plain'],
];
export const TOKENS: readonly Kind[] = [
  ['authorization_code', 'by code', 'good'],
  ['refresh_token', 'renewed', 'plain'],
  ['password', 'by password', 'waiting'],
  ['token-exchange', 'exchanged', 'ink'],
];

const format = new Intl.NumberFormat('en-GB');
export const inDigits = (n: number): string => format.format(n);

/** `1 attempt`, `2,000 attempts` */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${inDigits(n)} ${n === 1 ? one : many}`;

/** `100 ms`, `2.5 s` */
export const took = (ms: number): string =>
  ms < 1_000 ? `${ms}\u00a0ms` : `${Math.round(ms / 100) / 10}\u00a0s`;

const clock = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
const short = clock({ hour: '2-digit', minute: '2-digit' });
const long = clock({ weekday: 'short', hour: '2-digit', minute: '2-digit' });

/** The beginning of a step, in UTC. Steps of a week have their day. */
export const beginning = (at: Date, stepMinutes: number): string =>
  (stepMinutes > 60 ? long : short).format(at);
