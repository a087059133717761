/** What the grants of the token endpoint refuse, and when, grant by grant. */
import type { SourceError } from './endpoint.ts';

function refused(error: string, when: string): SourceError {
  return { status: '400', error, when };
}

const grantErrors: SourceError[] = [
  refused('unsupported_grant_type', 'grant_type is unknown.'),
  refused(
    'unsupported_grant_type',
    'grant_type is `password` at a combination whose method is neither local nor external.',
  ),
  refused(
    'unauthorized_client',
    'The client has no approved subscription to the API: none, pending, rejected, suspended or revoked. Checked at every refresh too.',
  ),
];

const codeErrors: SourceError[] = [
  refused(
    'invalid_grant',
    "The code is unknown, expired, or another client's or combination's. A stranger's attempt does not use the code up.",
  ),
  refused(
    'invalid_grant',
    'The code was used before. When the same client comes with the same verifier, every token that the first use gave is revoked.',
  ),
  refused('invalid_grant', 'redirect_uri is sent and differs from the one of the authorize request.'),
  refused(
    'invalid_grant',
    'code_verifier is missing, wrong, or sent although the authorize request had no code_challenge.',
  ),
  refused(
    'invalid_request',
    'code_verifier is not 43 to 128 characters out of letters, digits, `.`, `-`, `_` and `~`.',
  ),
];

const passwordErrors: SourceError[] = [
  refused('unauthorized_client', 'The password grant without an approved, trusted subscription.'),
  refused(
    'invalid_grant',
    'The username or password is wrong, or the person is disabled. One message for all of them, so that nobody learns who exists.',
  ),
  {
    status: '429',
    error: 'slow_down',
    when: 'Too many wrong passwords: 10 for an account in 15 minutes, over pages and token endpoint together, or 60 for an address (a /64 for IPv6). `Retry-After` says how many seconds to wait. The limit by address does not apply where a confidential client authenticated.',
  },
  {
    status: '503',
    error: 'temporarily_unavailable',
    when: 'The external verifier is unreachable, slow, or answers nonsense. Nobody is let in; try again.',
  },
];

const refreshErrors: SourceError[] = [
  refused(
    'invalid_grant',
    "The refresh token is unknown, expired, revoked, or another client's or combination's.",
  ),
  refused(
    'invalid_grant',
    'The refresh token was used before. Its whole family is revoked, unless it was used less than 10 seconds ago and its successor is still unused: then it is refused and nothing more. Of N parallel uses exactly one succeeds.',
  ),
  refused(
    'invalid_grant',
    'A browser client sends anything but a refresh token that its own password grant gave.',
  ),
  refused(
    'unauthorized_client',
    'The family rests on trust instead of consent, and the trusted subscription is no longer approved.',
  ),
  refused('invalid_scope', 'scope asks for more than the sign-in granted.'),
];

export const tokenErrors: SourceError[] = [
  ...grantErrors,
  ...codeErrors,
  ...passwordErrors,
  ...refreshErrors,
];
