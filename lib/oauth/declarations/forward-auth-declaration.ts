// What the forward auth address takes and answers (contract section 9).
import { z } from 'zod';
import { optional } from '#lib/openapi/schema.ts';
import { ACR_VALUES } from '#lib/registry/fields/acr.ts';
import { broken, type Declaration, identifier, refuses, unavailable } from '../errors/declaration.ts';
import { InvalidDpopProof, UseDpopNonce } from '../errors/dpop-errors.ts';
import { InsufficientScope, InvalidRequest, InvalidToken, SlowDown, WeakSignIn } from '../errors/errors.ts';

export const forwardAuthDeclaration: Declaration = {
  path: z.object({ api_id: identifier.describe('The API that the gateway protects.') }),
  query: z.object({
    scope: optional(z.string(), 'Scopes, by spaces; the token needs all of them. May be repeated.'),
    acr: optional(z.enum(ACR_VALUES), 'The least class of the sign-in (RFC 9470).'),
    max_age: optional(z.int().min(0), 'How many seconds ago the sign-in may be.'),
    preflight: optional(
      z.literal('allow'),
      'CORS preflights are let through: `Origin` is there, and the method of the request is OPTIONS, or a trusted proxy says so by `X-Forwarded-Method` or `X-Original-Method`. Only for a gateway that sets that header itself.',
    ),
  }),
  header: z.object({
    Authorization: optional(z.string(), '`Bearer` or `DPoP` and the access token, as the caller sent it.'),
    DPoP: optional(
      z.string(),
      'The proof of a token that is bound to a key, as the caller sent it. It is of the original request, which a trusted gateway names: by `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri`, or by `X-Original-Method` and `X-Original-URL`.',
    ),
  }),
  answers: {},
  errors: [
    {
      status: 401,
      error: 'no body',
      when: 'No token was sent. `WWW-Authenticate` names no error.',
      as: 'empty',
    },
    ...refuses(InvalidRequest, [
      'acr, max_age or preflight is empty, repeated or makes no sense, a scope cannot be one, or the query is unreadable.',
    ]),
    ...refuses(InvalidToken, [
      'The token is malformed, unknown, expired, ended, of another API, or bound to a key and sent as a bearer token; or there are two. `WWW-Authenticate` says so (RFC 6750 §3).',
    ]),
    ...refuses(
      InvalidDpopProof,
      [
        'The token is bound to a key, and the DPoP proof is missing, bad or used, or no trusted gateway says of which request it has to be.',
      ],
      401,
    ),
    ...refuses(UseDpopNonce, ['The DPoP proof needs the nonce of `DPoP-Nonce`.'], 401),
    ...refuses(WeakSignIn, [
      'The sign-in is weaker or older than asked, or there was none: the token is of a client in its own name. `WWW-Authenticate` has `acr_values` and `max_age` (RFC 9470 §3).',
    ]),
    ...refuses(InsufficientScope, ['The token lacks a scope. `WWW-Authenticate` has `scope`.']),
    ...refuses({ code: 'not_found', status: 404 }, ['No API has this id.']),
    ...refuses(SlowDown, [
      'Too many unknown tokens came from this address (a /64 for IPv6): 3,000 in ten minutes at most. `Retry-After` says how many seconds to wait. Good tokens go on.',
    ]),
    unavailable,
    broken,
  ],
  security: [{ accessToken: [] }],
};
