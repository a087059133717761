// The groups of a person as the directory says them: on the entry, by the groups' members, or by Active Directory's
// list of SIDs, which has nested groups and the primary one.
import { createHash } from 'node:crypto';
import { now } from '#lib/kit/clock.ts';
import { keepMade } from '#lib/kit/kept.ts';
import type { Connection, Entry } from './connection.ts';
import type { Directory } from './directory.ts';
import { isWithin, pairsIn } from './distinguished-name.ts';
import { inFilter, nameAttributes, USERNAME } from './names.ts';
import { NoVerdict } from './servers.ts';

type Groups = NonNullable<Directory['groups']>;

const DN = '{dn}';
const MOST_GROUPS = 1_000;
const MOST_DEPTH = 10;
const MOST_NAMES = 10;
const PAGE = 500;
const AT_ONCE = 50;
const KEPT_MILLISECONDS = 600_000;

/** `until`: on the clock of `performance`, when the person no longer waits; `referrals`: how many came so far. */
export type Who = { until: number; referrals: number };

/** Their names, without those that `keep` does not name. */
export async function groupsOf(
  directory: Directory,
  connection: Connection,
  entry: Entry,
  who: Who,
): Promise<string[]> {
  const { groups } = directory;
  if (groups === null) return [];
  const found = await SOURCES[groups.from](directory, groups, connection, entry, who);
  const kept = groups.keep?.map(patternOf);
  const wanted = kept ? found.filter((group) => kept.some((pattern) => pattern.test(group))) : found;
  return [...new Set(wanted)].sort((a, b) => (a < b ? -1 : 1));
}

/** What else is read of the entry. */
export const groupAttributes = (directory: Directory): string[] =>
  directory.groups?.from === 'memberOf' ? ['memberOf'] : isByName(directory) ? nameAttributes(directory) : [];

const isByName = ({ groups }: Directory): boolean =>
  groups?.from === 'search' && (groups.filter?.includes(USERNAME) ?? false);

/** The names of an entry as the directory has them: what was typed may be another spelling, or another person's name. */
function namesOf(directory: Directory, entry: Entry): string[] {
  if (!isByName(directory)) return [];
  const names = [...new Set(nameAttributes(directory).flatMap((attribute) => textsOf(entry, attribute)))];
  if (names.length === 0) throw new NoVerdict('it does not show by which name the person is in groups');
  return names.slice(0, MOST_NAMES);
}

type Source = (
  directory: Directory,
  groups: Groups,
  connection: Connection,
  entry: Entry,
  who: Who,
) => Promise<string[]>;

function refuseLate(until: number): void {
  if (performance.now() > until) throw new NoVerdict('the groups of the person took too long');
}

const SOURCES: Readonly<Record<Groups['from'], Source>> = {
  memberOf: async (_, groups, __, entry) =>
    textsOf(entry, 'memberOf')
      .filter((dn) => groups.baseDn === '' || isWithin(dn, groups.baseDn))
      .map((dn) => nameIn(dn, groups.name_attribute) ?? dn),
  search: bySearch,
  token_groups: byTokens,
};

const textsOf = (entry: Entry, attribute: string): string[] =>
  (entry.attributes.get(attribute.toLowerCase()) ?? []).filter((value) => typeof value === 'string');

/** The value of a DN's first part, where that is of the attribute; null: it is of another one. */
function nameIn(dn: string, attribute: string): string | null {
  const [first, second] = pairsIn(dn) ?? [];
  return first?.type === attribute.toLowerCase() && !second?.joined ? first.value : null;
}

const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'is');

/** Upwards from the person: the groups that have them, then the groups that have those. */
async function bySearch(
  directory: Directory,
  groups: Groups,
  connection: Connection,
  entry: Entry,
  { until }: Who,
): Promise<string[]> {
  const pattern = groups.filter ?? `(member=${DN})`;
  const names = namesOf(directory, entry);
  const having = (member: string): string => {
    const ofMember = pattern.replaceAll(DN, () => inFilter(member));
    if (names.length === 0) return ofMember;
    return `(|${names.map((name) => ofMember.replaceAll(USERNAME, () => inFilter(name))).join('')})`;
  };
  const found = new Map<string, string[]>();
  let members = [entry.dn];
  for (let depth = 0; depth < MOST_DEPTH && members.length > 0 && found.size < MOST_GROUPS; depth += 1) {
    const next: string[] = [];
    for (let from = 0; from < members.length; from += AT_ONCE) {
      refuseLate(until);
      const filters = members.slice(from, from + AT_ONCE).map(having);
      const entries = await connection.search({
        ...{ base: groups.baseDn, scope: 'sub', filter: `(|${filters.join('')})` },
        ...{ attributes: [groups.name_attribute], most: MOST_GROUPS, pageSize: PAGE },
      });
      for (const group of entries) {
        if (found.has(group.dn) || found.size >= MOST_GROUPS) continue;
        found.set(group.dn, textsOf(group, groups.name_attribute).slice(0, 1));
        next.push(group.dn);
      }
    }
    // a filter by names finds no groups of groups
    members = pattern.includes(DN) ? next : [];
  }
  return [...found.values()].flat();
}

/** One read instead of a search that goes through the whole forest (LDAP_MATCHING_RULE_IN_CHAIN). */
async function byTokens(
  directory: Directory,
  groups: Groups,
  connection: Connection,
  { dn }: Entry,
  { until }: Who,
): Promise<string[]> {
  const [own] = await connection.search({
    ...{ base: dn, scope: 'base', filter: '(objectClass=*)', attributes: ['tokenGroups'], most: 1 },
  });
  const values = own?.attributes.get('tokengroups') ?? [];
  const sids = values
    .flatMap((value) => (Buffer.isBuffer(value) && value.length >= 12 ? [value] : []))
    .slice(0, MOST_GROUPS);
  // every account has its primary group
  if (sids.length === 0)
    throw new NoVerdict('it shows no tokenGroups: the account that searches may not read them');
  const known = namesBySid(directory, groups);
  const unknown = sids.filter((sid) => !known.has(sid.toString('hex')));
  for (let from = 0; from < unknown.length; from += AT_ONCE) {
    refuseLate(until);
    const some = unknown.slice(from, from + AT_ONCE);
    const filter = `(|${some.map((sid) => `(objectSid=${sidOf(sid)})`).join('')})`;
    const entries = await connection.search({
      ...{ base: groups.baseDn, scope: 'sub', filter, most: AT_ONCE },
      attributes: ['objectSid', groups.name_attribute],
    });
    for (const group of entries) {
      const [sid] = group.attributes.get('objectsid') ?? [];
      const [called] = textsOf(group, groups.name_attribute);
      if (Buffer.isBuffer(sid) && called !== undefined) known.set(sid.toString('hex'), called);
    }
  }
  return sids.flatMap((sid) => known.get(sid.toString('hex')) ?? []);
}

/** As text: the library writes no bytes into a filter ([MS-DTYP] §2.4.2). */
function sidOf(sid: Buffer): string {
  const parts = Array.from({ length: Math.floor((sid.length - 8) / 4) }, (_, at) =>
    sid.readUInt32LE(8 + 4 * at),
  );
  return ['S', sid[0], sid.readUIntBE(2, 6), ...parts].join('-');
}

const keptNames = keepMade<Map<string, string>>('ldap-groups', 100);

/** For ten minutes, of this directory and attribute. */
function namesBySid(directory: Directory, groups: Groups): Map<string, string> {
  const period = Math.floor(now().getTime() / KEPT_MILLISECONDS);
  const { methodId, servers, searcher } = directory;
  const facts = [methodId, servers, searcher?.dn, groups.baseDn, groups.name_attribute, period];
  const key = createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
  return keptNames(key, () => new Map());
}
