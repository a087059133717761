// What the userinfo endpoint takes and answers (OpenID Connect Core §5.3).
import { z } from 'zod';
import { demanded, optional } from '#lib/openapi/schema.ts';
import {
  bodyTooLarge,
  type Declaration,
  type DeclaredError,
  issuerPath,
  refuses,
  serviceErrors,
  unknownIssuer,
} from '../errors/declaration.ts';
import { InvalidDpopProof, UseDpopNonce } from '../errors/dpop-errors.ts';
import { InsufficientScope, InvalidRequest, InvalidToken } from '../errors/errors.ts';

const Userinfo = z
  .looseObject({
    sub: z.string().describe('The person, as in the ID token: their id, or pairwise.'),
    name: optional(z.string(), 'Scope `profile`.'),
    picture: optional(z.string(), 'Scope `profile`; an https address.'),
    locale: optional(z.string(), 'Scope `profile`; a language (BCP 47).'),
    zoneinfo: optional(z.string(), 'Scope `profile`; a time zone.'),
    updated_at: optional(z.int(), 'Scope `profile`; seconds since 1970-01-01T00:00:00Z.'),
    email: optional(z.string(), 'Scope `email`.'),
    email_verified: optional(z.boolean(), 'Scope `email`; true only where the address was proved.'),
  })
  .describe('What is not known of the person is left out.');

const header = z.object({
  Authorization: demanded(
    z.string(),
    'unless the body of a POST carries it',
    '`Bearer` and the access token; `DPoP` where that is bound to a key.',
  ),
  DPoP: demanded(
    z.string(),
    'where the access token is bound to a key',
    'A proof of that key for this request and this token (RFC 9449 §7).',
  ),
});

const errors: readonly DeclaredError[] = [
  ...refuses(InvalidToken, [
    'The access token is missing, unknown, expired, revoked, or of another issuer, or is bound to a key and came as a bearer token; also after the person signed out, unless `offline_access` was granted. `WWW-Authenticate` says so (RFC 6750 §3).',
  ]),
  ...refuses(
    InvalidDpopProof,
    [
      'The access token is bound to a key, and the DPoP proof is missing, of another request, of another key, or came before.',
    ],
    401,
  ),
  ...refuses(UseDpopNonce, ['The DPoP proof needs the nonce of `DPoP-Nonce` (RFC 9449 §9).'], 401),
  ...refuses(InsufficientScope, ['The access token was given without the scope `openid`.']),
  unknownIssuer,
  ...serviceErrors,
];

const TWO_TOKENS = 'The Authorization header has more than one token.';

export const userinfoDeclaration: Declaration = {
  path: issuerPath,
  header,
  answers: { Userinfo },
  errors: [...refuses(InvalidRequest, [TWO_TOKENS]), ...errors],
  security: [{ accessToken: [] }],
};

export const userinfoPostDeclaration: Declaration = {
  ...userinfoDeclaration,
  body: z.object({
    access_token: demanded(z.string(), 'unless the header carries it', 'The access token (RFC 6750 §2.2).'),
  }),
  errors: [
    ...refuses(InvalidRequest, [
      'The body is unreadable, its content type is neither application/x-www-form-urlencoded nor application/json, or a parameter is repeated.',
      'The access token is in the header and in the body.',
      TWO_TOKENS,
    ]),
    bodyTooLarge,
    ...errors,
  ],
};
