// A broker's code and state from an application that received the broker's answer itself. The state names the pending
// authorize request: the caller must be its client, and anybody else leaves it untouched.

import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { answerFault } from '#lib/auth-methods/callback.ts';
import type { BrokerAnswer } from '#lib/auth-methods/method.ts';
import type { Answer } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { countSignIn } from '#lib/observability/tally.ts';
import { settings } from '#lib/settings/settings.ts';
import { recordRefusal } from '#lib/store/log/refusals.ts';
import { recentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { type AuthorizedBy, authorize } from '#lib/store/tokens/authorize.ts';
import { mint } from '#lib/tokens/formats.ts';
import { onCurrentRegistry } from '../authorize-request/current-registry.ts';
import { forPerson } from '../authorize-request/for-person.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { secondFactorStep, strengthAsked } from '../authorize-request/second-factor.ts';
import { findPending, takeBackStart, takePending } from '../broker/pending-sign-in.ts';
import { renewClient } from '../clients/authenticated-client.ts';
import { personRefused, requireTrustOfUser } from '../clients/client.ts';
import { requireProof } from '../clients/proof.ts';
import {
  InvalidGrant,
  InvalidRequest,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnknownIssuer,
} from '../errors/errors.ts';
import { redeemAuthorizationCode } from '../grants/authorization-code.ts';
import { binding, type GrantContext } from '../grants/grant.ts';
import { tokenResponse } from '../grants/response.ts';
import { type Pushed, pushedUse } from '../pushed-requests/request-uri.ts';
import { AUTHORIZATION_CODE } from '../rules/grant-types.ts';
import { atHost, findIssuer } from '../rules/issuer.ts';
import { requireProfiledClient } from '../rules/profile.ts';
import { NO_AUTH_TIME } from '../rules/prompt.ts';
import { personMeant } from '../rules/subject.ts';
import {
  checkBindings,
  NOT_TRUSTED,
  PUSHED_OVER,
  REFUSED,
  requestBehind,
  requireStillUsable,
} from './broker-request.ts';
import type { TokenContext } from './context.ts';

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
