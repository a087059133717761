// An authentication method: a way to prove who a person is. What only one type has stands in `config`, under the names of
// the configuration file.
import { z } from 'zod';
import { namesPrivateHost } from '#lib/outbound/index.ts';
import { claimMap, claimMapFaults } from './claims.ts';
import { authMethodId, label, scopeName, secretText, webAddress } from './values.ts';

const AUTH_METHOD_TYPES = ['local', 'external', 'broker'] as const;
export type AuthMethodType = (typeof AUTH_METHOD_TYPES)[number];

const timeout = z
  .int('must be a whole number')
  .min(1, 'must be from 1 to 60000')
  .max(60_000, 'must be from 1 to 60000');

/** What people of a verifier or broker have besides a name and an address. */
const people = {
  claims: claimMap.optional().describe('Our name of a claim to the member that holds it there'),
  trust_email: z
    .boolean()
    .optional()
    .describe('Does an e-mail address from there count as verified? A broker must say so of each'),
};

/** By type: what `config` holds. */
export const authMethodConfig = {
  local: z.strictObject({}),
  external: z.strictObject({
    verify_url: webAddress.describe('The service that checks username and password'),
    timeout_ms: timeout.default(3000),
    ...people,
    allow_private_network: z.boolean().default(false),
  }),
  broker: z.strictObject({
    issuer: webAddress.optional(),
    authorization_endpoint: webAddress.optional(),
    token_endpoint: webAddress.optional(),
    userinfo_endpoint: webAddress.optional(),
    subject_claim: z.string().min(1, 'must not be empty').optional(),
    client_id: z.string().min(1, 'must not be empty').max(1000, 'must not be longer than 1000 characters'),
    scopes: z.array(scopeName).optional(),
    timeout_ms: timeout.optional(),
    ...people,
    shared_callback: z
      .boolean()
      .optional()
      .describe('Is {base_url}/auth/callback/broker registered there, and not the address of this method?'),
    allow_private_network: z.boolean().default(false),
  }),
} as const satisfies Record<AuthMethodType, z.ZodObject>;

export const authMethod = z.strictObject({
  id: authMethodId,
  type: z.enum(AUTH_METHOD_TYPES, 'must be local, external or broker'),
  name: label,
  config: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('the configuration file’s keys; the secret is not among them'),
  secret: secretText
    .optional()
    .describe('an external service’s token, a broker’s client secret; sealed, and never shown'),
});
export type AuthMethodInput = z.input<typeof authMethod>;
export type AuthMethodValues = Omit<z.output<typeof authMethod>, 'secret'>;

export const authMethodRow = authMethod.omit({ secret: true }).extend({
  config: z
    .record(z.string(), z.unknown())
    .describe('the configuration file’s keys; the secret is not among them'),
  hasSecret: z.boolean(),
  apis: z.array(z.string()),
  sessions: z.int(),
  managed: z.boolean(),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type AuthMethodRow = z.output<typeof authMethodRow>;

const ADDRESSES = ['verify_url', 'issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint'];
const PLAIN_OAUTH = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'subject_claim'];

/**
 * What no single key can say: https to a public host, a broker's issuer or the four keys of plain OAuth 2.0, and the names of
 * the claim map.
 */
export function authMethodFaults(method: Record<string, unknown>): { path: string[]; message: string }[] {
  const faults = claimMapFaults(method['claims']);
  for (const key of ADDRESSES) {
    const address = String(method[key] ?? '');
    if (method['allow_private_network'] === true || !URL.canParse(address)) continue;
    const url = new URL(address);
    if (url.protocol === 'http:')
      faults.push({ path: [key], message: 'must be https unless allow_private_network is true' });
    else if (namesPrivateHost(url))
      faults.push({
        path: [key],
        message: 'must not be a private address unless allow_private_network is true',
      });
  }
  if (method['type'] !== 'broker') return faults;
  for (const key of PLAIN_OAUTH) {
    if ('issuer' in method && key in method)
      faults.push({ path: [key], message: 'must not stand beside issuer' });
    else if (!('issuer' in method) && !(key in method))
      faults.push({ path: [key], message: 'is missing: a broker needs issuer, or all four of these' });
  }
  return faults;
}

/** Where one of these changes, somebody else answers, and the subjects are not those that we knew. */
export const WHO_ANSWERS = ['type', 'issuer', 'userinfo_endpoint', 'subject_claim'];
