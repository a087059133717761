// Claims, scopes and authentication contexts of OpenID Connect, claims that a subscription requires, and
// additional claims about users: the claim map of a method, and the names that neither maps nor an API's list
// of claims can contain.
import { z } from 'zod';
import { PROFILE_KEYS } from '#lib/catalogue/people/profile.ts';
import { checkFault, type FaultText, fault } from '#lib/kit/fault.ts';
import { canonicalEmail, unreadable } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { atMost, label } from './values.ts';

/**
 * Names of claims that OpenID Connect, tokens and introspection define (RFC 7519 §4.1, RFC 7662 §2.2, RFC 9068 §2.2).
 */
const RESERVED = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'auth_time', 'nonce', 'acr', 'amr', 'azp'],
  ...['at_hash', 'c_hash', 's_hash', 'sid', 'client_id', 'scope', 'act', 'may_act', 'cnf', 'broker_acr'],
  ...['events', 'token_type', 'active', 'username'],
  // names of properties that are unsafe in JavaScript, in which APIs may read these tokens
  ...['__proto__', 'constructor', 'prototype'],
]);

const NAME = /^[\x21-\x7e]{1,100}$/;
/** the same maximum length as for names in the parameter `claims` */
const NAMED = 'must be 1 to 100 visible ASCII characters';
const MAX_CLAIMS = 50;

export const reservedFault = (name: string) =>
  fault('must not be {value}: that name is reserved', { value: name });

export const claimName = z
  .string()
  .regex(NAME, NAMED)
  .superRefine((name, context) => {
    if (RESERVED.has(name)) context.addIssue({ code: 'custom', ...reservedFault(name) });
  });

/** Maps names of claims at Gatehouse to names at the verifier or broker. `claimMapFaults` validates the names. */
export const claimMap = z.record(z.string(), z.string(), 'must be keys and values');

/** Faults of a map that is not trusted: its names, members and number of entries. */
export function claimMapFaults(members: unknown): ({ path: string[] } & FaultText)[] {
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return [];
  const pairs = Object.entries(members);
  const faults = pairs.flatMap(([claim, member]): ({ path: string[] } & FaultText)[] => {
    const path = ['claims', claim];
    if (RESERVED.has(claim)) return [{ path, ...reservedFault(claim) }];
    if (!NAME.test(claim)) return [{ path, message: `its name ${NAMED}` }];
    if (typeof member !== 'string') return [];
    const isOfLength = member.length >= 1 && member.length <= 200;
    const wrong = isOfLength ? unreadable(member, 'line') : { message: 'must be 1 to 200 characters' };
    return wrong === null ? [] : [{ path, ...wrong }];
  });
  if (pairs.length > MAX_CLAIMS)
    faults.push({ path: ['claims'], ...fault('must not be more than {most}', { most: MAX_CLAIMS }) });
  return faults;
}

/** Claims that access tokens of the API contain. */
export const claimList = atMost(MAX_CLAIMS, claimName);

/** Profile claims about a broker's user that are accepted without a claim map (OpenID Connect Core §5.1). */
export const BROKER_CLAIMS: readonly string[] = [
  'given_name',
  'family_name',
  'preferred_username',
  ...PROFILE_KEYS,
  'phone_number',
  'phone_number_verified',
];

// The users who can use a client at an API: every user, or users with a claim value. This is a term of the
// subscription. `isFor` in lib/store/hot/validity.ts compares the user's claims.

/** Claims that users can edit or that change automatically, so that they prove no identity. */
const PERSONAL = ['name', 'updated_at'];

const value = label;

const ADDRESS = /^[^\s@]*@[^\s@]+$/;

/** Fault of a value of this claim; null: none. */
function valueFault(name: string, text: string): string | null {
  if (name === 'email' && !ADDRESS.test(text))
    return 'must be an email address, or @example.com for all of a domain';
  return name === 'email_verified' && text !== 'true' ? 'must be true' : null;
}

export const requiredClaim = z
  .strictObject({
    name: claimName.refine(
      (name) => !PERSONAL.includes(name),
      'must be another claim: people can set this claim themselves',
    ),
    values: atMost(100, value).min(1, 'must contain at least one entry').describe('one of these'),
  })
  .superRefine(({ name, values }, context) => {
    for (const [at, text] of values.entries()) {
      const message = valueFault(name, text);
      if (message !== null) context.addIssue({ code: 'custom', path: ['values', at], message });
    }
  })
  .transform(({ name, values }) => ({
    name,
    values: [...new Set(name === 'email' ? values.map(canonicalEmail) : values)],
  }));

export type RequiredClaim = z.output<typeof requiredClaim>;

/** Claims that exist for users of every method. */
const OF_EVERYBODY = ['email', 'email_verified', 'groups'];

/**
 * `providedClaims`: the claims that the API's methods provide. A requirement on any other claim would lock out every
 * user. Returns null if the claim is valid.
 */
export function requiredClaimFault(
  { name }: RequiredClaim,
  providedClaims: readonly string[],
): FaultText | null {
  const knownClaims = [...new Set([...OF_EVERYBODY, ...providedClaims])].toSorted((a, b) => (a < b ? -1 : 1));
  return knownClaims.includes(name)
    ? null
    : fault('must be a claim that a method of the API provides: {value}', { value: knownClaims });
}

// Strength of a sign-in: classes of authentication (`acr`, OpenID Connect Core §2), and settings for the second
// factor.

/** Classes in ascending order: the nth class has level n. */
export const ACR_VALUES = [
  'urn:gatehouse:acr:password',
  'urn:gatehouse:acr:mfa',
  'urn:gatehouse:acr:phishing-resistant',
] as const;
type Acr = (typeof ACR_VALUES)[number];

/**
 * Sign-in levels. 1: a password, or a statement of a broker or verifier. 2: two factors. 3: a passkey, bound to
 * Gatehouse.
 */
export type AcrLevel = 1 | 2 | 3;

/** Names of the same classes in OpenID Connect Extended Authentication Profile ACR Values 1.0 §2. */
export const ACR_ALIASES: Readonly<Record<string, Acr>> = {
  phr: 'urn:gatehouse:acr:phishing-resistant',
  phrh: 'urn:gatehouse:acr:phishing-resistant',
};

/** Level of an acr class; null: Gatehouse does not define the class. */
export function levelOf(acr: string): AcrLevel | null {
  const values: readonly string[] = ACR_VALUES;
  const at = values.indexOf(ownValue(ACR_ALIASES, acr) ?? acr);
  return at < 0 ? null : ((at + 1) as AcrLevel);
}

export const acrOfLevel = (level: AcrLevel): Acr => ACR_VALUES[level - 1] as Acr;

const MESSAGE = checkFault('must be {values}', { values: ACR_VALUES });
const acr = z.enum(ACR_VALUES, MESSAGE);

/** Level that a scope requires. If it is missing, any sign-in is sufficient. */
export const scopeAcr = acr.optional().describe('Minimum acr of a sign-in for this scope');

/** Level that an API requires. */
export const requiredAcr = z
  .union([z.literal('').transform(() => null), acr.nullable()], MESSAGE)
  .default(null)
  .describe('Minimum acr that a sign-in must have for tokens of the API');

export const ACR_WORDS = {
  '': { label: 'Any', note: 'Any way of signing in.' },
  'urn:gatehouse:acr:password': { label: 'Password', note: 'Every sign-in reaches this level.' },
  'urn:gatehouse:acr:mfa': { label: 'Two factors', note: 'Also requires a one-time code or a passkey.' },
  'urn:gatehouse:acr:phishing-resistant': {
    label: 'Passkey',
    note: 'No secrets that can be typed into another site.',
  },
};

export const SECOND_FACTORS = ['off', 'optional', 'required'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];
const SECOND_FACTOR = checkFault('must be {values}', { values: SECOND_FACTORS });
const policy = z.enum(SECOND_FACTORS, SECOND_FACTOR);

/**
 * Second-factor setting of a method. If it is missing, users of a local method must use a factor if they have one,
 * and users of other methods are never asked for one.
 */
export const methodSecondFactor = policy
  .optional()
  .describe(
    'off: no second factor at this method. optional: only for people who have a second factor. required: everyone must set up a second factor',
  );

/** Second-factor setting of an API. Null: the setting of the method applies. */
export const apiSecondFactor = z
  .union([z.literal('').transform(() => null), policy.nullable()], SECOND_FACTOR)
  .default(null)
  .describe('Second factor at this API: off, optional or required. Default: the setting of the method');

export const SECOND_FACTOR_WORDS = {
  off: { label: 'Off', note: 'No one is asked for a second factor.' },
  optional: {
    label: 'Optional',
    note: 'People with a second factor are asked for it. Others are offered once to set one up.',
  },
  required: { label: 'Required', note: 'People without a second factor set one up.' },
};

/** Classes for requests of the client that contain no acr_values (OpenID Connect Registration §2). */
export const defaultAcrValues = atMost(
  10,
  z
    .string()
    .refine(
      (value) => levelOf(value) !== null,
      fault('must be {values}', { values: [...ACR_VALUES, ...Object.keys(ACR_ALIASES)] }),
    ),
)
  .default([])
  .describe('The acr values that a sign-in must reach if a request contains no acr_values');

// Scopes and claims of OpenID Connect (Core §5.1, §5.4, §11). Gatehouse defines them, so no API can define a scope
// with these names. Limits of subscriptions and `require_scope` ignore them.

const IDENTITY = {
  openid: 'Sign you in, and recognise you when you come back',
  profile: 'Your name and your profile',
  email: 'Your email address',
  address: 'Your postal address',
  phone: 'Your phone number',
  offline_access: 'Keep working while you are away, even after you have signed out',
} as const;

type OpenIdScope = keyof typeof IDENTITY;

/** Scopes in the order of responses and pages. The consent page shows the description. */
export const OPENID_SCOPES: readonly { name: OpenIdScope; description: string }[] = Object.entries(
  IDENTITY,
).map(([name, description]) => ({ name: name as OpenIdScope, description }));

export const OPENID_SCOPE_NAMES: readonly string[] = OPENID_SCOPES.map(({ name }) => name);

/** Claims of each scope. `profile` also contains the claims in a method's claim map. */
export const SCOPE_CLAIMS: Readonly<Record<'profile' | 'email' | 'address' | 'phone', readonly string[]>> = {
  profile: [
    ...['name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile'],
    ...['website', 'gender', 'birthdate', 'updated_at', ...PROFILE_KEYS],
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
};
