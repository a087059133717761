// Verifies username and password: search and bind, or bind by pattern. Neither text nor timing of a refusal reveals the
// reason: each performs a bind, and returns at a fixed clock step.

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

// Identity of an entry: permanent subject, and mapped claims.

/** Default attributes of address and name, if the map omits them. */
const EMAIL = ['mail'];
const NAME = ['displayName', 'cn'];

/** Sixteen bytes. */
const GUID = 'objectguid';
const TEXT = /^[\x21-\x7e]{1,255}$/;

/** Attributes read from a user's entry. */
const attributesOf = ({ subjectAttribute, claims }: Directory): string[] => [
  ...new Set([subjectAttribute, ...Object.values(claims), ...EMAIL, ...NAME]),
];

/** Null: the attribute is missing, has several values, or its value cannot be stored. */
export function subjectOf({ subjectAttribute }: Directory, entry: Entry): string | null {
  const values = entry.attributes.get(subjectAttribute.toLowerCase()) ?? [];
  const [value] = values;
  if (values.length !== 1 || value === undefined) return null;
  if (subjectAttribute.toLowerCase() === GUID) return guidOf(value);
  return typeof value === 'string' && TEXT.test(value) ? value : null;
}

/** Subject bytes for directory comparison; null: no entry can match. */
function subjectBytes({ subjectAttribute }: Directory, subject: string): Buffer | null {
  if (subjectAttribute.toLowerCase() !== GUID) return Buffer.from(subject);
  const hex = subject.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/.test(hex)) return null;
  const bytes = Buffer.from(hex, 'hex');
  for (const [from, to] of GUID_FROM_ITS_END) bytes.subarray(from, to).reverse();
  return bytes;
}

/** GUID parts that Windows stores in reverse byte order. */
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

/** Claims by map name: a single value is text, several values are a list; binary values are ignored. */
export function profileOf({ claims }: Directory, entry: Entry): Record<string, string | string[]> {
  const attributeValue = (attribute: string): string | string[] | undefined => {
    const values = (entry.attributes.get(attribute.toLowerCase()) ?? []).filter(
      (one) => typeof one === 'string',
    );
    return values.length > 1 ? values : values[0];
  };
  const first = (attributes: string[]) =>
    attributes.map((one) => [attributeValue(one)].flat()[0]).find((value) => value !== undefined);
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
 * Directories match similar letters (`é` and `e`, by attribute rules), so each spelling would have separate guessing
 * limits. Therefore the typed name must equal a value of the entry. An entry without visible attributes matches no
 * name.
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

// User groups from the directory: entry attribute, group members, or Active Directory's SID list, which includes nested
// groups and the primary group.

type Groups = NonNullable<Directory['groups']>;

const DN = '{dn}';
const MOST_GROUPS = 1_000;
const MOST_DEPTH = 10;
const MOST_NAMES = 10;
const PAGE = 500;
const AT_ONCE = 50;
const KEPT_MILLISECONDS = 600_000;

/**
 * `until`: time when the user no longer waits, on the clock of `performance`; `referrals`: number of referrals so
 * far.
 */
export type Who = { until: number; referrals: number };

/** Group names that match `keep`. */
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

/** Additional attributes read from the entry. */
const groupAttributes = (directory: Directory): string[] =>
  directory.groups?.from === 'memberOf' ? ['memberOf'] : isByName(directory) ? nameAttributes(directory) : [];

const isByName = ({ groups }: Directory): boolean =>
  groups?.from === 'search' && (groups.filter?.includes(USERNAME) ?? false);

/** Entry names in directory spelling: a typed name can be an alternative spelling, or belong to another user. */
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

/** Value of the DN's first part if it uses the attribute; null: another attribute. */
function nameIn(dn: string, attribute: string): string | null {
  const [first, second] = pairsIn(dn) ?? [];
  return first?.type === attribute.toLowerCase() && !second?.joined ? first.value : null;
}

const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'is');

/** Searches upwards from the user: groups with the user as member, then groups containing these groups. */
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
    // a filter by user name finds no groups of groups
    members = pattern.includes(DN) ? next : [];
  }
  return [...found.values()].flat();
}

/** A single read replaces a search through the whole forest (LDAP_MATCHING_RULE_IN_CHAIN). */
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

/** Returns the SID as text, because the library writes no bytes into a filter ([MS-DTYP] §2.4.2). */
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

const REFUSAL_STEP_MILLISECONDS = 250;
/** equals the time limit of all servers together */
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

/** Used by trials, because administrator tests have a separate limit. */
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

/** Complete sign-in at a single server, without cached state. */
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

/** Account under password check, plus its limit. */
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
    const found = await connection.search({ ...place, attributes: readOf(directory), most: 2 });
    const [entry] = found;
    if (!entry || entry.dn === '' || found.length !== 1)
      throw new NoVerdict('the entry of who is bound cannot be read');
    // the entry found by name can differ from the account bound by name
    const other = isDn ? null : await bindPerson(at, directory, connection, entry.dn, password);
    return other ?? describeEntry(directory, connection, entry, person);
  });
}

/** `found`: number of matching entries, at most two; `entry`: null if no entry has this name. */
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
  const found = await searcher.search({ base: directory.baseDn, scope: 'sub', filter, attributes, most: 2 });
  who.referrals += searcher.takeReferrals();
  const [entry = null] = found;
  const isOne =
    found.length === 1 && entry && (entry.dn === '' || isSpelled(comparisons, USERNAME, name, entry));
  return { found: found.length, entry: isOne ? entry : null };
}

export const filterFor = ({ filter }: Directory, name: string): string =>
  filter.replaceAll(USERNAME, () => inFilter(name));

/** Null: the person is bound. */
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

/** Servers that recently refused a nonexistent account, with the expiry of that proof. */
const honest = processWide<Map<string, number>>('ldap-honest');

/**
 * A directory accepting any password signs nobody in. Binds an invented account: for each unknown name, so that timing
 * equals a wrong password, and before a correct password if the last check expired. Resolves with the refusal's result
 * code.
 */
async function requireRefusal(at: At, directory: Directory): Promise<number> {
  const answer = await at.alone((connection) => bindInvented(directory, connection));
  if (answer.code === 0) throw new NoVerdict('it lets in an account that there is not');
  // a server shutting down refuses nothing
  if (meaningOf(answer).kind === 'no-verdict') throw new WrongResult(answer.code, answer.told);
  if (at.key === null) return answer.code;
  honest.value ??= new Map();
  honest.value.set(at.key, now().getTime() + TRUSTED_MILLISECONDS);
  return answer.code;
}

/** Binds as a nonexistent account. */
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

/** Does reject_filter find the entry? */
export async function isRejected(
  { rejectFilter }: Directory,
  connection: Connection,
  entry: Entry,
): Promise<boolean> {
  if (rejectFilter === null) return false;
  const fits = async (filter: string) => {
    const asked = { base: entry.dn, scope: 'base', filter, most: 1 } as const;
    return (await connection.search({ ...asked, attributes: ['1.1'] })).length > 0;
  };
  if (await fits(rejectFilter)) return true;
  // unreadable or unknown attributes match neither filter (RFC 4511 §4.5.1.7)
  if (await fits(`(&${EVERYTHING}(!${rejectFilter}))`)) return false;
  throw new NoVerdict('it cannot say whether reject_filter finds the person');
}

// Directory states of previously accepted users. A partial response proves nothing: a user is missing only after a
// complete search.

const USER_ACCOUNT_CONTROL = 'userAccountControl';
/** Computed by Active Directory: excludes expired locks. */
const COMPUTED_CONTROL = 'msDS-User-Account-Control-Computed';
const ACCOUNT_EXPIRES = 'accountExpires';
/** draft-behera-ldap-password-policy §5.3.3. */
const LOCKED_TIME = 'pwdAccountLockedTime';

/** Bits of both ([MS-ADTS] §2.2.16). */
const DISABLED = 0x2;
const LOCKED = 0x10;
/** Time between 1601 and 1970 in 100 ns units, used by `accountExpires`. */
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
  const { bySubject, isUnread } = groupBySubject(directory, found.entries);
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
  const missing = [...asked.keys()].filter((subject) => !bySubject.has(subject));
  const isWhole = missing.length === 0 || (!isUnread && (await sawAll(directory, connection, found)));
  return { refused, present, missing: isWhole ? missing : [], unclear };
}

/** Searches from the root always return referrals to other Active Directory partitions, which contain no users. */
async function sawAll(
  { baseDn, isActive }: Directory,
  connection: Connection,
  { entries, refers }: { entries: Entry[]; refers: boolean },
): Promise<boolean> {
  if (refers && !isActive) return false;
  if (entries.length > 0) return true;
  // an account without read rights finds nothing, which would mark all users missing
  const base = { base: baseDn, scope: 'base', filter: EVERYTHING, most: 1 } as const;
  return (await connection.search({ ...base, attributes: ['1.1'] })).length > 0;
}

/** Sign-in filter with a wildcard name: users outside its result cannot sign in. */
function searchedBy(filter: string): string {
  const named = (assertionsIn(filter) ?? []).filter(({ value }) => value.includes(USERNAME));
  const isPlain = named.length > 0 && named.every(({ rule }) => rule === '=');
  const isDenied = /\(!\s*\([^()]*\{username\}/.test(filter);
  return isPlain && !isDenied ? filter.replaceAll(USERNAME, '*').replace(/\*{2,}/g, '*') : EVERYTHING;
}

/**
 * If two entries have the same subject, its state remains unknown. `isUnread`: an unreadable entry could belong to
 * any unfound user.
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
  // renamed meanwhile: this name can belong to another user
  if (!entry || subjectOf(directory, entry) !== subject)
    throw new NoVerdict('the person has moved meanwhile');
  const profile = profileOf(directory, entry);
  if (!directory.groups) return profile;
  const who = { until: performance.now() + ANSWER_MILLISECONDS, referrals: 0 };
  return { ...profile, groups: await groupsOf(directory, connection, entry, who) };
}
