// OAuth errors and the type of an endpoint declaration: parameters, responses, errors.

import { z } from 'zod';
import { type Told, tooManyAttempts } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import type { CodeRefusal } from '#lib/store/hot/codes.ts';
import type { RefreshRefusal } from '#lib/store/hot/refresh-tokens.ts';
import type { SnapshotSubscription } from '#lib/store/snapshot.ts';
import type { AssertionFault } from '#lib/tokens/client-assertion.ts';
import type { ResourceFault } from '#lib/tokens/dpop.ts';
import type { IdJagFault } from '#lib/tokens/id-jag.ts';

// Every OAuth error of the service, with one class for each `error` code in responses. Other files throw these errors.
// `description` is for the developer of the client (RFC 6749 §5.2: printable ASCII without quote and backslash).
// `cause` is logged and never sent.

/** Reason for a rejected request, which the client’s developer sees and the client does not. */
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

type Options = {
  cause?: unknown;
  headers?: Record<string, string>;
  reason?: RefusalReason | null;
  /** translatable description for pages */
  told?: Told;
  /**
   * true: the attempt was already counted by the statement that confirms the registry, so a retry would count it twice
   */
  counted?: boolean;
};

/** Returns the arguments of an error whose description is in English, and whose message for pages is translatable. */
const inEveryLanguage = (message: Told, options: Options): [string, Options] => [
  wordsOf('en').told(message),
  { ...options, told: message },
];

export abstract class OAuthError extends Error {
  /** `error` code in responses, such as `invalid_request` */
  static readonly code: string;
  /** HTTP status of a JSON answer */
  static readonly status: number;
  readonly code: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly reason: RefusalReason | null;
  readonly counted: boolean;
  /** message for a page */
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

/**
 * RFC 6749 §4.1.2.1, §5.2: a parameter is missing, repeated or malformed. The HTTP status is more specific if HTTP has
 * one for the fault.
 */
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
/** RFC 6749 §5.2: the code, the refresh token or the password is invalid. */
export class InvalidGrant extends OAuthError {
  static override readonly code = 'invalid_grant';
  static override readonly status = 400;
}
/** RFC 6749 §5.2: the client lacks permission. */
export class UnauthorizedClient extends OAuthError {
  static override readonly code = 'unauthorized_client';
  static override readonly status = 400;
}
/** Unsupported grant type (RFC 6749 §5.2). */
export class UnsupportedGrantType extends OAuthError {
  static override readonly code = 'unsupported_grant_type';
  static override readonly status = 400;
}
/** Unsupported response type (RFC 6749 §4.1.2.1). */
export class UnsupportedResponseType extends OAuthError {
  static override readonly code = 'unsupported_response_type';
  static override readonly status = 400;
}
/** Invalid scope (RFC 6749 §3.3, §5.2). */
export class InvalidScope extends OAuthError {
  static override readonly code = 'invalid_scope';
  static override readonly status = 400;
}
/** RFC 6749 §4.1.2.1: the user denied consent, or may not use the client. */
export class AccessDenied extends OAuthError {
  static override readonly code = 'access_denied';
  static override readonly status = 400;
}
/** The user must sign in (OpenID Connect Core §3.1.2.6). */
export class LoginRequired extends OAuthError {
  static override readonly code = 'login_required';
  static override readonly status = 400;
}
/** The user must interact with a page (OpenID Connect Core §3.1.2.6). */
export class InteractionRequired extends OAuthError {
  static override readonly code = 'interaction_required';
  static override readonly status = 400;
}
/** OpenID Connect Core Error Code unmet_authentication_requirements 1.0 §2: no available sign-in is strong enough. */
export class UnmetAuthenticationRequirements extends OAuthError {
  static override readonly code = 'unmet_authentication_requirements';
  static override readonly status = 400;
}
/** The user must consent (OpenID Connect Core §3.1.2.6). */
export class ConsentRequired extends OAuthError {
  static override readonly code = 'consent_required';
  static override readonly status = 400;
}
/** The parameter `request` is unsupported (OpenID Connect Core §3.1.2.6). */
export class RequestNotSupported extends OAuthError {
  static override readonly code = 'request_not_supported';
  static override readonly status = 400;
}
/** The parameter `request_uri` is unsupported (OpenID Connect Core §3.1.2.6). */
export class RequestUriNotSupported extends OAuthError {
  static override readonly code = 'request_uri_not_supported';
  static override readonly status = 400;
}
/** OpenID Connect Core §3.1.2.6: the pushed request (RFC 9126 §7.3) was used already or has expired. */
export class InvalidRequestUri extends OAuthError {
  static override readonly code = 'invalid_request_uri';
  static override readonly status = 400;
  constructor() {
    const description = 'request_uri was already used, or has expired. Push the request again.';
    super(description, { told: 'errors.pushed_request' });
  }
}
/** The parameter `registration` is unsupported (OpenID Connect Core §3.1.2.6). */
export class RegistrationNotSupported extends OAuthError {
  static override readonly code = 'registration_not_supported';
  static override readonly status = 400;
}
/** The access token is invalid (RFC 6750 §3.1). */
export class InvalidToken extends OAuthError {
  static override readonly code = 'invalid_token';
  static override readonly status = 401;
}
/** The access token lacks a scope (RFC 6750 §3.1). */
export class InsufficientScope extends OAuthError {
  static override readonly code = 'insufficient_scope';
  static override readonly status = 403;
}
/** RFC 9470 §3: the sign-in is weaker or older than the resource allows. */
export class WeakSignIn extends OAuthError {
  static override readonly code = 'insufficient_user_authentication';
  static override readonly status = 401;
}
/** The requested resource or audience is not valid (RFC 8693 §2.2.2, RFC 8707 §2). */
export class InvalidTarget extends OAuthError {
  static override readonly code = 'invalid_target';
  static override readonly status = 400;
}
/** A redirect URI is invalid (RFC 7591 §3.2.2). */
export class InvalidRedirectUri extends OAuthError {
  static override readonly code = 'invalid_redirect_uri';
  static override readonly status = 400;
}
/** The client metadata is invalid (RFC 7591 §3.2.2). */
export class InvalidClientMetadata extends OAuthError {
  static override readonly code = 'invalid_client_metadata';
  static override readonly status = 400;
}
/** The software statement is not approved (RFC 7591 §3.2.2). */
export class UnapprovedSoftwareStatement extends OAuthError {
  static override readonly code = 'unapproved_software_statement';
  static override readonly status = 400;
}
/**
 * The caller made too many attempts. The response contains Retry-After. A device that polls too often receives 400
 * (RFC 8628 §3.5).
 */
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
/** RFC 6749 §4.1.2.1: an outage of Gatehouse, never the client’s fault. */
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
/** Unexpected error (RFC 6749 §4.1.2.1). */
export class ServerError extends OAuthError {
  static override readonly code = 'server_error';
  static override readonly status = 500;
  constructor(description?: string, options: Options = {}) {
    if (description === undefined) super(...inEveryLanguage('errors.wrong_lead', options));
    else super(description, options);
  }
}

/** Thrown for an unknown combination of method and API: every address under it returns 404. */
export class UnknownIssuer extends Error {
  override name = 'UnknownIssuer';
}
/** Thrown if a setting disables the address. The message names the setting. */
export class SwitchedOff extends UnknownIssuer {
  override name = 'SwitchedOff';
}

/**
 * Thrown for a form that came from another site, belongs to another browser, or is outdated. The response has status
 * 403, and the form has no effect.
 */
export class ForgedForm extends Error {
  override name = 'ForgedForm';
}

// Errors of a DPoP proof (RFC 9449). The token endpoint returns 400; a resource returns 401 with a challenge.

/** Invalid proof (RFC 9449 §5; at a resource §7.1). */
export class InvalidDpopProof extends OAuthError {
  static override readonly code = 'invalid_dpop_proof';
  static override readonly status = 400;
  override readonly status: number;
  constructor(description: string, options: Options & { status?: 400 | 401 } = {}) {
    super(description, options);
    this.status = options.status ?? 400;
  }
}
/** The proof needs a nonce (RFC 9449 §8; at resources §9). A retry with this nonce in the proof succeeds. */
export class UseDpopNonce extends OAuthError {
  static override readonly code = 'use_dpop_nonce';
  static override readonly status = 400;
  override readonly status: number;
  constructor(nonce: string, options: Options & { status?: 400 | 401 } = {}) {
    const headers = { 'dpop-nonce': nonce, ...options.headers };
    super('Send the request again, with the nonce from the DPoP-Nonce header in its proof.', {
      ...options,
      headers,
    });
    this.status = options.status ?? 400;
  }
}

// Errors for a polling device, in addition to `slow_down` and `access_denied` (RFC 8628 §3.5).

/** The person has not decided yet. */
export class AuthorizationPending extends OAuthError {
  static override readonly code = 'authorization_pending';
  static override readonly status = 400;
}

/** The device code has expired. */
export class ExpiredToken extends OAuthError {
  static override readonly code = 'expired_token';
  static override readonly status = 400;
}

/** True if the client should poll again. The rejection is then not logged. */
export const isWaiting = (error: unknown): boolean =>
  error instanceof AuthorizationPending || (error instanceof SlowDown && error.status === 400);

// Authorize requests without a valid client or redirect URI (RFC 6749 §4.1.2.1).

/**
 * Thrown if a redirect is impossible: a page with status 400 informs the user, and shows the developer the faulty
 * parameter.
 */
export class UnidentifiedRequest extends Error {
  override name = 'UnidentifiedRequest';
  readonly told: Told;
  readonly forDeveloper: string | null;
  constructor(message: Told, forDeveloper: string | null = null) {
    super(wordsOf('en').told(message));
    this.told = message;
    this.forDeveloper = forDeveloper;
  }
}

/**
 * Thrown if the request_uri belongs to another client or service, so there is no verified redirect URI for the
 * error.
 */
export class UnusableRequestUri extends UnidentifiedRequest {
  override name = 'UnusableRequestUri';
  constructor(why: string) {
    super('errors.pushed_request', `invalid_request_uri: ${why}`);
  }
}

// Parameters and responses of an endpoint, declared next to its handler: parameters and bodies as zod shapes, errors by
// class. The documentation, the OpenAPI document and tests read this declaration.
// lib/oauth/documented-errors.db.test.ts requests every error.

export type DeclaredError = {
  status: number;
  /** error code in the response; `no redirect`: a page without a code, `no body`: an empty response */
  error: string;
  when: string;
  /**
   * form of the error: `json`: a JSON body, or a page for browsers; `page`: an HTML page; `redirect`: to the client;
   * `validation`: 422 of the endpoints for brokers; `empty`: no body
   */
  as: 'json' | 'page' | 'redirect' | 'validation' | 'empty';
};

export type Declaration = {
  path?: z.ZodObject;
  query?: z.ZodObject;
  header?: z.ZodObject;
  body?: z.ZodObject;
  /** media types of the body; default: form and JSON */
  bodyTypes?: readonly string[];
  /** bodies of 200 responses, by OpenAPI schema name */
  answers: Readonly<Record<string, z.ZodType>>;
  errors: readonly DeclaredError[];
  /** alternative OpenAPI security schemes: each one is sufficient, and an empty object means that none is required */
  security?: readonly Readonly<Record<string, readonly string[]>>[];
};

/** Code and status of an OAuthError subclass. */
type ErrorClass = { readonly code: string; readonly status: number };

function refusal(kind: ErrorClass, when: string, status = kind.status): DeclaredError {
  return { status, error: kind.code, when, as: 'json' };
}

/** Declares one error, with one sentence for each cause. */
export function refuses(kind: ErrorClass, causes: readonly string[], status?: number): DeclaredError[] {
  return causes.map((when) => refusal(kind, when, status));
}

/** Like `refuses`, for errors that redirect to the client. */
export function redirects(kind: ErrorClass, causes: readonly string[]): DeclaredError[] {
  return causes.map((when) => ({ status: 302, error: kind.code, when, as: 'redirect' }));
}

/** Like `refuses`, for errors on an HTML page. */
export function showsPage(kind: ErrorClass, causes: readonly string[]): DeclaredError[] {
  return causes.map((when) => ({ status: kind.status, error: kind.code, when, as: 'page' }));
}

/** Declares an HTML page without an error code. The client receives no response. */
export const plainPage = (status: number) => ({ status, code: 'no redirect' });

/** Declares the errors of all issuer addresses that users open in a browser. */
export const issuerPages = (unavailable: string): readonly DeclaredError[] => [
  ...showsPage({ status: 404, code: 'not_found' }, [
    'The authentication method or the API does not exist, or the API does not list this method.',
  ]),
  ...showsPage(plainPage(405), ['The method is neither GET nor POST; `Allow` names both.']),
  ...showsPage(TemporarilyUnavailable, [unavailable]),
  ...showsPage(ServerError, ['An internal error. Report the request id on the page.']),
];

/** Error for a GET request with side effects that a browser sends only to prefetch the page. */
export const prefetched: DeclaredError = {
  status: 403,
  error: 'no body',
  when: 'A browser prefetches the link (`Sec-Purpose: prefetch`). Nothing is used up.',
  as: 'empty',
};

/** Schema for the id of an authentication method or API. */
export const identifier = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/);

/** Parameters in the path of every address under an issuer. */
export const issuerPath = z.object({
  auth_method_id: identifier.describe(
    "The authentication method, for example `local`. The API's page lists the valid ones.",
  ),
  api_id: identifier.describe('The API the tokens are for, for example `orders`.'),
});

/** Members of a request body that contain the client's credentials. */
export const clientBody = {
  client_id: requiredOf(
    z.string(),
    'unless HTTP Basic or an assertion contains it',
    "The client's identifier.",
  ),
  client_secret: requiredOf(
    z.string(),
    'confidential clients',
    'The client secret, in the body or by HTTP Basic, never both. Public clients and clients with `private_key_jwt` send none.',
  ),
  client_assertion_type: requiredOf(
    z.string(),
    'with client_assertion',
    '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
  ),
  client_assertion: requiredOf(
    z.string(),
    'for clients with private_key_jwt',
    'A JWT signed by the client (RFC 7523): `iss` and `sub` are its client_id, `aud` is the issuer as one string, `exp` is at most ten minutes ahead, `jti` works once. At most 8,192 characters.',
  ),
};

/** Request header that contains the client's credentials (RFC 6749 §2.3.1). */
export const clientHeader = z.object({
  Authorization: optional(
    z.string(),
    'HTTP Basic with client_id and client_secret, each form-encoded first (RFC 6749 §2.3.1), instead of client_secret in the body.',
  ),
});

/** Headers of every endpoint that issues access tokens. */
export const tokenHeader = clientHeader.extend({
  DPoP: requiredOf(
    z.string(),
    'for clients with dpop_bound_access_tokens, and for all clients at an API with dpop: required',
    'A proof of the key that the access token is bound to (RFC 9449 §4): a JWT for this one request, at most 4,096 characters.',
  ),
});

/** DPoP errors of every endpoint that issues access tokens. */
export const proofErrors: readonly DeclaredError[] = [
  refusal(
    InvalidDpopProof,
    'The DPoP proof is not valid for this request (RFC 9449 §4.3). Nothing is used up.',
  ),
  refusal(
    UseDpopNonce,
    'The API requires a nonce in the DPoP proof, or the proof is not fresh. Send the request again with the nonce from `DPoP-Nonce`. Nothing is used up.',
  ),
];

export const missingProof = refusal(
  InvalidDpopProof,
  'The DPoP proof is missing, and tokens are bound to a key: the client has dpop_bound_access_tokens, or the API has dpop: required. Nothing is used up.',
);

/** OpenAPI security: confidential clients authenticate, and public clients send only their id. */
export const byClient = [{ clientBasic: [] }, {}];

export const unknownIssuer: DeclaredError = {
  status: 404,
  error: 'not_found',
  when: 'The authentication method or the API does not exist, or the API does not list this method. The response is JSON, or an HTML page for a browser.',
  as: 'json',
};

export const methodNotAllowed = refusal(
  InvalidRequest,
  'The method is not one of those in the `Allow` header of this response.',
  405,
);

export const unavailable = refusal(
  TemporarilyUnavailable,
  'The database cannot be reached or the service is overloaded. Keep your tokens and try again.',
);

export const broken = refusal(
  ServerError,
  'An internal error. Report the `request_id`, under which the log has the cause.',
);

export const bodyTooLarge = refusal(InvalidRequest, 'The body is larger than 64 KiB.', 413);

/** Errors of every endpoint to which a client posts parameters. */
export const bodyErrors: readonly DeclaredError[] = [
  refusal(
    InvalidRequest,
    'The body is unreadable, its content type is neither application/x-www-form-urlencoded nor application/json, or a parameter is missing, empty or repeated.',
  ),
  bodyTooLarge,
];

/** Errors of every endpoint at which a client authenticates. */
export const credentialErrors: readonly DeclaredError[] = [
  refusal(
    InvalidRequest,
    'The client authenticates in two ways: by HTTP Basic and in the body, or by a secret and an assertion. Or client_id differs between header and body.',
  ),
  refusal(
    SlowDown,
    'Limit of wrong client secrets or assertions: 60 for a client from an address (a /64 for IPv6) in five minutes. `Retry-After` contains the seconds to wait.',
  ),
];

export const badClient = refusal(
  InvalidClient,
  'The client is unknown or disabled, its secret is wrong, missing or sent by a method other than the registered one, its assertion is not accepted, or a public client sends a secret. If HTTP Basic was used, the response contains `WWW-Authenticate`.',
);

export const serviceErrors: readonly DeclaredError[] = [methodNotAllowed, unavailable, broken];
