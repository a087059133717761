// What a device that polls is told, beside `slow_down` and `access_denied` (RFC 8628 §3.5).
import { OAuthError, SlowDown } from './errors.ts';

/** The person has not decided yet. */
export class AuthorizationPending extends OAuthError {
  static override readonly code = 'authorization_pending';
  static override readonly status = 400;
}

/** The code of the device has expired. */
export class ExpiredToken extends OAuthError {
  static override readonly code = 'expired_token';
  static override readonly status = 400;
}

/** A poll that is to come again: no refusal. */
export const isWaiting = (error: unknown): boolean =>
  error instanceof AuthorizationPending || (error instanceof SlowDown && error.status === 400);
