// A broker's code and state from an application that received the broker's answer itself. The state names the authorize
// request that waits for it: its client must be the caller, and whoever can not prove that leaves it untouched.
import { answerFault, authMethod, type BrokerAnswer, type Verdict } from '#lib/auth-methods/index.ts';
import type { Answer, Params } from '#lib/http/index.ts';
import { now } from '#lib/kit/index.ts';
import { issueTrustedCode, recordRefusal } from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { type AuthorizeRequest, UnidentifiedRequest } from '../authorize/request.ts';
import { approvedSubscription } from '../client.ts';
import { InvalidGrant, InvalidRequest, TemporarilyUnavailable, UnauthorizedClient } from '../errors.ts';
import { authorizationCode } from '../grants/authorization-code.ts';
import { binding, type GrantContext } from '../grants/grant.ts';
import { requestOf } from '../hosted/views.ts';
import { findIssuer } from '../issuer.ts';
import { findPending, type PendingSignIn, takeBackStart, takePending } from '../pending-sign-in.ts';
import { challengeOf, isCodeVerifier } from '../pkce.ts';
import { tokenResponse } from '../token/response.ts';
import { upToDate } from '../up-to-date.ts';
import type { ExchangeContext } from './context.ts';

const REFUSED = 'The code or the state is unknown, expired, used, or was not given for this request.';
const AMBIGUOUS =
  'Several brokers could have sent this answer: send its iss, or as redirect_uri the address that it came to.';
const NOT_TRUSTED = 'This grant needs an approved trusted subscription.';

export async function redeemBrokerCode(
  { values }: Params,
  { http, client, snapshot, ip }: ExchangeContext,
): Promise<Answer> {
  const [code, state] = [values.get('code'), values.get('state')];
  if (code === undefined) throw new InvalidRequest('code is missing.');
  if (state === undefined) throw new InvalidRequest('state is missing.');
  const pending = await findPending(state, 'any');
  const request = pending && !pending.used ? await requestBehind(pending) : null;
  if (!pending || request?.client.clientId !== client.clientId) throw new InvalidGrant(REFUSED);
  const arrivedAt = checkBindings(values, request, pending);
  const subscription = approvedSubscription(snapshot, client, request.issuer.api);
  if (!subscription?.trusted) throw new UnauthorizedClient(NOT_TRUSTED);

  const { issuer } = request;
  const context = { http, issuer, client, subscription, ip };
  const answer: BrokerAnswer = { code, iss: values.get('iss') ?? null, arrivedAt, whole: false };
  if ((await answerFault(issuer.method, answer, pending.expectation)) === 'iss-missing')
    throw new InvalidRequest(AMBIGUOUS);
  const finish = authMethod(issuer.method).finishSignIn;
  if (!finish || !(await takePending(state))) throw new InvalidGrant(REFUSED);
  const verdict = await finish(answer, pending.expectation);
  if (verdict.kind !== 'identity') {
    await recordRefusal({
      ...binding(context),
      event: 'sign_in.refused',
      details: { reason: verdict.kind },
    });
    if (verdict.kind === 'unavailable')
      throw new TemporarilyUnavailable('The broker is not answering. Start again in a moment.');
    throw new InvalidGrant('The broker refused the code, or its answer can not be believed.');
  }
  await takeBackStart(pending.counted);
  // The state and the broker's code are spent: should the snapshot move now, this part alone is done anew.
  return upToDate(async () => asIfByBrowser(values, request, verdict, await renewed(context)));
}

/** The same client at the same issuer, by the snapshot as it is now. */
async function renewed(context: GrantContext): Promise<GrantContext> {
  const { method, api } = context.issuer;
  const issuer = await findIssuer({ authMethodId: method.id, apiId: api.id });
  const client = issuer.snapshot.clients.get(context.client.clientId);
  const subscription = client && approvedSubscription(issuer.snapshot, client, issuer.api);
  if (!client || client.disabled || !subscription?.trusted) throw new UnauthorizedClient(NOT_TRUSTED);
  return { ...context, issuer, client, subscription };
}

/** A code of ours, as if the person had come back by the browser, which is redeemed at once. */
async function asIfByBrowser(
  values: Params['values'],
  request: AuthorizeRequest,
  { personId, personEpoch, authTime }: Extract<Verdict, { kind: 'identity' }>,
  context: GrantContext,
): Promise<Answer> {
  const own = mint('code');
  const issued = await issueTrustedCode({
    ...binding(context),
    codeHash: own.hash,
    personId,
    personEpoch,
    redirectUri: request.redirectUri,
    scopes: request.scopes,
    scopeAsked: request.scopeAsked,
    codeChallenge: request.codeChallenge,
    authTime: authTime ?? now(),
  });
  if (!issued) throw new UnauthorizedClient(NOT_TRUSTED);
  const redemption = new Map([...values].filter(([name]) => name === 'code_verifier')).set('code', own.value);
  const granted = await authorizationCode.authorize({ values: redemption, repeated: new Set() }, context);
  return tokenResponse(granted, context);
}

async function requestBehind(pending: PendingSignIn): Promise<AuthorizeRequest | null> {
  if (pending.interaction.console !== undefined) return null;
  try {
    return await requestOf(pending.interaction);
  } catch (error) {
    if (error instanceof UnidentifiedRequest) return null;
    throw error;
  }
}

/**
 * As a code of ours: the verifier must fit the challenge, and the redirect URI, where sent, the request's; or it is the
 * address that the broker was to answer at, and says that the answer came there. The path of that is returned.
 */
function checkBindings(
  values: Params['values'],
  { codeChallenge, redirectUri }: AuthorizeRequest,
  { expectation }: PendingSignIn,
): string | null {
  const verifier = values.get('code_verifier');
  if (verifier !== undefined && !isCodeVerifier(verifier))
    throw new InvalidRequest('code_verifier must be 43 to 128 letters, digits and . - _ ~ characters.');
  const challenge = verifier === undefined ? null : challengeOf(verifier);
  const named = values.get('redirect_uri') ?? redirectUri;
  if (challenge !== codeChallenge || ![redirectUri, expectation.redirectUri].includes(named))
    throw new InvalidGrant(REFUSED);
  return named === redirectUri ? null : new URL(named).pathname;
}
