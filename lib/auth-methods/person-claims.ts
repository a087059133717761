// Data about a person from verifiers and brokers: display name, email address and whether it is verified, and the
// claims that the method's map selects. All input is untrusted: invalid values are dropped, and the log contains the
// claim name without its value.
import { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { presetOf } from '#lib/catalogue/methods/broker/presets.ts';
import { namedWithTid, tidOf } from '#lib/catalogue/methods/broker/tenants.ts';
import { comparedName } from '#lib/catalogue/methods/ldap/directory.ts';
import { claimFault, hasTenants, methodCan } from '#lib/catalogue/methods/questions.ts';
import { log } from '#lib/kit/log.ts';
import { readableLine, unreadable } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { BROKER_CLAIMS, SCOPE_CLAIMS } from '#lib/registry/claims.ts';
import { emailAddress } from '#lib/registry/values.ts';
import {
  applyRuledGroups,
  findOrCreateIdentity,
  type Identity,
  type PersonClaims,
  type RuledGroups,
} from '#lib/store/hot/person-facts.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';

// Members of another service's response. A path joins nested names: `picture.data.url`.

export type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Looks up the complete name first, because the name of a claim can be https://… (OpenID Connect Core §5.1.2).
 * Otherwise dots separate nested names.
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

/**
 * Schema of a subject: at most 255 characters (OpenID Connect Core §2). Some plain OAuth 2.0 brokers send it as a
 * number.
 */
const subject = z.union([z.string().min(1).max(255), z.int().transform(String)]);

/** Returns the subject at this path; null: the value cannot be a subject. */
export const subjectAt = (source: Members, path: string): string | null =>
  subject.safeParse(valueAt(source, path)).data ?? null;

/**
 * Parses JSON, and returns large integers as text, because they may be ids of people and JavaScript would round them.
 */
export function exactJson(text: string): unknown {
  return JSON.parse(text, function read(_key: string, value: unknown, context?: { source?: string }) {
    const source = context?.source ?? '';
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    return isRounded ? source : value;
  });
}

// Rules of a preset for responses of the broker: which people are admitted, and which claim identifies them.

type Method = Pick<SnapshotMethod, 'config'>;

/**
 * Expects the claims of an ID token whose signature and issuer were verified. Returns its subject, or the fault
 * because of which the person is rejected.
 */
export function subjectOfToken({ config }: Method, claims: Members): { subject: string } | { fault: string } {
  const { domains: hosts, subject_claim: claim = 'sub' } = config;
  const hosted = String(valueAt(claims, 'hd') ?? '').toLowerCase();
  if (Array.isArray(hosts) && !hosts.some((host) => String(host).toLowerCase() === hosted))
    return { fault: 'the person is of none of the domains' };
  const tid = namedWithTid(config) ? tidOf(config, claims) : '';
  if (tid === null) return { fault: 'the person is of none of the tenants' };
  const subjectValue = subjectAt(claims, String(claim));
  if (subjectValue === null) return { fault: `the ID token has no ${claim}` };
  return { subject: tid === '' ? subjectValue : `${tid}/${subjectValue}` };
}

/** True if the provider is authoritative for this verified email address. */
const answersForAddress = ({ config }: Method, email: string, claims: Members): boolean =>
  presetOf(config)?.answersFor?.(email, claims) ?? true;

export const sendsProof = ({ config }: Method): boolean => presetOf(config)?.sendsProof === true;

export const namesInForm = ({ config }: Method): boolean => presetOf(config)?.namesInForm === true;

// Group memberships that follow from the claims of a method. Missing information changes nothing: if a broker omits a
// long list of groups (Entra: `_claim_names`, `hasgroups`), memberships stay.

/**
 * `untold`: claims of rules that the method omitted or sent in an invalid form. `silent`: groups whose rules use a
 * claim that is missing from the response.
 */
export type SaidGroups = RuledGroups & { untold: string[]; silent: string[] };

const isPlain = (claimValue: unknown): claimValue is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof claimValue);

/** Returns the values of a claim as texts; `null`: the claim has an invalid form. */
function textsOf(claimValue: unknown): string[] | null {
  if (isPlain(claimValue)) return [String(claimValue)];
  if (!Array.isArray(claimValue)) return null;
  const plain = claimValue.filter(isPlain);
  return plain.length === 0 && claimValue.length > 0 ? null : plain.map(String);
}

/** True if the method has the claim, but delivers it at another address (OpenID Connect Core §5.6.2). */
function isElsewhere(source: Members, member: string): boolean {
  const named = source['_claim_names'];
  if (typeof named === 'object' && named !== null && Object.hasOwn(named, member)) return true;
  return member === 'groups' && (source['hasgroups'] === true || source['hasgroups'] === 'true');
}

/**
 * The prefix for names in the directory: `TENANT/` if users of several tenants can sign in and the claims
 * identify the tenant; otherwise empty.
 */
function tenantPrefix(row: SnapshotMethod, sources: readonly Members[]): string {
  if (!hasTenants(row)) return '';
  const tenants = sources.flatMap((source) => tidOf(row.config, source) ?? []);
  return `${tenants[0] ?? ''}/`;
}

/**
 * Normalizes a name of the directory for comparisons. With a `prefix`, the value starts with the tenant and a slash.
 */
function comparedValue(prefix: string, value: string): string {
  if (prefix === '') return comparedName(value);
  const at = value.indexOf('/') + 1;
  return value.slice(0, at).toLowerCase() + comparedName(value.slice(at));
}

/**
 * Returns `undefined` if no group has a rule on this method. A rule is ignored if users can influence its claim
 * (`claimFault`). `named` returns the method's name for a claim.
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
  const valuesByClaim = new Map<string, Set<string> | 'nothing' | 'untold'>();
  const toldOf = (claim: string) => {
    const member = named(claim);
    const value = sources.map((source) => valueAt(source, member)).find((claimValue) => claimValue != null);
    if (value === undefined)
      return sources.some((source) => isElsewhere(source, member)) ? 'untold' : 'nothing';
    const texts = textsOf(value);
    return texts === null ? 'untold' : new Set(texts.map((text) => ofTenant + comparedName(text)));
  };
  const groupResult: SaidGroups = { in: [], unknown: [], untold: [], silent: [] };
  for (const { group, claim, values } of proved) {
    const has = valuesByClaim.get(claim) ?? toldOf(claim);
    valuesByClaim.set(claim, has);
    if (has === 'untold') groupResult.unknown.push(group);
    else if (has === 'nothing') groupResult.silent.push(group);
    else if (values.some((value) => has.has(comparedValue(ofTenant, value)))) groupResult.in.push(group);
  }
  groupResult.untold = [...valuesByClaim].filter(([, has]) => has === 'untold').map(([claim]) => claim);
  return groupResult;
}

/**
 * Finds or creates the identity's person and applies group rules. `saidAt`: set if a client presented an ID token.
 * Such a token removes no membership, because the next token may contain the claims that it lacks.
 */
export async function knowIdentity(
  row: SnapshotMethod,
  profile: Told,
): ReturnType<typeof findOrCreateIdentity> {
  const { groups, leftOut, ...identity } = profile;
  const { id: authMethodId, epoch: methodEpoch } = row;
  const person = await findOrCreateIdentity({ ...identity, authMethodId, methodEpoch });
  if (person === null) return person;
  const whose = { personId: person.personId, authMethodId };
  if (groups !== undefined) {
    const isWhole = profile.saidAt === null;
    await keepGroups(whose, groups, { saidAt: profile.saidAt, isWhole });
  }
  if (leftOut !== undefined && profile.saidAt === null)
    await recordEvent({ event: 'claims.left_out', ...whose, details: { claims: leftOut } });
  return person;
}
type Told = Omit<Identity, 'authMethodId' | 'methodEpoch'> & {
  groups?: SaidGroups | undefined;
  /** claims that were dropped because all claims together were too large */
  leftOut?: string[] | undefined;
};

const mapOf = z.object({ claims: z.record(z.string(), z.string()).default({}) });

/** Returns the method's name for a claim, from its map; default: the claim's name. */
export function namedBy(row: SnapshotMethod): (claim: string) => string {
  const { claims } = mapOf.parse(row.config);
  return (claim) => ownValue(claims, claim) ?? claim;
}

/**
 * Applies complete information that did not come from a sign-in. `saidAt`: a time before the request, because a newer
 * sign-in takes precedence.
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

/**
 * `isWhole`: the data is complete, so a missing claim has no values. Otherwise a later response may still contain the
 * claim.
 */
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
  /** names of claims that were dropped because all claims together were too large; missing: none */
  leftOut?: string[] | undefined;
  /** `undefined`: no group rule uses this method */
  groups?: SaidGroups | undefined;
};

/** Maximum size of a person's claims as JSON, in bytes. */
const MAX_BYTES = 8_192;

const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\u0000'));
const displayText = text.trim().min(1).max(320).nullable().catch(null);
/** Schema of a name. Pages show it together with texts of others, so it must be one readable line. */
const shownName = displayText.transform((name) => name && readableLine(name));
const plain = z.union([text, z.number(), z.boolean()]);
/** True if the claim has a value: null and blank text are treated as missing. */
const says = (claimValue: unknown) =>
  claimValue !== undefined &&
  claimValue !== null &&
  !(typeof claimValue === 'string' && claimValue.trim() === '');
/** Schema of a claim. Objects such as `address` have no nested objects (OpenID Connect Core §5.1.1). */
const value = z.union([plain, z.array(text), z.record(text, plain)]);

const ofMethod = z.object({
  claims: z.record(z.string(), z.string()).default({}),
  trust_email: z.boolean().default(false),
  scopes: z.array(z.string()).default([]),
});

/** Returns the address in canonical form, or other readable text unchanged. */
function addressOf(claimValue: unknown): string | null {
  const text = displayText.parse(claimValue ?? null);
  if (text === null || unreadable(text, 'line') !== null) return null;
  return emailAddress.safeParse(text).data ?? text;
}

/** Claims that contain a single text or flag (OpenID Connect Core §5.1). */
const SINGLE = new Set(
  Object.values(SCOPE_CLAIMS)
    .flat()
    .filter((claim) => claim !== 'address' && claim !== 'updated_at'),
);

/**
 * Picks the first value of a claim that may have only one, because directory attributes can have several (RFC 4524
 * §2.16).
 */
const singleOf = (claim: string, claimValue: unknown): unknown =>
  SINGLE.has(claim) && Array.isArray(claimValue) ? claimValue.find(says) : claimValue;

/** Claims that are stored in separate columns, and therefore not among the other claims. */
const COLUMNS = ['name', 'email', 'email_verified'];

/** Maps claims to the method's member names; default: the claim's name. */
function membersOf(row: SnapshotMethod) {
  const { claims: map, trust_email: trustsEmail, scopes } = ofMethod.parse(row.config);
  const memberOf = (claim: string) => (Object.hasOwn(map, claim) ? (map[claim] ?? claim) : claim);
  return { map, named: memberOf, trustsEmail, asksNumber: scopes.includes('phone') };
}

/** Describes a person from the claims in `sources`. If several of them contain a value, the first one is used. */
export function describePerson(row: SnapshotMethod, ...sources: Members[]): ToldPerson {
  const { map, named, trustsEmail } = membersOf(row);
  const valueOfMember = (member: string) => {
    const source = sources.find((members) => has(members, member));
    return source && valueAt(source, member);
  };
  const emailAt = (source: Members) => addressOf(singleOf('email', valueAt(source, named('email'))));
  const withEmail = sources.find((source) => has(source, named('email')));
  const email = withEmail ? emailAt(withEmail) : null;
  // one source must contain both email and email_verified
  const tellsProfile = methodCan(row, 'tellsProfile');
  const isMember = (source: Members, member: string) => valueAt(source, member) !== undefined;
  const proving = sources.find(
    (source) => (tellsProfile ? has : isMember)(source, named('email_verified')) && emailAt(source) === email,
  );
  const verified = proving && singleOf('email_verified', valueAt(proving, named('email_verified')));
  const answers = proving === undefined || email === null || answersForAddress(row, email, proving);
  const isSaid = isTrue(verified) || isEdov(named('email_verified'), verified);
  const proved = (tellsProfile ? isSaid : verified === undefined || isSaid) && answers;
  const names = tellsProfile ? [named('name'), 'preferred_username', 'login'] : [named('name')];
  // one source must contain both phone_number and phone_number_verified
  const withNumber = sources.find((source) => has(source, named('phone_number')));
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

/** True if another source could add missing values. */
export function leavesOpen(row: SnapshotMethod, source: Members): boolean {
  const { map, named, trustsEmail, asksNumber } = membersOf(row);
  const { email, name } = describePerson(row, source);
  const memberNames = [
    ...Object.values(map),
    ...(row.groupRules ?? []).map(({ claim }) => named(claim)),
    ...(trustsEmail ? [named('email_verified')] : []),
    ...(asksNumber ? [named('phone_number')] : []),
  ];
  return email === null || name === null || memberNames.some((member) => !has(source, member));
}

const has = (source: Members, member: string) => says(valueAt(source, member));

/** True for the boolean and for its text, because some providers send the boolean as text. */
const isTrue = (claimValue: unknown) => claimValue === true || claimValue === 'true';
/** True for the value 1 of the claim `xms_edov`, which Microsoft sends as a number. */
const isEdov = (member: string, claimValue: unknown) =>
  member === 'xms_edov' && (claimValue === 1 || claimValue === '1');
const flagOf = (claimValue: unknown) =>
  isTrue(claimValue) ? true : claimValue === false || claimValue === 'false' ? false : undefined;

/** Converts numbers in a list to text, and drops each value that is neither text nor number. */
const membersKept = (list: unknown[]): unknown[] =>
  list.flatMap((element) => {
    const member = typeof element === 'number' && Number.isFinite(element) ? String(element) : element;
    return says(member) && text.safeParse(member).success ? [member] : [];
  });

function storableClaims(
  row: SnapshotMethod,
  claimEntries: [string, unknown][],
): { claims: PersonClaims; leftOut: string[] } {
  const leaveOut = (claim: string, because: string) =>
    log().warn({ auth_method: row.id, claim, because }, 'a claim of a person was left out');
  const sized = claimEntries.flatMap(([claim, said]) => {
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
  // drops the largest claims first
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
