// Ranges of whole days, in the time zone of the person who asks: both days are part of the range.
import type { Fault } from '#lib/registry/fields/definition.ts';
import type { DayRange } from '#lib/store/database/list.ts';
import { database } from '#lib/store/database/prisma.ts';
import { findPersonById } from '#lib/store/people/people.ts';
import type { Actor } from './policy.ts';
import { faultAt } from './refusals/codes.ts';
import { refuseFaults } from './refused.ts';

/** `createdFrom`, `createdTo`: days such as 2026-01-31. */
export type Days<Name extends string> = { [Side in `${Name}${'From' | 'To'}`]?: string | undefined };

const DAY = /^(?:19|[2-9]\d)\d\d-\d\d-\d\d$/;

function dayOf(text: string | undefined): Temporal.PlainDate | null | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return DAY.test(text) ? Temporal.PlainDate.from(text) : null;
  } catch {
    return null;
  }
}

/** What is wrong with these days: no such day, or the first is after the last. */
export function faultsOfDays<Name extends string>(names: readonly Name[], asked: Days<Name>): Fault[] {
  const given = asked as Record<string, string | undefined>;
  return names.flatMap((name) => {
    const sides = [`${name}From`, `${name}To`];
    const [from, to] = sides.map((side) => dayOf(given[side]));
    const wrong = sides.filter((side) => dayOf(given[side]) === null);
    if (wrong.length > 0) return wrong.map((side) => faultAt(side, 'days.wrong'));
    const isTurned = from && to && Temporal.PlainDate.compare(from, to) > 0;
    return isTurned ? [faultAt(`${name}To`, 'days.turned')] : [];
  });
}

/** The time zone in which this actor's days begin: their own, or UTC. */
export async function zoneOf(actor: Actor): Promise<string> {
  if (actor.kind !== 'person') return 'UTC';
  const person = await findPersonById(await database(), actor.id);
  return person?.zoneinfo ?? 'UTC';
}

/** The ranges by name. Refused: `faultsOfDays`. */
export async function rangesOf<Name extends string>(
  actor: Actor,
  names: readonly Name[],
  asked: Days<Name>,
): Promise<{ [Range in Name]?: DayRange }> {
  refuseFaults(faultsOfDays(names, asked));
  const given = asked as Record<string, string | undefined>;
  const days = names.map((name) => [name, dayOf(given[`${name}From`]), dayOf(given[`${name}To`])] as const);
  const named = days.filter(([, from, to]) => from || to);
  if (named.length === 0) return {};
  const timeZone = await zoneOf(actor);
  const start = (day: Temporal.PlainDate | null | undefined, after = 0) =>
    day ? new Date(day.add({ days: after }).toZonedDateTime({ timeZone }).epochMilliseconds) : null;
  return Object.fromEntries(
    named.map(([name, from, to]) => [name, { from: start(from), before: start(to, 1) }]),
  ) as { [Range in Name]?: DayRange };
}
