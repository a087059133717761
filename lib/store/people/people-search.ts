// The people that a text names, in lists of people and of their sessions. A part of a name or an address is looked for
// in every row; of very many people only the beginning is, which an index knows.
import { canonicalEmail, canonicalSearch } from '#lib/kit/text/email-address.ts';
import { anyOf, begins, contains, containsEmail } from '../database/list.ts';
import { database } from '../database/prisma.ts';
import { raw, type Sql, sql } from '../database/sql.ts';

/** `people`: the ids of those that the text names, at most FEW_PEOPLE; null: they are more, and `isNamed` says who. */
export type PeopleSearch = { text: string; people: string[] | null };

const FEW_PEOPLE = 1_000;
const MANY_PEOPLE = 500_000;

/** SQL, of the person `p`. */
export const isNamed = ({ text, people }: PeopleSearch): Sql | null =>
  people === null
    ? anyOf(
        containsEmail(text, `coalesce(p.email, '')`),
        contains(text, 'lower(p.name)'),
        contains(canonicalEmail(text), `coalesce(p.username, '')`),
        sql`lower(p.subject collate "C") = ${text}`,
      )
    : sql`p.id = any(${people}::uuid[])`;

/**
 * `typed`: with its capitals, which a kept subject may have. `many`: above so many people the beginnings of names and
 * addresses are looked for, and the first few are found.
 */
export async function searchPeople(typed: string | null, many = MANY_PEOPLE): Promise<PeopleSearch | null> {
  if (typed === null) return null;
  const text = typed.toLowerCase();
  const isMany = (await aboutHowMany()) > many;
  const found = await (await database()).$queryRaw<{ id: string }[]>(
    isMany
      ? sql`${beginning(`(p.email || '')`, text)} union ${beginning(`(p.email || '')`, canonicalSearch(text))}
        union ${beginning('lower(p.name)', text)}
        union select p.id from people p where p.username = ${canonicalEmail(text)} or p.subject = ${typed}
        limit ${FEW_PEOPLE}`
      : sql`select p.id from people p where ${isNamed({ text, people: null })} limit ${FEW_PEOPLE + 1}`,
  );
  return { text, people: found.length > FEW_PEOPLE ? null : found.map(({ id }) => id) };
}

/** In the order of the index, so that the planner takes it for every text. */
const beginning = (column: string, text: string) => sql`(select p.id from people p
  where ${begins(column, text)} order by ${raw(column)} using ~<~ limit ${FEW_PEOPLE})`;

/** As PostgreSQL last counted. */
async function aboutHowMany(): Promise<number> {
  const [row] = await (await database()).$queryRaw<{ count: number }[]>(
    sql`select reltuples::float8 as count from pg_class where oid = 'people'::regclass`,
  );
  return row?.count ?? 0;
}
