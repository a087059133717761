// An API: what tokens are for. `api` is what is given to create or change one, `apiRow` what reading one gives. The
// types, the configuration file, the management API, the command line's JSON, the console's fields and the columns
// follow.
import { z } from 'zod';
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import { optionalBrand } from '../brand/brand.ts';
import { unregisteredClientFields } from '../clients/unregistered.ts';
import { ACR_WORDS, apiSecondFactor, requiredAcr, SECOND_FACTOR_WORDS, scopeAcr } from '../fields/acr.ts';
import { displayText } from '../fields/display-text.ts';
import { field } from '../fields/form-fields.ts';
import {
  atMost,
  authMethodId,
  emailAddress,
  label,
  longText,
  optionalAddress,
  optionalContact,
  registryId,
  scopeName,
  sentence,
  webAddress,
} from '../fields/values.ts';
import { optionalTexts } from '../texts/own-texts.ts';
import { groupFields, scopeGroups } from './api-groups.ts';
import { tokenFields } from './api-tokens.ts';
import { formerIssuers } from './former-issuers.ts';
import { issuerHosts } from './issuer-hosts.ts';
import { OPENID_SCOPE_NAMES } from './openid-scopes.ts';

/** The API that this service itself is. Neither the file nor a page changes it. */
export const BUILT_IN_API = 'management';

export const apiScopeName = scopeName.refine((name) => !OPENID_SCOPE_NAMES.includes(name), {
  error: ({ input }) => `must not be ${input}: scopes of OpenID Connect are no API's, give it another name`,
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
      'In every issuer of the API, and never changed: lower-case letters, digits and hyphens, up to 63. No client may have it as its client_id',
    ),
    'Id',
    {
      hint: 'In every address of the API, and never changed: small letters, digits and hyphens.',
      as: 'code',
      only: 'new',
    },
  ),
  name: field(displayText(label), 'Name', {
    hint: 'People and developers see it.',
    others: 'In other languages',
  }),
  description: field(
    displayText(longText).default('').describe('What it is for; shown to people'),
    'Description',
    {
      as: 'lines',
      others: 'Translations',
    },
  ),
  url: field(
    webAddress.describe('Where it is called, and the aud of its access tokens; no two APIs have the same'),
    'Address',
    {
      hint: 'Where it is called. Access tokens name it as their audience.',
      as: 'url',
    },
  ),
  contactUri: field(
    optionalContact.describe(
      'Where people ask about it: a page or mailto:. Shown on its page and at consent, as the next two',
    ),
    'Contact',
    {
      hint: 'A page, or mailto: and an address.',
      as: 'url',
    },
  ),
  tosUri: field(optionalAddress.describe('Its terms of service'), 'Terms of service', { as: 'url' }),
  policyUri: field(optionalAddress.describe('Its privacy policy'), 'Privacy policy', {
    hint: 'People see these on the API’s page and when they are asked to allow access.',
    as: 'url',
  }),
  brand: optionalBrand.describe('{logo, accent, accent_dark}: what sign-in and consent for it look like'),
  texts: optionalTexts.describe(
    'A map of texts of sign-in pages and mails, such as sign_in_lead, each a map of languages. Others are the service’s own',
  ),
  authMethods: field(
    atMost(100, authMethodId)
      .default([])
      .describe('Its sign-in methods: with each, the API has an issuer of its own'),
    'Sign-in methods',
    {
      hint: 'With each, the API has an issuer of its own.',
    },
  ),
  issuerHosts: field(
    issuerHosts.describe(
      'A map of methods to origins: the issuer of the method is at this host too, beside its path address',
    ),
    'Hosts of issuers',
    {
      hint: 'For clients that drop the path of an issuer: by method, an origin that leads here.',
      as: 'json',
      placeholder: '{"local": "https://login-orders.example"}',
    },
  ),
  formerIssuers: field(
    formerIssuers.describe(
      'A list of {issuer, auth_method, layout, until, jwks, refresh, token_endpoint}: issuers of another service, answered at their old address until a date',
    ),
    'Former issuers',
    {
      hint: 'For clients of the service that you come from: its issuers, answered at their old address until a date.',
      as: 'json',
      placeholder:
        '[{"issuer": "https://sso.example/realms/shop", "auth_method": "local", "layout": "keycloak", "until": "2027-06-30"}]',
    },
  ),
  scopes: field(
    atMost(500, scope)
      .default([])
      .describe(
        'A list of {name, description, required_acr, groups}. People read the description at consent; required_acr asks for a stronger sign-in; groups: only people of one of them may have it',
      ),
    'Scopes',
    {
      hint: 'Its name in requests, and the sentence that people read when they are asked to allow it, below it in other languages.',
      each: 'scope',
      strengths: ACR_WORDS,
      inGroups: true,
    },
  ),
  ...tokenFields,
  requiredAcr: field(requiredAcr, 'Strength of sign-ins', {
    hint: 'What a sign-in must at least be for this API. Single scopes may ask for more.',
    choices: ACR_WORDS,
  }),
  secondFactor: field(apiSecondFactor, 'Second factor', {
    hint: 'Whether people are asked for one at this API, whatever it requires.',
    choices: { '': { label: 'As the method says', note: '' }, ...SECOND_FACTOR_WORDS },
  }),
  requireApproval: field(
    z.boolean().default(false).describe('Plain subscriptions wait for approval too; trusted ones always do'),
    'Every subscription needs approval',
    {
      note: 'Trusted ones always do.',
      group: 'Rules',
    },
  ),
  requireRedirectUri: field(
    z.boolean().default(true).describe('Authorize requests must have redirect_uri'),
    'Requests must name their redirect address',
    {
      group: 'Rules',
    },
  ),
  requireScope: field(
    z
      .boolean()
      .default(false)
      .describe('Authorize requests must have scope; otherwise a request without one asks for all scopes'),
    'Requests must name their scopes',
    {
      note: 'Otherwise a request without a scope asks for all of them.',
      group: 'Rules',
    },
  ),
  pairwiseSubjects: field(
    z
      .boolean()
      .default(false)
      .describe(
        'Every client knows people by identifiers of its own sector, even where its subject_type is public',
      ),
    'Pairwise subjects',
    { note: 'No two clients can compare whom they know, whatever they ask for.', group: 'Rules' },
  ),
  approvers: field(
    atMost(100, emailAddress)
      .default([])
      .describe('E-mail addresses of the approvers who may decide for this API; none: every approver may'),
    'Approvers',
    {
      hint: 'E-mail addresses of those who may decide on requests for this API. With none, every approver may. Administrators always may.',
      each: 'approver',
      placeholder: 'lead@example.com',
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
  managed: z.boolean().describe('owned by the configuration file, which the next apply restores'),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type ApiRow = z.output<typeof apiRow>;

/** The fields that have tables of their own. */
export const API_LISTS = ['authMethods', 'scopes'] as const;

/** The part of an API that says who decides. */
export type Decidable = { api: string; approvers: readonly string[] };

/**
 * Administrators decide for every API. An approver decides for an API that lists them, or that lists no approver. Only
 * administrators decide for the built-in API: its tokens carry the roles of the person who consents, so an approver of
 * a client there could gain the role of administrator.
 */
export function decidesFor(
  { email, roles }: { email: string | null; roles: readonly string[] },
  { api, approvers }: Decidable,
): boolean {
  if (roles.includes('administrator')) return true;
  if (!roles.includes('approver') || api === BUILT_IN_API) return false;
  return approvers.length === 0 || (email !== null && approvers.includes(canonicalEmail(email)));
}
