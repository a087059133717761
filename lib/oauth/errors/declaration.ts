// What an endpoint takes and answers, declared beside its handler: parameters and bodies as zod shapes, errors by
// class. The documentation, the OpenAPI document and tests read it; lib/oauth/endpoints/documented-errors.db.test.ts
// asks for every error.
import { z } from 'zod';
import { demanded, optional } from '#lib/openapi/schema.ts';
import { InvalidDpopProof, UseDpopNonce } from './dpop-errors.ts';
import { InvalidClient, InvalidRequest, ServerError, SlowDown, TemporarilyUnavailable } from './errors.ts';

export type DeclaredError = {
  status: number;
  /** on the wire; `no redirect` for a page without a code, `no body` where there is none */
  error: string;
  when: string;
  /**
   * a JSON body (or a page, where a browser asks), an HTML page, the redirect to the client, Area A's 422, or no body
   */
  as: 'json' | 'page' | 'redirect' | 'validation' | 'empty';
};

export type Declaration = {
  path?: z.ZodObject;
  query?: z.ZodObject;
  header?: z.ZodObject;
  body?: z.ZodObject;
  /** media types of the body; both by default: form and JSON */
  bodyTypes?: readonly string[];
  /** bodies of the 200 answers, by their name in the OpenAPI document */
  answers: Readonly<Record<string, z.ZodType>>;
  errors: readonly DeclaredError[];
  /** OpenAPI security schemes, each of which is enough; an empty object: none is needed */
  security?: readonly Readonly<Record<string, readonly string[]>>[];
};

/** A subclass of OAuthError, as far as its code and status are concerned. */
type ErrorClass = { readonly code: string; readonly status: number };

function refusal(kind: ErrorClass, when: string, status = kind.status): DeclaredError {
  return { status, error: kind.code, when, as: 'json' };
}

/** An error with one sentence for each of its causes. */
export function refuses(kind: ErrorClass, causes: readonly string[], status?: number): DeclaredError[] {
  return causes.map((when) => refusal(kind, when, status));
}

/** The same in the redirect to the client. */
export function redirects(kind: ErrorClass, causes: readonly string[]): DeclaredError[] {
  return causes.map((when) => ({ status: 302, error: kind.code, when, as: 'redirect' }));
}

/** The same on an HTML page. */
export function showsPage(kind: ErrorClass, causes: readonly string[]): DeclaredError[] {
  return causes.map((when) => ({ status: kind.status, error: kind.code, when, as: 'page' }));
}

/** An HTML page without an error code: the client is told nothing. */
export const plainPage = (status: number) => ({ status, code: 'no redirect' });

/** Of every address under an issuer that a person opens in a browser. */
export const issuerPages = (unavailable: string): readonly DeclaredError[] => [
  ...showsPage({ status: 404, code: 'not_found' }, [
    'The authentication method or the API does not exist, or the API does not list this method.',
  ]),
  ...showsPage(plainPage(405), ['The method is neither GET nor POST; `Allow` names both.']),
  ...showsPage(TemporarilyUnavailable, [unavailable]),
  ...showsPage(ServerError, ['A fault of ours. Report the request id on the page.']),
];

/** Of a GET that has an effect. */
export const prefetched: DeclaredError = {
  status: 403,
  error: 'no body',
  when: 'A browser asks before the person has clicked (`Sec-Purpose: prefetch`). Nothing is used up.',
  as: 'empty',
};

/** Of an authentication method or an API. */
export const identifier = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/);

/** The path of every address under an issuer. */
export const issuerPath = z.object({
  auth_method_id: identifier.describe(
    "The authentication method, for example `local`. The API's page lists the valid ones.",
  ),
  api_id: identifier.describe('The API the tokens are for, for example `orders`.'),
});

/** Who the client is, in a body. */
export const clientBody = {
  client_id: demanded(z.string(), 'unless HTTP Basic or an assertion carries it', "The client's identifier."),
  client_secret: demanded(
    z.string(),
    'confidential clients',
    'The client secret, in the body or as HTTP Basic, never both. Neither a public client sends one, nor a client with `private_key_jwt`.',
  ),
  client_assertion_type: demanded(
    z.string(),
    'with client_assertion',
    '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
  ),
  client_assertion: demanded(
    z.string(),
    'clients with private_key_jwt',
    'A JWT that the client has signed (RFC 7523): `iss` and `sub` are its client_id, `aud` is the issuer as one string, `exp` is at most ten minutes ahead, `jti` works once. 8,192 characters at the most.',
  ),
};

/** The same in a header (RFC 6749 §2.3.1). */
export const clientHeader = z.object({
  Authorization: optional(
    z.string(),
    'HTTP Basic with client_id and client_secret, each form-encoded first (RFC 6749 §2.3.1), instead of client_secret in the body.',
  ),
});

/** Of every endpoint that gives access tokens. */
export const tokenHeader = clientHeader.extend({
  DPoP: demanded(
    z.string(),
    'clients with dpop_bound_access_tokens, and all at an API with dpop: required',
    'A proof of the key that the access token is bound to (RFC 9449 §4): a JWT for this one request, 4,096 characters at the most.',
  ),
});

/** Of every endpoint that gives access tokens. */
export const proofErrors: readonly DeclaredError[] = [
  refusal(
    InvalidDpopProof,
    'The DPoP proof is not good for this request (RFC 9449 §4.3). Nothing is used up.',
  ),
  refusal(
    UseDpopNonce,
    'The API asks for a nonce in the DPoP proof, or the proof is not of now: send the request again with the nonce of `DPoP-Nonce`. Nothing is used up.',
  ),
];

export const missingProof = refusal(
  InvalidDpopProof,
  'No DPoP proof came, and tokens are bound to a key: the client has dpop_bound_access_tokens, or the API says dpop: required. Nothing is used up.',
);

/** A confidential client authenticates; a public one only says who it is. */
export const byClient = [{ clientBasic: [] }, {}];

export const unknownIssuer: DeclaredError = {
  status: 404,
  error: 'not_found',
  when: 'The authentication method or the API does not exist, or the API does not list this method. Answered with JSON, or with an HTML page where a browser asks.',
  as: 'json',
};

export const methodNotAllowed = refusal(
  InvalidRequest,
  'The method is not one of those in the `Allow` header of this answer.',
  405,
);

export const unavailable = refusal(
  TemporarilyUnavailable,
  'The database cannot be reached or the service is overloaded. Keep your tokens and try again.',
);

export const broken = refusal(
  ServerError,
  'A fault of ours. Report the `request_id`; the log holds the cause under it.',
);

export const bodyTooLarge = refusal(InvalidRequest, 'The body is larger than 64 KiB.', 413);

/** Of every endpoint that a client posts parameters to. */
export const bodyErrors: readonly DeclaredError[] = [
  refusal(
    InvalidRequest,
    'The body is unreadable, its content type is neither application/x-www-form-urlencoded nor application/json, or a parameter is missing or repeated. An empty parameter counts as missing.',
  ),
  bodyTooLarge,
];

/** Of every endpoint at which a client authenticates. */
export const credentialErrors: readonly DeclaredError[] = [
  refusal(
    InvalidRequest,
    'The client authenticates in two ways: its secret arrives by HTTP Basic and in the body, or beside an assertion; or client_id differs between header and body.',
  ),
  refusal(
    SlowDown,
    'Too many wrong client secrets or assertions: 60 for a client from an address (a /64 for IPv6) in five minutes. `Retry-After` says how many seconds to wait.',
  ),
];

export const badClient = refusal(
  InvalidClient,
  'The client is unknown or disabled, its secret is wrong or missing, or comes another way than the client is registered for, its assertion is not accepted, or a public client sends a secret. Where HTTP Basic was used the answer carries `WWW-Authenticate`.',
);

export const serviceErrors: readonly DeclaredError[] = [methodNotAllowed, unavailable, broken];
