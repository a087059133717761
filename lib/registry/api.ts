// An API: what tokens are for. `api` is what whoever writes one gives, `apiRow` what whoever reads one gets. The types,
// the configuration file, the management API, the command line's JSON, the console's fields and the columns follow.
import { z } from 'zod';
import { claimList } from './claims.ts';
import { formWords } from './definition.ts';
import { OPENID_SCOPE_NAMES } from './openid-scopes.ts';
import {
  authMethodId,
  emailAddress,
  label,
  longText,
  optionalAddress,
  optionalContact,
  registryId,
  scopeName,
  seconds,
  webAddress,
} from './values.ts';

/** The API that this service itself is. Neither the file nor a page changes it. */
export const BUILT_IN_API = 'management';

/** An API that has one of these from before goes on with it until it is written again. */
export const apiScopeName = scopeName.refine((name) => !OPENID_SCOPE_NAMES.includes(name), {
  error: ({ input }) => `must not be ${input}: scopes of OpenID Connect are no API's, give it another name`,
});
const scope = z.strictObject({ name: apiScopeName, description: longText });

export const api = z.strictObject({
  id: registryId,
  name: label.clone().register(formWords, { label: 'Name', hint: 'People and developers see it.' }),
  description: longText.default('').register(formWords, { label: 'Description', as: 'lines' }),
  url: webAddress.describe("{api_url}; the access token's audience").register(formWords, {
    label: 'Address',
    hint: 'Where it is called. Access tokens name it as their audience.',
  }),
  contactUri: optionalContact
    .describe('Where its people are reached: a page, or mailto:')
    .register(formWords, { label: 'Contact', hint: 'A page, or mailto: and an address.' }),
  tosUri: optionalAddress
    .describe('Its terms of service')
    .register(formWords, { label: 'Terms of service', as: 'url' }),
  policyUri: optionalAddress.describe('Its privacy policy').register(formWords, {
    label: 'Privacy policy',
    hint: 'People see these on the API’s page and when they are asked to allow access.',
    as: 'url',
  }),
  authMethods: z
    .array(authMethodId)
    .max(100, 'must not be more than 100')
    .default([])
    .describe('The valid combinations')
    .register(formWords, {
      label: 'Sign-in methods',
      hint: 'With each, the API has an issuer of its own.',
    }),
  scopes: z.array(scope).max(500, 'must not be more than 500').default([]).register(formWords, {
    label: 'Scopes',
    hint: 'Its name in requests, and the sentence that people read when they are asked to allow it.',
  }),
  accessTokenTtlSeconds: seconds.default(3600).register(formWords, { label: 'Access token, seconds' }),
  accessTokenFormat: z
    .enum(['jwt', 'opaque'], 'must be jwt or opaque')
    .default('jwt')
    .register(formWords, { label: 'Access tokens' }),
  tokenClaims: claimList
    .default([])
    .describe('Claims of the person that access tokens and introspection carry')
    .register(formWords, {
      label: 'Claims in access tokens',
      hint: 'Names of claims of the person, such as groups, which the API is told with each token.',
      placeholder: 'groups',
    }),
  signingAlg: z
    .enum(['ES256', 'RS256'], 'must be ES256 or RS256')
    .default('ES256')
    .register(formWords, { label: 'Signed with' }),
  refreshTokenTtlSeconds: seconds
    .default(2_592_000)
    .register(formWords, { label: 'Refresh token unused, seconds' }),
  refreshFamilyTtlSeconds: seconds
    .default(7_776_000)
    .register(formWords, { label: 'Longest sign-in, seconds' }),
  requireApproval: z.boolean().default(false).register(formWords, {
    label: 'Every subscription needs approval',
    note: 'Trusted ones always do.',
  }),
  requireRedirectUri: z
    .boolean()
    .default(true)
    .register(formWords, { label: 'Requests must name their redirect address' }),
  requireScope: z.boolean().default(false).register(formWords, {
    label: 'Requests must name their scopes',
    note: 'Otherwise a request without a scope asks for all of them.',
  }),
  approvers: z.array(emailAddress).max(100, 'must not be more than 100').default([]).register(formWords, {
    label: 'Approvers',
    hint: 'E-mail addresses of those who may decide on requests for this API. With none, every approver may. Administrators always may.',
    placeholder: 'lead@example.com',
  }),
});
export type ApiInput = z.input<typeof api>;
export type ApiValues = z.output<typeof api>;

export const apiRow = z.strictObject({
  ...api.shape,
  hasIntrospectionSecret: z.boolean(),
  subscriptions: z.int(),
  pending: z.int(),
  managed: z.boolean().describe('owned by the configuration file, which the next apply restores'),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type ApiRow = z.output<typeof apiRow>;

/** The fields that stand in tables of their own. */
export const API_LISTS = ['authMethods', 'scopes'] as const;
