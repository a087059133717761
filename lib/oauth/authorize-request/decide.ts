// What happens next with a valid request: sign-in, second factor, consent, a code, or an error. Pure; every interactive
// step has its prompt=none exit beside it.

import { kindOf } from '#lib/registry/clients/client.ts';
import { isPrivateUse } from '#lib/registry/clients/redirect-rules.ts';
import type { Authorized } from '#lib/store/tokens/authorize.ts';
import { personDenied } from '../clients/client.ts';
import {
  AccessDenied,
  ConsentRequired,
  InteractionRequired,
  LoginRequired,
  type OAuthError,
  TemporarilyUnavailable,
} from '../errors/errors.ts';
import { NO_AUTH_TIME } from '../rules/prompt.ts';
import { allowance, type Interaction } from './interaction.ts';
import type { AuthorizeRequest } from './request.ts';
import { type Asking, type SecondFactorStep, secondFactorStep } from './second-factor.ts';

export type AuthorizeDecision =
  | { kind: 'login' }
  | SecondFactorStep
  | { kind: 'approval' }
  | { kind: 'refused' }
  | { kind: 'consent' }
  | { kind: 'issue' }
  | { kind: 'error'; error: OAuthError };

export type AuthorizeQuestion = {
  request: AuthorizeRequest;
  /** this browser's session, as interactions name it; null: none */
  session: string | null;
  interaction: Interaction | null;
  /** the person that the request names; null: any */
  expectedPersonId: string | null;
  /** SECOND_FACTOR_GRACE_DAYS */
  graceDays: number;
};

/** Did the person sign in for this very request? Then neither prompt=login nor max_age asks again. */
export function signedInHere({ session, interaction }: AuthorizeQuestion): boolean {
  return session !== null && interaction?.signedIn === session;
}

/** What a code would rest on if the facts about the session allow it; null: the person has to be asked in any case. */
export function codeBasis(asked: AuthorizeQuestion): 'consent' | 'trust' | null {
  const { request, session, interaction } = asked;
  const refused =
    interaction?.denied || interaction?.refused || interaction?.unavailable || interaction?.untimed;
  if (session === null || refused || request.waits || asksToSignIn(asked)) return null;
  if (request.trusted) return needsAct(request) ? null : 'trust';
  const asksAgain = request.prompt.has('consent') || isAnybodys(request);
  return !asksAgain || interaction?.allowed === allowance(session, request.consentScopes) ? 'consent' : null;
}

/** What counts of it for the second factor. */
export function askingOf(asked: AuthorizeQuestion): Asking {
  const { request, session, interaction, graceDays } = asked;
  return {
    strength: request.strength,
    silent: request.prompt.has('none'),
    here: signedInHere(asked),
    postponed: session !== null && interaction?.postponed === session,
    graceDays,
  };
}

export function decideAuthorize(
  asked: AuthorizeQuestion,
  facts: Authorized['facts'],
  now: Date,
): AuthorizeDecision {
  const { request, interaction, expectedPersonId } = asked;
  const silent = request.prompt.has('none');
  if (interaction?.denied) return { kind: 'error', error: new AccessDenied('The person did not agree.') };
  if (interaction?.refused) return { kind: 'error', error: personDenied() };
  if (interaction?.untimed)
    return { kind: 'error', error: new AccessDenied(NO_AUTH_TIME, { reason: 'no-auth-time' }) };
  if (interaction?.unavailable) {
    return { kind: 'error', error: new TemporarilyUnavailable('The sign-in service is not answering.') };
  }
  const other = facts !== null && expectedPersonId !== null && facts.personId !== expectedPersonId;
  if (other && signedInHere(asked))
    return { kind: 'error', error: new LoginRequired('Somebody else signed in than the request names.') };
  if (!facts || other || asksToSignIn(asked) || (isTooOld(request, facts, now) && !signedInHere(asked))) {
    if (silent)
      return { kind: 'error', error: new LoginRequired('Nobody is signed in here, or not recently enough.') };
    return { kind: 'login' };
  }
  const step = secondFactorStep(askingOf(asked), facts);
  if (step) return step;
  if (request.waits)
    return silent
      ? { kind: 'error', error: new ConsentRequired('The person has to come with this client first.') }
      : { kind: 'approval' };
  if (!facts.mayUse || request.shutOut)
    return silent ? { kind: 'error', error: personDenied() } : { kind: 'refused' };
  const basis = codeBasis(asked);
  const { consented } = facts;
  const covered = consented !== null && request.consentScopes.every((scope) => consented.includes(scope));
  if (basis === 'trust' || (basis === 'consent' && covered)) return { kind: 'issue' };
  if (silent && request.trusted) return { kind: 'error', error: new InteractionRequired(NEEDS_ACT) };
  if (silent) return { kind: 'error', error: new ConsentRequired('The person has to agree first.') };
  return { kind: 'consent' };
}

/** An application of the device receives the answer: a native client, or a private-use scheme of a confidential one. */
const goesToDevice = ({ client, redirectUri }: AuthorizeRequest): boolean =>
  kindOf(client) === 'native' || isPrivateUse(redirectUri);

/**
 * Another program on the machine can use such a redirect address (RFC 8252 §8.6), so consent is asked again. Only a
 * document's client with an https address is answered without a page.
 */
function isAnybodys(request: AuthorizeRequest): boolean {
  const { client, redirectUri } = request;
  return goesToDevice(request) && !(client.origin === 'document' && /^https:/i.test(redirectUri));
}

const NEEDS_ACT =
  'Any program on the machine can receive an answer at this redirect_uri, so prompt=none gets no code: use the refresh token, or leave prompt out.';

/**
 * RFC 8252 §8.6: without a user's act no code goes to an address that another program can take, such as a private-use
 * scheme or a port of this machine. Trust does not prove which program asks.
 */
function needsAct(request: AuthorizeRequest): boolean {
  return request.prompt.has('none') && goesToDevice(request) && !/^https:/i.test(request.redirectUri);
}

/** The sign-in page serves all three, and so does a broker's: a person can change accounts there. */
export const ASKING = ['login', 'select_account', 'create'] as const;

function asksToSignIn(asked: AuthorizeQuestion): boolean {
  const { prompt } = asked.request;
  const wanted = ASKING.some((value) => prompt.has(value)) || asked.interaction?.switching === true;
  return wanted && !signedInHere(asked);
}

function isTooOld({ maxAgeSeconds }: AuthorizeRequest, { authTime }: { authTime: Date }, now: Date): boolean {
  return maxAgeSeconds !== null && now.getTime() - authTime.getTime() > maxAgeSeconds * 1000;
}
