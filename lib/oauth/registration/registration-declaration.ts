// What `POST ISSUER/register` takes and answers (RFC 7591 §3).
import { z } from 'zod';
import { demanded, optional } from '#lib/openapi/schema.ts';
import { bodyTooLarge, type Declaration, issuerPath, refuses, serviceErrors } from '../errors/declaration.ts';
import {
  InvalidClientMetadata,
  InvalidRedirectUri,
  InvalidRequest,
  InvalidToken,
  SlowDown,
  UnapprovedSoftwareStatement,
} from '../errors/errors.ts';
import { AUTHORIZATION_CODE } from '../rules/grant-types.ts';

const texts = z.array(z.string());

/** RFC 7591 §2, and what OpenID Connect Registration adds. The registry's own rules come after these forms. */
export const clientMetadata = z.object({
  redirect_uris: demanded(
    texts,
    AUTHORIZATION_CODE,
    'Where people come back to after signing in; each compared letter by letter.',
  ),
  private_use_schemes: optional(
    z.boolean(),
    'A confidential client has redirect URIs with a private-use scheme (RFC 8252 §7.1). Of Gatehouse, not of RFC 7591.',
  ),
  client_name: optional(
    z.string(),
    'What people are shown. Without it: the host of the first redirect URI. `client_name#de` is the same in German, and so on.',
  ),
  token_endpoint_auth_method: optional(
    z.string(),
    '`none` for a public client, `client_secret_basic` (the default), `client_secret_post` or `private_key_jwt`.',
  ),
  application_type: optional(
    z.string(),
    'Of a public client: `web` for a single-page application, which gets no refresh token; otherwise it counts as `native`.',
  ),
  grant_types: optional(
    texts,
    'Those that a client may not have here are left out of the answer. `client_credentials`, for a confidential client, asks the approver for a machine.',
  ),
  response_types: optional(texts, '`code` must be among them.'),
  scope: optional(
    z.string(),
    'Space-separated: the most that it will ask for. Those that the API does not have are left out; without any, all of the API’s.',
  ),
  jwks: optional(z.looseObject({}), 'Its public keys, for `private_key_jwt`. Ignored with another method.'),
  jwks_uri: optional(z.string(), 'Where these are fetched, https. Ignored with another method.'),
  logo_uri: optional(z.string(), 'The address of a square picture, https.'),
  tos_uri: optional(z.string(), 'Its terms of service.'),
  policy_uri: optional(z.string(), 'Its privacy policy.'),
  post_logout_redirect_uris: optional(texts, 'Where people may come back to after signing out.'),
  backchannel_logout_uri: optional(z.string(), 'Where a logout token is posted, https.'),
  backchannel_logout_session_required: optional(z.boolean(), 'The logout token must name the session.'),
  require_pushed_authorization_requests: optional(
    z.boolean(),
    'Authorize requests that were not pushed are refused (RFC 9126 §6).',
  ),
  id_token_signed_response_alg: optional(z.string(), '`RS256` (the default) or `ES256`.'),
  id_token_claims: optional(
    z.boolean(),
    'Its ID tokens contain the claims of the granted scopes, as userinfo does. Of Gatehouse, not of RFC 7591.',
  ),
  subject_type: optional(z.string(), '`public` (the default) or `pairwise`.'),
  dpop_bound_access_tokens: optional(
    z.boolean(),
    'Its access tokens are bound to a key of its own (RFC 9449 §5.2), and one in the browser gets refresh tokens.',
  ),
  refresh_token_rotation: optional(
    z.string(),
    '`always` (the default), or `never`, for a confidential client that proves a key (DPoP): its refresh token stays the same.',
  ),
  sector_identifier_uri: optional(z.string(), 'Refused here: a developer registers such a client.'),
  software_statement: optional(z.string(), 'Refused here.'),
});
export type ClientMetadata = z.output<typeof clientMetadata>;

/** RFC 7591 §3.2.1: as it was registered. */
const RegistrationResponse = z.looseObject({
  client_id: z.string(),
  client_id_issued_at: z.int().describe('Seconds since 1970.'),
  client_secret: z.string().optional().describe('Of a confidential client without keys; shown once.'),
  client_secret_expires_at: z.int().optional().describe('0: it does not expire.'),
  client_name: z.string(),
  redirect_uris: texts,
  grant_types: texts,
  response_types: texts,
  token_endpoint_auth_method: z.string(),
  scope: z.string(),
});

export const registrationDeclaration: Declaration = {
  path: issuerPath,
  header: z.object({ Authorization: z.string().describe('`Bearer` and the registration token.') }),
  body: clientMetadata,
  bodyTypes: ['application/json'],
  answers: { RegistrationResponse },
  errors: [
    {
      status: 404,
      error: 'not_found',
      when: 'The authentication method or the API does not exist, the API does not list this method, or this service registers nobody (neither `REGISTRATION_TOKEN` nor `OPEN_REGISTRATION` is set).',
      as: 'json',
    },
    ...refuses(InvalidToken, [
      'The registration token is missing or wrong. The answer carries `WWW-Authenticate`. With `OPEN_REGISTRATION` on the machine of a developer a public client with loopback addresses needs none.',
    ]),
    ...refuses(InvalidRequest, [
      'The body is not a JSON object, or its content type is not application/json.',
    ]),
    // the token is asked for first
    { ...bodyTooLarge },
    ...refuses(InvalidRedirectUri, [
      'redirect_uris is missing, or one of them may not be registered for this kind of client.',
    ]),
    ...refuses(InvalidClientMetadata, [
      'Another member has a wrong form or value, members do not go together, or nothing is left of grant_types, response_types or scope.',
    ]),
    ...refuses(UnapprovedSoftwareStatement, ['A software_statement was sent: none is accepted here.']),
    ...refuses(SlowDown, [
      'Too many wrong registration tokens: 60 from an address (a /64 for IPv6) in five minutes. `Retry-After` says how many seconds to wait.',
      'So many registered clients wait for an approver at this API that no other may: 100. An approver has to decide first.',
    ]),
    ...serviceErrors,
  ],
  security: [{ registrationToken: [] }],
};
