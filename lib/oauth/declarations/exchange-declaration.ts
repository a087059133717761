// What `POST {base_url}/auth/token` takes and answers (RFC 8693 §2).
import { z } from 'zod';
import { demanded, optional } from '#lib/openapi/schema.ts';
import {
  badClient,
  bodyErrors,
  byClient,
  clientBody,
  credentialErrors,
  type Declaration,
  missingProof,
  proofErrors,
  refuses,
  serviceErrors,
  tokenHeader,
} from '../errors/declaration.ts';
import { InvalidDpopProof } from '../errors/dpop-errors.ts';
import {
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnsupportedGrantType,
} from '../errors/errors.ts';
import { ACCESS_TOKEN, JWT } from '../exchange/presented.ts';
import { AUTHORIZATION_CODE, TOKEN_EXCHANGE } from '../rules/grant-types.ts';
import { IdJagResponse, vouchingErrors } from './give-id-jag-declaration.ts';
import { TokenResponse } from './token-declaration.ts';

/** RFC 8693 §2.2.1. */
const TokenExchangeResponse = TokenResponse.omit({ refresh_token: true }).extend({
  issued_token_type: z.enum([ACCESS_TOKEN, JWT]),
});

export const exchangeDeclaration: Declaration = {
  header: tokenHeader,
  body: z.object({
    grant_type: z
      .enum([TOKEN_EXCHANGE, AUTHORIZATION_CODE])
      .describe(`\`${TOKEN_EXCHANGE}\` or \`authorization_code\`.`),
    ...clientBody,
    subject_token: demanded(
      z.string(),
      'token exchange',
      "An access token of this service, or a broker's ID token.",
    ),
    subject_token_type: demanded(
      z.string(),
      'token exchange',
      '`urn:ietf:params:oauth:token-type:access_token` or `urn:ietf:params:oauth:token-type:jwt` for an access token of this service, `urn:ietf:params:oauth:token-type:id_token` for a broker’s ID token, which must be issued to our registration there.',
    ),
    actor_token: optional(
      z.string(),
      'Who acts for the person, as a token of the same kinds. A client that the person lets act at the API, and that is not trusted there, shows one that was given to itself. The new token says so in `act`, around the `act` of the subject token, if it has one.',
    ),
    actor_token_type: demanded(z.string(), 'with actor_token', 'As subject_token_type.'),
    requested_token_type: optional(
      z.string(),
      '`urn:ietf:params:oauth:token-type:access_token` (the default), or `urn:ietf:params:oauth:token-type:jwt` where the API takes JWTs; or `urn:ietf:params:oauth:token-type:id-jag`: then the subject token is an ID token or an access token that this service gave to the client, audience is the issuer of another authorization server, and resource and scope are that server’s.',
    ),
    audience: demanded(
      z.string(),
      'token exchange, or resource',
      'The API the new token is for: its id or its url. A token is for one API, so a second audience or resource (RFC 8693 §2.1 allows them) is `invalid_target`; the two together may name the same one.',
    ),
    resource: demanded(z.url(), 'token exchange, or audience', 'The API the new token is for: its url.'),
    auth_method: demanded(
      z.string(),
      'where the token does not tell',
      'The id of the broker method that the ID token belongs to; needed where several methods trust the same issuer.',
    ),
    scope: optional(
      z.string(),
      'Space-separated scopes, within what the subscription allows and, at the same API, within those of the subject token. Without it: all of these. Token exchange only.',
    ),
    code: demanded(z.string(), AUTHORIZATION_CODE, "The broker's code."),
    state: demanded(
      z.string(),
      AUTHORIZATION_CODE,
      "The state that our redirect to the broker carried. It names the pending authorize request, which must be the caller's.",
    ),
    code_verifier: demanded(
      z.string(),
      'where the authorize request had a code_challenge',
      'The verifier whose hash is the code_challenge of the pending authorize request.',
    ),
    redirect_uri: optional(
      z.string(),
      'authorization_code: where sent, the one of the pending authorize request; or the address at this service that the broker’s answer came to, which must be the one that the person was sent with.',
    ),
    iss: optional(
      z.string(),
      "authorization_code: the `iss` of the broker's answer; where sent, it must fit. Where there are several brokers, iss or the address that the answer came to must be sent.",
    ),
  }),
  answers: { TokenExchangeResponse, IdJagResponse, TokenResponse },
  errors: [
    ...bodyErrors,
    ...credentialErrors,
    badClient,
    ...proofErrors,
    missingProof,
    ...refuses(UnsupportedGrantType, ['grant_type is neither of the two.']),
    ...refuses(InvalidDpopProof, [
      'A subject or actor token that is bound to a key comes without a DPoP proof of that key. A confidential client in its `aud` needs none.',
    ]),
    ...refuses(UnauthorizedClient, [
      'A public client asks for a token exchange. Anybody can send its client_id.',
      'The client has no approved, trusted subscription to the API, and no person who lets it act there with its own actor_token.',
    ]),
    ...refuses(InvalidRequest, [
      'The subject or actor token is expired, revoked, or not one this service can check, its person, client or subscription is switched off, the person may not use the client there, or its type is missing or unknown (RFC 8693 §2.2.2).',
      'Nothing says which of several brokers gave the code, or the client has to push its requests since, and this one was not pushed.',
    ]),
    ...refuses(InvalidTarget, [
      "audience or resource names no API, or more than one, or the management API, or the subject's method is not a valid combination with it.",
    ]),
    ...refuses(InvalidScope, ['A scope is unknown or wider than allowed.']),
    ...refuses(InvalidGrant, [
      "The broker's code is refused, the state is unknown, used or another client's, the verifier or the key does not fit, or the pushed request has given a code before.",
      'The API requires a stronger sign-in than the one of the subject token, or than a broker’s. Send the person through the browser.',
    ]),
    ...vouchingErrors,
    ...refuses(TemporarilyUnavailable, [
      'The broker that has to be asked does not answer. Nothing was exchanged.',
    ]),
    ...serviceErrors,
  ],
  security: byClient,
};
