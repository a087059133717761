// What the values of an API or an authentication method may be, in one place: for the console, the management API and
// the configuration file. Each message goes on from the name of its field.
import { z } from 'zod';
import { namesPrivateHost } from '#lib/outbound/index.ts';
import type { Fault } from './refused.ts';

const ID_FAULT = 'must be 1 to 63 small letters, digits and hyphens, and must not begin with a hyphen';
const SECONDS_FAULT = 'must be a whole number from 1';

/** At that address the console makes one: what is called so would have no page. */
const isNotNew = (value: string) => value !== 'new';
const NEW_FAULT = 'must not be new: the console keeps that for its own pages';

export const registryId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, ID_FAULT)
  .refine(isNotNew, NEW_FAULT);
export const clientId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/,
    'must be 1 to 200 letters, digits, dots, hyphens, underscores and tildes',
  )
  .refine(isNotNew, NEW_FAULT);
export const methodId = registryId.refine(
  (value) => value !== 'callback' && value !== 'token',
  'must not be callback or token',
);
export const label = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must not be longer than 200 characters');
export const longText = z.string().max(2000, 'must not be longer than 2000 characters');
export const seconds = z
  .int(SECONDS_FAULT)
  .min(1, SECONDS_FAULT)
  .max(2_147_483_647, 'must not be over 2147483647');
export const secretText = z
  .string()
  .min(1, 'must not be empty')
  .max(4096, 'must not be longer than 4096 characters');
export const emailAddress = z
  .string()
  .max(254, 'must not be longer than 254 characters')
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
  .transform((value) => value.toLowerCase());
export const scopeName = z
  .string()
  .max(200, 'must not be longer than 200 characters')
  .regex(
    /^[\x21\x23-\x5b\x5d-\x7e]+$/,
    'must be a scope: visible ASCII without space, quote and backslash (RFC 6749 §3.3)',
  );
export const webAddress = z
  .string()
  .max(2000)
  .refine((value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    return (
      url !== null && /^https?:\/\//i.test(value) && !value.includes('#') && !url.username && !url.password
    );
  }, 'must be an absolute https:// address without a fragment');
export const tokenFormat = z.enum(['jwt', 'opaque'], 'must be jwt or opaque');
export const signingAlg = z.enum(['ES256', 'RS256'], 'must be ES256 or RS256');
const timeout = z
  .int('must be a whole number')
  .min(1, 'must be from 1 to 60000')
  .max(60_000, 'must be from 1 to 60000');

/** The keys of an external method, besides its id, type, name and secret. */
export const externalShape = {
  verify_url: webAddress.describe('The service that checks username and password'),
  timeout_ms: timeout.default(3000),
  allow_private_network: z.boolean().default(false),
};

/** The keys of a broker method, besides its id, type, name and secret. */
export const brokerShape = {
  issuer: webAddress.optional(),
  authorization_endpoint: webAddress.optional(),
  token_endpoint: webAddress.optional(),
  userinfo_endpoint: webAddress.optional(),
  subject_claim: z.string().min(1, 'must not be empty').optional(),
  client_id: z.string().min(1, 'must not be empty').max(1000),
  scopes: z.array(scopeName).optional(),
  timeout_ms: timeout.optional(),
  shared_callback: z
    .boolean()
    .optional()
    .describe('Is {base_url}/auth/callback/broker registered there, and not the address of this method?'),
  allow_private_network: z.boolean().default(false),
};

const ADDRESSES = ['verify_url', 'issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'];
const PLAIN_KEYS = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'subject_claim'];

/** What no single key of a method can say: https to a public host, and a broker's issuer or its four plain keys. */
export function methodFaults(method: Record<string, unknown>): { key: string; message: string }[] {
  const faults: { key: string; message: string }[] = [];
  for (const key of ADDRESSES) {
    const address = String(method[key] ?? '');
    if (method['allow_private_network'] === true || !URL.canParse(address)) continue;
    const url = new URL(address);
    if (url.protocol === 'http:')
      faults.push({ key, message: 'must be https unless allow_private_network is true' });
    else if (namesPrivateHost(url))
      faults.push({ key, message: 'must not be a private address unless allow_private_network is true' });
  }
  if (method['type'] !== 'broker') return faults;
  for (const key of PLAIN_KEYS) {
    if ('issuer' in method && key in method) faults.push({ key, message: 'must not stand beside issuer' });
    else if (!('issuer' in method) && !(key in method))
      faults.push({ key, message: 'is missing: a broker needs issuer, or all four of these' });
  }
  return faults;
}

/** Where one of these changes, another provider answers, and its subjects are not those that we knew. */
export const WHO_ANSWERS = ['type', 'issuer', 'userinfo_endpoint', 'subject_claim'];

/** A schema's complaints as faults of fields; the message names its field. */
export function faultsOf(error: z.ZodError, prefix = ''): Fault[] {
  return error.issues.map((issue) => {
    const field = issue.path.map(String).join('.');
    const missing = issue.code === 'invalid_type' && issue.input === undefined;
    const words = missing ? 'is missing' : issue.message;
    return { field: `${prefix}${field}`, message: `${field} ${words}`.trim() };
  });
}
