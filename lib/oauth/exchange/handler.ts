// POST {base_url}/auth/token (specification 4.3, contract section 6): exchanges a code or token of a broker or of
// Gatehouse for a Gatehouse token. The client authenticates as it does at an issuer's token endpoint, and the grant
// determines the issuer.

import { z } from 'zod';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { answerFault } from '#lib/auth-methods/callback.ts';
import type { BrokerAnswer } from '#lib/auth-methods/method.ts';
import type { Answer } from '#lib/http/message.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { equalDigests } from '#lib/kit/random.ts';
import { countSignIn } from '#lib/observability/metrics.ts';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import { settings } from '#lib/settings/settings.ts';
import { type AuthorizedBy, authorize } from '#lib/store/hot/authorize.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import { recentSnapshot, type Snapshot, type SnapshotApi } from '#lib/store/snapshot.ts';
import type { Proof } from '#lib/tokens/dpop.ts';
import { mint } from '#lib/tokens/formats.ts';
import { secondFactorStep, strengthAsked } from '../authorize/interaction.ts';
import {
  type AuthorizeRequest,
  forPerson,
  interruptedRequest,
  onCurrentRegistry,
} from '../authorize/request.ts';
import { findPending, type PendingSignIn, takeBackStart, takePending } from '../broker.ts';
import {
  type ClientRequest,
  optionalProof,
  personRefused,
  readProof,
  readSingleParams,
  renewClient,
  requireFirstProof,
  requireGrantType,
  requireProof,
  requireTrustOfUser,
} from '../client.ts';
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
  InvalidRequestUri,
  InvalidScope,
  InvalidTarget,
  missingProof,
  proofErrors,
  refuses,
  serviceErrors,
  TemporarilyUnavailable,
  tokenHeader,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
  UnsupportedGrantType,
} from '../errors.ts';
import { binding, type GrantContext, redeemAuthorizationCode, tokenResponse } from '../grants/grant.ts';
import { atHost, findIssuer, personMeant } from '../issuer.ts';
import { type Pushed, pushedUse, requireUsable } from '../par.ts';
import {
  AUTHORIZATION_CODE,
  challengeOf,
  isCodeVerifier,
  NO_AUTH_TIME,
  requireProfiledClient,
  TOKEN_EXCHANGE,
} from '../rules.ts';
import { TokenResponse } from '../token.ts';
import { UnregisteredClientRefused } from '../unregistered.ts';
import {
  ACCESS_TOKEN,
  asksForIdJag,
  type ExchangeKind,
  exchangeSubjectToken,
  giveIdJag,
  IdJagResponse,
  JWT,
  type TokenContext,
  targetNamed,
  vouchingErrors,
} from './exchange.ts';

// Redeems a broker's code and state, sent by an application that received the broker's response itself. The state
// identifies the pending authorize request. Only the client of that request can use the state.

// Finds the authorize request of a broker's state, at /auth/token. Checks the bindings of the request before the
// state or the broker's code is used up.

const REFUSED = 'The code or the state is unknown, expired, already used, or belongs to another request.';
const NOT_TRUSTED = 'This grant requires an approved trusted subscription.';
const PUSHED_OVER = 'This pushed request already returned a code, or has expired.';

/**
 * The API of the pending request, if the request belongs to the named client. Null reveals nothing about other
 * requests.
 */
async function apiOfState({ values }: Params, request: ClientRequest): Promise<SnapshotApi | null> {
  const state = values.get('state');
  const pending = state === undefined ? null : await findPending(state, 'any');
  if (!pending || pending.used) return null;
  const { apiId, query } = pending.interaction;
  const isItsOwn = parseForm(query).values.get('client_id') === (await request.namedClientId());
  return (isItsOwn && request.snapshot.apis.get(apiId)) || null;
}

/** Returns null if no client request belongs to the state, or if the client is deleted. */
async function requestBehind(pending: PendingSignIn, snapshot: Snapshot): Promise<AuthorizeRequest | null> {
  const { console: ofConsole, device } = pending.interaction;
  // no client waits for the result of a console or device sign-in
  if (ofConsole !== undefined || device !== undefined) return null;
  try {
    return await interruptedRequest(pending.interaction, snapshot);
  } catch (error) {
    if (error instanceof UnidentifiedRequest) return null;
    // for an unregistered client, the authorize endpoint shows a page, and this endpoint returns an error
    if (error instanceof UnregisteredClientRefused) throw new UnauthorizedClient(NOT_TRUSTED);
    throw error;
  }
}

/**
 * Repeats checks of the authorize endpoint, because the client or API may now require pushed requests. An expired
 * pushed request becomes invalid_grant.
 */
function requireStillUsable(request: AuthorizeRequest, { interaction }: PendingSignIn): void {
  try {
    requireUsable(request, { pushed: interaction.pushed ?? null, late: false });
  } catch (error) {
    throw error instanceof InvalidRequestUri ? new InvalidGrant(PUSHED_OVER) : error;
  }
}

type Bound = { request: AuthorizeRequest; pending: PendingSignIn; proof: Proof | null };

/**
 * Checks the verifier against the challenge, and the proof key against dpop_jkt. If redirect_uri is sent, it must equal
 * the redirect_uri of the authorize request, or the callback for the broker. For the callback, the function returns its
 * path.
 */
function checkBindings(values: Params['values'], { request, pending, proof }: Bound): string | null {
  const { codeChallenge, redirectUri, dpopJkt } = request;
  const verifier = values.get('code_verifier');
  if (verifier !== undefined && !isCodeVerifier(verifier))
    throw new InvalidRequest('code_verifier must be 43 to 128 characters of letters, digits and . - _ ~');
  const challenge = verifier === undefined ? null : challengeOf(verifier);
  const named = values.get('redirect_uri') ?? redirectUri;
  if (challenge !== codeChallenge || ![redirectUri, pending.expectation.redirectUri].includes(named))
    throw new InvalidGrant(REFUSED);
  if (dpopJkt !== null && !(proof && equalDigests(proof.jkt, dpopJkt)))
    throw new InvalidGrant(REFUSED, { reason: 'code-other-key' });
  return named === redirectUri ? null : new URL(named).pathname;
}

const AMBIGUOUS =
  'Several brokers could have sent this response. Send its iss, or set redirect_uri to the address that received it.';
const TOO_WEAK = 'The API or the request requires a second factor. Send the person through the browser.';

async function redeemBrokerCode(
  { values }: Params,
  { http, client, snapshot, ip, proof }: TokenContext,
): Promise<Answer> {
  const [code, state] = [values.get('code'), values.get('state')];
  if (code === undefined) throw new InvalidRequest('code is missing.');
  if (state === undefined) throw new InvalidRequest('state is missing.');
  const pending = await findPending(state, 'any');
  const request = pending && !pending.used ? await requestBehind(pending, snapshot) : null;
  if (!pending || request?.client.clientId !== client.clientId) throw new InvalidGrant(REFUSED);
  requireStillUsable(request, pending);
  const arrivedAt = checkBindings(values, { request, pending, proof });
  const { issuer } = request;
  const subscription = requireTrustOfUser(issuer.api, client, NOT_TRUSTED);
  requireProfiledClient(issuer.api, client);
  requireProof(proof, { client, api: issuer.api });

  const context = { http, issuer, client, subscription, ip, proof };
  const answer: BrokerAnswer = { code, iss: values.get('iss') ?? null, arrivedAt, whole: false };
  if ((await answerFault(issuer.method, answer, pending.expectation)) === 'iss-missing')
    throw new InvalidRequest(AMBIGUOUS);
  const where = { apiId: issuer.api.id, authMethodId: issuer.method.id };
  const finish = authMethodOf(issuer.method).finishSignIn;
  if (!finish || !(await takePending(state))) throw new InvalidGrant(REFUSED);
  const verdict = await finish(answer, pending.expectation);
  countSignIn(where, verdict.kind === 'identity' ? 'succeeded' : verdict.kind);
  if (verdict.kind !== 'identity') {
    await recordRefusal({
      ...binding(context),
      event: 'sign_in.refused',
      details: { reason: (verdict.kind === 'refused' && verdict.because) || verdict.kind },
    });
    if (verdict.kind === 'unavailable')
      throw new TemporarilyUnavailable('The broker is not responding. Start again in a moment.');
    if (verdict.because === 'no-auth-time') throw new InvalidGrant(NO_AUTH_TIME, { reason: 'no-auth-time' });
    throw new InvalidGrant('The broker refused the code, or its response is not valid.');
  }
  await takeBackStart(pending.counted);
  const person = {
    kind: 'person',
    personId: verdict.personId,
    personEpoch: verdict.personEpoch,
    methodEpoch: issuer.method.epoch,
    authTime: verdict.authTime ?? now(),
  } as const;
  // the state and the broker's code are already used, so a registry change repeats only this part
  const use = { read: recentSnapshot, clientId: async () => client.clientId };
  // there is no Gatehouse session, so the authorization code stores `amr` (how the user signed in)
  const { amr = [], brokerAcr = null } = verdict;
  return onCurrentRegistry(use, async (current) => {
    const renewedContext = renewContext(context, current);
    // permissions may have been reduced meanwhile
    const again = current === snapshot ? request : await requestBehind(pending, current);
    if (!again) throw new UnauthorizedClient(NOT_TRUSTED);
    requireStillUsable(again, pending);
    const authorizeRequest = await forPerson(again, person.personId);
    const openid = again.openid && { ...again.openid, amr, brokerAcr };
    const { pushed = null } = pending.interaction;
    return issueAndRedeem(values, { ...authorizeRequest, openid, pushed }, person, renewedContext);
  });
}

/** Returns the context with the client and issuer of a later snapshot, whose rules may be stricter. */
function renewContext(context: GrantContext, snapshot: Snapshot): GrantContext {
  const { method, api, host } = context.issuer;
  const issuer = atHost(findIssuer(snapshot, { authMethodId: method.id, apiId: api.id }), host);
  // the host was removed, so the token would name a different issuer
  if (issuer.host !== host) throw new UnknownIssuer('the host of the issuer is gone');
  const client = renewClient(context.client, snapshot);
  if (!client) throw new UnauthorizedClient(NOT_TRUSTED);
  const subscription = requireTrustOfUser(issuer.api, client, NOT_TRUSTED);
  requireProfiledClient(issuer.api, client);
  requireProof(context.proof, { client, api: issuer.api });
  return { ...context, issuer, client, subscription };
}

/** Issues a code like a browser sign-in, then redeems it immediately. */
async function issueAndRedeem(
  values: Params['values'],
  {
    shutOut,
    redirectUri,
    scopes,
    scopeAsked,
    codeChallenge,
    dpopJkt,
    consentScopes,
    openid,
    expectedSub,
    strength,
    pushed,
  }: AuthorizeRequest & { pushed: Pushed | null },
  signIn: Extract<AuthorizedBy, { kind: 'person' }>,
  context: GrantContext,
): Promise<Answer> {
  const { personId } = signIn;
  const expectedPersonId = await personMeant(
    context.client,
    expectedSub,
    context.issuer,
    async () => personId,
  );
  if (expectedPersonId !== null && personId !== expectedPersonId)
    throw new InvalidGrant('The person who signed in at the broker is not the one that the request names.');
  if (shutOut) throw personRefused();
  const { hash, value } = mint('code');
  // the sign-in happened at the broker, so no page can request a second factor
  const asking = { strength, silent: true, here: false, postponed: false, graceDays: 0 };
  const { facts, issued, pushedUsed } = await authorize({
    ...binding(context),
    restricted: context.subscription.restricted,
    signIn,
    codeChallenge,
    dpopJkt,
    freshChallenge: false,
    pushed: pushedUse(pushed),
    strength: strengthAsked(asking, settings().trustedBrowserDays),
    code: {
      hash,
      redirectUri,
      scopes,
      scopeAsked,
      basis: 'trust',
      consentScopes,
      maxAgeSeconds: null,
      openid,
      expectedPersonId,
    },
  });
  if (pushedUsed) throw new InvalidGrant(PUSHED_OVER);
  if (facts && secondFactorStep(asking, facts)) throw new InvalidGrant(TOO_WEAK, { reason: 'acr-too-low' });
  if (!issued) throw facts?.mayUse === false ? personRefused() : new UnauthorizedClient(NOT_TRUSTED);
  const redemption = new Map([...values].filter(([name]) => name === 'code_verifier')).set('code', value);
  return tokenResponse(
    await redeemAuthorizationCode({ values: redemption, repeated: new Set() }, context),
    context,
    AUTHORIZATION_CODE,
  );
}

const GRANTS: ReadonlyMap<string, ExchangeKind> = new Map([
  [TOKEN_EXCHANGE, { grant: exchangeSubjectToken, apiOf: targetNamed }],
  [AUTHORIZATION_CODE, { grant: redeemBrokerCode, apiOf: apiOfState }],
]);
/**
 * Parameters that may be repeated (RFC 8693 §2.1). Because a Gatehouse token belongs to one API, several targets cause
 * invalid_target.
 */
const REPEATABLE = ['audience', 'resource'];

export async function handleExchange(request: ClientRequest): Promise<Answer> {
  const params = await readSingleParams(request, REPEATABLE);
  await requireCredentials(request);
  const grantType = requireGrantType(params);
  const vouches = grantType === TOKEN_EXCHANGE && asksForIdJag(params);
  const kind = GRANTS.get(grantType);
  // the API's rules for proofs and assertions apply before the assertion is used; other errors are found later
  const api = vouches ? null : ((await kind?.apiOf(params, request)) ?? null);
  const address = `${settings().baseUrl}/auth/token`;
  const proof = await (vouches ? optionalProof : readProof)(request, { address, api });
  const client = await authenticateClient({ ...request, api });
  await requireFirstProof(request.http, client, proof);
  if (vouches) return giveIdJag(params, { ...request, client, proof, issuer: null });
  if (!kind) throw new UnsupportedGrantType('This grant_type is not supported at this address.');
  return kind.grant(params, { ...request, client, proof });
}

// Parameters and responses of `POST {base_url}/auth/token` (RFC 8693 §2).

/** Schema of the response to an exchange (RFC 8693 §2.2.1). */
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
    subject_token: requiredOf(
      z.string(),
      'token exchange',
      "An access token of this service, or a broker's ID token.",
    ),
    subject_token_type: requiredOf(
      z.string(),
      'token exchange',
      '`urn:ietf:params:oauth:token-type:access_token` or `urn:ietf:params:oauth:token-type:jwt` for an access token of this service, `urn:ietf:params:oauth:token-type:id_token` for a broker’s ID token. Its audience must be the client id of Gatehouse at the broker.',
    ),
    actor_token: optional(
      z.string(),
      'The actor for the person, as a token of the same kinds. A client that is not trusted at the API, but that the person allows to act at it, sends a token that was issued to itself. The `act` claim of the new token contains the actor, and the `act` of the subject token inside it.',
    ),
    actor_token_type: requiredOf(z.string(), 'with actor_token', 'As subject_token_type.'),
    requested_token_type: optional(
      z.string(),
      '`urn:ietf:params:oauth:token-type:access_token` (the default), or `urn:ietf:params:oauth:token-type:jwt` if the API uses JWTs. With `urn:ietf:params:oauth:token-type:id-jag`, the subject token is an ID token or access token issued to the client by this service, audience is the issuer of another authorization server, and resource and scope are those of that server.',
    ),
    audience: requiredOf(
      z.string(),
      'token exchange, or resource',
      'The API that the new token is for: its id or its url. A token is for one API, so a second audience or resource (allowed by RFC 8693 §2.1) is `invalid_target`. audience and resource can name the same API.',
    ),
    resource: requiredOf(
      z.url(),
      'token exchange, or audience',
      'The API that the new token is for: its url.',
    ),
    auth_method: requiredOf(
      z.string(),
      'if the token does not identify it',
      'The id of the broker method of the ID token. Required if several methods trust the same issuer.',
    ),
    scope: optional(
      z.string(),
      'Space-separated scopes that the subscription allows and, at the same API, that the subject token has. Default: all of these. Token exchange only.',
    ),
    code: requiredOf(z.string(), AUTHORIZATION_CODE, "The broker's code."),
    state: requiredOf(
      z.string(),
      AUTHORIZATION_CODE,
      'The state that Gatehouse sent to the broker. It identifies the pending authorize request, which must belong to the calling client.',
    ),
    code_verifier: requiredOf(
      z.string(),
      'if the authorize request had a code_challenge',
      'The verifier for the code_challenge of the pending authorize request.',
    ),
    redirect_uri: optional(
      z.string(),
      'authorization_code: if sent, the redirect_uri of the pending authorize request, or the address of Gatehouse that received the broker’s response.',
    ),
    iss: optional(
      z.string(),
      "authorization_code: the `iss` of the broker's response. If sent, it must match. With several brokers, either iss or the address that received the response is required.",
    ),
  }),
  answers: { TokenExchangeResponse, IdJagResponse, TokenResponse },
  errors: [
    ...bodyErrors,
    ...credentialErrors,
    badClient,
    ...proofErrors,
    missingProof,
    ...refuses(UnsupportedGrantType, ['grant_type has another value.']),
    ...refuses(InvalidDpopProof, [
      'A subject or actor token is bound to a key, and the DPoP proof of that key is missing. A confidential client in its `aud` needs none.',
    ]),
    ...refuses(UnauthorizedClient, [
      'A public client requests a token exchange. Anyone can send its client_id.',
      'The client has no approved, trusted subscription to the API, and the person has not allowed it to act at that API with its own actor_token.',
    ]),
    ...refuses(InvalidRequest, [
      'The subject or actor token is expired, revoked, or from an unknown issuer, its person, client or subscription is disabled, the person is not allowed to use the client at that API, or its type is missing or unknown (RFC 8693 §2.2.2).',
      'The request does not identify which of several brokers issued the code, or the client must now push its requests, and this one was not pushed.',
    ]),
    ...refuses(InvalidTarget, [
      'audience or resource names no API, more than one, or the management API, or the API does not have the sign-in method of the subject.',
    ]),
    ...refuses(InvalidScope, ['A scope is unknown or wider than allowed.']),
    ...refuses(InvalidGrant, [
      'The broker refused its code, the state is unknown, used or belongs to another client, the verifier or the key does not match, or the pushed request already returned a code.',
      'The API requires a stronger sign-in than that of the subject token or of a broker. Send the person through the browser.',
    ]),
    ...vouchingErrors,
    ...refuses(TemporarilyUnavailable, ['The broker does not respond. Nothing was exchanged.']),
    ...serviceErrors,
  ],
  security: byClient,
};
