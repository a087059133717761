import { now } from '#lib/kit/index.ts';

const STEPS: [limitSeconds: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [90, 1, 'second'],
  [90 * 60, 60, 'minute'],
  [36 * 3600, 3600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** `2 hours ago`, or the date after 30 days; the title holds the moment in UTC. */
export function When({ at }: { at: Date | string | null }) {
  if (at === null) return <>never</>;
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={`${absolute.format(moment)} UTC`}>
      {inWords(moment)}
    </time>
  );
}

function inWords(moment: Date): string {
  const seconds = (moment.getTime() - now().getTime()) / 1000;
  const step = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  if (!step) return absolute.format(moment).split(',')[0] ?? '';
  if (step[2] === 'second') return seconds < 0 ? 'just now' : 'in a moment';
  return relative.format(Math.round(seconds / step[1]), step[2]);
}
