// An API: the audience of tokens. `api` is the input for creation and changes, `apiRow` is the result of reading. The
// types, configuration file, management API, JSON of the command line, fields of the console and database columns are
// derived from both.
import { z } from 'zod';
import { checkFault, fault } from '#lib/kit/fault.ts';
import { canonicalEmail } from '#lib/kit/text.ts';
import { optionalBrand } from '#lib/registry/brand.ts';
import {
  ACR_WORDS,
  apiSecondFactor,
  claimList,
  OPENID_SCOPE_NAMES,
  requiredAcr,
  SECOND_FACTOR_WORDS,
  scopeAcr,
} from '#lib/registry/claims.ts';
import { field } from '#lib/registry/definition.ts';
import { displayText } from '#lib/registry/display-text.ts';
import { formerIssuers, issuerHosts } from '#lib/registry/issuers.ts';
import { optionalTexts } from '#lib/registry/own-texts.ts';
import { unregisteredClientFields } from '#lib/registry/unregistered.ts';
import {
  atMost,
  authMethodId,
  choiceOf,
  emailAddress,
  groupIdText,
  groupPattern,
  label,
  longText,
  optionalAddress,
  optionalContact,
  registryId,
  scopeName,
  seconds,
  sentence,
  webAddress,
} from '#lib/registry/values.ts';

// Groups at an API: who has access to the API, who has access to a scope, and which groups tokens contain.

const MOST_NAMED = 100;
const MOST_ROLES = 100;

const groupIds = atMost(MOST_NAMED, groupIdText);

/** Groups that have a scope; missing: everyone has it. */
export const scopeGroups = groupIds.min(1, 'must contain at least one entry').optional();

/** A record of zod drops the name `__proto__`, so the name is rejected. */
const ROLE = /^(?!__proto__$)[\x21-\x7e]{1,100}$/;
const roleMap = z
  .record(
    z.string().regex(ROLE, 'must be 1 to 100 visible ASCII characters'),
    groupIds,
    'must be keys and values',
  )
  .refine(
    (roles) => Object.keys(roles).length <= MOST_ROLES,
    fault('must not be more than {most}', { most: MOST_ROLES }),
  );

const groupFields = {
  groups: field(
    groupIds.default([]).describe('Ids of groups: only their members can use the API. Default: everyone'),
    'Groups',
    {
      hint: 'Only people in one of these groups can have access. If no group is selected, everyone can.',
      each: 'group',
      placeholder: 'staff-editors',
    },
  ),
  roles: field(
    z
      .union([z.literal('').transform(() => null), roleMap.nullable()], 'must be keys and values')
      .default(null)
      .describe(
        'A map of roles to ids of groups, such as {editor: [staff-editors]}: the roles of a person in the claim roles of this API',
      ),
    'Roles',
    {
      hint: 'Role names that the API knows, each with the ids of its groups. Access tokens contain the names if the API’s claims include roles.',
      each: 'role',
      as: 'groups',
      placeholder: 'editor',
    },
  ),
  groupsClaim: field(
    atMost(MOST_NAMED, groupPattern)
      .default([])
      .describe(
        'Groups that tokens of the API contain, such as [shop-*]. Default: the groups that the keys groups and scopes of the API name',
      ),
    'Groups in tokens',
    {
      hint: 'The groups that the API receives: ids, or the beginning of an id followed by *. If empty, the groups that the API and its scopes use.',
      each: 'group',
      placeholder: 'shop-*',
    },
  ),
};

type Asking = {
  groups: readonly string[];
  scopes: readonly { name: string; groups?: readonly string[] | undefined }[];
  roles: Readonly<Record<string, readonly string[]>> | null;
  groupsClaim: readonly string[];
};

/** Every group id in the definition of an API, with the path of its field. */
export const namedGroups = (api: Asking): { path: (string | number)[]; id: string }[] => [
  ...api.groups.map((id, at) => ({ path: ['groups', at], id })),
  ...api.scopes.flatMap(({ groups = [] }, nth) =>
    groups.map((id, at) => ({ path: ['scopes', nth, 'groups', at], id })),
  ),
  ...Object.entries(api.roles ?? {}).flatMap(([role, ids]) =>
    ids.map((id, at) => ({ path: ['roles', role, at], id })),
  ),
];

/** True if groups restrict access to the API or its scopes. */
export const asksGroups = ({ groups, scopes }: Pick<Asking, 'groups' | 'scopes'>): boolean =>
  groups.length > 0 || scopes.some((scope) => (scope.groups ?? []).length > 0);

/** True if the claims `groups` and `roles` of its tokens contain Gatehouse groups. */
export const tellsGroups = (api: Asking): boolean => asksGroups(api) || api.groupsClaim.length > 0;

/** The person's groups that the API receives. */
export function groupsTold(api: Asking, groups: readonly string[]): string[] {
  if (api.groupsClaim.length > 0)
    return groups.filter((id) =>
      api.groupsClaim.some((pattern) =>
        pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern,
      ),
    );
  const named = new Set([...api.groups, ...api.scopes.flatMap((scope) => scope.groups ?? [])]);
  return groups.filter((id) => named.has(id));
}

/** The person's roles at the API, which follow from groups. */
export const rolesOf = ({ roles }: Pick<Asking, 'roles'>, groups: readonly string[]): string[] =>
  Object.entries(roles ?? {})
    .filter(([, ids]) => ids.some((id) => groups.includes(id)))
    .map(([role]) => role);

// Token format of an API, and the grants that it allows.

export const PROFILES = ['oauth-2.1', 'fapi-2.0'] as const;
const PROFILE_WORDS = {
  '': { label: 'OAuth 2.0', note: 'Trusted clients can send passwords, and some clients omit PKCE.' },
  'oauth-2.1': {
    label: 'OAuth 2.1',
    note: 'Clients cannot send passwords, and all use PKCE. MCP requires this.',
  },
  'fapi-2.0': {
    label: 'FAPI 2.0',
    note: 'For banks and health services: servers only, with their own keys, pushed requests, and tokens that are bound to a key.',
  },
};
const profile = z
  .union(
    [z.literal('').transform(() => null), z.enum(PROFILES).nullable()],
    checkFault('must be {values}', { values: PROFILES }),
  )
  .default(null)
  .describe(
    'oauth-2.1: no password grant, and PKCE for all clients. fapi-2.0 (FAPI 2.0 Security Profile): additionally only confidential clients with private_key_jwt, pushed requests, and access tokens bound to keys',
  );

const CACHED = 'must be a whole number from 0 to 30';

const tokenFields = {
  accessTokenTtlSeconds: field(
    seconds.default(3600).describe('Lifetime of access tokens in seconds (expires_in)'),
    'Access token lifetime (seconds)',
    { shown: {} },
  ),
  accessTokenFormat: field(
    choiceOf(['jwt', 'opaque'])
      .default('jwt')
      .describe(
        'jwt: the API verifies access tokens itself (RFC 9068). opaque: the API uses the introspection endpoint',
      ),
    'Access tokens',
    {
      shown: {},
      choices: {
        jwt: { label: 'Signed (JWT)', note: 'The API verifies the tokens itself with the published keys.' },
        opaque: {
          label: 'Opaque',
          note: 'The API introspects each token, and a revocation takes effect immediately.',
        },
      },
    },
  ),
  tokenClaims: field(
    claimList
      .default([])
      .describe('Claims of the person in access tokens and introspection, such as [groups]; at most 50'),
    'Claims in tokens',
    {
      hint: 'Names of the person’s claims, such as groups, that the API receives with each token.',
      each: 'claim',
      placeholder: 'groups',
    },
  ),
  verifyCache: field(
    z
      .int(CACHED)
      .min(0, CACHED)
      .max(30, CACHED)
      .default(0)
      .describe(
        'Seconds that a gateway can cache a successful response of `/verify` (Cache-Control). A revoked token is accepted for that long; at most 30',
      ),
    'Gateway cache (seconds)',
    {
      hint: 'How long a gateway that introspects tokens can accept a revoked token. With 0, the gateway introspects the token each time.',
    },
  ),
  dpop: field(
    choiceOf(['optional', 'required'])
      .default('optional')
      .describe(
        'required: every access token is bound to a key of its client (DPoP, RFC 9449), so that a stolen token is useless. optional: the client decides',
      ),
    'Bound to keys (DPoP)',
    {
      choices: {
        optional: { label: 'If the client requests it', note: 'Other clients get bearer tokens.' },
        required: {
          label: 'Always',
          note: 'Each client proves possession of its own key, and the API requires that proof with each token.',
        },
      },
    },
  ),
  dpopNonce: field(
    choiceOf(['off', 'required'])
      .default('off')
      .describe(
        'required: a DPoP proof must contain a nonce from this service (RFC 9449 §8), so that it cannot be created in advance',
      ),
    'DPoP nonce',
    {
      choices: {
        off: { label: 'None', note: 'A proof is valid for one minute.' },
        required: {
          label: 'Required',
          note: 'Proofs cannot be created in advance. A client sometimes needs one more request.',
        },
      },
    },
  ),
  signingAlg: field(
    choiceOf(['ES256', 'RS256']).default('ES256').describe('Signature algorithm of the API’s access tokens'),
    'Signed with',
    {
      shown: {},
      choices: {
        ES256: { label: 'ES256', note: 'Short and fast.' },
        RS256: { label: 'RS256', note: 'For libraries that support nothing else.' },
      },
    },
  ),
  refreshTokenTtlSeconds: field(
    seconds.default(2_592_000).describe('Idle lifetime of a refresh token in seconds'),
    'Refresh token idle lifetime (seconds)',
    { shown: {} },
  ),
  refreshFamilyTtlSeconds: field(
    seconds.default(7_776_000).describe('Absolute lifetime of the refresh tokens of one sign-in, in seconds'),
    'Maximum sign-in lifetime (seconds)',
    { shown: {} },
  ),
  deviceGrant: field(
    choiceOf(['off', 'on'])
      .default('off')
      .describe(
        'on: clients with `device` in their subscription can connect devices without a browser (RFC 8628)',
      ),
    'Devices',
    {
      choices: {
        off: { label: 'Off', note: 'Devices cannot be connected by a code.' },
        on: {
          label: 'On',
          note: 'A person enters a code that a device shows. Passkeys do not protect people from being tricked into that.',
        },
      },
    },
  ),
  profile: field(profile, 'OAuth version', { choices: PROFILE_WORDS }),
};

type Profiled = {
  profile: string | null;
  dpop: 'optional' | 'required';
  requireRedirectUri: boolean;
  signingAlg: 'ES256' | 'RS256';
  deviceGrant: 'off' | 'on';
};

/**
 * True if the profile excludes the client. FAPI 2.0 Security Profile §5.3.2.1 (3), (6) admits only confidential
 * clients that authenticate with their own keys.
 */
export const profileExcludes = (api: { profile: string | null }, clientAuthMethod: string | null): boolean =>
  api.profile === 'fapi-2.0' && clientAuthMethod !== 'private_key_jwt';

/**
 * Algorithms that clients of the API can choose for ID tokens: `id_token_signing_alg_values_supported` (OpenID
 * Connect Discovery §3). FAPI 2.0 Security Profile §5.4.1 does not allow RS256.
 */
export const idTokenAlgs = (api: { profile: string | null }): readonly ('ES256' | 'RS256')[] =>
  api.profile === 'fapi-2.0' ? ['ES256'] : ['RS256', 'ES256'];

/**
 * Settings that FAPI 2.0 Security Profile §5.3.2.1, §5.3.2.2 and §5.4.1 require; they override the settings of the
 * API.
 */
export const underProfile = <Api extends Profiled>(api: Api): Api =>
  api.profile === 'fapi-2.0'
    ? { ...api, dpop: 'required', requireRedirectUri: true, signingAlg: 'ES256', deviceGrant: 'off' }
    : api;

/** The built-in API of Gatehouse. The configuration file and the pages cannot change it. */
export const BUILT_IN_API = 'management';

export const apiScopeName = scopeName.superRefine((name, context) => {
  if (OPENID_SCOPE_NAMES.includes(name))
    context.addIssue({
      code: 'custom',
      ...fault('must not be {value}: the scopes of OpenID Connect are reserved, choose another name', {
        value: name,
      }),
    });
});
const scope = z.strictObject({
  name: apiScopeName,
  description: displayText(sentence),
  required_acr: scopeAcr,
  groups: scopeGroups,
});

export const api = z.strictObject({
  id: field(
    registryId.describe(
      'Part of every issuer of the API, and never changes: up to 63 lower-case letters, digits and hyphens. Must not be the client_id of a client',
    ),
    'Id',
    {
      hint: 'Part of every address of the API, and cannot be changed: lowercase letters, digits and hyphens.',
      as: 'code',
      only: 'new',
      shown: {},
    },
  ),
  name: field(displayText(label), 'Name', {
    hint: 'Shown to people and developers.',
    others: 'In other languages',
    shown: false,
  }),
  description: field(
    displayText(longText).default('').describe('Purpose of the API, shown to people'),
    'Description',
    {
      as: 'lines',
      others: 'Translations',
      shown: false,
    },
  ),
  url: field(
    webAddress.describe('Address of the API, and aud of its access tokens. Unique among APIs'),
    'Address',
    {
      hint: 'The address at which the API is called. Access tokens contain it as their audience.',
      as: 'url',
      shown: {},
    },
  ),
  contactUri: field(
    optionalContact.describe(
      'Contact for questions: a page or mailto:. Shown on the page of the API and at consent, like tos_uri and policy_uri',
    ),
    'Contact',
    {
      hint: 'The address of a page, or mailto: with an email address.',
      as: 'url',
    },
  ),
  tosUri: field(optionalAddress.describe('Terms of service of the API'), 'Terms of service', { as: 'url' }),
  policyUri: field(optionalAddress.describe('Privacy policy of the API'), 'Privacy policy', {
    hint: 'Shown on the API’s page and when people are asked to allow access.',
    as: 'url',
  }),
  brand: optionalBrand.describe('{logo, accent, accent_dark}: appearance of sign-in and consent for the API'),
  texts: optionalTexts.describe(
    'A map of texts of sign-in pages and mails, such as sign_in_lead, each a map of languages. Default: the texts of Gatehouse',
  ),
  authMethods: field(
    atMost(100, authMethodId)
      .default([])
      .describe('Sign-in methods of the API. Each method of the API is a separate issuer'),
    'Sign-in methods',
    {
      hint: 'The API has a separate issuer for each method.',
      shown: { empty: 'None: sign-in is not possible yet' },
    },
  ),
  issuerHosts: field(
    issuerHosts.describe(
      'A map of methods to origins: the issuer of the method is also available at this origin, in addition to its path address',
    ),
    'Issuer hosts',
    {
      hint: 'For clients that drop the path of an issuer: for each method, an origin that leads to this service.',
      as: 'json',
      placeholder: '{"local": "https://login-orders.example"}',
    },
  ),
  formerIssuers: field(
    formerIssuers.describe(
      'A list of {issuer, auth_method, layout, until, jwks, refresh, token_endpoint}: issuers of a previous service, which respond at their old address until a date',
    ),
    'Former issuers',
    {
      hint: 'For clients of your former service: its issuers, which respond at their old address until a date.',
      as: 'json',
      shown: false,
      placeholder:
        '[{"issuer": "https://sso.example/realms/shop", "auth_method": "local", "layout": "keycloak", "until": "2027-06-30"}]',
    },
  ),
  scopes: field(
    atMost(500, scope)
      .default([])
      .describe(
        'A list of {name, description, required_acr, groups}. The description is shown at consent. required_acr requires a stronger sign-in. groups limits the scope to members',
      ),
    'Scopes',
    {
      hint: 'The scope’s name in requests, and the sentence that people read on the consent page. Add other languages below it.',
      each: 'scope',
      strengths: ACR_WORDS,
      inGroups: true,
      shown: false,
    },
  ),
  ...tokenFields,
  requiredAcr: field(requiredAcr, 'Strength of sign-ins', {
    hint: 'The minimum strength of a sign-in for this API. Individual scopes can require more.',
    choices: ACR_WORDS,
  }),
  secondFactor: field(apiSecondFactor, 'Second factor', {
    hint: 'Whether people are asked for a second factor at this API, regardless of its other requirements.',
    choices: { '': { label: 'As set for the sign-in method', note: '' }, ...SECOND_FACTOR_WORDS },
  }),
  requireApproval: field(
    z
      .boolean()
      .default(false)
      .describe(
        'Every subscription needs approval. Otherwise, only subscriptions with trusted, machine or device need approval',
      ),
    'Every subscription needs approval',
    {
      note: 'Trusted subscriptions always need approval.',
      group: 'Rules',
    },
  ),
  requireRedirectUri: field(
    z.boolean().default(true).describe('Authorize requests must contain redirect_uri'),
    'Requests must name their redirect address',
    {
      group: 'Rules',
    },
  ),
  requireScope: field(
    z
      .boolean()
      .default(false)
      .describe(
        'Authorize requests must contain scope. Otherwise, a request without scope requests all scopes',
      ),
    'Requests must name their scopes',
    {
      note: 'Otherwise a request without a scope requests all scopes.',
      group: 'Rules',
    },
  ),
  pairwiseSubjects: field(
    z
      .boolean()
      .default(false)
      .describe('Every client gets pairwise subject identifiers, even if its subject_type is public'),
    'Pairwise subjects',
    {
      note: 'Clients cannot find out whether they know the same people, whatever they request.',
      group: 'Rules',
    },
  ),
  approvers: field(
    atMost(100, emailAddress)
      .default([])
      .describe('Email addresses of the approvers who can decide for this API. Default: every approver'),
    'Approvers',
    {
      hint: 'Email addresses of the people who can decide on requests for this API. If empty, every approver can. Administrators always can.',
      each: 'approver',
      placeholder: 'lead@example.com',
      shown: { empty: 'All approvers and administrators' },
    },
  ),
  ...groupFields,
  ...unregisteredClientFields,
});
export type ApiInput = z.input<typeof api>;
export type ApiValues = z.output<typeof api>;

export const apiRow = z.strictObject({
  ...api.shape,
  hasIntrospectionSecret: z.boolean(),
  subscriptions: z.int(),
  pending: z.int(),
  managed: z.boolean().describe('managed by the configuration file: the next apply restores it'),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type ApiRow = z.output<typeof apiRow>;

/** Fields that are stored in separate tables. */
export const API_LISTS = ['authMethods', 'scopes'] as const;

/** The fields of an API that determine who approves. */
export type Decidable = { api: string; approvers: readonly string[] };

/**
 * Administrators decide for every API. An approver can decide for an API that lists them or lists no approver. Only
 * administrators can decide for the built-in API. Its tokens have the roles of the person who consents, so an
 * approver of a client could otherwise gain the rights of an administrator.
 */
export function decidesFor(
  { email, roles }: { email: string | null; roles: readonly string[] },
  { api, approvers }: Decidable,
): boolean {
  if (roles.includes('administrator')) return true;
  if (!roles.includes('approver') || api === BUILT_IN_API) return false;
  return approvers.length === 0 || (email !== null && approvers.includes(canonicalEmail(email)));
}
