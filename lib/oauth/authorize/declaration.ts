// Parameters and responses of the authorize endpoint (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1).
import { z } from 'zod';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import {
  AccessDenied,
  ConsentRequired,
  type Declaration,
  InteractionRequired,
  InvalidRequest,
  InvalidRequestUri,
  InvalidScope,
  InvalidTarget,
  issuerPages,
  issuerPath,
  LoginRequired,
  plainPage,
  prefetched,
  RegistrationNotSupported,
  RequestNotSupported,
  RequestUriNotSupported,
  redirects,
  ServerError,
  SlowDown,
  showsPage,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnmetAuthenticationRequirements,
  UnsupportedResponseType,
} from '../errors.ts';
import { CODE_CHALLENGE } from '../rules.ts';

export const MAX_STATE_BYTES = 2_048;

export const authorizeParameters = z.object({
  client_id: z.string().describe("The client's identifier."),
  response_type: z.literal('code').describe('Always `code`.'),
  redirect_uri: requiredOf(
    z.url(),
    'if the API requires it, or the client has several',
    'The redirect address: exactly one of the registered addresses, compared character by character. For native clients, a loopback IP address or localhost matches on any port (RFC 8252).',
  ),
  scope: requiredOf(
    z.string(),
    'if the API requires it',
    'Space-separated scopes. If the API does not require it, the default is all scopes of the API.',
  ),
  code_challenge: requiredOf(
    z.string().regex(CODE_CHALLENGE),
    'for public clients, and for all clients at an API with the profile oauth-2.1',
    'BASE64URL(SHA256(ASCII(code_verifier))): 43 base64url characters without padding. Recommended for confidential clients as well.',
  ),
  code_challenge_method: requiredOf(z.literal('S256'), 'with code_challenge', 'Always `S256`.'),
  dpop_jkt: optional(
    z.string(),
    'The SHA-256 thumbprint (RFC 7638) of the key that must redeem the code (RFC 9449 §10).',
  ),
  state: optional(
    z.string().max(MAX_STATE_BYTES),
    'Any value, at most 2,048 bytes, returned unchanged. Compare it to make sure that the response belongs to your request.',
  ),
  prompt: optional(
    z.string(),
    '`none`: return a code or an error immediately, without showing a page (silent renewal; send a new code_challenge). `login`: sign in again. `select_account`: sign in again, possibly with another account. `create`: create an account, if the method allows registration; otherwise like `select_account`. `consent`: ask for consent again.',
  ),
  max_age: optional(
    z.int().min(0),
    'Sign in again if the last sign-in is older than this number of seconds.',
  ),
  acr_values: optional(
    z.string(),
    'Required strength of the sign-in (RFC 9470): values of `acr_values_supported`, of which the weakest is sufficient. Unknown values are ignored. The person confirms a second factor, or sets one up.',
  ),
  login_hint: optional(
    z.string(),
    'The email address or username to prefill in the sign-in form. It is also sent to brokers.',
  ),
  ui_locales: optional(
    z.string(),
    'Space-separated language tags for the pages, in order of preference: values of `ui_locales_supported`, or close to one. Others are ignored.',
  ),
  response_mode: optional(
    z.enum(['query', 'form_post']),
    '`query` (the default) or, with the scope `openid`, `form_post`: a page of Gatehouse posts the response to redirect_uri.',
  ),
  nonce: optional(
    z.string(),
    'With the scope `openid`: returned unchanged in the ID token; at most 2,048 bytes.',
  ),
  claims: optional(
    z.string(),
    'With the scope `openid`: individual claims, as JSON (OpenID Connect Core §5.5). Unknown claims are ignored.',
  ),
  id_token_hint: optional(
    z.string(),
    'With the scope `openid`: an ID token of this issuer. Only the person that it names can be signed in by this request. It may have expired.',
  ),
  resource: optional(
    z.url(),
    'The API that the tokens are for (RFC 8707): its url, or the origin of the url. An issuer belongs to one API, so the parameter changes nothing. It can be repeated if each value names that API.',
  ),
  issuer_host: optional(
    z.string(),
    'Set only by this service, if the request began at the own host of the issuer: `iss` is then that host. Other values are ignored.',
  ),
  request: optional(z.string(), 'Not supported: the error is `request_not_supported`.'),
  request_uri: optional(
    z.string(),
    'The request_uri that a pushed request returned (RFC 9126), with client_id. All other parameters are then ignored. Other addresses are not supported: `request_uri_not_supported`.',
  ),
  registration: optional(z.string(), 'Not supported: the error is `registration_not_supported`.'),
});

/** Names of all parameters of an authorize request that the server reads. */
export const AUTHORIZE_PARAMETERS: readonly string[] = Object.keys(authorizeParameters.shape);

const pages = issuerPages(
  'The database cannot be reached, the service is overloaded, or the broker of the method does not respond. Try again.',
);

export const authorizeDeclaration: Declaration = {
  path: issuerPath,
  query: authorizeParameters,
  answers: {},
  errors: [
    ...showsPage(plainPage(400), [
      'client_id is missing, empty or repeated, or redirect_uri is repeated. The page names the parameter.',
      'The client is unknown or disabled. The response is an HTML page, without a redirect.',
      'redirect_uri is missing although the API requires it or the client has several.',
      'redirect_uri is not exactly one of the registered addresses of the client.',
      'The query cannot be read: a malformed percent escape, or more than 100 parameters.',
      'The document at client_id does not describe a client, or its address is not allowed. The page shows the reason.',
      'request_uri of a pushed request is repeated or was changed, or the request was pushed at another address or by another client. The page shows `invalid_request_uri`.',
    ]),
    ...showsPage(plainPage(403), [
      'client_id is the address of a document, and its client is not listed at the API, or is rejected, suspended, revoked or blocked, or too many clients are pending. A page explains the reason.',
    ]),
    ...showsPage(plainPage(503), [
      'client_id is the address of a document, and its host does not respond, or was called too often. `Retry-After` contains the seconds to wait.',
    ]),
    ...redirects(InvalidRequest, [
      'response_type is missing, or a parameter other than resource is repeated.',
      'A public client, or any client at an API with the profile oauth-2.1, sent no code_challenge or no code_challenge_method.',
      'code_challenge_method is not `S256`, or code_challenge is not 43 base64url characters.',
      'state is longer than 2,048 bytes. Only this response contains no state.',
      'prompt=none with a code_challenge that was already used. Create a new one for each request.',
      'prompt, max_age, response_mode, nonce, claims or id_token_hint has a value that is not described above.',
      'The client must push its requests (`require_pushed_authorization_requests`), and this one was not pushed.',
      'Broker methods only: the request is longer than 8,192 characters.',
    ]),
    ...redirects(UnsupportedResponseType, ['response_type is not `code`.']),
    ...redirects(RequestNotSupported, ['A request object was sent with the scope `openid`.']),
    ...redirects(RequestUriNotSupported, ['A request object was sent by reference with the scope `openid`.']),
    ...redirects(InvalidRequestUri, [
      'The pushed request already returned a code, or its request_uri has expired. The limit of 90 seconds applies to the first visit only.',
    ]),
    ...redirects(RegistrationNotSupported, ['The parameter registration was sent with the scope `openid`.']),
    ...redirects(InvalidScope, ['A scope is unknown, or none was sent although the API requires it.']),
    ...redirects(InvalidTarget, [
      'A resource is not the API of this issuer, has a fragment, or is not an absolute URI.',
    ]),
    ...redirects(UnauthorizedClient, ['The client has no approved subscription to the API.']),
    ...redirects(AccessDenied, [
      'The person refused consent, or cancelled the sign-in.',
      'The client is limited to people with a certain claim, and the person who signed in does not have it. A page explains this first, except with prompt=none.',
    ]),
    ...redirects(UnmetAuthenticationRequirements, [
      'claims requests an essential acr that no sign-in method of this issuer reaches.',
      'The API, a scope, acr_values or claims requires a second factor that the person does not have and cannot set up.',
    ]),
    ...redirects(LoginRequired, [
      'prompt=none, and this browser has no session for this method, or the session is older than max_age or belongs to another person than id_token_hint.',
      'prompt=none, and the person must first confirm a second factor or set one up.',
      'The person who signed in is not the one in id_token_hint, or not the sub that claims requests.',
    ]),
    ...redirects(ConsentRequired, ['prompt=none, and the person has not consented to these scopes.']),
    ...redirects(InteractionRequired, [
      'prompt=none from a native client with a redirect_uri that any program on the machine can receive (RFC 8252 §8.6).',
    ]),
    ...redirects(TemporarilyUnavailable, [
      'The database cannot be reached, or the person cancelled because the broker does not respond. Try again later.',
    ]),
    ...redirects(ServerError, ['An internal error, after client and redirect_uri were verified.']),
    ...showsPage(plainPage(403), [
      'The request needs a page, and came from a frame of another site. Pages for sign-in and consent are never shown in frames.',
    ]),
    ...showsPage(SlowDown, [
      'Broker methods only. Limit of unfinished sign-ins: 3,000 from an address in ten minutes (30,000 from an IPv6 /48), or 500 in total in five seconds. The response is a page; `Retry-After` contains the seconds to wait.',
    ]),
    prefetched,
    ...pages,
  ],
};

export const authorizePostDeclaration: Declaration = {
  path: issuerPath,
  body: authorizeParameters,
  bodyTypes: ['application/x-www-form-urlencoded'],
  answers: {},
  errors: [
    ...showsPage(plainPage(400), [
      'The body is not a form, is malformed, or is longer than 8,192 bytes, not counting id_token_hint.',
    ]),
    ...pages,
  ],
};
