// What a verifier or broker says of a person, as we keep it: how they are shown, their e-mail address and whether it
// was proved, and claims by the method's map. Nothing of it is trusted: a value that no claim can have is left out, and
// the log names the claim and not the value.
import { z } from 'zod';
import { log } from '#lib/kit/log.ts';
import { readableLine, unreadable } from '#lib/kit/text/readable-text.ts';
import { BROKER_CLAIMS } from '#lib/registry/fields/claims.ts';
import { emailAddress } from '#lib/registry/fields/values.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import type { PersonClaims } from '#lib/store/tokens/openid.ts';
import { answersForAddress } from './broker-presets.ts';
import { groupsSaid, type SaidGroups } from './group-rules.ts';
import { type Members, valueAt } from './members.ts';

export type ToldPerson = {
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  claims: PersonClaims;
  /** claims that did not fit beside the others; left out: all did */
  leftOut?: string[] | undefined;
  /** undefined: no group has a rule on the method */
  groups?: SaidGroups | undefined;
};

/** Of all claims of a person together, as JSON. */
const MAX_BYTES = 8_192;

const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\u0000'));
const shown = text.trim().min(1).max(320).nullable().catch(null);
/** People read it beside what others wrote. */
const shownName = shown.transform((told) => told && readableLine(told));
const plain = z.union([text, z.number(), z.boolean()]);
/** Says something: null, and a text without a sign in it, are the same as no member. */
const says = (said: unknown) =>
  said !== undefined && said !== null && !(typeof said === 'string' && said.trim() === '');
/** An object such as `address` has no further ones in it (OpenID Connect Core §5.1.1). */
const value = z.union([plain, z.array(text), z.record(text, plain)]);

const ofMethod = z.object({
  claims: z.record(z.string(), z.string()).default({}),
  trust_email: z.boolean().default(false),
  scopes: z.array(z.string()).default([]),
});

/** In its canonical form; other text as it was said, unless it cannot be read. */
function addressOf(said: unknown): string | null {
  const text = shown.parse(said ?? null);
  if (text === null || unreadable(text, 'line') !== null) return null;
  return emailAddress.safeParse(text).data ?? text;
}

/** Claims of one text or flag (OpenID Connect Core §5.1). */
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

/** Of several values of such a claim the first: attributes of a directory may have several (RFC 4524 §2.16). */
const singleOf = (claim: string, said: unknown): unknown =>
  SINGLE.has(claim) && Array.isArray(said) ? said.find(says) : said;

/** Kept in columns, not among the claims. */
const COLUMNS = ['name', 'email', 'email_verified'];

/** By its map, a method's name for a claim; the claim's own name where the map says nothing. */
function membersOf(row: SnapshotMethod) {
  const { claims: map, trust_email: trustsEmail, scopes } = ofMethod.parse(row.config);
  const named = (claim: string) => (Object.hasOwn(map, claim) ? (map[claim] ?? claim) : claim);
  return { map, named, trustsEmail, asksNumber: scopes.includes('phone') };
}

/** `sources`: of two that say something, the first counts. */
export function describePerson(row: SnapshotMethod, ...sources: Members[]): ToldPerson {
  const { map, named, trustsEmail } = membersOf(row);
  const said = (member: string) => {
    const source = sources.find((one) => has(one, member));
    return source && valueAt(source, member);
  };
  const emailAt = (one: Members) => addressOf(singleOf('email', valueAt(one, named('email'))));
  const withEmail = sources.find((one) => has(one, named('email')));
  const email = withEmail ? emailAt(withEmail) : null;
  // what one source says of its own address proves nothing of another one
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
  // a proof of another source's number proves nothing of this one
  const withNumber = sources.find((one) => has(one, named('phone_number')));
  const numberAt = (claim: string) => withNumber && singleOf(claim, valueAt(withNumber, named(claim)));
  const numberProved =
    typeof numberAt('phone_number') === 'string' ? flagOf(numberAt('phone_number_verified')) : undefined;
  const told = (claim: string) =>
    tellsProfile && claim === 'phone_number_verified' ? numberProved : singleOf(claim, said(named(claim)));
  const isTold = (claim: string) =>
    typeof told(claim) === (claim === 'phone_number_verified' ? 'boolean' : 'string');
  const profile = tellsProfile ? BROKER_CLAIMS.filter(isTold) : [];
  const wanted = new Set([...Object.keys(map), ...profile]);
  for (const column of COLUMNS) wanted.delete(column);
  const groups = groupsSaid(row, named, sources);
  const { claims, leftOut } = kept(
    row,
    [...wanted].map((claim) => [claim, told(claim)]),
  );
  return {
    ...(groups && { groups }),
    ...(leftOut.length > 0 && { leftOut }),
    email,
    emailVerified: trustsEmail && email !== null && proved,
    name:
      names
        .map((member) => shownName.parse(singleOf('name', said(member)) ?? null))
        .find((name) => name !== null) ?? null,
    claims,
  };
}

/** Might another source say something that this one does not? */
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

/** Some providers say it as a text. */
const isTrue = (said: unknown) => said === true || said === 'true';
/** Microsoft says this one as a number. */
const isEdov = (member: string, said: unknown) => member === 'xms_edov' && (said === 1 || said === '1');
const flagOf = (said: unknown) =>
  isTrue(said) ? true : said === false || said === 'false' ? false : undefined;

/** A list is of texts: a number in it becomes one, and what neither is goes without the others. */
const membersKept = (list: unknown[]): unknown[] =>
  list.flatMap((one) => {
    const said = typeof one === 'number' && Number.isFinite(one) ? String(one) : one;
    return says(said) && text.safeParse(said).success ? [said] : [];
  });

function kept(row: SnapshotMethod, given: [string, unknown][]): { claims: PersonClaims; leftOut: string[] } {
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
