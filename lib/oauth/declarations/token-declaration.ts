// What the token endpoint takes and answers (RFC 6749 §3.2): its own part, then grant by grant.
import { z } from 'zod';
import { demanded, optional } from '#lib/openapi/schema.ts';
import {
  badClient,
  bodyErrors,
  byClient,
  clientBody,
  credentialErrors,
  type Declaration,
  type DeclaredError,
  issuerPath,
  missingProof,
  proofErrors,
  refuses,
  serviceErrors,
  tokenHeader,
  unknownIssuer,
} from '../errors/declaration.ts';
import {
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  SlowDown,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnsupportedGrantType,
} from '../errors/errors.ts';
import {
  AUTHORIZATION_CODE,
  DEVICE_CODE,
  GRANT_TYPES,
  JWT_BEARER,
  PASSWORD,
  REFRESH_TOKEN,
  TOKEN_EXCHANGE,
} from '../rules/grant-types.ts';
import { CODE_VERIFIER } from '../rules/pkce.ts';
import { machineErrors } from './client-credentials-declaration.ts';
import { pollBody, pollErrors } from './device-declaration.ts';
import { IdJagResponse, vouchingBody, vouchingErrors } from './give-id-jag-declaration.ts';
import { idJagBody, idJagErrors } from './id-jag-declaration.ts';

/** RFC 6749 §5.1. */
export const TokenResponse = z.object({
  access_token: z.string().describe('Used by the scheme that token_type names.'),
  refresh_token: optional(
    z.string(),
    'For confidential and native clients; for clients in the browser that have dpop_bound_access_tokens.',
  ),
  id_token: optional(
    z.string(),
    'With the scope `openid`: who signed in, when and how (OpenID Connect Core §2). It is for the client, not for an API.',
  ),
  token_type: z.enum(['bearer', 'DPoP']).describe('`DPoP`: bound to the key of the proof (RFC 9449 §5).'),
  expires_in: z.int().describe('Lifetime of the access token in seconds.'),
  scope: z.string().describe('The scopes of the access token, separated by spaces; empty if it has none.'),
});

const codeErrors: readonly DeclaredError[] = [
  ...refuses(InvalidGrant, [
    "The code is unknown, expired, or another client's or combination's. A stranger's attempt does not use the code up.",
    'The code was used before. When the same client comes with the same verifier, every token that the first use gave is revoked.',
    'dpop_jkt of the authorize request names another key than the DPoP proof, or no proof came. The code is not used up.',
    'redirect_uri is sent and differs from the one of the authorize request.',
    'The client is for people with a certain claim, and the person is none of them, or no longer.',
    'By now the API or a scope requires a stronger sign-in than the one that the code or the refresh token is of, or than an assertion is. Nothing is used up: send the person through the browser.',
    'code_verifier is missing, wrong, or sent although the authorize request had no code_challenge. At an API with the profile oauth-2.1 no code works without one.',
  ]),
  ...refuses(InvalidRequest, [
    'code_verifier is not 43 to 128 characters out of letters, digits, `.`, `-`, `_` and `~`.',
  ]),
];

const passwordErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, ['The password grant without an approved, trusted subscription.']),
  ...refuses(InvalidScope, ['The password grant with the scope `openid`: it gives no ID token.']),
  ...refuses(InvalidGrant, [
    'The username or password is wrong, or the person is disabled or has a second factor. One message for all of them, so that nobody learns who exists.',
  ]),
  ...refuses(SlowDown, [
    'Too many wrong passwords: 10 for an account in 15 minutes, over pages and token endpoint together, or 60 for an address (a /64 for IPv6). `Retry-After` says how many seconds to wait. The limit by address does not apply where a confidential client authenticated.',
  ]),
  ...refuses(TemporarilyUnavailable, [
    'The external verifier or the LDAP directory is unreachable, slow, or answers nonsense. Nobody is let in; try again.',
  ]),
];

const refreshErrors: readonly DeclaredError[] = [
  ...refuses(InvalidGrant, [
    "The refresh token is unknown, expired, revoked, or another client's or combination's.",
    'The refresh token was used before. Its whole family is revoked, unless it was used less than 10 seconds ago and its successor is still unused: then it is refused and nothing more. Of N parallel uses exactly one succeeds.',
    'A browser client sends anything but a refresh token that its own password grant gave, or that is bound to its key.',
    'The refresh token of a public client is bound to another key than that of the DPoP proof, or no proof came. Nothing is used up.',
  ]),
  ...refuses(UnauthorizedClient, [
    'The family rests on trust instead of consent, and the trusted subscription is no longer approved.',
  ]),
  ...refuses(InvalidScope, [
    'scope asks for more than the sign-in granted, or for nothing that the subscription still allows. Without the parameter the latter is invalid_grant.',
  ]),
];

export const tokenDeclaration: Declaration = {
  path: issuerPath,
  header: tokenHeader,
  body: z.object({
    grant_type: z
      .enum(GRANT_TYPES.map(({ type }) => type))
      .describe(
        `\`authorization_code\`, \`password\`, \`refresh_token\`, \`client_credentials\`, where the API connects devices \`${DEVICE_CODE}\`, or at the issuer of a broker \`${JWT_BEARER}\`. For an ID-JAG \`${TOKEN_EXCHANGE}\`.`,
      ),
    ...clientBody,
    code: demanded(z.string(), AUTHORIZATION_CODE, 'The authorization code, within 60 seconds and once.'),
    code_verifier: demanded(
      z.string().regex(CODE_VERIFIER),
      'where the authorize request had a code_challenge',
      '43 to 128 characters out of letters, digits, `.`, `-`, `_` and `~`. Always for public clients; a confidential client that used PKCE sends it as well as its secret.',
    ),
    redirect_uri: optional(
      z.url(),
      'authorization_code only. Where sent, it must be the one of the authorize request.',
    ),
    username: demanded(
      z.string(),
      PASSWORD,
      "The person's e-mail address; with an external method, the name that service knows.",
    ),
    password: demanded(z.string(), PASSWORD, "The person's password."),
    refresh_token: demanded(
      z.string(),
      REFRESH_TOKEN,
      'The most recent refresh token. It works once and the answer has the next one, unless it does not rotate (`ghrk_`): then it works until its family ends, each time with a DPoP proof.',
    ),
    resource: optional(
      z.url(),
      'The API that the token is for (RFC 8707): its url, or the origin of that. Where it is left out, it is the same API. In a form it may come several times.',
    ),
    scope: optional(
      z.string(),
      'client_credentials: at most the scope of the subscription, which is the default. refresh_token: a narrower scope for this access token only. password: ignored, the token has the full scope. With an assertion: of what that and the subscription allow.',
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
      'grant_type is `password` at a combination whose method is neither local, LDAP nor external, at an API with the profile oauth-2.1, or at one that requires more than a password.',
      'grant_type is that of an ID-JAG at a combination whose method is no OpenID Connect broker.',
    ]),
    ...refuses(UnauthorizedClient, [
      'The client has no approved subscription to the API: none, pending, rejected, suspended or revoked. Checked at every refresh too.',
    ]),
    ...refuses(InvalidTarget, [
      'resource names another API than the one of this issuer, has a fragment, or is no absolute URI. Nothing is used up.',
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
