// The words and colours of what is counted. No meaning is only in a colour: a legend and a table say the same.
import { spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

export type Tone = 'good' | 'waiting' | 'refused' | 'plain' | 'ink';
type Kind = readonly [key: string, name: string, tone: Tone];

export const SIGN_INS: readonly Kind[] = [
  ['succeeded', toSay('signed in'), 'good'],
  ['refused', toSay('refused'), 'refused'],
  ['unavailable', toSay('no verdict'), 'waiting'],
  ['limited', toSay('over a limit'), 'plain'],
];
export const TOKENS: readonly Kind[] = [
  ['authorization_code', toSay('by code'), 'good'],
  ['refresh_token', toSay('renewed'), 'plain'],
  ['password', toSay('by password'), 'waiting'],
  ['token-exchange', toSay('exchanged'), 'ink'],
];

/** British where the page is in English. */
const locale = () => (spoken().language === 'en' ? 'en-GB' : spoken().language);

export const inDigits = (n: number): string => new Intl.NumberFormat(locale()).format(n);

/** `100 ms`, `2.5 s` */
export const took = (ms: number): string =>
  ms < 1_000 ? `${inDigits(ms)}\u00a0ms` : `${inDigits(Math.round(ms / 100) / 10)}\u00a0s`;

const short = { hour: '2-digit', minute: '2-digit' } as const;
const long = { weekday: 'short', ...short } as const;

/** The beginning of a step, in UTC. Steps of a week have their day. */
export const beginning = (at: Date, stepMinutes: number): string =>
  new Intl.DateTimeFormat(locale(), { ...(stepMinutes > 60 ? long : short), timeZone: 'UTC' }).format(at);
