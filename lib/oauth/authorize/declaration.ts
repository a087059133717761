// What the authorize endpoint takes and answers (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1).
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
    'where the API requires it, or the client has several',
    'Where the browser goes afterwards: exactly one of the registered addresses, character by character. For native clients a loopback IP address, or localhost, matches on any port (RFC 8252).',
  ),
  scope: requiredOf(
    z.string(),
    'where the API requires it',
    "Space-separated scopes. Where it may be left out, that means all of the API's scopes.",
  ),
  code_challenge: requiredOf(
    z.string().regex(CODE_CHALLENGE),
    'public clients, and all at an API with the profile oauth-2.1',
    'BASE64URL(SHA256(ASCII(code_verifier))): 43 base64url characters, no padding. Recommended for confidential clients too.',
  ),
  code_challenge_method: requiredOf(z.literal('S256'), 'with code_challenge', 'Always `S256`.'),
  dpop_jkt: optional(
    z.string(),
    'The SHA-256 thumbprint (RFC 7638) of the key that alone may redeem the code (RFC 9449 §10).',
  ),
  state: optional(
    z.string().max(MAX_STATE_BYTES),
    'Anything of yours, at most 2,048 bytes. It comes back untouched: compare it, to know that the answer belongs to your request.',
  ),
  prompt: optional(
    z.string(),
    '`none`: answer at once with a code or an error, and show nothing (silent renewal; send a fresh code_challenge). `login`: sign in again. `select_account`: the same, for a person who wants to be somebody else. `create`: to make an account, where the method lets people do so; elsewhere like `select_account`. `consent`: ask for consent again.',
  ),
  max_age: optional(z.int().min(0), 'Sign in again if the last sign-in is more than this many seconds old.'),
  acr_values: optional(
    z.string(),
    'How strong the sign-in must be (RFC 9470): classes of `acr_values_supported`, of which the weakest is enough. Those that are not known are left out. The person proves a second factor, or sets one up.',
  ),
  login_hint: optional(
    z.string(),
    'The e-mail address or username to start the sign-in form with; a broker is told it too.',
  ),
  ui_locales: optional(
    z.string(),
    'Space-separated language tags for the pages that the person meets, the best first: those of `ui_locales_supported`, or close to one. Others are left out.',
  ),
  response_mode: optional(
    z.enum(['query', 'form_post']),
    '`query`, which is also the default, or with the scope `openid` `form_post`: the answer is posted to redirect_uri by a page of ours.',
  ),
  nonce: optional(
    z.string(),
    'With the scope `openid`: comes back in the ID token, exactly as it was sent; at most 2,048 bytes.',
  ),
  claims: optional(
    z.string(),
    'With the scope `openid`: claims one by one, as JSON (OpenID Connect Core §5.5). Those that are not known are left out.',
  ),
  id_token_hint: optional(
    z.string(),
    'With the scope `openid`: an ID token of this issuer. Nobody but its person is signed in by this request; it may have expired.',
  ),
  resource: optional(
    z.url(),
    'The API that the tokens are for (RFC 8707): its url, or the origin of that. An issuer is of one API, so it changes nothing; several are taken where each names it.',
  ),
  issuer_host: optional(
    z.string(),
    'Set by this service alone, where the request began at the host that the issuer has of its own: then `iss` is that host. Anything else is ignored.',
  ),
  request: optional(z.string(), 'Not supported: answered by `request_not_supported`.'),
  request_uri: optional(
    z.string(),
    'What pushing the request has given (RFC 9126), with client_id: everything else beside it is ignored. Other addresses are not supported: `request_uri_not_supported`.',
  ),
  registration: optional(z.string(), 'Not supported: answered by `registration_not_supported`.'),
});

/** Every parameter of an authorize request that the server reads. */
export const AUTHORIZE_PARAMETERS: readonly string[] = Object.keys(authorizeParameters.shape);

const pages = issuerPages(
  'The database cannot be reached, the service is overloaded, or the broker of the method does not answer. Try again.',
);

export const authorizeDeclaration: Declaration = {
  path: issuerPath,
  query: authorizeParameters,
  answers: {},
  errors: [
    ...showsPage(plainPage(400), [
      'client_id is missing, empty or repeated, or redirect_uri is repeated. The page names the parameter.',
      'The client is unknown or disabled. An HTML page says so; the browser is not sent anywhere.',
      'redirect_uri is missing although the API requires it or the client has several.',
      'redirect_uri is not one that is registered for the client, character by character.',
      'The query cannot be read: a malformed percent escape, or more than 100 parameters.',
      'The document at client_id is not one of a client, or its address may not be asked. The page says what is wrong with it.',
      'request_uri is of a pushed request and is repeated or was changed, or the request was pushed at another address or by another client. The page says `invalid_request_uri`.',
    ]),
    ...showsPage(plainPage(403), [
      'client_id is the address of a document, and its client is not on the list of the API, was rejected, is suspended, revoked or blocked, or too many wait already. A page says so in plain words.',
    ]),
    ...showsPage(plainPage(503), [
      'client_id is the address of a document, and its host does not answer, or was asked too often. Retry-After says when to come again.',
    ]),
    ...redirects(InvalidRequest, [
      'response_type is missing, or a parameter other than resource is repeated.',
      'A public client, or any client at an API with the profile oauth-2.1, sent no code_challenge or no code_challenge_method.',
      'code_challenge_method is not `S256`, or code_challenge is not 43 base64url characters.',
      'state is longer than 2,048 bytes. This one answer comes without a state.',
      'prompt=none with a code_challenge that was used before. Make a fresh one each time.',
      'prompt, max_age, response_mode, nonce, claims or id_token_hint has a value that is not described above.',
      'The client has to push its requests first (`require_pushed_authorization_requests`), and this one was not pushed.',
      'Broker methods only: the request is longer than 8,192 characters.',
    ]),
    ...redirects(UnsupportedResponseType, ['response_type is anything but `code`.']),
    ...redirects(RequestNotSupported, ['A request object was sent with the scope `openid`.']),
    ...redirects(RequestUriNotSupported, ['A request object was sent by reference with the scope `openid`.']),
    ...redirects(InvalidRequestUri, [
      'A code was given for the pushed request before, or the 90 seconds of its request_uri are over. They count at the first visit only.',
    ]),
    ...redirects(RegistrationNotSupported, ['The parameter registration was sent with the scope `openid`.']),
    ...redirects(InvalidScope, ['A scope is unknown, or none was sent although the API requires it.']),
    ...redirects(InvalidTarget, [
      'resource names another API than the one of this issuer, has a fragment, or is no absolute URI; one of them, where there are several.',
    ]),
    ...redirects(UnauthorizedClient, ['The client has no approved subscription to the API.']),
    ...redirects(AccessDenied, [
      'The person refused consent, or cancelled the sign-in.',
      'The client is for people with a certain claim, and whoever signed in is none of them: on the way back from the page that says so, with prompt=none at once.',
    ]),
    ...redirects(UnmetAuthenticationRequirements, [
      'claims asks for an essential acr that no sign-in here has.',
      'The API, a scope, acr_values or claims needs a second factor that the person does not have and may not set up.',
    ]),
    ...redirects(LoginRequired, [
      'prompt=none, and there is no session for this method in this browser, or it is older than max_age or of somebody else than id_token_hint names.',
      'prompt=none, and the person has to prove a second factor first, or to set one up.',
      'The person who signed in is not the one of id_token_hint, or of the sub that claims names.',
    ]),
    ...redirects(ConsentRequired, ['prompt=none, and the person has not consented to these scopes.']),
    ...redirects(InteractionRequired, [
      'prompt=none from a native client whose redirect_uri any program on the machine can receive (RFC 8252 §8.6).',
    ]),
    ...redirects(TemporarilyUnavailable, [
      'The database cannot be reached, or the person gave up on a broker that does not answer. Try again later.',
    ]),
    ...redirects(ServerError, ['A fault of ours, after client and redirect_uri were found right.']),
    ...showsPage(plainPage(403), [
      'The person is needed, and the request came from a frame of another page. Nobody signs in or consents in a frame.',
    ]),
    ...showsPage(SlowDown, [
      'Broker methods only: 3,000 sign-ins from this address (ten times as many from an IPv6 /48) were begun in ten minutes and not finished, or 500 from everywhere in five seconds. A page says so; Retry-After says when to come again.',
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
      'The body is not a form, is malformed, or is longer than 8,192 bytes beside its id_token_hint.',
    ]),
    ...pages,
  ],
};
