// Every OAuth error of the service: one class for each code of the wire; other files throw it.
// `description` is for the client's developer (RFC 6749 §5.2: printable ASCII without quote and backslash); `cause`
// goes to the log and nowhere else.

import type { Told } from '#lib/language/message.ts';
import { tooManyAttempts } from '#lib/language/too-many.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { SnapshotSubscription } from '#lib/store/registry/snapshot-rows.ts';
import type { CodeRefusal } from '#lib/store/tokens/codes.ts';
import type { RefreshRefusal } from '#lib/store/tokens/refresh-tokens.ts';
import type { AssertionFault } from '#lib/tokens/client-assertion.ts';
import type { ResourceFault } from '#lib/tokens/dpop-at-resource.ts';
import type { IdJagFault } from '#lib/tokens/id-jag.ts';

/** Why a request of a known client was refused, for its developer; the client is not told. */
export type RefusalReason =
  | 'client-disabled'
  | 'secret-not-expected'
  | 'secret-missing'
  | 'secret-wrong'
  | 'secret-not-encoded'
  | 'secret-misplaced'
  | 'assertion-expected'
  | 'assertion-not-expected'
  | 'assertion-type'
  | 'assertion-used'
  | AssertionFault
  | IdJagFault
  | 'id-jag-not-allowed'
  | 'id-jag-audience'
  | 'jag-key'
  | 'jag-signature'
  | 'jag-used'
  | 'jag-person'
  | 'jag-public-client'
  | 'jag-resource'
  | 'jag-scope'
  | 'acr-too-low'
  | 'no-auth-time'
  | 'not-subscribed'
  | 'not-trusted'
  | 'person-refused'
  | 'not-machine'
  | 'machine-public'
  | 'exchange-public'
  | 'not-device'
  | `device-${'unknown' | 'other-issuer' | 'used'}`
  | 'profile-client'
  | `subscription-${Exclude<SnapshotSubscription['state'], 'approved'>}`
  | NonNullable<CodeRefusal>
  | RefreshRefusal
  | 'refresh-race'
  | Exclude<ResourceFault, 'token'>;

export type Options = {
  cause?: unknown;
  headers?: Record<string, string>;
  reason?: RefusalReason | null;
  /** the description, as a page says it in every language */
  told?: Told;
  /** an attempt was counted for it, by a statement that confirmed the registry: answered again, it would count twice */
  counted?: boolean;
};

/** The description where pages have it as a message. */
const inEveryLanguage = (told: Told, options: Options): [string, Options] => [
  wordsOf('en').told(told),
  { ...options, told },
];

export abstract class OAuthError extends Error {
  /** on the wire: `invalid_request` */
  static readonly code: string;
  /** HTTP status of a JSON answer */
  static readonly status: number;
  readonly code: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly reason: RefusalReason | null;
  readonly counted: boolean;
  /** for a page */
  readonly told: Told;

  constructor(description: string, options: Options = {}) {
    super(description.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?'), { cause: options.cause });
    this.code = new.target.code;
    this.status = new.target.status;
    this.headers = options.headers ?? {};
    this.reason = options.reason ?? null;
    this.counted = options.counted ?? false;
    this.told = options.told ?? { text: this.message };
  }
}

/** RFC 6749 §4.1.2.1, §5.2: missing, repeated or malformed. Another status where HTTP has one. */
export class InvalidRequest extends OAuthError {
  static override readonly code = 'invalid_request';
  static override readonly status = 400;
  override readonly status: number;
  constructor(description: string, options: Options & { status?: 400 | 405 | 408 | 413 | 431 } = {}) {
    super(description, options);
    this.status = options.status ?? 400;
  }
}
/** RFC 6749 §5.2: client authentication failed. */
export class InvalidClient extends OAuthError {
  static override readonly code = 'invalid_client';
  static override readonly status = 401;
}
/** RFC 6749 §5.2: the code, the refresh token or the password is no good. */
export class InvalidGrant extends OAuthError {
  static override readonly code = 'invalid_grant';
  static override readonly status = 400;
}
/** RFC 6749 §5.2: this client may not do this here. */
export class UnauthorizedClient extends OAuthError {
  static override readonly code = 'unauthorized_client';
  static override readonly status = 400;
}
/** RFC 6749 §5.2. */
export class UnsupportedGrantType extends OAuthError {
  static override readonly code = 'unsupported_grant_type';
  static override readonly status = 400;
}
/** RFC 6749 §4.1.2.1. */
export class UnsupportedResponseType extends OAuthError {
  static override readonly code = 'unsupported_response_type';
  static override readonly status = 400;
}
/** RFC 6749 §3.3, §5.2. */
export class InvalidScope extends OAuthError {
  static override readonly code = 'invalid_scope';
  static override readonly status = 400;
}
/** RFC 6749 §4.1.2.1: the person said no, or the client is not for them. */
export class AccessDenied extends OAuthError {
  static override readonly code = 'access_denied';
  static override readonly status = 400;
}
/** OpenID Connect Core §3.1.2.6. */
export class LoginRequired extends OAuthError {
  static override readonly code = 'login_required';
  static override readonly status = 400;
}
/** OpenID Connect Core §3.1.2.6. */
export class InteractionRequired extends OAuthError {
  static override readonly code = 'interaction_required';
  static override readonly status = 400;
}
/** OpenID Connect Core Error Code unmet_authentication_requirements 1.0 §2: no sign-in here can be so strong. */
export class UnmetAuthenticationRequirements extends OAuthError {
  static override readonly code = 'unmet_authentication_requirements';
  static override readonly status = 400;
}
/** OpenID Connect Core §3.1.2.6. */
export class ConsentRequired extends OAuthError {
  static override readonly code = 'consent_required';
  static override readonly status = 400;
}
/** OpenID Connect Core §3.1.2.6. */
export class RequestNotSupported extends OAuthError {
  static override readonly code = 'request_not_supported';
  static override readonly status = 400;
}
/** OpenID Connect Core §3.1.2.6. */
export class RequestUriNotSupported extends OAuthError {
  static override readonly code = 'request_uri_not_supported';
  static override readonly status = 400;
}
/** OpenID Connect Core §3.1.2.6: of a pushed request (RFC 9126 §7.3) that was used, or whose time is over. */
export class InvalidRequestUri extends OAuthError {
  static override readonly code = 'invalid_request_uri';
  static override readonly status = 400;
  constructor() {
    const description = 'request_uri was used before, or its time is over. Push the request again.';
    super(description, { told: 'errors.pushed_request' });
  }
}
/** OpenID Connect Core §3.1.2.6. */
export class RegistrationNotSupported extends OAuthError {
  static override readonly code = 'registration_not_supported';
  static override readonly status = 400;
}
/** RFC 6750 §3.1. */
export class InvalidToken extends OAuthError {
  static override readonly code = 'invalid_token';
  static override readonly status = 401;
}
/** RFC 6750 §3.1. */
export class InsufficientScope extends OAuthError {
  static override readonly code = 'insufficient_scope';
  static override readonly status = 403;
}
/** RFC 9470 §3: the sign-in is weaker, or longer ago, than this needs. */
export class WeakSignIn extends OAuthError {
  static override readonly code = 'insufficient_user_authentication';
  static override readonly status = 401;
}
/** RFC 8693 §2.2.2, RFC 8707 §2. */
export class InvalidTarget extends OAuthError {
  static override readonly code = 'invalid_target';
  static override readonly status = 400;
}
/** RFC 7591 §3.2.2. */
export class InvalidRedirectUri extends OAuthError {
  static override readonly code = 'invalid_redirect_uri';
  static override readonly status = 400;
}
/** RFC 7591 §3.2.2. */
export class InvalidClientMetadata extends OAuthError {
  static override readonly code = 'invalid_client_metadata';
  static override readonly status = 400;
}
/** RFC 7591 §3.2.2. */
export class UnapprovedSoftwareStatement extends OAuthError {
  static override readonly code = 'unapproved_software_statement';
  static override readonly status = 400;
}
/** Too many attempts, with Retry-After. To a device that polls too often 400 (RFC 8628 §3.5). */
export class SlowDown extends OAuthError {
  static override readonly code = 'slow_down';
  static override readonly status = 429;
  override readonly status: number;
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, description?: string, status: 400 | 429 = 429) {
    const headers = { 'retry-after': String(retryAfterSeconds) };
    if (description === undefined) super(...inEveryLanguage(tooManyAttempts(retryAfterSeconds), { headers }));
    else super(description, { headers });
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
/** RFC 6749 §4.1.2.1: an outage of ours, never the client's fault. */
export class TemporarilyUnavailable extends OAuthError {
  static override readonly code = 'temporarily_unavailable';
  static override readonly status = 503;
  constructor(description?: string, options: Options = {}) {
    const later = { ...options, headers: { 'retry-after': '2', ...options.headers } };
    if (description === undefined)
      super(...inEveryLanguage(later.told ?? 'errors.service_unavailable', later));
    else super(description, later);
  }
}
/** RFC 6749 §4.1.2.1. */
export class ServerError extends OAuthError {
  static override readonly code = 'server_error';
  static override readonly status = 500;
  constructor(description?: string, options: Options = {}) {
    if (description === undefined) super(...inEveryLanguage('errors.wrong_lead', options));
    else super(description, options);
  }
}

/** The combination of method and API does not exist: 404 on every address under it. */
export class UnknownIssuer extends Error {
  override name = 'UnknownIssuer';
}
/** The same for an address that exists only with a setting, which the message names. */
export class SwitchedOff extends UnknownIssuer {
  override name = 'SwitchedOff';
}

/** The form is another site's, another browser's or out of date: 403, and nothing has happened. */
export class ForgedForm extends Error {
  override name = 'ForgedForm';
}
