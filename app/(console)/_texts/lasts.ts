import { durationParts } from '#app/_components/duration.ts';
import { say, spoken } from './say.tsx';

/** How long a number of seconds is, in the reader's language: `1 hour 30 minutes`. */
export function lasts(seconds: number): string {
  const { language } = spoken();
  const { parts, isRounded } = durationParts(seconds);
  const time = parts
    .map(([unit, count]) =>
      new Intl.NumberFormat(language, {
        style: 'unit',
        unit,
        unitDisplay: 'long',
        useGrouping: false,
      }).format(count),
    )
    .join(' ');
  return isRounded ? say('about {time}', { time }) : time;
}
