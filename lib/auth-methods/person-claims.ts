// Person data from verifiers and brokers: display name, email address with verification, and claims selected by the
// method's map. All input is untrusted: invalid values are dropped, and the log contains the claim name without its
// value.
import { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { log } from '#lib/kit/log.ts';
import { readableLine, unreadable } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { BROKER_CLAIMS } from '#lib/registry/claims.ts';
import { presetOf } from '#lib/registry/methods/broker/presets.ts';
import { namedWithTid, tidOf } from '#lib/registry/methods/broker/tenants.ts';
import { comparedName } from '#lib/registry/methods/ldap/directory.ts';
import { claimFault, hasTenants, methodCan } from '#lib/registry/methods/questions.ts';
import { emailAddress } from '#lib/registry/values.ts';
import {
  applyRuledGroups,
  findOrCreateIdentity,
  type Identity,
  type PersonClaims,
  type RuledGroups,
} from '#lib/store/hot/person-facts.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';

// Members of another service's answer; path example: `picture.data.url`.

export type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Looks up the complete name first, because claims may be called https://… (OpenID Connect Core §5.1.2). Otherwise
 * dots separate nested names.
 */
function valueAt(source: Members, path: string): unknown {
  if (Object.hasOwn(source, path)) return source[path];
  let at: unknown = source;
  for (const name of path.split('.')) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** OpenID Connect Core §2: at most 255 characters. Some plain OAuth 2.0 brokers send a number. */
const subject = z.union([z.string().min(1).max(255), z.int().transform(String)]);

/** What names a person; null: nothing that can. */
export const subjectAt = (source: Members, path: string): string | null =>
  subject.safeParse(valueAt(source, path)).data ?? null;

/** Returns large integers as text: they may be person ids, and JavaScript would round them. */
export function exactJson(text: string): unknown {
  return JSON.parse(text, function read(_key: string, value: unknown, context?: { source?: string }) {
    const source = context?.source ?? '';
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    return isRounded ? source : value;
  });
}

// Preset rules for broker answers: admitted people and the claim that identifies them.

type Method = Pick<SnapshotMethod, 'config'>;

/** Input: an ID token with verified signature and issuer. Returns its subject, or the fault that rejects the person. */
export function subjectOfToken({ config }: Method, claims: Members): { subject: string } | { fault: string } {
  const { domains: hosts, subject_claim: claim = 'sub' } = config;
  const hosted = String(valueAt(claims, 'hd') ?? '').toLowerCase();
  if (Array.isArray(hosts) && !hosts.some((host) => String(host).toLowerCase() === hosted))
    return { fault: 'the person is of none of the domains' };
  const tid = namedWithTid(config) ? tidOf(config, claims) : '';
  if (tid === null) return { fault: 'the person is of none of the tenants' };
  const found = subjectAt(claims, String(claim));
  if (found === null) return { fault: `the ID token has no ${claim}` };
  return { subject: tid === '' ? found : `${tid}/${found}` };
}

/** Reports whether the provider is authoritative for this verified email address. */
const answersForAddress = ({ config }: Method, email: string, claims: Members): boolean =>
  presetOf(config)?.answersFor?.(email, claims) ?? true;

export const sendsProof = ({ config }: Method): boolean => presetOf(config)?.sendsProof === true;

export const namesInForm = ({ config }: Method): boolean => presetOf(config)?.namesInForm === true;

// Group memberships derived from a method's claims. Missing information changes nothing: if a broker omits a long list
// of groups (Entra: `_claim_names`, `hasgroups`), memberships stay.

/**
 * `untold`: rule claims that the method omitted, or sent in an invalid form. `silent`: groups with rules on absent
 * claims.
 */
export type SaidGroups = RuledGroups & { untold: string[]; silent: string[] };

const isPlain = (one: unknown): one is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof one);

/** Text values of a claim; `null`: invalid form. */
function textsOf(said: unknown): string[] | null {
  if (isPlain(said)) return [String(said)];
  if (!Array.isArray(said)) return null;
  const plain = said.filter(isPlain);
  return plain.length === 0 && said.length > 0 ? null : plain.map(String);
}

/** Reports a claim that the method holds but omits (OpenID Connect Core §5.6.2). */
function isElsewhere(source: Members, member: string): boolean {
  const named = source['_claim_names'];
  if (typeof named === 'object' && named !== null && Object.hasOwn(named, member)) return true;
  return member === 'groups' && (source['hasgroups'] === true || source['hasgroups'] === 'true');
}

/**
 * Returns `TENANT/` if users of several tenants sign in. The claims identify the tenant. Otherwise the prefix is
 * empty.
 */
function tenantPrefix(row: SnapshotMethod, sources: readonly Members[]): string {
  if (!hasTenants(row)) return '';
  const tenants = sources.flatMap((source) => tidOf(row.config, source) ?? []);
  return `${tenants[0] ?? ''}/`;
}

/** Normalizes the directory name after the tenant prefix. */
function comparedValue(prefix: string, value: string): string {
  if (prefix === '') return comparedName(value);
  const at = value.indexOf('/') + 1;
  return value.slice(0, at).toLowerCase() + comparedName(value.slice(at));
}

/**
 * Returns `undefined` if no group has a rule on this method. A rule on a claim that proves nothing admits nobody.
 * `named` returns the method’s name for a claim.
 */
export function groupsSaid(
  row: SnapshotMethod,
  named: (claim: string) => string,
  sources: readonly Members[],
): SaidGroups | undefined {
  const { groupRules = [] } = row;
  if (groupRules.length === 0) return undefined;
  const proved = groupRules.filter((rule) => claimFault(row, rule) === null);
  const ofTenant = tenantPrefix(row, sources);
  const told = new Map<string, Set<string> | 'nothing' | 'untold'>();
  const toldOf = (claim: string) => {
    const member = named(claim);
    const value = sources.map((source) => valueAt(source, member)).find((one) => one != null);
    if (value === undefined) return sources.some((one) => isElsewhere(one, member)) ? 'untold' : 'nothing';
    const texts = textsOf(value);
    return texts === null ? 'untold' : new Set(texts.map((text) => ofTenant + comparedName(text)));
  };
  const said: SaidGroups = { in: [], unknown: [], untold: [], silent: [] };
  for (const { group, claim, values } of proved) {
    const has = told.get(claim) ?? toldOf(claim);
    told.set(claim, has);
    if (has === 'untold') said.unknown.push(group);
    else if (has === 'nothing') said.silent.push(group);
    else if (values.some((value) => has.has(comparedValue(ofTenant, value)))) said.in.push(group);
  }
  said.untold = [...told].filter(([, has]) => has === 'untold').map(([claim]) => claim);
  return said;
}

/**
 * Finds or creates the identity's person and applies group rules. `saidAt`: set for a presented ID token. Claims
 * missing from it may appear in the next token, so it removes no memberships.
 */
export async function knowIdentity(row: SnapshotMethod, told: Told): ReturnType<typeof findOrCreateIdentity> {
  const { groups, leftOut, ...identity } = told;
  const { id: authMethodId, epoch: methodEpoch } = row;
  const person = await findOrCreateIdentity({ ...identity, authMethodId, methodEpoch });
  if (person === null) return person;
  const whose = { personId: person.personId, authMethodId };
  if (groups !== undefined) {
    const isWhole = told.saidAt === null;
    await keepGroups(whose, groups, { saidAt: told.saidAt, isWhole });
  }
  if (leftOut !== undefined && told.saidAt === null)
    await recordEvent({ event: 'claims.left_out', ...whose, details: { claims: leftOut } });
  return person;
}
type Told = Omit<Identity, 'authMethodId' | 'methodEpoch'> & {
  groups?: SaidGroups | undefined;
  /** claims dropped because of the total size */
  leftOut?: string[] | undefined;
};

const mapOf = z.object({ claims: z.record(z.string(), z.string()).default({}) });

/** Returns the method's name for a claim, from its map; default: the claim's name. */
export function namedBy(row: SnapshotMethod): (claim: string) => string {
  const { claims } = mapOf.parse(row.config);
  return (claim) => ownValue(claims, claim) ?? claim;
}

/**
 * Applies complete information from outside a sign-in. `saidAt`: time before the request; newer sign-ins take
 * precedence.
 */
export async function applyGroupRules(
  row: SnapshotMethod,
  personId: string,
  members: Members,
  saidAt: Date,
): Promise<void> {
  const groups = groupsSaid(row, namedBy(row), [members]);
  const whose = { personId, authMethodId: row.id };
  if (groups !== undefined) await keepGroups(whose, groups, { saidAt, isWhole: true });
}

/** `isWhole`: an absent claim has no values. Otherwise a later answer may still contain the claim. */
async function keepGroups(
  whose: { personId: string; authMethodId: string },
  { in: inGroups, unknown, untold, silent }: SaidGroups,
  { saidAt, isWhole }: { saidAt: Date | null; isWhole: boolean },
): Promise<void> {
  const stays = isWhole ? unknown : [...unknown, ...silent];
  await applyRuledGroups({ ...whose, groups: { in: inGroups, unknown: stays }, saidAt });
  if (untold.length > 0 && isWhole)
    await recordEvent({ event: 'groups.overage', ...whose, details: { claims: untold } });
}

export type ToldPerson = {
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  claims: PersonClaims;
  /** claims dropped because of the total size; missing: all fit */
  leftOut?: string[] | undefined;
  /** `undefined`: no group rule uses this method */
  groups?: SaidGroups | undefined;
};

/** Maximum size of a person's claims, as JSON. */
const MAX_BYTES = 8_192;

const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\u0000'));
const shown = text.trim().min(1).max(320).nullable().catch(null);
/** People read it beside what others wrote. */
const shownName = shown.transform((told) => told && readableLine(told));
const plain = z.union([text, z.number(), z.boolean()]);
/** Reports whether a value is present: null and blank text count as absent. */
const says = (said: unknown) =>
  said !== undefined && said !== null && !(typeof said === 'string' && said.trim() === '');
/** Objects such as `address` have no nested objects (OpenID Connect Core §5.1.1). */
const value = z.union([plain, z.array(text), z.record(text, plain)]);

const ofMethod = z.object({
  claims: z.record(z.string(), z.string()).default({}),
  trust_email: z.boolean().default(false),
  scopes: z.array(z.string()).default([]),
});

/** Returns the canonical address; other readable text unchanged. */
function addressOf(said: unknown): string | null {
  const text = shown.parse(said ?? null);
  if (text === null || unreadable(text, 'line') !== null) return null;
  return emailAddress.safeParse(text).data ?? text;
}

/** Claims that contain a single text or flag (OpenID Connect Core §5.1). */
const SINGLE: ReadonlySet<string> = new Set([
  ...[
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
  ],
  ...['website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number'],
  'phone_number_verified',
]);

/** Picks the first value of a single-valued claim: directory attributes may be multi-valued (RFC 4524 §2.16). */
const singleOf = (claim: string, said: unknown): unknown =>
  SINGLE.has(claim) && Array.isArray(said) ? said.find(says) : said;

/** Stored in columns, excluded from claims. */
const COLUMNS = ['name', 'email', 'email_verified'];

/** Maps claims to the method's member names; default: the claim's name. */
function membersOf(row: SnapshotMethod) {
  const { claims: map, trust_email: trustsEmail, scopes } = ofMethod.parse(row.config);
  const memberOf = (claim: string) => (Object.hasOwn(map, claim) ? (map[claim] ?? claim) : claim);
  return { map, named: memberOf, trustsEmail, asksNumber: scopes.includes('phone') };
}

/** If several `sources` contain a value, the first one is used. */
export function describePerson(row: SnapshotMethod, ...sources: Members[]): ToldPerson {
  const { map, named, trustsEmail } = membersOf(row);
  const valueOfMember = (member: string) => {
    const source = sources.find((one) => has(one, member));
    return source && valueAt(source, member);
  };
  const emailAt = (one: Members) => addressOf(singleOf('email', valueAt(one, named('email'))));
  const withEmail = sources.find((one) => has(one, named('email')));
  const email = withEmail ? emailAt(withEmail) : null;
  // address and verification must share their source
  const tellsProfile = methodCan(row, 'tellsProfile');
  const isMember = (one: Members, member: string) => valueAt(one, member) !== undefined;
  const proving = sources.find(
    (one) => (tellsProfile ? has : isMember)(one, named('email_verified')) && emailAt(one) === email,
  );
  const verified = proving && singleOf('email_verified', valueAt(proving, named('email_verified')));
  const answers = proving === undefined || email === null || answersForAddress(row, email, proving);
  const isSaid = isTrue(verified) || isEdov(named('email_verified'), verified);
  const proved = (tellsProfile ? isSaid : verified === undefined || isSaid) && answers;
  const names = tellsProfile ? [named('name'), 'preferred_username', 'login'] : [named('name')];
  // number and verification must share their source
  const withNumber = sources.find((one) => has(one, named('phone_number')));
  const numberAt = (claim: string) => withNumber && singleOf(claim, valueAt(withNumber, named(claim)));
  const numberProved =
    typeof numberAt('phone_number') === 'string' ? flagOf(numberAt('phone_number_verified')) : undefined;
  const valueOfClaim = (claim: string) =>
    tellsProfile && claim === 'phone_number_verified'
      ? numberProved
      : singleOf(claim, valueOfMember(named(claim)));
  const isTold = (claim: string) =>
    typeof valueOfClaim(claim) === (claim === 'phone_number_verified' ? 'boolean' : 'string');
  const profile = tellsProfile ? BROKER_CLAIMS.filter(isTold) : [];
  const wanted = new Set([...Object.keys(map), ...profile]);
  for (const column of COLUMNS) wanted.delete(column);
  const groups = groupsSaid(row, named, sources);
  const { claims, leftOut } = storableClaims(
    row,
    [...wanted].map((claim) => [claim, valueOfClaim(claim)]),
  );
  return {
    ...(groups && { groups }),
    ...(leftOut.length > 0 && { leftOut }),
    email,
    emailVerified: trustsEmail && email !== null && proved,
    name:
      names
        .map((member) => shownName.parse(singleOf('name', valueOfMember(member)) ?? null))
        .find((name) => name !== null) ?? null,
    claims,
  };
}

/** Reports whether another source might add missing values. */
export function leavesOpen(row: SnapshotMethod, source: Members): boolean {
  const { map, named, trustsEmail, asksNumber } = membersOf(row);
  const { email, name } = describePerson(row, source);
  const asked = [
    ...Object.values(map),
    ...(row.groupRules ?? []).map(({ claim }) => named(claim)),
    ...(trustsEmail ? [named('email_verified')] : []),
    ...(asksNumber ? [named('phone_number')] : []),
  ];
  return email === null || name === null || asked.some((member) => !has(source, member));
}

const has = (source: Members, member: string) => says(valueAt(source, member));

/** Some providers send text. */
const isTrue = (said: unknown) => said === true || said === 'true';
/** Microsoft sends a number. */
const isEdov = (member: string, said: unknown) => member === 'xms_edov' && (said === 1 || said === '1');
const flagOf = (said: unknown) =>
  isTrue(said) ? true : said === false || said === 'false' ? false : undefined;

/** Converts numbers in a list to text, and drops other members individually. */
const membersKept = (list: unknown[]): unknown[] =>
  list.flatMap((one) => {
    const said = typeof one === 'number' && Number.isFinite(one) ? String(one) : one;
    return says(said) && text.safeParse(said).success ? [said] : [];
  });

function storableClaims(
  row: SnapshotMethod,
  given: [string, unknown][],
): { claims: PersonClaims; leftOut: string[] } {
  const leaveOut = (claim: string, because: string) =>
    log().warn({ auth_method: row.id, claim, because }, 'a claim of a person was left out');
  const sized = given.flatMap(([claim, said]) => {
    if (!says(said)) return [];
    const good = Array.isArray(said) ? membersKept(said) : said;
    const none = Array.isArray(said) && Array.isArray(good) && good.length === 0 && said.length > 0;
    const { data } = value.safeParse(none ? said : good);
    if (Array.isArray(said) && Array.isArray(data) && data.length < said.length)
      leaveOut(claim, `${said.length - data.length} of its members are no text and no number`);
    if (data !== undefined) return [{ claim, data, bytes: Buffer.byteLength(JSON.stringify([claim, data])) }];
    leaveOut(claim, 'it is no text, number, boolean, list of texts or flat object');
    return [];
  });
  const claims: PersonClaims = {};
  const leftOut: string[] = [];
  let left = MAX_BYTES;
  // the largest go first
  for (const { claim, data, bytes } of sized.sort((a, b) => a.bytes - b.bytes)) {
    left -= bytes;
    if (left >= 0) claims[claim] = data;
    else {
      leftOut.push(claim);
      leaveOut(claim, `all claims together have more than ${MAX_BYTES} bytes`);
    }
  }
  return { claims, leftOut };
}
