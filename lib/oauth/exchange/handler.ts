// POST {base_url}/auth/token (specification 4.3, contract section 6): what a broker or this service gave, for a token
// of this service. The client authenticates as at an issuer's token endpoint; its grant finds the issuer.

import { z } from 'zod';
import type { Answer } from '#lib/http/message.ts';
import { demanded, optional } from '#lib/openapi/document.ts';
import { settings } from '#lib/settings/settings.ts';
import { type ClientRequest, readSingleParams, requireGrantType } from '../client.ts';
import { authenticateClient, requireCredentials } from '../client-authentication.ts';
import {
  badClient,
  bodyErrors,
  byClient,
  clientBody,
  credentialErrors,
  type Declaration,
  InvalidDpopProof,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  missingProof,
  proofErrors,
  refuses,
  serviceErrors,
  TemporarilyUnavailable,
  tokenHeader,
  UnauthorizedClient,
  UnsupportedGrantType,
} from '../errors.ts';
import { optionalProof, readProof, requireFirstProof } from '../proof.ts';
import { AUTHORIZATION_CODE, TOKEN_EXCHANGE } from '../rules.ts';
import { TokenResponse } from '../token.ts';
import { apiOfState, redeemBrokerCode } from './broker-code.ts';
import { ACCESS_TOKEN, type ExchangeKind, exchangeSubjectToken, JWT, targetNamed } from './exchange.ts';
import { asksForIdJag, giveIdJag, IdJagResponse, vouchingErrors } from './give-id-jag.ts';

const GRANTS: ReadonlyMap<string, ExchangeKind> = new Map([
  [TOKEN_EXCHANGE, { grant: exchangeSubjectToken, apiOf: targetNamed }],
  [AUTHORIZATION_CODE, { grant: redeemBrokerCode, apiOf: apiOfState }],
]);
/** RFC 8693 §2.1 lets these two come more than once; a token of ours is for one API only (invalid_target). */
const REPEATABLE = ['audience', 'resource'];

export async function handleExchange(request: ClientRequest): Promise<Answer> {
  const params = await readSingleParams(request, REPEATABLE);
  await requireCredentials(request);
  const grantType = requireGrantType(params);
  const vouches = grantType === TOKEN_EXCHANGE && asksForIdJag(params);
  const kind = GRANTS.get(grantType);
  // its rules for proofs and assertions hold before an assertion is used up; any other fault of it is told afterwards
  const api = vouches ? null : ((await kind?.apiOf(params, request)) ?? null);
  const address = `${settings().baseUrl}/auth/token`;
  const proof = await (vouches ? optionalProof : readProof)(request, { address, api });
  const client = await authenticateClient({ ...request, api });
  await requireFirstProof(request.http, client, proof);
  if (vouches) return giveIdJag(params, { ...request, client, proof, issuer: null });
  if (!kind) throw new UnsupportedGrantType('This grant_type is not supported at this address.');
  return kind.grant(params, { ...request, client, proof });
}

// What `POST {base_url}/auth/token` takes and answers (RFC 8693 §2).

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
