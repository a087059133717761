// A broker's code and state from an application that received the broker's answer itself. The state names the pending
// authorize request: the caller must be its client, and anybody else leaves it untouched.
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { answerFault } from '#lib/auth-methods/callback.ts';
import type { BrokerAnswer } from '#lib/auth-methods/method.ts';
import type { Answer } from '#lib/http/message.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { equalDigests } from '#lib/kit/random.ts';
import { countSignIn } from '#lib/observability/metrics.ts';
import { settings } from '#lib/settings/settings.ts';
import { type AuthorizedBy, authorize } from '#lib/store/hot/authorize.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import { recentSnapshot, type Snapshot, type SnapshotApi } from '#lib/store/snapshot.ts';
import type { Proof } from '#lib/tokens/dpop.ts';
import { mint } from '#lib/tokens/formats.ts';
import { forPerson, interruptedRequest, onCurrentRegistry } from '../authorize/decide.ts';
import { secondFactorStep, strengthAsked } from '../authorize/interaction.ts';
import type { AuthorizeRequest } from '../authorize/request.ts';
import { findPending, type PendingSignIn, takeBackStart, takePending } from '../broker.ts';
import { type ClientRequest, personRefused, renewClient, requireTrustOfUser } from '../client.ts';
import {
  InvalidGrant,
  InvalidRequest,
  InvalidRequestUri,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
} from '../errors.ts';
import { redeemAuthorizationCode } from '../grants/authorization-code.ts';
import { binding, type GrantContext, tokenResponse } from '../grants/grant.ts';
import { atHost, findIssuer, personMeant } from '../issuer.ts';
import { type Pushed, pushedUse, requireUsable } from '../par.ts';
import { requireProof } from '../proof.ts';
import {
  AUTHORIZATION_CODE,
  challengeOf,
  isCodeVerifier,
  NO_AUTH_TIME,
  requireProfiledClient,
} from '../rules.ts';
import { UnregisteredClientRefused } from '../unregistered.ts';
import type { TokenContext } from './exchange.ts';

// The authorize request that a broker's state names, at /auth/token: what it was bound to is checked while neither the
// state nor the broker's code is used up.

const REFUSED = 'The code or the state is unknown, expired, used, or was not given for this request.';
const NOT_TRUSTED = 'This grant needs an approved trusted subscription.';
const PUSHED_OVER = 'A code was given for this pushed request before, or its time is over.';

/** The API of the request, where it is one of the client that the caller names; null: nothing is told of it. */
export async function apiOfState({ values }: Params, request: ClientRequest): Promise<SnapshotApi | null> {
  const state = values.get('state');
  const pending = state === undefined ? null : await findPending(state, 'any');
  if (!pending || pending.used) return null;
  const { apiId, query } = pending.interaction;
  const isItsOwn = parseForm(query).values.get('client_id') === (await request.namedClientId());
  return (isItsOwn && request.snapshot.apis.get(apiId)) || null;
}

/** Null: the state is of no client's request, or of none that there still is. */
async function requestBehind(pending: PendingSignIn, snapshot: Snapshot): Promise<AuthorizeRequest | null> {
  const { console: ofConsole, device } = pending.interaction;
  // neither has a client that the answer is for
  if (ofConsole !== undefined || device !== undefined) return null;
  try {
    return await interruptedRequest(pending.interaction, snapshot);
  } catch (error) {
    if (error instanceof UnidentifiedRequest) return null;
    // of an unregistered client: its person would get a page, which no one would read here
    if (error instanceof UnregisteredClientRefused) throw new UnauthorizedClient(NOT_TRUSTED);
    throw error;
  }
}

/**
 * As at the authorize address: a client, or an API, may have begun to ask for pushed requests meanwhile. What is over
 * there is a grant that is over here.
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
 * The verifier must fit the challenge, and the proof's key the one that the request named. A redirect_uri, where sent,
 * is the request's, as for a code of ours, or the callback that the broker answered at; the callback's path is returned
 * then.
 */
function checkBindings(values: Params['values'], { request, pending, proof }: Bound): string | null {
  const { codeChallenge, redirectUri, dpopJkt } = request;
  const verifier = values.get('code_verifier');
  if (verifier !== undefined && !isCodeVerifier(verifier))
    throw new InvalidRequest('code_verifier must be 43 to 128 letters, digits and . - _ ~ characters.');
  const challenge = verifier === undefined ? null : challengeOf(verifier);
  const named = values.get('redirect_uri') ?? redirectUri;
  if (challenge !== codeChallenge || ![redirectUri, pending.expectation.redirectUri].includes(named))
    throw new InvalidGrant(REFUSED);
  if (dpopJkt !== null && !(proof && equalDigests(proof.jkt, dpopJkt)))
    throw new InvalidGrant(REFUSED, { reason: 'code-other-key' });
  return named === redirectUri ? null : new URL(named).pathname;
}

const AMBIGUOUS =
  'Several brokers could have sent this answer: send its iss, or as redirect_uri the address that it came to.';
const TOO_WEAK =
  'The API, or what was asked for, needs a second factor of the person, which can only be asked for in their browser.';

export async function redeemBrokerCode(
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
      throw new TemporarilyUnavailable('The broker is not answering. Start again in a moment.');
    if (verdict.because === 'no-auth-time') throw new InvalidGrant(NO_AUTH_TIME, { reason: 'no-auth-time' });
    throw new InvalidGrant('The broker refused the code, or its answer can not be believed.');
  }
  await takeBackStart(pending.counted);
  const person = {
    kind: 'person',
    personId: verdict.personId,
    personEpoch: verdict.personEpoch,
    methodEpoch: issuer.method.epoch,
    authTime: verdict.authTime ?? now(),
  } as const;
  // the state and the broker's code are spent: where the registry has changed since, only this part is done again
  const use = { read: recentSnapshot, clientId: async () => client.clientId };
  // without a session of ours, the code itself says how the person proved who they are
  const { amr = [], brokerAcr = null } = verdict;
  return onCurrentRegistry(use, async (current) => {
    const renewedContext = renewed(context, current);
    // it may be allowed less than then
    const again = current === snapshot ? request : await requestBehind(pending, current);
    if (!again) throw new UnauthorizedClient(NOT_TRUSTED);
    requireStillUsable(again, pending);
    const theirs = await forPerson(again, person.personId);
    const openid = again.openid && { ...again.openid, amr, brokerAcr };
    const { pushed = null } = pending.interaction;
    return issueAndRedeem(values, { ...theirs, openid, pushed }, person, renewedContext);
  });
}

/** The same client at the same issuer, in a later snapshot, which may ask more of both. */
function renewed(context: GrantContext, snapshot: Snapshot): GrantContext {
  const { method, api, host } = context.issuer;
  const issuer = atHost(findIssuer(snapshot, { authMethodId: method.id, apiId: api.id }), host);
  // a token would name another issuer than the one that the request began at
  if (issuer.host !== host) throw new UnknownIssuer('the host of the issuer is gone');
  const client = renewClient(context.client, snapshot);
  if (!client) throw new UnauthorizedClient(NOT_TRUSTED);
  const subscription = requireTrustOfUser(issuer.api, client, NOT_TRUSTED);
  requireProfiledClient(issuer.api, client);
  requireProof(context.proof, { client, api: issuer.api });
  return { ...context, issuer, client, subscription };
}

/** A code of ours, as if the person had come back by the browser, redeemed at once. */
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
    throw new InvalidGrant('Somebody else signed in at the broker than the request names.');
  if (shutOut) throw personRefused();
  const { hash, value } = mint('code');
  // only the broker's word: no page can ask for more here
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
