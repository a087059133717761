// Claims of a person beyond those that we know ourselves: the map that a method gives them by, and the names that
// neither a map nor an API's list of claims may have.
import { z } from 'zod';
import { unreadable } from '#lib/kit/text/readable-text.ts';

/** Of OpenID Connect, of the tokens and of introspection (RFC 7519 §4.1, RFC 7662 §2.2, RFC 9068 §2.2). */
const RESERVED = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'auth_time', 'nonce', 'acr', 'amr', 'azp'],
  ...['at_hash', 'c_hash', 's_hash', 'sid', 'client_id', 'scope', 'act', 'may_act', 'cnf', 'broker_acr'],
  ...['events', 'token_type', 'active', 'username'],
  // not data in JavaScript, which reads these tokens too
  ...['__proto__', 'constructor', 'prototype'],
]);

const NAME = /^[\x21-\x7e]{1,100}$/;
/** as long as a claim's name may be in the parameter `claims` */
const NAMED = 'must be 1 to 100 visible ASCII characters';
const MAX_CLAIMS = 50;

const reserved = (name: string) => `must not be ${name}: that name is reserved`;

export const claimName = z
  .string()
  .regex(NAME, NAMED)
  .refine((name) => !RESERVED.has(name), { error: ({ input }) => reserved(String(input)) });

/** Our name of a claim to the verifier's or broker's; `claimMapFaults` says what is wrong with the names. */
export const claimMap = z.record(z.string(), z.string(), 'must be keys and values');

/** What is wrong with a map, whose shape is not trusted: its names, its members, and their number. */
export function claimMapFaults(given: unknown): { path: string[]; message: string }[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  const pairs = Object.entries(given);
  const faults = pairs.flatMap(([claim, member]) => {
    const path = ['claims', claim];
    if (RESERVED.has(claim)) return [{ path, message: reserved(claim) }];
    if (!NAME.test(claim)) return [{ path, message: `its name ${NAMED}` }];
    if (typeof member !== 'string') return [];
    const isOfLength = member.length >= 1 && member.length <= 200;
    const message = isOfLength ? unreadable(member, 'line') : 'must be 1 to 200 characters';
    return message === null ? [] : [{ path, message }];
  });
  if (pairs.length > MAX_CLAIMS)
    faults.push({ path: ['claims'], message: `must not be more than ${MAX_CLAIMS}` });
  return faults;
}

/** Claims that access tokens of an API carry. */
export const claimList = z.array(claimName).max(MAX_CLAIMS, `must not be more than ${MAX_CLAIMS}`);

/** The profile of a broker's person, which is passed on without a map (OpenID Connect Core §5.1). */
export const BROKER_CLAIMS: readonly string[] = [
  'given_name',
  'family_name',
  'preferred_username',
  'picture',
  'locale',
  'zoneinfo',
  'phone_number',
  'phone_number_verified',
];
