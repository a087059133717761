// Filters of whole days: what the address says of them, and their fields.
import { faultsOfDays, zoneOf } from '#lib/management/core/days.ts';
import type { Actor } from '#lib/management/core/policy.ts';
import { say } from '../_texts/say.tsx';

type Range = { name: string; label: string };
export type DayFilters = {
  ranges: readonly (Range & { from: string; to: string })[];
  zone: string;
  /** for the links of the page: as they came */
  query: Record<string, string>;
  /** what the operation takes: those that make sense */
  asked: Record<string, string>;
  faults: string[];
};

/** The side where a range begins, of either of its sides. */
const firstOf = (side: string) => (side.endsWith('To') ? `${side.slice(0, -2)}From` : side);

export async function dayFilters(
  actor: Actor,
  query: Record<string, string>,
  ranges: readonly Range[],
): Promise<DayFilters> {
  const given = Object.fromEntries(
    ranges.flatMap(({ name }) => [`${name}From`, `${name}To`].map((side) => [side, query[side] ?? ''])),
  );
  const names = ranges.map(({ name }) => name);
  const wrong = faultsOfDays(names, given);
  const isTaken = ([side]: [string, string]) =>
    !wrong.some(({ field }) => field === side || firstOf(field) === side);
  return {
    ranges: ranges.map((range) => ({
      ...range,
      from: given[`${range.name}From`] ?? '',
      to: given[`${range.name}To`] ?? '',
    })),
    zone: await zoneOf(actor),
    query: given,
    asked: Object.fromEntries(
      Object.entries(given).filter(([side, day]) => day !== '' && isTaken([side, day])),
    ),
    faults: wrong.map(({ field, code }) => {
      const [from = '', to = ''] = [given[firstOf(field)], given[field]];
      return code === 'days.turned'
        ? say('The last day {to} is before the first day {from}.', { from, to })
        : say('{text} is no day: write it as 2026-01-31.', { text: given[field] ?? '' });
    }),
  };
}

export function DayFields({ ranges, zone, query, faults }: DayFilters) {
  return (
    <details className="day-filters" open={Object.values(query).some((day) => day !== '')}>
      <summary>{say('Dates')}</summary>
      {ranges.map(({ name, label, from, to }) => (
        <fieldset key={name}>
          <legend>{label}</legend>
          {(
            [
              [`${name}From`, say('First day'), from],
              [`${name}To`, say('Last day'), to],
            ] as const
          ).map(([side, text, day]) => (
            <label key={side} className="entry">
              <span>{text}</span>
              <input type="date" name={side} defaultValue={day} min="1900-01-01" max="9999-12-31" />
            </label>
          ))}
        </fieldset>
      ))}
      <p className="soft">{say('Whole days, in the time zone {zone}.', { zone })}</p>
      {faults.map((fault) => (
        <p key={fault} role="alert">
          {fault}
        </p>
      ))}
    </details>
  );
}
