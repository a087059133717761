// People in the list that administrators see.
import type { PersonRow } from '#lib/registry/objects/person.ts';
import { BY_NAME, type DayRange, inRange, list } from '../database/list.ts';
import { raw, sql } from '../database/sql.ts';
import { PERSON_ROW } from './people.ts';
import { isNamed, type PeopleSearch } from './people-search.ts';

/** `within`: in so many days; `before`: not in so many days, or never. */
export type SeenFilter = { within: number } | { before: number } | 'never';

export type PersonFilter = {
  search: PeopleSearch | null;
  role: string | null;
  disabled: boolean | null;
  factors: boolean | null;
  seen: SeenFilter | null;
  /** in so many days */
  createdWithin: number | null;
  created?: DayRange | undefined;
  /** when they signed in last */
  seenOn?: DayRange | undefined;
};

/** SQL: when they signed in last; who never did comes first. */
const LAST_SIGN_IN = `coalesce(p.last_sign_in_at, '-infinity'::timestamptz)`;
/** Written into the statement, so that the planner knows how many rows there are. */
const daysAgo = (days: number) => `now() - interval '${Math.trunc(days)} days'`;
const isSeen = (seen: SeenFilter) => {
  if (seen === 'never') return raw('p.last_sign_in_at is null');
  return 'within' in seen
    ? raw(`${LAST_SIGN_IN} >= ${daysAgo(seen.within)}`)
    : raw(`${LAST_SIGN_IN} < ${daysAgo(seen.before)}`);
};
const isOf = (condition: string, wanted: boolean | null) =>
  wanted === null ? null : raw(`${wanted ? '' : 'not '}(${condition})`);

/** Few of many people have a role, are disabled or have a factor: an index of each holds only those. */
export const PEOPLE = list<PersonRow, PersonFilter>({
  rows: sql`${PERSON_ROW} from people p`,
  orders: {
    created: {
      key: [
        ['p.created_at', 'time'],
        ['p.id', 'uuid'],
      ],
      begins: 'desc',
    },
    name: {
      key: [
        [`coalesce(nullif(p.name, ''), p.email, '') ${BY_NAME}`, 'text'],
        ['p.id', 'uuid'],
      ],
    },
    seen: {
      key: [
        [LAST_SIGN_IN, 'time'],
        ['p.id', 'uuid'],
      ],
      begins: 'desc',
    },
  },
  where: ({ search, role, disabled, factors, seen, createdWithin, created, seenOn }) => [
    search && isNamed(search),
    role === null ? null : sql`${role} = any (p.roles) and p.roles <> '{}'`,
    isOf('p.disabled_at is not null', disabled),
    isOf('p.factor_level > 0', factors),
    seen && isSeen(seen),
    createdWithin === null ? null : raw(`p.created_at >= ${daysAgo(createdWithin)}`),
    inRange('p.created_at', created),
    // the order by last sign-in has an index of this
    inRange(LAST_SIGN_IN, seenOn),
    seenOn ? raw('p.last_sign_in_at is not null') : null,
  ],
});
