// The token endpoint with its grant table, parameters and responses.

import { z } from 'zod';
import type { Answer } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import { hasFormat } from '#lib/tokens/formats.ts';
import {
  type IssuerRequest,
  optionalProof,
  readProof,
  readSingleParams,
  requireFirstProof,
  requireGrantType,
  requireSubscription,
} from './client.ts';
import { authenticateClient, requireCredentials } from './client-authentication.ts';
import { deviceCodeGrant, pollBody, pollErrors } from './device.ts';
import {
  badClient,
  bodyErrors,
  byClient,
  clientBody,
  credentialErrors,
  type Declaration,
  type DeclaredError,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  issuerPath,
  missingProof,
  proofErrors,
  refuses,
  SlowDown,
  serviceErrors,
  TemporarilyUnavailable,
  tokenHeader,
  UnauthorizedClient,
  UnsupportedGrantType,
  unknownIssuer,
} from './errors.ts';
import {
  asksForIdJag,
  giveIdJag,
  IdJagResponse,
  requireExchangeClient,
  vouchingBody,
  vouchingErrors,
} from './exchange/exchange.ts';
import { formerGrant } from './former.ts';
import {
  clientCredentials,
  type Grant,
  type GrantOf,
  hasMachines,
  machineErrors,
  machineResponse,
  passwordGrant,
  redeemAuthorizationCode,
  rotateToken,
  tokenResponse,
} from './grants/grant.ts';
import { idJagBody, idJagErrors, idJagGrant } from './grants/id-jag.ts';
import { type Issuer, issuerEndpoints } from './issuer.ts';
import {
  AUTHORIZATION_CODE,
  CLIENT_CREDENTIALS,
  CODE_VERIFIER,
  DEVICE_CODE,
  DEVICES_OFF,
  GRANT_TYPES,
  JWT_BEARER,
  PASSWORD,
  REFRESH_TOKEN,
  RESOURCE,
  requireOwnResource,
  requireProfiledClient,
  TOKEN_EXCHANGE,
} from './rules.ts';

const GRANTS: ReadonlyMap<string, GrantOf> = new Map([
  [AUTHORIZATION_CODE, () => redeemAuthorizationCode],
  [PASSWORD, passwordGrant],
  [REFRESH_TOKEN, () => rotateToken],
  [JWT_BEARER, idJagGrant],
  [CLIENT_CREDENTIALS, () => clientCredentials],
  [DEVICE_CODE, deviceCodeGrant],
]);

const UNSUPPORTED = 'This grant_type is not supported by this issuer.';

export function findGrant(grantType: string, issuer: Issuer): Grant {
  const grant = GRANTS.get(grantType)?.(issuer);
  if (!grant) throw new UnsupportedGrantType(grantType === DEVICE_CODE ? DEVICES_OFF : UNSUPPORTED);
  return grant;
}

/** Returns the grant types that the metadata lists (RFC 8414 §2). */
export function supportedGrantTypes(issuer: Issuer): string[] {
  const offered = [...GRANTS].filter(([, grantOf]) => grantOf(issuer)).map(([grantType]) => grantType);
  return offered.filter((grantType) => grantType !== CLIENT_CREDENTIALS || hasMachines(issuer));
}

// POST ISSUER/token (specification 4.6): one address for all grants. The same checks precede each grant.

/** True if the grant works once, so that a repeated request fails even without a stored proof (RFC 9449 §11.1). */
const isSpentByGrant = (grantType: string, { values }: Params): boolean =>
  grantType === REFRESH_TOKEN
    ? !hasFormat('keptRefresh', values.get('refresh_token') ?? '')
    : SPENT.has(grantType);
const SPENT = new Set([AUTHORIZATION_CODE, DEVICE_CODE]);

export async function handleToken(request: IssuerRequest): Promise<Answer> {
  const { issuer } = request;
  const params = await readSingleParams(request, [RESOURCE]);
  await requireCredentials(request);
  const grantType = requireGrantType(params);
  // a request for an ID-JAG needs no proof: a proof binds an access token, and none is issued
  const vouches = grantType === TOKEN_EXCHANGE && asksForIdJag(params);
  const address = issuerEndpoints(issuer).tokenEndpoint;
  const proof = await (vouches ? optionalProof : readProof)(request, { address, api: issuer.api });
  const client = await authenticateClient(request);
  if (!isSpentByGrant(grantType, params)) await requireFirstProof(request.http, client, proof);
  if (grantType === TOKEN_EXCHANGE) requireExchangeClient(client);
  if (vouches) return giveIdJag(params, { ...request, client, proof });
  requireOwnResource(issuer.api, params);
  requireProfiledClient(issuer.api, client);
  const subscription = requireSubscription(issuer.api, client);
  const context = { ...request, client, subscription, proof };
  const former = grantType === REFRESH_TOKEN ? await formerGrant(params, context) : null;
  const granted = former ?? (await findGrant(grantType, issuer)(params, context));
  return 'token' in granted
    ? machineResponse(granted, context, grantType)
    : tokenResponse(granted, context, grantType);
}

// Parameters and responses of the token endpoint (RFC 6749 §3.2): the common part, then each grant.

/** Response with tokens (RFC 6749 §5.1). */
export const TokenResponse = z.object({
  access_token: z.string().describe('Sent with the scheme that token_type names.'),
  refresh_token: optional(
    z.string(),
    'For confidential and native clients, and for browser clients with dpop_bound_access_tokens.',
  ),
  id_token: optional(
    z.string(),
    'With the scope `openid`: the person who signed in, with the time and method (OpenID Connect Core §2). It is for the client, not for an API.',
  ),
  token_type: z.enum(['bearer', 'DPoP']).describe('`DPoP`: bound to the key of the proof (RFC 9449 §5).'),
  expires_in: z.int().describe('Lifetime of the access token in seconds.'),
  scope: z.string().describe('The scopes of the access token, separated by spaces; empty if it has none.'),
});

const codeErrors: readonly DeclaredError[] = [
  ...refuses(InvalidGrant, [
    'The code is unknown, expired, or belongs to another client or issuer. An attempt by another client does not use up the code.',
    'The code was already used. If the same client sends the same verifier, all tokens of the first use are revoked.',
    'dpop_jkt of the authorize request names another key than the DPoP proof, or the proof is missing. The code is not used up.',
    'redirect_uri differs from that of the authorize request.',
    'The client is limited to people with a certain claim, which the person does not have or no longer has.',
    'The API or a scope now requires a stronger sign-in than that of the code, the refresh token or the assertion. Nothing is used up. Send the person through the browser.',
    'code_verifier is missing, wrong, or sent although the authorize request had no code_challenge. APIs with the profile oauth-2.1 require it with every code.',
  ]),
  ...refuses(InvalidRequest, [
    'code_verifier is not 43 to 128 characters of letters, digits, `.`, `-`, `_` and `~`.',
  ]),
];

const passwordErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, ['The password grant without an approved, trusted subscription.']),
  ...refuses(InvalidScope, ['The password grant with the scope `openid`: it returns no ID token.']),
  ...refuses(InvalidGrant, [
    'The username or password is wrong, or the person is disabled or has a second factor. The message is the same in all cases, so that it does not reveal which accounts exist.',
  ]),
  ...refuses(SlowDown, [
    'Limit of wrong passwords in 15 minutes, pages and token endpoint together: 10 for an account, 60 for an address (a /64 for IPv6). `Retry-After` contains the seconds to wait. The limit by address does not apply to confidential clients that authenticated.',
  ]),
  ...refuses(TemporarilyUnavailable, [
    'The external verifier or the LDAP directory is unreachable, slow, or returns an invalid response. No one is signed in. Try again.',
  ]),
];

const refreshErrors: readonly DeclaredError[] = [
  ...refuses(InvalidGrant, [
    'The refresh token is unknown, expired, revoked, or belongs to another client or issuer.',
    'The refresh token was already used. Its whole family is revoked, unless it was used less than 10 seconds ago and its successor is still unused. Of N parallel uses, exactly one succeeds.',
    'A browser client sends a refresh token that was neither issued by its own password grant nor bound to its key.',
    'The refresh token of a public client is bound to another key than that of the DPoP proof, or the proof is missing. Nothing is used up.',
  ]),
  ...refuses(UnauthorizedClient, [
    'The family rests on trust instead of consent, and the trusted subscription is no longer approved.',
  ]),
  ...refuses(InvalidScope, [
    'scope requests more than the sign-in granted, or nothing that the subscription still allows. Without the parameter, the latter is invalid_grant.',
  ]),
];

export const tokenDeclaration: Declaration = {
  path: issuerPath,
  header: tokenHeader,
  body: z.object({
    grant_type: z
      .enum(GRANT_TYPES.map(({ type }) => type))
      .describe(
        `\`authorization_code\`, \`password\`, \`refresh_token\` or \`client_credentials\`. \`${DEVICE_CODE}\` if the API allows devices. \`${JWT_BEARER}\` at the issuer of a broker. \`${TOKEN_EXCHANGE}\` for an ID-JAG.`,
      ),
    ...clientBody,
    code: requiredOf(
      z.string(),
      AUTHORIZATION_CODE,
      'The authorization code. It works once, within 60 seconds.',
    ),
    code_verifier: requiredOf(
      z.string().regex(CODE_VERIFIER),
      'if the authorize request had a code_challenge',
      '43 to 128 characters of letters, digits, `.`, `-`, `_` and `~`. Required for public clients. A confidential client that used PKCE sends it in addition to its secret.',
    ),
    redirect_uri: optional(
      z.url(),
      'authorization_code only. If sent, it must be that of the authorize request.',
    ),
    username: requiredOf(
      z.string(),
      PASSWORD,
      "The person's email address or, with an external method, their username at that service.",
    ),
    password: requiredOf(z.string(), PASSWORD, "The person's password."),
    refresh_token: requiredOf(
      z.string(),
      REFRESH_TOKEN,
      'The most recent refresh token. It works once, and the response contains the next one. A token that does not rotate (`ghrk_`) works until its family ends, each time with a DPoP proof.',
    ),
    resource: optional(
      z.url(),
      'The API that the token is for (RFC 8707): its url, or the origin of the url. Default: the API of this issuer. It can be repeated in a form.',
    ),
    scope: optional(
      z.string(),
      'client_credentials: at most the scopes of the subscription, which is the default. refresh_token: a narrower scope for this access token only. password: ignored, the token has the full scope. Assertion: at most the scopes of the assertion and the subscription.',
    ),
    ...pollBody,
    ...idJagBody,
    ...vouchingBody,
  }),
  answers: { TokenResponse, IdJagResponse },
  errors: [
    ...bodyErrors,
    ...credentialErrors,
    badClient,
    ...proofErrors,
    missingProof,
    ...refuses(UnsupportedGrantType, [
      'grant_type is unknown.',
      'grant_type is `password`, and the method is not local, LDAP or external, or the API has the profile oauth-2.1 or requires more than a password.',
      'grant_type is that of an ID-JAG, and the method is not an OpenID Connect broker.',
    ]),
    ...refuses(UnauthorizedClient, [
      'The client has no approved subscription to the API: none, pending, rejected, suspended or revoked. Also checked at every refresh.',
    ]),
    ...refuses(InvalidTarget, [
      'resource is not the API of this issuer, has a fragment, or is not an absolute URI. Nothing is used up.',
    ]),
    ...codeErrors,
    ...passwordErrors,
    ...refreshErrors,
    ...idJagErrors,
    ...machineErrors,
    ...pollErrors,
    ...vouchingErrors,
    unknownIssuer,
    ...serviceErrors,
  ],
  security: byClient,
};
