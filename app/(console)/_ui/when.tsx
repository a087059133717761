import { now } from '#lib/kit/clock.ts';
import type { Words } from '#lib/language/words.ts';
import { say, spoken } from '../_texts/say.tsx';

const STEPS: [limitSeconds: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [90, 1, 'second'],
  [90 * 60, 60, 'minute'],
  [36 * 3600, 3600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
];
/** British dates where the page is in English. */
const localeOf = ({ language }: Words) => (language === 'en' ? 'en-GB' : language);
const absoluteIn = (words: Words) =>
  new Intl.DateTimeFormat(localeOf(words), { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

type WhenProps = { at: Date | string | null; words?: Words };

/** `2 hours ago`, or the date after 30 days; the title holds the moment in UTC. */
export function When({ at, words = spoken() }: WhenProps) {
  if (at === null) return <>{words.t('console.never')}</>;
  const moment = new Date(at);
  return (
    <time
      dateTime={moment.toISOString()}
      title={say('{time} UTC', { time: absoluteIn(words).format(moment) })}
    >
      {inWords(moment, words)}
    </time>
  );
}

function inWords(moment: Date, words: Words): string {
  const seconds = (moment.getTime() - now().getTime()) / 1000;
  const step = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  if (!step)
    return new Intl.DateTimeFormat(localeOf(words), { dateStyle: 'medium', timeZone: 'UTC' }).format(moment);
  if (step[2] === 'second') return words.t(seconds < 0 ? 'console.just_now' : 'console.soon');
  const relative = new Intl.RelativeTimeFormat(words.language, { numeric: 'auto' });
  return relative.format(Math.round(seconds / step[1]), step[2]);
}
