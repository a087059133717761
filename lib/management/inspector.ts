// The inspector: a client's last requests to the authorize, par and token addresses, each with what went wrong.

import { ownValue } from '#lib/kit/wire.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import { REQUESTS, type RequestRow } from '#lib/store/refusals.ts';
import { reachClient } from './client-access.ts';
import { type Asked, type Page, readPage } from './lists.ts';
import { operation } from './operations.ts';

// Inspector texts: reasons for failed client authentication or DPoP proof (RFC 9449 §4.3).

type ReasonWords = [title: string, explanation: string];

const AUTHENTICATION_REASONS: Record<string, ReasonWords> = {
  'client-disabled': [
    'The client is disabled',
    'An administrator, or you, disabled it. Ask an administrator to enable it.',
  ],
  'secret-missing': [
    'The client secret is missing',
    'A confidential client sends client_secret in the body, or in an Authorization header (Basic).',
  ],
  'secret-wrong': [
    'The client secret is wrong',
    'It is no secret of this client: it was replaced or ended, or belongs to another client or service. With Basic, both halves are form-encoded first.',
  ],
  'secret-not-encoded': [
    'The client secret fits if it is not form-encoded',
    'It came by HTTP Basic as it is. Form-encode both halves before base64 (RFC 6749 §2.3.1): + is %2B and % is %25. Or send client_secret in the body.',
  ],
  'secret-not-expected': [
    'A public client sent a secret',
    'Public clients never authenticate with a secret: leave client_secret out, and the password of HTTP Basic empty.',
  ],
  'secret-misplaced': [
    'The client secret came another way than the client is registered for',
    'With client_secret_basic it is sent in an Authorization header (Basic), with client_secret_post in the body. Leave the method out to allow both.',
  ],
  'assertion-expected': [
    'The client authenticates with its keys, and sent no assertion',
    'It is registered with private_key_jwt: it sends client_assertion and client_assertion_type, and no secret.',
  ],
  'assertion-not-expected': [
    'An assertion came, and the client is not registered for one',
    'Only a client with private_key_jwt sends client_assertion. Choose that under “How it authenticates”, and register its public keys.',
  ],
  'assertion-type': [
    'client_assertion_type is missing or another',
    'It is urn:ietf:params:oauth:client-assertion-type:jwt-bearer, beside client_assertion.',
  ],
  'assertion-malformed': [
    'The assertion is no JWT that counts here',
    'It is a signed JWT of 8,192 characters at the most, with no crit in its header, and typ left out, JWT or client-authentication+jwt.',
  ],
  'assertion-algorithm': [
    'The assertion is signed with an algorithm that is not accepted',
    'Accepted are those of token_endpoint_auth_signing_alg_values_supported in the metadata, such as ES256, EdDSA, PS256 and RS256; never none or HS256.',
  ],
  'assertion-subject': [
    'The assertion is another client’s',
    'Its iss and its sub are both the client_id, and a client_id beside it is the same.',
  ],
  'assertion-audience': [
    'The assertion is made out to somebody else',
    'Its aud is the issuer whose address is called, or its token endpoint, letter by letter. An API with a profile takes the issuer as one text, and with oauth-2.1 the token endpoint if the client is registered for that.',
  ],
  'assertion-time': [
    'A time in the assertion is missing, no number, or ahead',
    'exp is required; exp, iat and nbf are seconds since 1970, and iat and nbf are not ahead. Compare the clock of your server.',
  ],
  'assertion-expired': [
    'The assertion has expired',
    'Make a new one for each request. Compare the clock of your server.',
  ],
  'assertion-too-long': [
    'The assertion is made out for too long',
    'exp is at most ten minutes ahead: make a new one for each request.',
  ],
  'assertion-id': [
    'The assertion has no jti',
    'jti is a text that no other assertion of this client has, of 1,024 characters at the most.',
  ],
  'assertion-used': [
    'The assertion was used before',
    'Each works once: make a new one, with a jti of its own, for each request, and for each time that one is sent again.',
  ],
  'assertion-key': [
    'The assertion is signed with a key that is not registered',
    'Its kid and its algorithm fit none of the client’s public keys. Keys at jwks_uri are fetched again at most once in 30 seconds: publish a new key before you sign with it.',
  ],
  'assertion-signature': [
    'The signature of the assertion is wrong',
    'It was made with another private key than the registered one, or the assertion was altered.',
  ],
  'keys-unreachable': [
    'The client’s keys could not be fetched',
    'jwks_uri must answer 200 with a JWK Set within 3 seconds, over https at a public address, without a redirect, and with 64 KiB at the most.',
  ],
};

const KEPT =
  'Make the proof with the key that the tokens were first given to. A lost key means a new sign-in.';

const PROOF_REASONS: Record<string, ReasonWords> = {
  'profile-client': [
    'The API takes only clients with keys of their own',
    'It follows FAPI 2.0: register the client as one on a server with private_key_jwt, and its public keys.',
  ],
  'proof-missing': [
    'The DPoP proof is missing',
    'This client, or this API, gets only tokens that are bound to a key: send a proof in the header DPoP.',
  ],
  'proof-malformed': [
    'The DPoP proof is no JWT that counts here',
    'It is one signed JWT of 4,096 characters at the most, in one header, with the claims jti, htm, htu and iat.',
  ],
  'proof-type': ['The DPoP proof has another typ', 'Its header has typ dpop+jwt, and neither crit nor b64.'],
  'proof-algorithm': [
    'The DPoP proof is signed with an algorithm that is not accepted',
    'Accepted are those of dpop_signing_alg_values_supported in the metadata, such as ES256.',
  ],
  'proof-key': [
    'The DPoP proof shows no key that counts',
    'Its header has the public key as jwk, of the kind of its algorithm, without any private member; RSA has 2048 to 4096 bits.',
  ],
  'proof-id': [
    'The DPoP proof has no jti',
    'jti is a text of 1 to 128 characters, another one in each proof.',
  ],
  'proof-method': [
    'The DPoP proof is for another HTTP method',
    'htm is the method of the request, in capitals.',
  ],
  'proof-address': [
    'The DPoP proof is for another address',
    'htu is the address that is called, as the metadata has it, without query and fragment.',
  ],
  'proof-time': [
    'The DPoP proof is not of now',
    'iat is now, in seconds since 1970. Take the nonce of DPoP-Nonce into the next proof: with it the clock does not matter.',
  ],
  'proof-nonce': [
    'The DPoP proof has no current nonce',
    'Send the request again with the nonce that the answer had in DPoP-Nonce. Nothing was used up.',
  ],
  'proof-signature': [
    'The signature of the DPoP proof is wrong',
    'It was made with another private key than that of its jwk, or the proof was altered.',
  ],
  'code-other-key': ['The code is bound to another key', KEPT],
  'refresh-other-key': ['The refresh token is bound to another key', KEPT],
};

// Inspector texts: reasons for rejected ID-JAGs, through which a broker vouches for users.

const ID_JAG_REASONS: Record<string, ReasonWords> = {
  'id-jag-not-allowed': [
    'The client may ask for no ID-JAG',
    'An administrator lists the services that this one vouches to for the client, which must be a confidential one.',
  ],
  'id-jag-audience': [
    'The client may get no ID-JAG for this audience',
    'audience is one of the issuers that an administrator has listed for the client, letter by letter.',
  ],
  'jag-public-client': [
    'A public client brought an ID-JAG',
    'Only a confidential client may: anybody can say that they are a public one. Send the person through the authorize address.',
  ],
  'jag-malformed': [
    'The ID-JAG is no JWT that counts here',
    'It is a signed JWT of 16,384 characters at the most, with no crit in its header; scope is one text, resource one text or a list of texts.',
  ],
  'jag-type': [
    'The assertion is no ID-JAG',
    'Its typ is oauth-id-jag+jwt. Ask the broker for one by token exchange: an ID token or an access token does not count.',
  ],
  'jag-algorithm': [
    'The ID-JAG is signed with an algorithm that is not accepted',
    'Accepted are asymmetric ones, such as RS256, ES256 and EdDSA; never none or HS256.',
  ],
  'jag-issuer': [
    'The ID-JAG is not the broker’s',
    'Its iss is the issuer of the broker of the authentication method in the address that was called, letter by letter.',
  ],
  'jag-audience': [
    'The ID-JAG is made out to somebody else',
    'Its aud is the issuer that was called, letter by letter, as one text or a list of exactly one.',
  ],
  'jag-client': [
    'The ID-JAG is another client’s, or names none',
    'Its client_id is the client as it is called here, which may be another id than the broker knows it by.',
  ],
  'jag-subject': ['The ID-JAG names no person', 'Its sub is a text of 1 to 255 characters.'],
  'jag-id': [
    'The ID-JAG has no jti',
    'jti is a text that no other one of this broker has, of 1,024 characters at the most.',
  ],
  'jag-time': [
    'A time in the ID-JAG is missing, no number, or ahead',
    'exp and iat are required, as seconds since 1970; iat, nbf and auth_time are not ahead. Compare the clocks of the broker and this service.',
  ],
  'jag-expired': ['The ID-JAG has expired', 'Ask the broker for another one.'],
  'jag-too-old': [
    'The ID-JAG was made more than ten minutes ago',
    'Ask the broker for another one before each token.',
  ],
  'jag-too-long': [
    'The ID-JAG is made out for more than an hour',
    'exp is at most an hour after iat; five minutes are usual.',
  ],
  'jag-bound': [
    'The ID-JAG asks for something that is not supported here',
    'It carries cnf (proof of possession) or authorization_details, and without them it would give more than the broker meant.',
  ],
  'jag-resource': [
    'The ID-JAG is for another API',
    'Its resource, or one of the list, is the url of the API, or it names none.',
  ],
  'jag-scope': [
    'Nothing is left of the scope',
    'The token gets what the ID-JAG, the request and the subscription all allow. Ask for a wider subscription, or for other scopes.',
  ],
  'jag-key': [
    'The ID-JAG is signed with a key that the broker does not publish',
    'Its kid fits none of the keys at the jwks_uri of the broker, which are fetched again at most once a minute.',
  ],
  'jag-signature': [
    'The signature of the ID-JAG is wrong',
    'It was made with another key than the published one, or altered.',
  ],
  'jag-used': [
    'The ID-JAG was used before',
    'Each works once: ask the broker for another one for each token.',
  ],
  'jag-person': [
    'The person of the ID-JAG may not sign in',
    'They are disabled here, or the authentication method has just been given to another broker.',
  ],
};

// Inspector texts: meaning of each error, and remedy.

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

/** Meaning and remedy of an error. `null`: nothing to add to its name. */
export const refusalWords = (error: string, reason: string): [string, string | null] | null =>
  ownValue(REFUSAL_REASONS, reason) ?? ownValue(REFUSAL_ERRORS, error) ?? null;

function explain(request: Request, registered: string[]): Explained {
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

/** Titles for errors whose description contains the remedy. */
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

export type InspectedRequest = {
  id: string;
  at: Date;
  endpoint: 'authorize' | 'par' | 'token';
  ok: boolean;
  api: string | null;
  authMethodId: string | null;
  requestId: string | null;
  /** OAuth error code and description; `null`: success */
  error: string | null;
  description: string | null;
  /** what happened, in a few words */
  title: string;
  /** problem and remedy; empty on success */
  explanation: EnglishSentence[];
  /** request parameters without secrets */
  facts: { name: string; value: string }[];
};

export const pageClientRequests = operation(
  'pageClientRequests',
  async (
    context,
    input: Omit<Asked, 'search'> & { clientId: string; failedOnly?: boolean | undefined },
  ): Promise<Page<InspectedRequest>> => {
    const { clientId, redirectUris } = await reachClient(context, input.clientId, 'see');
    const page = await readPage(REQUESTS, input, { clientId, failedOnly: input.failedOnly === true });
    return { ...page, rows: page.rows.map((row) => inspected(row, redirectUris)) };
  },
);

function inspected(row: RequestRow, registered: string[]): InspectedRequest {
  const { id, at, endpoint, ok, apiId: api, authMethodId, requestId, error, description } = row;
  const head = { id, at, endpoint, ok, api, authMethodId, requestId, error, description };
  const { facts, ...words } = explain(row, registered);
  const times = row.count > 1 ? [{ name: 'times in ten minutes', value: String(row.count) }] : [];
  return { ...head, ...words, facts: [...times, ...facts] };
}

/** The same for programs. */
export const requestInEnglish = ({ explanation, ...row }: InspectedRequest) => ({
  ...row,
  explanation: explanation.map(inEnglish).join(' ') || null,
});
