// The sections of docs/reference/errors.md: a heading for each error code, with the endpoints that declare the code,
// and a remedy for each cause. The causes come from the inspector, and the console shows them under Requests.
import { REFUSAL_REASONS } from '#lib/management/inspector.ts';
import {
  FOR_OPERATORS,
  kindOfRefusal,
  OWN_ACCOUNT,
  type RefusedCode,
  type RefusedKind,
  textOfRefusal,
} from '#lib/management/refused.ts';
import { PROBLEM_KINDS } from '#lib/management-api/management-api.ts';
import { declarations } from '#lib/oauth/endpoints.ts';
import type { DeclaredError } from '#lib/oauth/errors.ts';
import { ISSUER } from '#lib/reference/endpoint.ts';

type Cause = readonly [cause: string, remedy: string];
type Section = {
  means: string;
  causes: readonly Cause[];
  /** reasons of the inspector that belong to this code: a complete name, or a prefix with `*` */
  reasons?: readonly string[];
};

const AGAIN = 'Start again at the authorize endpoint.';
const RETRY = 'Wait for the seconds in `Retry-After`, then send the same request again.';
const ONE_VALUE = 'Send each parameter once. Only `resource` can be repeated.';

/** Sections by error code, in alphabetical order of the codes. */
export const ERROR_SECTIONS: Readonly<Record<string, Section>> = {
  access_denied: {
    means: 'The user, or a rule about users, refused the client.',
    causes: [
      [
        'The user pressed _Deny_ or cancelled the sign-in.',
        'Show your own page, and let the user try again.',
      ],
      [
        'The user denied the device.',
        'Stop polling. Ask for a new device code if the user wants to try again.',
      ],
    ],
    reasons: ['person-refused', 'no-auth-time'],
  },
  authorization_pending: {
    means: 'The user has not yet decided about the device. This response is not a failure.',
    causes: [['The user has not yet entered or confirmed the code.', 'Poll again after `interval` seconds.']],
  },
  consent_required: {
    means: 'A request with `prompt=none` needs the consent of the user.',
    causes: [
      [
        'The user has not consented to these scopes, or the client changed since.',
        'Send the user through a visible sign-in once, or request fewer scopes.',
      ],
    ],
  },
  expired_token: {
    means: 'The device code has expired.',
    causes: [
      [
        'The user did not confirm within ten minutes.',
        'Request a new device code, and show the new user code.',
      ],
    ],
  },
  insufficient_scope: {
    means: 'The access token is valid, but lacks a scope.',
    causes: [
      [
        'Userinfo: the token was issued without `openid`.',
        'Add `openid` to `scope` in the authorize request.',
      ],
      [
        'Forward auth: the token lacks a scope that the gateway requires.',
        'Request the scope that `WWW-Authenticate` names. The subscription must allow this scope.',
      ],
    ],
  },
  insufficient_user_authentication: {
    means: 'The token is valid, but the sign-in behind it is too weak or too old (RFC 9470).',
    causes: [
      [
        'The gateway requires an `acr` or a `max_age` that the sign-in does not reach.',
        'Send the user to the authorize endpoint with the `acr_values` and `max_age` of `WWW-Authenticate`.',
      ],
      [
        'The token belongs to a client, without a user.',
        'Use a token that a user signed in for. Machine tokens never satisfy this requirement.',
      ],
    ],
  },
  interaction_required: {
    means: 'A request with `prompt=none` cannot succeed without the user.',
    causes: [
      [
        'A native client has a redirect address that any program on the machine can receive (RFC 8252 §8.6).',
        'Send the user through a visible sign-in, or use the refresh token.',
      ],
    ],
  },
  invalid_client: {
    means: 'The client authentication failed. The response does not reveal which part was wrong.',
    causes: [
      [
        'The `client_id` is unknown.',
        'Copy the `client_id` from the application in the console. Requests of unknown clients are in the log only.',
      ],
      [
        'Introspection: the credential is missing, or belongs to a public client.',
        'Send the credential of the API or of a confidential client.',
      ],
    ],
    reasons: ['client-disabled', 'secret-*', 'assertion-*'],
  },
  invalid_client_metadata: {
    means: 'A registration request contains a member that Gatehouse does not accept (RFC 7591).',
    causes: [
      [
        'A member has a wrong form or value, or two members contradict each other.',
        '`error_description` names the member. Correct this member and register again.',
      ],
      [
        'Gatehouse supports none of the requested values of `grant_types`, `response_types` or `scope`.',
        'Request values that the metadata of the issuer lists.',
      ],
    ],
  },
  invalid_dpop_proof: {
    means:
      'The DPoP proof is missing or does not belong to this request (RFC 9449). The code or token of the request stays valid.',
    causes: [
      [
        'The proof was already used at userinfo or at a gateway.',
        'Create a new proof, with a new `jti`, for each request.',
      ],
      [
        'Forward auth: the gateway does not forward the method and the address of the original request.',
        'Configure the gateway as the [guide](../how-to/gateways.md) shows, and set `TRUST_PROXY`.',
      ],
      [
        'Token exchange: the subject or actor token is bound to a key, and no proof of that key was sent.',
        'Send a proof of that key, or exchange as a confidential client in the `aud` of the token.',
      ],
    ],
    reasons: ['proof-*'],
  },
  invalid_grant: {
    means: 'The code, refresh token, device code, password or assertion cannot be redeemed.',
    causes: [
      [
        'The username or password is wrong, or the user is disabled or has a second factor.',
        'Check the password on the sign-in page. Users with a second factor must sign in through the browser.',
      ],
      [
        'A browser client without DPoP sent a refresh token.',
        'Renew by `prompt=none`, or bind the client to a key ([DPoP](../how-to/bind-tokens-dpop.md)).',
      ],
      [
        'The device code is unknown, was used, or belongs to another client or issuer.',
        'Request a new device code. A device code yields tokens only once.',
      ],
      [
        'The code of a broker was refused, or its `state` is unknown or was used.',
        `${AGAIN} Send the \`state\` that the broker returned.`,
      ],
      ['The issuer of a pending sign-in was deleted.', AGAIN],
    ],
    reasons: ['code-*', 'verifier-*', 'refresh-*', 'jag-*', 'acr-too-low', 'person-refused', 'no-auth-time'],
  },
  invalid_redirect_uri: {
    means: 'A registration request contains a redirect address that is not allowed (RFC 7591).',
    causes: [
      ['`redirect_uris` is missing.', 'Send at least one address.'],
      [
        'An address is not allowed for this type of client.',
        'Use https, a private-use scheme (native clients) or a loopback IP address. `error_description` names the address.',
      ],
    ],
  },
  invalid_request: {
    means: 'The request is malformed: a parameter is missing, repeated or has an impossible value.',
    causes: [
      [
        'The body has another content type than a form or JSON.',
        'Set `Content-Type`, and send the parameters in the body.',
      ],
      ['A parameter is repeated.', ONE_VALUE],
      ['A required parameter is missing or empty.', '`error_description` names the parameter.'],
      ['The body is larger than 64 KiB (413).', 'Send a smaller body. [Limits](limits.md) lists all sizes.'],
      ['The HTTP method is not allowed (405).', 'Use a method of the header `Allow`.'],
      [
        '`code_challenge` is missing, is not 43 base64url characters, or its method is not `S256`.',
        'Send `code_challenge` = BASE64URL(SHA256(verifier)) and `code_challenge_method=S256`.',
      ],
      ['A `code_challenge` was used before with `prompt=none`.', 'Create a new verifier for each request.'],
      [
        '`code_verifier` is not 43 to 128 characters of letters, digits, `.`, `-`, `_` and `~`.',
        'Create the verifier as RFC 7636 §4.1 describes.',
      ],
      [
        '`state` is longer than 2,048 bytes.',
        'Store the data in your application, and send a random key as `state`.',
      ],
      [
        '`prompt`, `max_age`, `response_mode`, `nonce`, `claims` or `id_token_hint` has an unknown value.',
        '`error_description` names the parameter. [OpenID Connect](../how-to/openid-connect.md) lists the values.',
      ],
      [
        'The client must push its requests first.',
        'Send the parameters to `ISSUER/par`, then redirect with `request_uri` ([how](../how-to/push-requests.md)).',
      ],
      [
        'The client authenticated in two ways, or with two different ids.',
        'Send the secret by HTTP Basic or in the body, never both.',
      ],
      [
        'Userinfo: the access token was sent twice.',
        'Send the access token in the header `Authorization`, once.',
      ],
      [
        'Forward auth: `acr`, `max_age` or `scope` in the query of the gateway has an invalid value.',
        'Correct the address in the configuration of the gateway.',
      ],
      [
        'Token exchange: the subject or actor token is expired, revoked, or unknown, or its type is missing.',
        'Renew the token first, and send `subject_token_type`.',
      ],
    ],
    reasons: ['person-refused'],
  },
  invalid_request_uri: {
    means: 'The pushed request can no longer be used.',
    causes: [
      [
        'The `request_uri` is older than 90 seconds at its first use, or a code was already issued for it.',
        'Push the request again.',
      ],
      [
        'The request was pushed by another client or at another issuer.',
        'Push and redirect with the same client and the same issuer. Users see a page, because no redirect is safe.',
      ],
    ],
  },
  invalid_scope: {
    means: 'A scope is unknown or not allowed.',
    causes: [
      [
        'The API does not define the scope.',
        "Copy the scopes from the API's page under `/apis`. Separate scopes by spaces.",
      ],
      ['The API requires `scope`, and the request has no `scope`.', 'Send at least one scope.'],
      [
        'The subscription does not include the scope.',
        'Request a subscription with more scopes in the console.',
      ],
      [
        'A refresh request asks for more than the sign-in granted.',
        'Request the original scope or less. For more, send the user to the authorize endpoint.',
      ],
      [
        'The grant issues no ID token, and `openid` was requested (password, client credentials).',
        'Omit `openid`, or use the authorization code grant.',
      ],
    ],
    reasons: ['jag-scope'],
  },
  invalid_target: {
    means: '`resource` or `audience` does not name an API that this request can reach (RFC 8707).',
    causes: [
      [
        '`resource` names another API than the API of the issuer, has a fragment, or is not an absolute URI.',
        'Send the address of the API as its page shows it, or omit `resource`.',
      ],
      [
        'Token exchange: no API has this address, or the API lacks the sign-in method of the subject token.',
        "Send the API's id or address as `audience`. An administrator can add the method to the API.",
      ],
    ],
    reasons: ['id-jag-audience', 'jag-resource'],
  },
  invalid_token: {
    means: 'The access token, or the registration token, is missing or not valid (RFC 6750).',
    causes: [
      ['The access token has expired.', 'Renew the access token, and repeat the request once.'],
      [
        'The token was revoked: the user signed out or withdrew the consent, or the subscription ended.',
        'Send the user to sign in.',
      ],
      ['The token belongs to another API or issuer.', 'Request a token from an issuer of this API.'],
      [
        'The token is bound to a key, and was sent as a bearer token.',
        'Send `Authorization: DPoP` and a proof ([DPoP](../how-to/bind-tokens-dpop.md)).',
      ],
      [
        'Registration: the registration token is missing or wrong.',
        'Send the value of `REGISTRATION_TOKEN` as a bearer token.',
      ],
    ],
  },
  login_required: {
    means: 'A request with `prompt=none` found no usable session. Other requests show the sign-in page.',
    causes: [
      [
        'The session ended, or the browser blocks third-party cookies.',
        'Send the user through a visible sign-in ([silent renewal](../how-to/renew-silently.md)).',
      ],
      [
        'The session is older than `max_age`, or needs a second factor.',
        'Send the user through a visible sign-in.',
      ],
      [
        'The signed-in user is not the user that `id_token_hint` or `claims` names.',
        'Omit the hint, or let that user sign in.',
      ],
    ],
  },
  not_found: {
    means: 'The address does not exist (404). Browsers see a page.',
    causes: [
      [
        'The sign-in method or the API does not exist, or the API does not list the method.',
        "Copy the issuer from the API's page under `/apis`.",
      ],
      [
        'Registration is disabled.',
        'Set `REGISTRATION_TOKEN` ([settings](settings.md)), or register the client in the console.',
      ],
      [
        'Change of password: no sign-in method stores passwords in Gatehouse.',
        'Change the password at the service that stores the password.',
      ],
    ],
  },
  registration_not_supported: {
    means: 'The parameter `registration` of OpenID Connect is not supported.',
    causes: [['`registration` was sent.', 'Register the client in the console, or at `ISSUER/register`.']],
  },
  request_not_supported: {
    means: 'Request objects are not supported (OpenID Connect Core §6.1, RFC 9101).',
    causes: [['`request` was sent.', 'Send the parameters themselves, or push them to `ISSUER/par`.']],
  },
  request_uri_not_supported: {
    means: 'Request objects by reference are not supported (OpenID Connect Core §6.2).',
    causes: [
      [
        '`request_uri` was sent, but is not the value of a pushed request.',
        'Send the parameters themselves, or push them to `ISSUER/par`.',
      ],
    ],
  },
  server_error: {
    means: 'Gatehouse failed. The request may be correct.',
    causes: [
      [
        'An unexpected failure.',
        'Send the `request_id` to the operator. With this id, the operator finds the failure in the log.',
      ],
    ],
  },
  slow_down: {
    means: 'Too many attempts, or a device polls too fast. `Retry-After` contains the seconds to wait.',
    causes: [
      [
        'Too many wrong passwords for an account or from an address.',
        `${RETRY} Correct passwords do not count towards the limit.`,
      ],
      ['Too many wrong client secrets or assertions.', `${RETRY} Check the secret first.`],
      [
        'A device polled before `interval` seconds had passed (400).',
        'Add 5 seconds to the interval, as RFC 8628 §3.5 requires, then continue.',
      ],
      [
        'Too many devices are waiting for a user.',
        `${RETRY} Do not request a code before the user asks for one.`,
      ],
      [
        'The client has too many valid tokens in its own name.',
        'Reuse each token until it expires. A revoked token no longer counts towards the limit.',
      ],
      ['Too many sign-ins at a broker were started and not finished.', RETRY],
      ['Too many unknown tokens came from one address (forward auth).', `${RETRY} Valid tokens still work.`],
      ['Too many registered clients wait for an approver.', 'Ask an approver of the API to decide.'],
    ],
  },
  temporarily_unavailable: {
    means:
      'A system that Gatehouse depends on does not answer (503). The code or token of the request stays valid.',
    causes: [
      ['The database cannot be reached, or the service is overloaded.', `${RETRY} Keep your tokens.`],
      ['The external verifier, the LDAP directory or the broker does not answer.', RETRY],
      [
        'The host of the document of an unregistered client does not answer.',
        'Serve the document over https at a public address, within 3 seconds.',
      ],
    ],
    reasons: ['keys-unreachable'],
  },
  unapproved_software_statement: {
    means: 'A registration request contains a `software_statement`, and Gatehouse accepts none.',
    causes: [['`software_statement` was sent.', 'Omit `software_statement`.']],
  },
  unauthorized_client: {
    means: 'The client is known, but may not use this API or this grant.',
    causes: [
      [
        'The API does not connect devices.',
        'An administrator sets `device_grant` of the API to `on` ([devices](../how-to/devices.md)).',
      ],
      ['The subscription does not include devices.', 'Request a subscription with `device`.'],
    ],
    reasons: [
      'not-subscribed',
      'subscription-*',
      'not-trusted',
      'not-machine',
      'machine-public',
      'exchange-public',
      'id-jag-not-allowed',
      'jag-public-client',
      'profile-client',
    ],
  },
  unmet_authentication_requirements: {
    means: 'No sign-in of this user can reach the required level.',
    causes: [
      [
        '`claims` contains an essential `acr` that no sign-in at this issuer can have.',
        'Request an `acr` that the metadata lists, or make it voluntary with `acr_values`.',
      ],
      [
        'A second factor is required, and the user has none and may not set one up.',
        'An administrator allows second factors at the method or the API ([guide](../how-to/second-factors.md)).',
      ],
    ],
  },
  unsupported_grant_type: {
    means: 'This issuer does not offer the grant.',
    causes: [
      ['`grant_type` is unknown.', 'Send a value of `grant_types_supported` in the metadata.'],
      [
        'The password grant at a broker, at an API with a profile, or at an API that requires a second factor.',
        'Use the authorization code grant.',
      ],
      [
        'Client credentials at an API without machines, or the device grant at an API without devices.',
        'An approver approves a subscription with `machine: true`, or an administrator sets `device_grant` to `on`.',
      ],
      [
        'An ID-JAG at an issuer whose method is not an OpenID Connect broker.',
        "Use the issuer of the broker's method.",
      ],
    ],
  },
  unsupported_response_type: {
    means: 'Only the authorization code flow is supported.',
    causes: [['`response_type` is not `code`.', 'Send `response_type=code` with PKCE.']],
  },
  use_dpop_nonce: {
    means: 'The DPoP proof needs a nonce (RFC 9449 §8). The code or token of the request stays valid.',
    causes: [
      [
        'The API requires nonces, or `iat` of the proof is not the current time.',
        'Send the request again. The proof must contain the nonce of the header `DPoP-Nonce`.',
      ],
    ],
    reasons: ['proof-nonce', 'proof-time'],
  },
};

/** Entries that are not error codes: responses without one, and validation errors of the broker's callback. */
const WITHOUT_CODE = ['no redirect', 'no body', 'HTTPValidationError'];

type Declared = DeclaredError & { address: string };

const declared: readonly Declared[] = Object.entries(declarations).flatMap(([address, { errors }]) =>
  errors.map((error) => ({ ...error, address })),
);

/** Error codes that the endpoints declare. */
export const declaredCodes: ReadonlySet<string> = new Set(
  declared.map(({ error }) => error).filter((code) => !WITHOUT_CODE.includes(code)),
);

/** Returns a short address, such as `POST ISSUER/token`. All metadata addresses count as one endpoint. */
function shortAddress(address: string): string {
  if (address.includes('/.well-known/o') && address.includes(ISSUER)) return 'the metadata';
  const [method, path = ''] = address.replace(ISSUER, 'ISSUER').split(' ');
  return `\`${method} ${path.replaceAll(/:(\w+)/g, (_, name: string) => `{${name}}`)}\``;
}

function endpointsOf(code: string): string[] {
  const byStatus = Map.groupBy(
    declared.filter(({ error }) => error === code),
    ({ status, as }) =>
      as === 'redirect' ? 'Redirect' : as === 'page' ? `Page with status ${status}` : `Status ${status}`,
  );
  return [...byStatus].map(([status, errors]) => {
    const addresses = [...new Set(errors.map(({ address }) => shortAddress(address)))];
    return `${status}: ${addresses.join(', ')}.`;
  });
}

/** Returns a line such as: `The secret is wrong` (`secret-wrong`), followed by the remedy. */
const causeLine = ([cause, remedy]: Cause, reason?: string) =>
  `- **${cause.replace(/\.$/, '')}**${reason === undefined ? '' : ` (\`${reason}\`)`}. ${remedy}`;

const matches = (pattern: string, reason: string) =>
  pattern.endsWith('*') ? reason.startsWith(pattern.slice(0, -1)) : reason === pattern;

/** Returns the inspector's reasons that a section lists. A complete name takes precedence over a prefix. */
export function reasonsOf(code: string): string[] {
  const named = Object.values(ERROR_SECTIONS).flatMap(({ reasons = [] }) =>
    reasons.filter((pattern) => !pattern.endsWith('*')),
  );
  const own = ERROR_SECTIONS[code]?.reasons ?? [];
  return Object.keys(REFUSAL_REASONS).filter(
    (reason) =>
      own.includes(reason) || (!named.includes(reason) && own.some((pattern) => matches(pattern, reason))),
  );
}

/** Returns a heading, the endpoints and the causes for each code. */
export function errorSections(): string {
  return Object.entries(ERROR_SECTIONS)
    .map(([code, { means, causes }]) => {
      const reasons = reasonsOf(code).map((reason) => causeLine(REFUSAL_REASONS[reason] ?? ['', ''], reason));
      const lines = [...causes.map((cause) => causeLine(cause)), ...reasons];
      return [`### ${code}`, means, endpointsOf(code).join(' '), lines.join('\n')].join('\n\n');
    })
    .join('\n\n');
}

/** Returns the line of a code. The text is omitted if it consists only of values. */
function codeLine(code: RefusedCode): string {
  // the branches of a value are not shown
  const text = textOfRefusal(code).replaceAll(/\{(\w+), select,(?: \w+ \{[^}]*\})+\}/g, '{$1}');
  const words = text.replaceAll(/\{[^}]*\}/g, '').trim();
  return words === '' || words === code ? `- \`${code}\`` : `- \`${code}\`: ${text}`;
}

/** Returns the codes of the management API by their kind, with their English text. */
export function managementCodes(): string {
  const codes = [...Object.keys(FOR_OPERATORS), ...Object.keys(OWN_ACCOUNT)] as RefusedCode[];
  const byKind = Map.groupBy(codes.sort(), kindOfRefusal);
  return (Object.keys(PROBLEM_KINDS) as RefusedKind[])
    .map((kind) => {
      const lines = (byKind.get(kind) ?? []).map(codeLine);
      return [`## ${kind}`, `Status ${PROBLEM_KINDS[kind][0]}.`, lines.join('\n')].join('\n\n');
    })
    .join('\n\n');
}
