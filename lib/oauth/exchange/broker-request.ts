// The authorize request that a broker's state names, at /auth/token: what it was bound to is checked while neither the
// state nor the broker's code is used up.
import { type Params, parseForm } from '#lib/http/params.ts';
import { equalDigests } from '#lib/kit/random.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import type { Proof } from '#lib/tokens/dpop-proof.ts';
import { interruptedRequest } from '../authorize-request/interrupted-request.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { findPending, type PendingSignIn } from '../broker/pending-sign-in.ts';
import type { ClientRequest } from '../clients/client-request.ts';
import { InvalidGrant, InvalidRequest, InvalidRequestUri, UnauthorizedClient } from '../errors/errors.ts';
import { UnidentifiedRequest } from '../errors/unidentified.ts';
import { requireUsable } from '../pushed-requests/request-uri.ts';
import { challengeOf, isCodeVerifier } from '../rules/pkce.ts';
import { UnregisteredClientRefused } from '../unregistered/client-refused.ts';

export const REFUSED = 'The code or the state is unknown, expired, used, or was not given for this request.';
export const NOT_TRUSTED = 'This grant needs an approved trusted subscription.';
export const PUSHED_OVER = 'A code was given for this pushed request before, or its time is over.';

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
export async function requestBehind(
  pending: PendingSignIn,
  snapshot: Snapshot,
): Promise<AuthorizeRequest | null> {
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
export function requireStillUsable(request: AuthorizeRequest, { interaction }: PendingSignIn): void {
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
export function checkBindings(values: Params['values'], { request, pending, proof }: Bound): string | null {
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
