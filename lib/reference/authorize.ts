/** Area B: the authorize endpoint (RFC 6749 §4.1, RFC 7636, RFC 9207), by GET and by POST. */
import {
  curl,
  type EndpointSource,
  exampleIssuer,
  issuerPath,
  type SourceError,
  type SourceParameter,
} from './endpoint.ts';
import { issuerParameters, unavailable, unknownCombination } from './shared.ts';

/** The pair of RFC 7636 appendix B, so that the commands of the page work together. */
const exampleChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const requestParameters: Omit<SourceParameter, 'in'>[] = [
  { name: 'client_id', required: 'yes', description: "The client's identifier." },
  {
    name: 'response_type',
    required: 'yes',
    description: 'Always `code`.',
    schema: { type: 'string', const: 'code' },
  },
  {
    name: 'redirect_uri',
    required: 'where the API requires it, or the client has several',
    description:
      'Where the browser goes afterwards: exactly one of the registered addresses, character by character. For native clients a loopback IP address matches on any port (RFC 8252).',
    schema: { type: 'string', format: 'uri' },
  },
  {
    name: 'scope',
    required: 'where the API requires it',
    description: "Space-separated scopes. Where it may be left out, that means all of the API's scopes.",
  },
  {
    name: 'code_challenge',
    required: 'public clients',
    description:
      'BASE64URL(SHA256(ASCII(code_verifier))): 43 base64url characters, no padding. Recommended for confidential clients too.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
  },
  {
    name: 'code_challenge_method',
    required: 'with code_challenge',
    description: 'Always `S256`.',
    schema: { type: 'string', const: 'S256' },
  },
  {
    name: 'state',
    required: 'no',
    description:
      'Anything of yours, at most 2,048 bytes. It comes back untouched: compare it, to know that the answer belongs to your request.',
    schema: { type: 'string', maxLength: 2048 },
  },
  {
    name: 'prompt',
    required: 'no',
    description:
      '`none`: answer at once with a code or an error, and show nothing (silent renewal; send a fresh code_challenge). `login`: sign in again. `consent`: ask for consent again.',
    schema: { type: 'string' },
  },
  {
    name: 'max_age',
    required: 'no',
    description: 'Sign in again if the last sign-in is more than this many seconds old.',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'login_hint',
    required: 'no',
    description: 'The e-mail address or username to start the sign-in form with; a broker is told it too.',
  },
  {
    name: 'response_mode',
    required: 'no',
    description: '`query`, which is also the default.',
    schema: { type: 'string', const: 'query' },
  },
];

function redirected(error: string, when: string): SourceError {
  return { status: '302', error, when, channel: 'redirect' };
}

function page(error: string, when: string): SourceError {
  return { status: '400', error, when, channel: 'page' };
}

const errors: SourceError[] = [
  { ...unknownCombination },
  page(
    'no redirect',
    'client_id is missing, empty or repeated, or redirect_uri is repeated. The page names the parameter.',
  ),
  page(
    'no redirect',
    'The client is unknown or disabled. An HTML page says so; the browser is not sent anywhere.',
  ),
  page('no redirect', 'redirect_uri is missing although the API requires it or the client has several.'),
  page('no redirect', 'redirect_uri is not one that is registered for the client, character by character.'),
  redirected('invalid_request', 'response_type is missing, or a parameter is repeated.'),
  redirected('unsupported_response_type', 'response_type is anything but `code`.'),
  redirected('invalid_request', 'A public client sent no code_challenge or no code_challenge_method.'),
  redirected(
    'invalid_request',
    'code_challenge_method is not `S256`, or code_challenge is not 43 base64url characters.',
  ),
  redirected('invalid_request', 'state is longer than 2,048 bytes. This one answer comes without a state.'),
  redirected(
    'invalid_request',
    'prompt=none with a code_challenge that was used before. Make a fresh one each time.',
  ),
  redirected('invalid_scope', 'A scope is unknown, or none was sent although the API requires it.'),
  redirected('unauthorized_client', 'The client has no approved subscription to the API.'),
  redirected('access_denied', 'The person refused consent.'),
  redirected('login_required', 'prompt=none, and there is no session for this method in this browser.'),
  redirected('consent_required', 'prompt=none, and the person has not consented to these scopes.'),
  redirected('interaction_required', 'prompt=none, and the person is needed for another reason.'),
  redirected(
    'temporarily_unavailable',
    'The database cannot be reached, or the person gave up on a broker that does not answer. Try again later.',
  ),
  {
    status: '429',
    error: 'slow_down',
    when: 'Broker methods only: 3,000 sign-ins from this address (ten times as many from an IPv6 /48) were begun in ten minutes and not finished, or 500 from everywhere in five seconds. A page says so; Retry-After says when to come again.',
    channel: 'page',
  },
  redirected('invalid_request', 'Broker methods only: the request is longer than 8,192 characters.'),
  { ...unavailable, channel: 'page' },
];

const answers = [
  {
    status: '302',
    description:
      'To redirect_uri with `code`, your `state`, and `iss`, which must equal the issuer you asked. The code lives 60 seconds and works once.',
    example:
      'Location: https://shop.example/callback?code=CODE&state=STATE&iss=https%3A%2F%2Fauth.example%2Fauth%2Flocal%2Fapi%2Forders',
    location: 'redirect_uri with code, state and iss; or with error, error_description, state and iss.',
  },
  {
    status: '303',
    description:
      'To the sign-in or consent page, or to the broker of a broker method, where the person is needed and prompt is not `none`.',
    location: 'The hosted sign-in or consent page, or the broker.',
  },
];

const description =
  "Open it in the person's browser. Checked in this order: the combination (404), the client and redirect_uri (400, a page and never a redirect), then everything else (a redirect with `error`, `state` and `iss`). Trusted subscriptions need no consent; otherwise a remembered consent that covers the scopes is enough, except for native clients, whose people are asked each time. An unknown parameter is ignored, request and request_uri too; an empty one counts as absent.";

export const authorizeEndpoints: EndpointSource[] = [
  {
    id: 'authorize',
    area: 'B',
    method: 'GET',
    path: `${issuerPath}/authorize`,
    summary: 'Send the person here to get a code',
    description,
    parameters: [
      ...issuerParameters,
      ...requestParameters.map((parameter): SourceParameter => ({ ...parameter, in: 'query' })),
    ],
    answers,
    errors,
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/authorize?response_type=code&client_id=CLIENT_ID&redirect_uri=REDIRECT_URI&state=STATE&code_challenge=${exampleChallenge}&code_challenge_method=S256`,
        '-i',
      ),
  },
  {
    id: 'authorize-post',
    area: 'B',
    method: 'POST',
    path: `${issuerPath}/authorize`,
    summary: 'The same, with the parameters in a form',
    description:
      'For clients that rather post a form. The parameters are those of GET, form-encoded, at most 8,192 bytes. The answer is 303 to the GET address, which alone reads the session and reports every other error.',
    parameters: [
      ...issuerParameters,
      ...requestParameters.map((parameter): SourceParameter => ({ ...parameter, in: 'body' })),
    ],
    answers: [
      {
        status: '303',
        description: 'To the same request as a GET.',
        location: 'The GET authorize address with the same parameters.',
      },
    ],
    errors: [
      { ...unknownCombination },
      page('no redirect', 'The body is not a form, is malformed, or is longer than 8,192 bytes.'),
      { ...unavailable, channel: 'page' },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/authorize`,
        '-i',
        '-d response_type=code',
        '-d client_id=CLIENT_ID',
        "--data-urlencode 'redirect_uri=REDIRECT_URI'",
        '-d state=STATE',
        `-d code_challenge=${exampleChallenge}`,
        '-d code_challenge_method=S256',
      ),
  },
];
