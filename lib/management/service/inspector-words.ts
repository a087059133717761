// Texts of the inspector: what each refusal means, and what to do.
import { ownValue } from '#lib/kit/own-value.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { AUTHENTICATION_REASONS, PROOF_REASONS, type ReasonWords } from './inspector-authentication.ts';
import { ID_JAG_REASONS } from './inspector-grants.ts';

type Explained = {
  title: string;
  explanation: EnglishSentence[];
  facts: { name: string; value: string }[];
};
type Request = {
  ok: boolean;
  event: string | null;
  error: string | null;
  description: string | null;
  details: Record<string, unknown>;
};

export const SUCCESS_TITLES: Record<string, string> = {
  'code.issued': 'A code was given',
  'token.issued': 'Tokens were given',
  'token.refreshed': 'Tokens were renewed',
  'token.exchanged': 'A token was exchanged',
  'id_jag.issued': 'An ID-JAG was given',
};

export const REFUSAL_REASONS: Record<string, ReasonWords> = {
  ...AUTHENTICATION_REASONS,
  ...PROOF_REASONS,
  ...ID_JAG_REASONS,
  'not-subscribed': [
    'No subscription to this API',
    'The client may not use this API yet: ask for a subscription.',
  ],
  'not-trusted': [
    'The subscription is not trusted',
    'The password grant and the token exchange need a trusted subscription: ask for one.',
  ],
  'person-refused': [
    'The client is not for this person',
    'Its subscription is for people with a certain claim, and this person does not have it, or no longer. Approvers of the API say who may use it.',
  ],
  'not-machine': [
    'The subscription is not a machine’s',
    'Tokens without a person’s sign-in here need a subscription with machine: ask for one.',
  ],
  'machine-public': [
    'A public client asked for a token in its own name',
    'Anybody can say that they are a public client. Make it a confidential one, or have a person sign in.',
  ],
  'exchange-public': [
    'A public client asked for a token exchange',
    'Anybody can send the client_id of a public client. Exchange the token at a confidential client, for example the API that received it.',
  ],
  'subscription-pending': [
    'The subscription waits for approval',
    'Until an approver has approved it, the client gets no token. A change of redirect addresses, scopes or trust sends a trusted one back here.',
  ],
  'subscription-rejected': ['The subscription was rejected', 'See the reason, change it, and ask again.'],
  'subscription-suspended': [
    'The subscription is suspended',
    'An approver stopped it for a while: ask them.',
  ],
  'subscription-revoked': [
    'The subscription was revoked',
    'Ask for it again: the request waits for approval.',
  ],
  'no-auth-time': [
    'The broker gave no auth_time',
    'The request has max_age, and this method’s broker does not say when people signed in there. Leave max_age out for this method, or ask the broker for the claim auth_time.',
  ],
  'acr-too-low': [
    'The sign-in is weaker than the API asks for now',
    'Send the person through the browser again: they prove a second factor there, or set one up.',
  ],
  'code-unknown': [
    'This code was never given to this client',
    'It is cut off or altered, was given to another client, or is too old to be remembered.',
  ],
  'code-other-issuer': [
    'The code was given at another address',
    'Redeem a code at the token address of the same authentication method and API as the authorize address.',
  ],
  'code-used': [
    'The code was used before',
    'A code works once. The second use also ends the tokens of the first: look for a callback that runs twice.',
  ],
  'code-revoked': [
    'The code was revoked before it was used',
    'The person withdrew the consent, changed the password or was disabled in between.',
  ],
  'code-expired': ['The code is too old', 'A code lives 60 seconds: redeem it at once.'],
  'code-other-redirect-uri': [
    'The redirect_uri is not the one of the authorize request',
    'Where it is sent to the token address, it is the very same text as at the authorize address.',
  ],
  'verifier-missing': [
    'PKCE: code_verifier is missing',
    'The authorize request carried a code_challenge, so the token request carries the code_verifier it was made from.',
  ],
  'verifier-wrong': [
    'PKCE: code_verifier does not fit the code_challenge',
    'The challenge is BASE64URL(SHA256(code_verifier)) without padding. Often the verifier of another attempt was kept.',
  ],
  'verifier-not-expected': [
    'PKCE: a code_verifier came, and no code_challenge before',
    'Send code_challenge and code_challenge_method=S256 with the authorize request, or leave code_verifier out.',
  ],
  'refresh-unknown': [
    'This refresh token was never given to this client',
    'It is cut off or altered, was given to another client, or is too old to be remembered.',
  ],
  'refresh-other-issuer': [
    'The refresh token was given at another address',
    'Use it at the token address of the same authentication method and API.',
  ],
  'refresh-used': [
    'The refresh token was used before',
    'Each works once: keep the new one of every answer. This second use ended the whole chain, so two callers must not share one. The person signs in again.',
  ],
  'refresh-race': [
    'Two requests used one refresh token at once',
    'The other one was first, and its new token works: nothing was ended. Refresh in one place at a time, and share the new token.',
  ],
  'refresh-ended': [
    'The chain of refresh tokens has ended',
    'It was revoked: the person signed out of the client, withdrew the consent or changed the password, or a used token came again.',
  ],
  'refresh-expired': ['The refresh token is too old', 'Send the person through the authorize address again.'],
};

const NO_OBJECTS = 'Request objects are not supported: send the parameters themselves.';

export const REFUSAL_ERRORS: Record<string, [title: string, explanation: string | null]> = {
  login_required: [
    'Silent renewal: nobody is signed in',
    'With prompt=none that is the answer when the session has ended, or the browser keeps third-party cookies back, or somebody else is signed in than id_token_hint names. Send the person through a visible sign-in.',
  ],
  consent_required: [
    'Silent renewal: the person has not consented yet',
    'Send them through a visible sign-in once, or ask for fewer scopes.',
  ],
  invalid_target: [
    'resource is not the address of this API',
    'An issuer is of one API: send its address as the API’s page shows it, or leave resource out.',
  ],
  request_not_supported: ['A request object was sent', NO_OBJECTS],
  request_uri_not_supported: ['A request object was sent by reference', NO_OBJECTS],
  invalid_request_uri: [
    'The pushed request can not be used',
    'A request_uri gives one code, within 90 seconds of the push, to the client and at the issuer address that it was pushed with. Push the request again.',
  ],
  registration_not_supported: ['The parameter registration was sent', 'Register the client here instead.'],
  access_denied: ['The person said no', 'They chose Deny, or cancelled the sign-in.'],
  slow_down: ['Too many wrong passwords', 'Wait until Retry-After has passed.'],
  temporarily_unavailable: ['The service could not answer', 'Nothing is wrong with the request: try again.'],
  server_error: ['Something went wrong on our side', 'Give the operator the request id.'],
};

/** What a refusal means, and what to do; null: the error says no more than its name. */
export const refusalWords = (error: string, reason: string): [string, string | null] | null =>
  ownValue(REFUSAL_REASONS, reason) ?? ownValue(REFUSAL_ERRORS, error) ?? null;

export function explain(request: Request, registered: string[]): Explained {
  if (request.ok) {
    const title = ownValue(SUCCESS_TITLES, request.event ?? '') ?? IT_WENT_WELL.text;
    return { title, explanation: [], facts: factsOf(request.details, ['grant_type']) };
  }
  const facts = factsOf(request.details, FACTS);
  const known = refusalWords(request.error ?? '', String(request.details['reason'] ?? ''));
  if (known) return { title: known[0], explanation: sentences(known[1]), facts };
  const then = request.details['registered'];
  if (Array.isArray(then)) return { ...aboutRedirect(request, then.map(String), registered), facts };
  const title = ownValue(TITLES, request.error ?? '');
  if (title !== undefined) return { title, explanation: sentences(request.description), facts };
  return { title: request.description ?? REFUSED.text, explanation: [], facts };
}

const IT_WENT_WELL = english('It went well');
const REFUSED = english('It was refused');
const sentences = (text: string | null): EnglishSentence[] => (text === null ? [] : [{ text }]);

/** Of errors whose description says what to do. */
const TITLES: Record<string, string> = {
  invalid_scope: english('A scope that may not be asked for here').text,
};

function aboutRedirect(
  { details, description }: Request,
  then: string[],
  registered: string[],
): Omit<Explained, 'facts'> {
  const came = details['redirect_uri'];
  if (typeof came !== 'string') {
    return {
      title: english('redirect_uri is missing, or the link is malformed').text,
      explanation: [...sentences(description), english('Registered: {addresses}', { addresses: list(then) })],
    };
  }
  if (then.includes(came)) return { title: description ?? REFUSED.text, explanation: [] };
  const hint = hintOf(came, then);
  const since = registered.includes(came) ? [english('It has been registered since.')] : [];
  return {
    title: english('redirect_uri is not registered').text,
    explanation: [
      english('It came as {address} and must be, character by character, one of {registered}.', {
        address: came,
        registered: list(then),
      }),
      ...(hint ? [hint] : []),
      ...since,
    ],
  };
}

/** Common mistakes. */
function hintOf(came: string, registered: string[]): EnglishSentence | null {
  const like = (change: (uri: string) => string) => registered.some((uri) => change(uri) === change(came));
  if (like((uri) => uri.replace(/\/$/, ''))) return english('They differ in the slash at the end.');
  if (like((uri) => uri.replace(/^https?:/, ''))) return english('They differ in http and https.');
  if (like((uri) => uri.toLowerCase())) return english('They differ in capital letters.');
  if (like((uri) => uri.replace(/[?#].*$/, ''))) return english('They differ in the query.');
  if (like((uri) => uri.replace(/^(https?:\/\/[^/:]+):\d+/, '$1')))
    return english('They differ in the port.');
  if (like((uri) => uri.replace('//www.', '//'))) return english('They differ in “www.”.');
  return null;
}

const list = (uris: string[]) => (uris.length === 0 ? '(none)' : uris.join(' , '));

const FACTS = [
  'redirect_uri',
  'registered',
  'response_type',
  'grant_type',
  'scope',
  'resource',
  'prompt',
  'code_challenge_method',
  'code_challenge_sent',
  'code_verifier_sent',
  'client_authentication',
];

function factsOf(details: Record<string, unknown>, names: string[]): { name: string; value: string }[] {
  return names.flatMap((name) => {
    const value = details[name];
    if (value === undefined || value === null) return [];
    if (typeof value === 'boolean')
      return [{ name: name.replace(/_sent$/, ''), value: value ? 'sent' : 'not sent' }];
    return [{ name, value: Array.isArray(value) ? list(value.map(String)) : String(value) }];
  });
}
