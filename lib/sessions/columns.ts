// What a person wants to see of each list of the console: a cookie of this browser, with what they took away. Of up to
// MOST_PEOPLE people: `P.list.name.name~P.list.name`, where P begins their id, and who chose last is first.
import { parseCookies, setCookie } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';

const YEAR_SECONDS = 31_536_000;
const MOST_PEOPLE = 3;
const MOST_LISTS = 12;
const ENTRY = /^[0-9a-f]{8}(\.[a-z-]{1,20}){1,12}$/;

const cookieName = () => (settings().secureCookies ? '__Host-gatehouse-columns' : 'gatehouse-columns');
const startOf = (personId: string) => personId.slice(0, 8);

type Entry = { person: string; list: string; hidden: string[] };

function entriesIn(cookieHeader: string | undefined): Entry[] {
  const entries = (parseCookies(cookieHeader).get(cookieName()) ?? '').split('~').slice(0, 50);
  return entries.flatMap((entry) => {
    if (!ENTRY.test(entry)) return [];
    const [person = '', list = '', ...hidden] = entry.split('.');
    return [{ person, list, hidden }];
  });
}

/** The columns of the list that this person took away. */
export function hiddenColumns(cookieHeader: string | undefined, personId: string, list: string): Set<string> {
  const own = entriesIn(cookieHeader).find((one) => one.person === startOf(personId) && one.list === list);
  return new Set(own?.hidden);
}

/** The Set-Cookie value that keeps the choice for a year; none hidden is as it was before. */
export function keepColumns(
  cookieHeader: string | undefined,
  personId: string,
  list: string,
  hidden: readonly string[],
): string {
  const person = startOf(personId);
  const before = entriesIn(cookieHeader);
  const own = before.filter((one) => one.person === person && one.list !== list);
  const others = [...new Set(before.map((one) => one.person))].filter((one) => one !== person);
  const kept = [
    ...(hidden.length > 0 ? [{ person, list, hidden }] : []),
    ...own.slice(0, MOST_LISTS - 1),
    ...others.slice(0, MOST_PEOPLE - 1).flatMap((one) => before.filter((entry) => entry.person === one)),
  ];
  const value = kept.map((one) => [one.person, one.list, ...one.hidden].join('.')).join('~');
  return setCookie(cookieName(), value, {
    secure: settings().secureCookies,
    sameSite: 'Lax',
    maxAge: value === '' ? 0 : YEAR_SECONDS,
  });
}
