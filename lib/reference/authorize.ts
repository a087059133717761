// The authorize endpoint, by GET and by POST.
import { curl, exampleIssuer, ISSUER, type Prose } from './endpoint.ts';

/** RFC 7636 appendix B; its verifier is in the command of the token endpoint. */
const exampleChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

export const authorizeEndpoints: Prose[] = [
  {
    id: 'authorize',
    method: 'GET',
    pattern: `${ISSUER}/authorize`,
    summary: 'Send the person here to get a code',
    description:
      "Open it in the person's browser. Checked in this order: the combination (404), the client and redirect_uri (400, a page and never a redirect), then everything else (a redirect with `error`, `state` and `iss`). Trusted subscriptions need no consent; otherwise a remembered consent that covers the scopes is enough, except for native clients, whose people are asked each time. With client_id and the request_uri of a pushed request nothing else is read. An unknown parameter is ignored, request and other request_uris too; an empty one counts as absent.",
    answers: [
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
          'To the sign-in page, the page for a second factor or the consent page, or to the broker of a broker method, where the person is needed and prompt is not `none`.',
        location: 'A hosted page, or the broker.',
      },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/authorize?response_type=code&client_id=CLIENT_ID&redirect_uri=REDIRECT_URI&state=STATE&code_challenge=${exampleChallenge}&code_challenge_method=S256`,
        '-i',
      ),
  },
  {
    id: 'authorize-post',
    method: 'POST',
    pattern: `${ISSUER}/authorize`,
    summary: 'The same, with the parameters in a form',
    description:
      'For clients that rather post a form. The parameters are those of GET, form-encoded, at most 8,192 bytes beside an id_token_hint. The answer is 303 to the GET address, which alone reads the session and reports every other error.',
    answers: [
      {
        status: '303',
        description: 'To the same request as a GET.',
        location: 'The GET authorize address with the same parameters.',
      },
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
  {
    id: 'par',
    method: 'POST',
    pattern: `${ISSUER}/par`,
    summary: 'Push the request first (RFC 9126)',
    description:
      'The client sends the parameters of its authorize request here, from its server or its page, and gets a request_uri: the browser is sent to the authorize address with client_id and request_uri alone, so that nobody on the way reads or changes the request. Clients authenticate as at the token endpoint; public clients send client_id alone. All that the authorize address checks of a request is checked here, and every error is JSON. A request_uri has to be visited within 90 seconds, at the issuer address (path or host) that it was pushed to, and gives one code; signing in may then take as long as it does otherwise. A client with `require_pushed_authorization_requests` may not come to the authorize address otherwise.',
    answers: [
      {
        status: '201',
        description: 'The request is good. Send the browser to the authorize address.',
        example: '{"request_uri":"urn:ietf:params:oauth:request_uri:v1.…","expires_in":90}',
        schema: 'PushedResponse',
      },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/par`,
        '-u CLIENT_ID:CLIENT_SECRET',
        '-d response_type=code',
        "--data-urlencode 'redirect_uri=REDIRECT_URI'",
        '-d state=STATE',
        `-d code_challenge=${exampleChallenge}`,
        '-d code_challenge_method=S256',
      ),
  },
];
