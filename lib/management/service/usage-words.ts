// Refusals in words for an operator, who sees sums and no request. What the inspector tells a developer goes before.
import { ownValue } from '#lib/kit/own-value.ts';
import { refusalWords } from './inspector-words.ts';

export const USAGE_REFUSALS: Record<string, [title: string, explanation: string]> = {
  unidentified: [
    'The client or its redirect_uri was not known',
    'The person saw a page that says so, and the client heard nothing: a mistyped client_id, or an address that is not registered. The requests of the client show which address came.',
  ],
  invalid_request: [
    'The request was malformed',
    'Something was missing, repeated or too long. The answer names it, and so do the requests of the client.',
  ],
  invalid_client: [
    'The client did not authenticate',
    'It is unknown here, or what it sent does not prove that it is the client.',
  ],
  invalid_grant: [
    'The password, code or token was no good',
    'Of passwords this is the ordinary mistyping; many from few places are guesses, which the limits slow down.',
  ],
  invalid_scope: [
    'A scope that may not be asked for',
    'The API does not have it, or the ceiling of the subscription is below it.',
  ],
  unauthorized_client: [
    'The client may not do this here',
    'It has no approved subscription to the API, or not the trust that this takes, or it is no machine’s.',
  ],
  unsupported_grant_type: [
    'A grant that this issuer does not have',
    'The password grant needs a method that checks passwords.',
  ],
  unsupported_response_type: [
    'A response_type other than code',
    'Only the authorization code is given here.',
  ],
  invalid_token: [
    'The access token was no good',
    'It had expired, was revoked, or was never one of ours: clients meet this at userinfo.',
  ],
  insufficient_scope: ['The access token has too little scope', 'Userinfo wants one with the scope openid.'],
  invalid_target: [
    'The target of an exchange was not one API',
    'It names none that is here, several, or one that does not take people of this method.',
  ],
};

/** `error`, `reason`: as they are counted. */
export function usageWords(error: string, reason: string): { title: string; explanation: string } {
  const [title, explanation] = ownValue(USAGE_REFUSALS, reason) ??
    refusalWords(error, reason) ??
    ownValue(USAGE_REFUSALS, error) ?? [error, null];
  return { title, explanation: explanation ?? '' };
}
