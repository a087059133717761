// What happens next with a valid request: sign in, consent, a code, or an error. Pure; every interactive step has its
// prompt=none exit beside it.
import type { AuthorizeFacts } from '#lib/store/index.ts';
import { kindOf } from '../client.ts';
import {
  AccessDenied,
  ConsentRequired,
  LoginRequired,
  type OAuthError,
  TemporarilyUnavailable,
} from '../errors.ts';
import { allowance, type Interaction } from './interaction.ts';
import type { AuthorizeRequest } from './request.ts';

export type Decision =
  | { kind: 'login' }
  | { kind: 'consent' }
  | { kind: 'issue'; basis: 'consent' | 'trust' }
  | { kind: 'error'; error: OAuthError };

type Inputs = {
  request: AuthorizeRequest;
  /** the session's facts; null: signed out */
  facts: AuthorizeFacts | null;
  /** the session's id, as interactions name it */
  session: string | null;
  interaction: Interaction | null;
  now: Date;
};

export function decide({ request, facts, session, interaction, now }: Inputs): Decision {
  const silent = request.prompt.has('none');
  if (interaction?.denied) return { kind: 'error', error: new AccessDenied('The person did not agree.') };
  if (interaction?.unavailable) {
    return { kind: 'error', error: new TemporarilyUnavailable('The sign-in service is not answering.') };
  }

  const signedInHere = session !== null && interaction?.signedIn === session;
  const tooOld =
    facts !== null &&
    request.maxAgeSeconds !== null &&
    now.getTime() - facts.authTime.getTime() > request.maxAgeSeconds * 1000;
  const again = request.prompt.has('login') || interaction?.switching === true || tooOld;
  if (!facts || (again && !signedInHere)) {
    if (silent)
      return { kind: 'error', error: new LoginRequired('Nobody is signed in here, or not recently enough.') };
    return { kind: 'login' };
  }
  if (request.trusted) return { kind: 'issue', basis: 'trust' };

  const covered =
    facts.consented !== null && request.scopes.every((scope) => facts.consented?.includes(scope));
  const allowedHere = session !== null && interaction?.allowed === allowance(session, request.scopes);
  // A native client's identity can not be assured: whoever has its address could ask in its name (RFC 8252 §8.6).
  const askAgain = request.prompt.has('consent') || kindOf(request.client) === 'native';
  if (covered && (allowedHere || !askAgain)) return { kind: 'issue', basis: 'consent' };
  if (silent) return { kind: 'error', error: new ConsentRequired('The person has to agree first.') };
  return { kind: 'consent' };
}
