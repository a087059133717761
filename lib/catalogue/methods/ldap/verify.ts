// Verifies username and password: search and bind, or bind by pattern. A rejection reveals its reason neither by its
// text nor by its timing: each rejection performs a bind, and is returned at the end of a fixed interval.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '#lib/kit/clock.ts';
import { keepMade, processWide } from '#lib/kit/process.ts';
import { randomToken } from '#lib/kit/random.ts';
import { inventPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import type {
  AskedMethod,
  Recheck,
  StandingFault,
  Standings,
  UnderLimit,
  VerifierAnswer,
  VerifyPassword,
} from '../kind.ts';
import {
  type At,
  atServers,
  type BindAnswer,
  type Connection,
  type Entry,
  isSilent,
  meaningOf,
  NoVerdict,
  reasonOf,
  triedAt,
  WrongResult,
} from './connection.ts';
import {
  type Assertion,
  askedName,
  assertionsIn,
  type Directory,
  directoryOf,
  inDn,
  inFilter,
  isWithin,
  nameAttributes,
  pairsIn,
  recheckSecondsOf,
  type Server,
  USERNAME,
} from './directory.ts';

// Identity in an entry: the permanent subject, and the claims of the map.

/** Default attributes for address and name, if the map omits them. */
const EMAIL = ['mail'];
const NAME = ['displayName', 'cn'];

/** Attribute whose value has sixteen bytes. */
const GUID = 'objectguid';
const TEXT = /^[\x21-\x7e]{1,255}$/;

/** Attributes that are read from the entry of a user. */
const attributesOf = ({ subjectAttribute, claims }: Directory): string[] => [
  ...new Set([subjectAttribute, ...Object.values(claims), ...EMAIL, ...NAME]),
];

/** The subject of an entry; null: its attribute is missing, has several values, or has a value that cannot be stored. */
export function subjectOf({ subjectAttribute }: Directory, entry: Entry): string | null {
  const values = entry.attributes.get(subjectAttribute.toLowerCase()) ?? [];
  const [value] = values;
  if (values.length !== 1 || value === undefined) return null;
  if (subjectAttribute.toLowerCase() === GUID) return guidOf(value);
  return typeof value === 'string' && TEXT.test(value) ? value : null;
}

/** The subject as bytes, for comparison by the directory; null: no entry can match. */
function subjectBytes({ subjectAttribute }: Directory, subject: string): Buffer | null {
  if (subjectAttribute.toLowerCase() !== GUID) return Buffer.from(subject);
  const hex = subject.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/.test(hex)) return null;
  const bytes = Buffer.from(hex, 'hex');
  for (const [from, to] of GUID_FROM_ITS_END) bytes.subarray(from, to).reverse();
  return bytes;
}

/** Parts of a GUID that Windows stores with their bytes in reverse order. */
const GUID_FROM_ITS_END = [
  [0, 4],
  [4, 6],
  [6, 8],
] as const;

function guidOf(value: string | Buffer): string | null {
  if (!Buffer.isBuffer(value) || value.length !== 16) return null;
  const bytes = Buffer.from(value);
  for (const [from, to] of GUID_FROM_ITS_END) bytes.subarray(from, to).reverse();
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Claims under the names of the map: a single value becomes a text, several values become a list, and binary values
 * are ignored.
 */
export function profileOf({ claims }: Directory, entry: Entry): Record<string, string | string[]> {
  const attributeValue = (attribute: string): string | string[] | undefined => {
    const values = (entry.attributes.get(attribute.toLowerCase()) ?? []).filter(
      (value) => typeof value === 'string',
    );
    return values.length > 1 ? values : values[0];
  };
  const first = (attributes: string[]) =>
    attributes.map((attribute) => [attributeValue(attribute)].flat()[0]).find((value) => value !== undefined);
  const named = Object.values(claims).map((attribute) => [attribute, attributeValue(attribute)] as const);
  const usual = [
    ['email', first(EMAIL)],
    ['name', first(NAME)],
  ] as const;
  return Object.fromEntries(
    [...usual, ...named].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * True if the entry contains the typed name. Directories treat similar letters as equal (`é` and `e`, depending on
 * the attribute), so each spelling would have its own limit on guesses. Therefore the typed name must equal a value
 * in the entry. An entry whose attributes cannot be read matches no name.
 */
function isSpelled(assertions: Assertion[], placeholder: string, name: string, entry: Entry): boolean {
  const plain = assertions.filter(({ rule, value }) => rule === '=' && value.includes(placeholder));
  const whole = plain.filter(({ value }) => !value.replaceAll(placeholder, '').includes('*'));
  const expected = whole.map(({ attribute, value }) => ({
    values: entry.attributes.get(attribute) ?? [],
    text: value.replaceAll(placeholder, () => inFilter(name)),
  }));
  const same = (value: string | Buffer, text: string) =>
    typeof value === 'string' && foldCase(inFilter(value)) === foldCase(text);
  return whole.length === 0 || expected.some(({ values, text }) => values.some((value) => same(value, text)));
}

const foldCase = (text: string) => text.normalize('NFC').toLowerCase();

// Groups of a user in the directory: an attribute of the entry, a search for groups with this member, or Active
// Directory's list of SIDs, which includes groups of groups and the primary group.

type Groups = NonNullable<Directory['groups']>;

const DN = '{dn}';
const MOST_GROUPS = 1_000;
const MOST_DEPTH = 10;
const MOST_NAMES = 10;
const PAGE = 500;
const AT_ONCE = 50;
const KEPT_MILLISECONDS = 600_000;

/** `until`: when the user no longer waits, by the clock of `performance`. `referrals`: number of referrals so far. */
export type Who = { until: number; referrals: number };

/** Returns the names of the user's groups, limited to the setting `keep`. */
export async function groupsOf(
  directory: Directory,
  connection: Connection,
  entry: Entry,
  who: Who,
): Promise<string[]> {
  const { groups } = directory;
  if (groups === null) return [];
  const groupNames = await SOURCES[groups.from](directory, groups, connection, entry, who);
  const patterns = groups.keep?.map(patternOf);
  const wanted = patterns
    ? groupNames.filter((group) => patterns.some((pattern) => pattern.test(group)))
    : groupNames;
  return [...new Set(wanted)].sort((a, b) => (a < b ? -1 : 1));
}

/** Attributes that are read from the entry only to find the groups. */
const groupAttributes = (directory: Directory): string[] =>
  directory.groups?.from === 'memberOf' ? ['memberOf'] : isByName(directory) ? nameAttributes(directory) : [];

const isByName = ({ groups }: Directory): boolean =>
  groups?.from === 'search' && (groups.filter?.includes(USERNAME) ?? false);

/**
 * Names in the entry, as the directory writes them: a typed name can be another spelling, or belong to another user.
 */
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

/** Value of the first part of a DN if it uses the attribute; null: it uses another attribute. */
function nameIn(dn: string, attribute: string): string | null {
  const [first, second] = pairsIn(dn) ?? [];
  return first?.type === attribute.toLowerCase() && !second?.joined ? first.value : null;
}

const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'is');

/** Searches upwards from the user: first groups with the user as member, then groups that contain these groups. */
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
  const namesByDn = new Map<string, string[]>();
  let members = [entry.dn];
  for (let depth = 0; depth < MOST_DEPTH && members.length > 0 && namesByDn.size < MOST_GROUPS; depth += 1) {
    const next: string[] = [];
    for (let from = 0; from < members.length; from += AT_ONCE) {
      refuseLate(until);
      const filters = members.slice(from, from + AT_ONCE).map(having);
      const entries = await connection.search({
        ...{ base: groups.baseDn, scope: 'sub', filter: `(|${filters.join('')})` },
        ...{ attributes: [groups.name_attribute], most: MOST_GROUPS, pageSize: PAGE },
      });
      for (const group of entries) {
        if (namesByDn.has(group.dn) || namesByDn.size >= MOST_GROUPS) continue;
        namesByDn.set(group.dn, textsOf(group, groups.name_attribute).slice(0, 1));
        next.push(group.dn);
      }
    }
    // a filter by user name cannot find groups that contain groups
    members = pattern.includes(DN) ? next : [];
  }
  return [...namesByDn.values()].flat();
}

/** Reads the SIDs once, which replaces a search through the whole forest (LDAP_MATCHING_RULE_IN_CHAIN). */
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
  // an empty list is a fault, because every account has a primary group
  if (sids.length === 0)
    throw new NoVerdict('it shows no tokenGroups: the account that searches may not read them');
  const nameBySid = namesBySid(directory, groups);
  const unknown = sids.filter((sid) => !nameBySid.has(sid.toString('hex')));
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
      if (Buffer.isBuffer(sid) && called !== undefined) nameBySid.set(sid.toString('hex'), called);
    }
  }
  return sids.flatMap((sid) => nameBySid.get(sid.toString('hex')) ?? []);
}

/** Returns the SID as text, because the library cannot write bytes into a filter ([MS-DTYP] §2.4.2). */
function sidOf(sid: Buffer): string {
  const parts = Array.from({ length: Math.floor((sid.length - 8) / 4) }, (_, at) =>
    sid.readUInt32LE(8 + 4 * at),
  );
  return ['S', sid[0], sid.readUIntBE(2, 6), ...parts].join('-');
}

const keptNames = keepMade<Map<string, string>>('ldap-groups', 100);

/** Names of groups by SID for this directory and attribute, cached for ten minutes. */
function namesBySid(directory: Directory, groups: Groups): Map<string, string> {
  const period = Math.floor(now().getTime() / KEPT_MILLISECONDS);
  const { methodId, servers, searcher } = directory;
  const facts = [methodId, servers, searcher?.dn, groups.baseDn, groups.name_attribute, period];
  const key = createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
  return keptNames(key, () => new Map());
}

const REFUSAL_STEP_MILLISECONDS = 250;
/** Time limit for a sign-in, the same as the time limit of all servers together. */
const ANSWER_MILLISECONDS = 5_000;
export const EVERYTHING = '(objectClass=*)';
const TRUSTED_MILLISECONDS = 600_000;
/**
 * 389 Directory Server returns this code for disabled accounts; other servers return it for every bind while out of
 * service.
 */
const UNWILLING = 53;

export const askDirectory: VerifyPassword = async (method, username, password, underLimit = withoutLimit) => {
  const began = performance.now();
  const name = askedName(username);
  const answer: VerifierAnswer =
    name === null || password === ''
      ? { kind: 'refused', reason: 'no-name' }
      : await verifyAtDirectory(directoryOf(method), name, password, underLimit);
  if (answer.kind === 'refused') {
    const left = REFUSAL_STEP_MILLISECONDS - ((performance.now() - began) % REFUSAL_STEP_MILLISECONDS);
    await sleep(left);
  }
  return answer;
};

/** A limit that never rejects, for connection tests of administrators, which have a separate limit. */
const withoutLimit: UnderLimit = (_, check) => check();

const readOf = (directory: Directory): string[] => [
  ...attributesOf(directory),
  ...groupAttributes(directory),
];

async function verifyAtDirectory(
  directory: Directory,
  name: string,
  password: TypedPassword,
  underLimit: UnderLimit,
): Promise<VerifierAnswer> {
  const who = { name, until: performance.now() + ANSWER_MILLISECONDS, referrals: 0, underLimit };
  const answer = await verdictOf(() => atServers(directory, (at) => ask(directory, at, who, password)));
  return answer.kind === 'accepted' || who.referrals === 0 ? answer : { ...answer, referrals: who.referrals };
}

/** A complete sign-in at one server, without cached state. */
export function askServer(
  directory: Directory,
  server: Server,
  name: string,
  password: TypedPassword,
): Promise<VerifierAnswer> {
  const who = {
    name,
    until: performance.now() + ANSWER_MILLISECONDS,
    referrals: 0,
    underLimit: withoutLimit,
  };
  return verdictOf(() => ask(directory, triedAt(directory, server), who, password));
}

/** The account whose password is checked, and its limit. */
type Asking = Who & { name: string; underLimit: UnderLimit };

const ask = (directory: Directory, at: At, who: Asking, password: TypedPassword): Promise<VerifierAnswer> =>
  (directory.bindAs === null ? searchAndBind : directBind)(directory, at, who, password);

async function verdictOf(work: () => Promise<VerifierAnswer>): Promise<VerifierAnswer> {
  try {
    return await work();
  } catch (error) {
    return { kind: 'no-verdict', because: reasonOf(error) };
  }
}

async function searchAndBind(
  directory: Directory,
  at: At,
  who: Asking,
  password: TypedPassword,
): Promise<VerifierAnswer> {
  const { found, entry } = await at.searching((searcher) => entryNamed(directory, searcher, who));
  if (entry?.dn === '') throw new NoVerdict('it gave an entry without a name');
  if (!entry) {
    await requireRefusal(at, directory);
    return { kind: 'refused', reason: found > 1 ? 'several-entries' : 'unknown' };
  }
  const verifierAnswer = await who.underLimit(subjectOf(directory, entry) ?? entry.dn.toLowerCase(), () =>
    at.alone((connection) => bindPerson(at, directory, connection, entry.dn, password)),
  );
  return verifierAnswer ?? at.searching((searcher) => describeEntry(directory, searcher, entry, who));
}

async function directBind(
  directory: Directory,
  at: At,
  person: Asking,
  password: TypedPassword,
): Promise<VerifierAnswer> {
  const { name } = person;
  const pattern = directory.bindAs ?? '';
  const isDn = pattern.includes('=');
  const who = pattern.replaceAll(USERNAME, () => (isDn ? inDn(name) : name));
  const place = isDn
    ? ({ base: who, scope: 'base', filter: EVERYTHING } as const)
    : ({ base: directory.baseDn, scope: 'sub', filter: filterFor(directory, name) } as const);
  return at.alone(async (connection) => {
    const verifierAnswer = await bindPerson(at, directory, connection, who, password);
    if (verifierAnswer) return verifierAnswer;
    const entries = await connection.search({ ...place, attributes: readOf(directory), most: 2 });
    const [entry] = entries;
    if (!entry || entry.dn === '' || entries.length !== 1)
      throw new NoVerdict('the entry of who is bound cannot be read');
    // the entry that the search finds can differ from the account that the bind names
    const other = isDn ? null : await bindPerson(at, directory, connection, entry.dn, password);
    return other ?? describeEntry(directory, connection, entry, person);
  });
}

/** `found`: number of entries that match, at most two. `entry`: null if no entry has this name. */
export async function entryNamed(
  directory: Directory,
  searcher: Connection,
  who: Who & { name: string },
): Promise<{ found: number; entry: Entry | null }> {
  const { name } = who;
  const comparisons = assertionsIn(directory.filter) ?? [];
  const filter = filterFor(directory, name);
  const attributes = [...readOf(directory), ...comparisons.map(({ attribute }) => attribute)];
  searcher.takeReferrals();
  const entries = await searcher.search({
    base: directory.baseDn,
    scope: 'sub',
    filter,
    attributes,
    most: 2,
  });
  who.referrals += searcher.takeReferrals();
  const [entry = null] = entries;
  const isOne =
    entries.length === 1 && entry && (entry.dn === '' || isSpelled(comparisons, USERNAME, name, entry));
  return { found: entries.length, entry: isOne ? entry : null };
}

export const filterFor = ({ filter }: Directory, name: string): string =>
  filter.replaceAll(USERNAME, () => inFilter(name));

/** Binds as the person. Returns the verdict of the directory; null: the bind succeeded. */
async function bindPerson(
  at: At,
  directory: Directory,
  connection: Connection,
  who: string,
  password: TypedPassword,
): Promise<VerifierAnswer | null> {
  const answer = await connection.bindPerson(who, password);
  const meaning = meaningOf(answer);
  switch (meaning.kind) {
    case 'refused':
      if (answer.code === UNWILLING && (await requireRefusal(at, directory)) === UNWILLING)
        throw new WrongResult(answer.code, answer.told);
      return meaning;
    case 'must-change':
      return { kind: 'refused', reason: meaning.reason, mustChange: true };
    case 'no-verdict':
      throw new WrongResult(answer.code, answer.told);
    case 'bound':
      if (at.key === null || (honest.value?.get(at.key) ?? 0) < now().getTime())
        await requireRefusal(at, directory);
      return null;
  }
}

/** Servers that recently rejected an account that does not exist, with the time until which this proof is valid. */
const honest = processWide<Map<string, number>>('ldap-honest');

/**
 * If a directory accepts any password, nobody is signed in. Gatehouse therefore binds an invented account in two
 * cases: for each unknown name, so that timing is the same as for a wrong password, and before it accepts a correct
 * password, if the last check has expired. Resolves to the result code of the rejection.
 */
async function requireRefusal(at: At, directory: Directory): Promise<number> {
  const answer = await at.alone((connection) => bindInvented(directory, connection));
  if (answer.code === 0) throw new NoVerdict('it lets in an account that there is not');
  // a server that is shutting down returns no verdict, so its response proves nothing
  if (meaningOf(answer).kind === 'no-verdict') throw new WrongResult(answer.code, answer.told);
  if (at.key === null) return answer.code;
  honest.value ??= new Map();
  honest.value.set(at.key, now().getTime() + TRUSTED_MILLISECONDS);
  return answer.code;
}

/** Binds as an account that does not exist. */
export const bindInvented = ({ baseDn }: Directory, connection: Connection): Promise<BindAnswer> =>
  connection.bindPerson(`cn=${randomToken('')}${baseDn === '' ? '' : `,${baseDn}`}`, inventPassword());

async function describeEntry(
  directory: Directory,
  connection: Connection,
  entry: Entry,
  who: Who,
): Promise<VerifierAnswer> {
  if (await isRejected(directory, connection, entry)) return { kind: 'refused', reason: 'rejected' };
  const sub = subjectOf(directory, entry);
  if (sub === null)
    throw new NoVerdict(`the entry has no ${directory.subjectAttribute} that names the person`);
  const groups = directory.groups ? { groups: await groupsOf(directory, connection, entry, who) } : {};
  return { kind: 'accepted', profile: { ...profileOf(directory, entry), ...groups, sub } };
}

/** True if `reject_filter` matches the entry. */
export async function isRejected(
  { rejectFilter }: Directory,
  connection: Connection,
  entry: Entry,
): Promise<boolean> {
  if (rejectFilter === null) return false;
  const fits = async (filter: string) => {
    const entrySearch = { base: entry.dn, scope: 'base', filter, most: 1 } as const;
    return (await connection.search({ ...entrySearch, attributes: ['1.1'] })).length > 0;
  };
  if (await fits(rejectFilter)) return true;
  // if an attribute is unknown or cannot be read, neither the filter nor its negation matches (RFC 4511 §4.5.1.7)
  if (await fits(`(&${EVERYTHING}(!${rejectFilter}))`)) return false;
  throw new NoVerdict('it cannot say whether reject_filter finds the person');
}

// States in the directory of users who were accepted before. A partial response proves nothing: a user is treated as
// missing only after a complete search.

const USER_ACCOUNT_CONTROL = 'userAccountControl';
/** Attribute that Active Directory computes at each read. It does not report a lock that has expired. */
const COMPUTED_CONTROL = 'msDS-User-Account-Control-Computed';
const ACCOUNT_EXPIRES = 'accountExpires';
/** Attribute of draft-behera-ldap-password-policy §5.3.3. */
const LOCKED_TIME = 'pwdAccountLockedTime';

/** Bits for disabled and locked accounts in both attributes ([MS-ADTS] §2.2.16). */
const DISABLED = 0x2;
const LOCKED = 0x10;
/** Time from 1601 to 1970 in units of 100 ns, which `accountExpires` uses. */
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
  const subjectValues = new Map(
    subjects.flatMap((subject) => {
      const value = subjectBytes(directory, subject);
      return value ? [[subject, value] as const] : [];
    }),
  );
  if (subjectValues.size === 0)
    return { refused: new Map(), present: new Map(), missing: [], unclear: false };
  const search = (filter: string, attributes: string[]) =>
    connection.searchWhole({
      ...{ base: directory.baseDn, filter, attributes },
      having: { attribute: directory.subjectAttribute, values: [...subjectValues.values()] },
    });
  const state = directory.isActive
    ? [USER_ACCOUNT_CONTROL, COMPUTED_CONTROL, ACCOUNT_EXPIRES]
    : [LOCKED_TIME];
  const searchResult = await search(searchedBy(directory.filter), [directory.subjectAttribute, ...state]);
  const { bySubject, isUnread } = groupBySubject(directory, searchResult.entries);
  const rejected = groupBySubject(
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
  const missing = [...subjectValues.keys()].filter((subject) => !bySubject.has(subject));
  const isWhole = missing.length === 0 || (!isUnread && (await sawAll(directory, connection, searchResult)));
  return { refused, present, missing: isWhole ? missing : [], unclear };
}

/**
 * True if the search saw everything. A search from the root of Active Directory always returns referrals to other
 * partitions, which contain no users.
 */
async function sawAll(
  { baseDn, isActive }: Directory,
  connection: Connection,
  { entries, refers }: { entries: Entry[]; refers: boolean },
): Promise<boolean> {
  if (refers && !isActive) return false;
  if (entries.length > 0) return true;
  // an account without the right to read finds nothing, and all users would be treated as missing
  const base = { base: baseDn, scope: 'base', filter: EVERYTHING, most: 1 } as const;
  return (await connection.search({ ...base, attributes: ['1.1'] })).length > 0;
}

/** The sign-in filter with a wildcard as name. Users whom it does not find cannot sign in. */
function searchedBy(filter: string): string {
  const named = (assertionsIn(filter) ?? []).filter(({ value }) => value.includes(USERNAME));
  const isPlain = named.length > 0 && named.every(({ rule }) => rule === '=');
  const isDenied = /\(!\s*\([^()]*\{username\}/.test(filter);
  return isPlain && !isDenied ? filter.replaceAll(USERNAME, '*').replace(/\*{2,}/g, '*') : EVERYTHING;
}

/**
 * Groups entries by subject. If two entries have the same subject, the state of the user is not known. `isUnread`: an
 * entry could not be read, and may belong to any user who was not found.
 */
function groupBySubject(
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
  // the entry was renamed in the meantime, so this name can belong to another user
  if (!entry || subjectOf(directory, entry) !== subject)
    throw new NoVerdict('the person has moved meanwhile');
  const profile = profileOf(directory, entry);
  if (!directory.groups) return profile;
  const who = { until: performance.now() + ANSWER_MILLISECONDS, referrals: 0 };
  return { ...profile, groups: await groupsOf(directory, connection, entry, who) };
}
