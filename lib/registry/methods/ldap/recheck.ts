// What a directory says of people that it let in before. Half an answer says nothing of anybody: a person is missing
// only where all that was asked was searched.
import { now } from '#lib/kit/clock.ts';
import type { AskedMethod, Recheck, StandingFault, Standings } from '../kind.ts';
import { isSilent } from './answers.ts';
import type { Connection, Entry } from './connection.ts';
import { type Directory, directoryOf, recheckSecondsOf } from './directory.ts';
import { groupAttributes, groupsOf } from './groups.ts';
import { assertionsIn, USERNAME } from './names.ts';
import { attributesOf, profileOf, subjectBytes, subjectOf } from './person.ts';
import { atServers, NoVerdict, reasonOf } from './servers.ts';

const EVERYTHING = '(objectClass=*)';
const MOST_MILLISECONDS = 5_000;

const USER_ACCOUNT_CONTROL = 'userAccountControl';
/** Active Directory works it out: a lock that is over is not in it. */
const COMPUTED_CONTROL = 'msDS-User-Account-Control-Computed';
const ACCOUNT_EXPIRES = 'accountExpires';
/** draft-behera-ldap-password-policy §5.3.3. */
const LOCKED_TIME = 'pwdAccountLockedTime';

/** Bits of both ([MS-ADTS] §2.2.16). */
const DISABLED = 0x2;
const LOCKED = 0x10;
/** From the beginning of 1601 to that of 1970, in units of 100 ns, as `accountExpires` has them. */
const UNITS_BEFORE_1970 = 116_444_736_000_000_000n;
const NEVER = [0n, 0x7fff_ffff_ffff_ffffn];

export const recheck: Recheck = {
  everySeconds: recheckSecondsOf,
  standings: async (method, subjects) => {
    const directory = directoryOf(method);
    try {
      const standings = await atServers(directory, (at) =>
        at.searching((connection) => standingsOf(directory, connection, subjects)),
      );
      return { kind: 'answered', ...standings };
    } catch (error) {
      return { kind: 'no-verdict', because: reasonOf(error) };
    }
  },
  profileAt,
};

async function standingsOf(
  directory: Directory,
  connection: Connection,
  subjects: readonly string[],
): Promise<Standings> {
  const asked = new Map(
    subjects.flatMap((subject) => {
      const value = subjectBytes(directory, subject);
      return value ? [[subject, value] as const] : [];
    }),
  );
  if (asked.size === 0) return { refused: new Map(), present: new Map(), missing: [], unclear: false };
  const search = (filter: string, attributes: string[]) =>
    connection.searchWhole({
      ...{ base: directory.baseDn, filter, attributes },
      having: { attribute: directory.subjectAttribute, values: [...asked.values()] },
    });
  const state = directory.isActive
    ? [USER_ACCOUNT_CONTROL, COMPUTED_CONTROL, ACCOUNT_EXPIRES]
    : [LOCKED_TIME];
  const found = await search(searchedBy(directory.filter), [directory.subjectAttribute, ...state]);
  const { bySubject, isUnread } = told(directory, found.entries);
  const rejected = told(
    directory,
    directory.rejectFilter === null || bySubject.size === 0
      ? []
      : (await search(directory.rejectFilter, [directory.subjectAttribute])).entries,
  );
  const refused = new Map<string, StandingFault>();
  const present = new Map<string, string>();
  let unclear = isUnread || rejected.isUnread;
  for (const [subject, [entry, ...others]] of bySubject) {
    const rejecting = rejected.bySubject.get(subject) ?? [];
    if (!entry || others.length > 0 || rejecting.length > 1) {
      unclear = true;
      continue;
    }
    const fault = faultOf(directory, entry) ?? (rejecting.length > 0 ? 'rejected' : null);
    if (fault) refused.set(subject, fault);
    else present.set(subject, entry.dn);
  }
  const missing = [...asked.keys()].filter((subject) => !bySubject.has(subject));
  const isWhole = missing.length === 0 || (!isUnread && (await sawAll(directory, connection, found)));
  return { refused, present, missing: isWhole ? missing : [], unclear };
}

/** Active Directory refers to its other partitions, in which no people are, at each search from the root. */
async function sawAll(
  { baseDn, isActive }: Directory,
  connection: Connection,
  { entries, refers }: { entries: Entry[]; refers: boolean },
): Promise<boolean> {
  if (refers && !isActive) return false;
  if (entries.length > 0) return true;
  // an account that may read nothing here finds no one, and says so of all
  const base = { base: baseDn, scope: 'base', filter: EVERYTHING, most: 1 } as const;
  return (await connection.search({ ...base, attributes: ['1.1'] })).length > 0;
}

/** The filter of a sign-in, with any name: people that it no longer finds cannot sign in. */
function searchedBy(filter: string): string {
  const named = (assertionsIn(filter) ?? []).filter(({ value }) => value.includes(USERNAME));
  const isPlain = named.length > 0 && named.every(({ rule }) => rule === '=');
  const isDenied = /\(!\s*\([^()]*\{username\}/.test(filter);
  return isPlain && !isDenied ? filter.replaceAll(USERNAME, '*').replace(/\*{2,}/g, '*') : EVERYTHING;
}

/** Two entries of one subject say nothing of it. `isUnread`: an entry may be anybody's who is not found otherwise. */
function told(
  directory: Directory,
  entries: Entry[],
): { bySubject: ReadonlyMap<string, Entry[]>; isUnread: boolean } {
  const bySubject = new Map<string, Entry[]>();
  let isUnread = false;
  for (const entry of entries) {
    const subject = entry.dn === '' ? null : subjectOf(directory, entry);
    if (subject === null) isUnread = true;
    else bySubject.set(subject, [...(bySubject.get(subject) ?? []), entry]);
  }
  return { bySubject, isUnread };
}

function faultOf({ isActive }: Directory, entry: Entry): StandingFault | null {
  if (!isActive) return textOf(entry, LOCKED_TIME) === null ? null : 'locked';
  const bits = (attribute: string) => Number(textOf(entry, attribute) ?? 0);
  if (bits(USER_ACCOUNT_CONTROL) & DISABLED) return 'disabled';
  const expires = BigInt(/^\d{1,19}$/.exec(textOf(entry, ACCOUNT_EXPIRES) ?? '')?.[0] ?? 0);
  const units = BigInt(now().getTime()) * 10_000n + UNITS_BEFORE_1970;
  if (!NEVER.includes(expires) && expires <= units) return 'expired';
  return bits(COMPUTED_CONTROL) & LOCKED ? 'locked' : null;
}

function textOf(entry: Entry, attribute: string): string | null {
  const [value] = entry.attributes.get(attribute.toLowerCase()) ?? [];
  return typeof value === 'string' ? value : null;
}

async function profileAt(
  method: AskedMethod,
  { subject, place }: { subject: string; place: string },
): ReturnType<Recheck['profileAt']> {
  const directory = directoryOf(method);
  try {
    const profile = await atServers(directory, (at) =>
      at.searching((connection) => profileOfEntry(directory, connection, subject, place)),
    );
    return { kind: 'told', profile };
  } catch (error) {
    return { kind: 'no-verdict', because: reasonOf(error), silent: isSilent(error) };
  }
}

async function profileOfEntry(
  directory: Directory,
  connection: Connection,
  subject: string,
  place: string,
): Promise<Record<string, unknown>> {
  const [entry] = await connection.search({
    ...{ base: place, scope: 'base', filter: EVERYTHING, most: 1 },
    attributes: [...attributesOf(directory), ...groupAttributes(directory)],
  });
  // renamed since, and another person may have the name
  if (!entry || subjectOf(directory, entry) !== subject)
    throw new NoVerdict('the person has moved meanwhile');
  const profile = profileOf(directory, entry);
  if (!directory.groups) return profile;
  const who = { until: performance.now() + MOST_MILLISECONDS, referrals: 0 };
  return { ...profile, groups: await groupsOf(directory, connection, entry, who) };
}
