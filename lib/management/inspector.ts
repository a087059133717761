// The inspector shows the last requests of a client to the endpoints authorize, par and token, each with its error.

import { z } from 'zod';
import { reachClient, SEE_CLIENT } from '#lib/catalogue/clients/access.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import { GRANT_TITLES } from '#lib/registry/audit-event.ts';
import { REQUESTS, type RequestRow } from '#lib/store/refusals.ts';
import { flag, type ListInput, type Page, paging, readPage } from './lists.ts';
import { operation, page } from './operations.ts';

// Texts of the inspector: reasons why client authentication or a DPoP proof failed (RFC 9449 §4.3).

type ReasonWords = [title: string, explanation: string];

const AUTHENTICATION_REASONS: Record<string, ReasonWords> = {
  'client-disabled': [
    'The client is disabled',
    'You or an administrator disabled the client. Ask an administrator to enable it.',
  ],
  'secret-missing': [
    'The client secret is missing',
    'A confidential client sends client_secret in the body, or in an Authorization header (Basic).',
  ],
  'secret-wrong': [
    'The client secret is wrong',
    'The secret does not belong to this client: it was replaced or revoked, or it belongs to another client or service. With HTTP Basic, form-encode both halves first.',
  ],
  'secret-not-encoded': [
    'The client secret matches if it is not form-encoded',
    'The secret was sent unencoded by HTTP Basic. Form-encode both halves before base64 (RFC 6749 §2.3.1): + is %2B and % is %25. Or send client_secret in the body.',
  ],
  'secret-not-expected': [
    'A public client sent a secret',
    'Public clients never authenticate with a secret: omit client_secret, and leave the password of HTTP Basic empty.',
  ],
  'secret-misplaced': [
    'The client secret was sent by a method other than the registered one',
    'With client_secret_basic, send the secret in an Authorization header (Basic); with client_secret_post, send it in the body. To allow both, leave the method out.',
  ],
  'assertion-expected': [
    'The client authenticates with its keys, and sent no assertion',
    'The client is registered with private_key_jwt: it must send client_assertion and client_assertion_type, and no secret.',
  ],
  'assertion-not-expected': [
    'An assertion was sent, but the client is not registered for assertions',
    'Only a client with private_key_jwt can send client_assertion. Choose private_key_jwt under “Authentication”, and register the client’s public keys.',
  ],
  'assertion-type': [
    'client_assertion_type is missing or has another value',
    'Set client_assertion_type to urn:ietf:params:oauth:client-assertion-type:jwt-bearer, and send it with client_assertion.',
  ],
  'assertion-malformed': [
    'The assertion is not an acceptable JWT',
    'An assertion must be a signed JWT of at most 8,192 characters, without crit in its header, and with typ omitted or set to JWT or client-authentication+jwt.',
  ],
  'assertion-algorithm': [
    'The assertion is signed with an algorithm that is not accepted',
    'The accepted algorithms are those of token_endpoint_auth_signing_alg_values_supported in the metadata, such as ES256, EdDSA, PS256 and RS256; never none or HS256.',
  ],
  'assertion-subject': [
    'The assertion belongs to another client',
    'iss and sub of the assertion must both be the client_id. If the request contains a client_id, it must be the same.',
  ],
  'assertion-audience': [
    'The assertion is issued for another audience',
    'aud of the assertion must be exactly the issuer whose address is called, or the token endpoint of this issuer. An API with a profile requires the issuer as a single string, and with oauth-2.1 also accepts the token endpoint if the client is registered for that.',
  ],
  'assertion-time': [
    'A time in the assertion is missing, not a number, or in the future',
    'exp is required. exp, iat and nbf are seconds since 1970, and iat and nbf must not be in the future. Check the clock of your server.',
  ],
  'assertion-expired': [
    'The assertion has expired',
    'Create a new assertion for each request. Check the clock of your server.',
  ],
  'assertion-too-long': [
    'The lifetime of the assertion is too long',
    'exp can be at most ten minutes ahead: create a new assertion for each request.',
  ],
  'assertion-id': [
    'The assertion has no jti',
    'jti must be a string of at most 1,024 characters that no other assertion of this client uses.',
  ],
  'assertion-used': [
    'The assertion has already been used',
    'Each assertion works once: create a new assertion, with a new jti, for each request and each retry.',
  ],
  'assertion-key': [
    'The assertion is signed with a key that is not registered',
    'kid and algorithm of the assertion match none of the client’s public keys. Keys at jwks_uri are fetched again at most once in 30 seconds: publish a new key before you sign with it.',
  ],
  'assertion-signature': [
    'The signature of the assertion is invalid',
    'The signature was created with a private key other than the registered key, or the assertion was altered.',
  ],
  'keys-unreachable': [
    'The client’s keys could not be fetched',
    'jwks_uri must return 200 with a JWK Set within 3 seconds, over https at a public address, without a redirect, and with at most 64 KiB.',
  ],
};

const KEPT =
  'Create the proof with the key that the tokens were first issued for. If the key is lost, a new sign-in is required.';

const PROOF_REASONS: Record<string, ReasonWords> = {
  'profile-client': [
    'The API accepts only clients with their own keys',
    'The API follows FAPI 2.0: register the client as a server client with private_key_jwt, and register its public keys.',
  ],
  'proof-missing': [
    'The DPoP proof is missing',
    'This client or this API requires tokens that are bound to a key: send a proof in the DPoP header.',
  ],
  'proof-malformed': [
    'The DPoP proof is not an acceptable JWT',
    'A DPoP proof must be a single signed JWT of at most 4,096 characters, in one DPoP header, with the claims jti, htm, htu and iat.',
  ],
  'proof-type': [
    'The typ of the DPoP proof is wrong',
    'The JWT header of a DPoP proof must contain typ dpop+jwt, and neither crit nor b64.',
  ],
  'proof-algorithm': [
    'The DPoP proof is signed with an algorithm that is not accepted',
    'The accepted algorithms are those of dpop_signing_alg_values_supported in the metadata, such as ES256.',
  ],
  'proof-key': [
    'The DPoP proof contains no acceptable key',
    'The JWT header of a DPoP proof must contain the public key as jwk, of the type that the algorithm requires, without private members. RSA keys must have 2048 to 4096 bits.',
  ],
  'proof-id': [
    'The DPoP proof has no jti',
    'jti must be a string of 1 to 128 characters, different in each proof.',
  ],
  'proof-method': [
    'The DPoP proof is for another HTTP method',
    'htm must be the method of the request, in capitals.',
  ],
  'proof-address': [
    'The DPoP proof is for another address',
    'htu must be the address that is called, as listed in the metadata, without query and fragment.',
  ],
  'proof-time': [
    'The DPoP proof is not fresh',
    'iat must be the current time, in seconds since 1970. Use the nonce from DPoP-Nonce in the next proof: with a nonce, the clock does not matter.',
  ],
  'proof-nonce': [
    'The DPoP proof has no current nonce',
    'Send the request again with the nonce from the DPoP-Nonce header of the response. The code or token of the request stays valid.',
  ],
  'proof-signature': [
    'The signature of the DPoP proof is invalid',
    'The signature was created with a private key that does not match the jwk of the proof, or the proof was altered.',
  ],
  'code-other-key': ['The code is bound to another key', KEPT],
  'refresh-other-key': ['The refresh token is bound to another key', KEPT],
};

// Texts of the inspector: reasons why an ID-JAG (the assertion with which a broker vouches for a user) was
// rejected.

const ID_JAG_REASONS: Record<string, ReasonWords> = {
  'id-jag-not-allowed': [
    'The client is not allowed to request an ID-JAG',
    'An administrator lists the services for which the client can request an ID-JAG. The client must be confidential.',
  ],
  'id-jag-audience': [
    'The client is not allowed to request an ID-JAG for this audience',
    'audience must be exactly one of the issuers that an administrator has listed for the client.',
  ],
  'jag-public-client': [
    'A public client sent an ID-JAG',
    'Only a confidential client can send an ID-JAG, because anyone can claim to be a public client. Send the person through the authorize address.',
  ],
  'jag-malformed': [
    'The ID-JAG is not an acceptable JWT',
    'An ID-JAG must be a signed JWT of at most 16,384 characters, without crit in its header. scope must be a string, and resource a string or a list of strings.',
  ],
  'jag-type': [
    'The assertion is not an ID-JAG',
    'typ of an ID-JAG must be oauth-id-jag+jwt. Request an ID-JAG from the broker by token exchange: an ID token or an access token is not accepted.',
  ],
  'jag-algorithm': [
    'The ID-JAG is signed with an algorithm that is not accepted',
    'Only asymmetric algorithms are accepted, such as RS256, ES256 and EdDSA; never none or HS256.',
  ],
  'jag-issuer': [
    'The ID-JAG was not issued by the broker',
    'iss of the ID-JAG must be exactly the issuer of the broker that the called address names by its authentication method.',
  ],
  'jag-audience': [
    'The ID-JAG is issued for another audience',
    'aud of the ID-JAG must be exactly the issuer that was called, as a string or a list with one entry.',
  ],
  'jag-client': [
    'The ID-JAG belongs to another client, or does not name one',
    'client_id of the ID-JAG must be the client’s id at this service, which may differ from the client’s id at the broker.',
  ],
  'jag-subject': [
    'The ID-JAG does not name a person',
    'sub of the ID-JAG must be a string of 1 to 255 characters.',
  ],
  'jag-id': [
    'The ID-JAG has no jti',
    'jti must be a string of at most 1,024 characters that no other ID-JAG of this broker uses.',
  ],
  'jag-time': [
    'A time in the ID-JAG is missing, not a number, or in the future',
    'exp and iat are required, as seconds since 1970. iat, nbf and auth_time must not be in the future. Check the clocks of the broker and this service.',
  ],
  'jag-expired': ['The ID-JAG has expired', 'Request a new ID-JAG from the broker.'],
  'jag-too-old': [
    'The ID-JAG was created more than ten minutes ago',
    'Request a new ID-JAG from the broker before each token.',
  ],
  'jag-too-long': [
    'The ID-JAG is valid for more than an hour',
    'exp can be at most one hour after iat; five minutes are usual.',
  ],
  'jag-bound': [
    'The ID-JAG contains a claim that Gatehouse does not support',
    'The ID-JAG contains cnf (proof of possession) or authorization_details. A token that ignores these claims would grant more than the broker intended.',
  ],
  'jag-resource': [
    'The ID-JAG is for another API',
    'The ID-JAG’s resource must be the url of the API, or a list that contains this url. The resource can also be omitted.',
  ],
  'jag-scope': [
    'No scope is left',
    'The token contains only the scopes that the ID-JAG, the request and the subscription all allow. Request a subscription with more scopes, or request other scopes.',
  ],
  'jag-key': [
    'The ID-JAG is signed with a key that the broker does not publish',
    'kid of the ID-JAG matches none of the keys at the jwks_uri of the broker. These keys are fetched again at most once a minute.',
  ],
  'jag-signature': [
    'The signature of the ID-JAG is invalid',
    'The signature was created with a key other than the published key, or the ID-JAG was altered.',
  ],
  'jag-used': [
    'The ID-JAG has already been used',
    'Each ID-JAG works once: request a new ID-JAG from the broker for each token.',
  ],
  'jag-person': [
    'The person in the ID-JAG cannot sign in',
    'The person is disabled at this service, or the authentication method was just assigned to another broker.',
  ],
};

// Texts of the inspector: what each error means, and its remedy.

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

export const REFUSAL_REASONS: Record<string, ReasonWords> = {
  ...AUTHENTICATION_REASONS,
  ...PROOF_REASONS,
  ...ID_JAG_REASONS,
  'not-subscribed': [
    'No subscription to this API',
    'The client cannot use this API yet: request a subscription.',
  ],
  'not-trusted': [
    'The subscription is not trusted',
    'The password grant and token exchange require a trusted subscription: request a trusted subscription.',
  ],
  'person-refused': [
    'The client is not available to this person',
    'The subscription is limited to people with a certain claim, which this person does not have or no longer has. Approvers of the API decide who can use the client.',
  ],
  'not-machine': [
    'The subscription is not for a machine',
    'Tokens without a person’s sign-in require a machine subscription: request a machine subscription.',
  ],
  'machine-public': [
    'A public client requested a token in its own name',
    'Anyone can claim to be a public client. Make the client confidential, or have a person sign in.',
  ],
  'exchange-public': [
    'A public client requested a token exchange',
    'Anyone can send the client_id of a public client. Let a confidential client exchange the token, for example the API that received it.',
  ],
  'subscription-pending': [
    'The subscription is pending approval',
    'The client gets no tokens until an approver approves the subscription. A change of redirect addresses, scopes or trust returns a trusted subscription to the state pending.',
  ],
  'subscription-rejected': [
    'The subscription was rejected',
    'Read the reason, change the request, and send it again.',
  ],
  'subscription-suspended': [
    'The subscription is suspended',
    'An approver suspended the subscription for a while: ask an approver.',
  ],
  'subscription-revoked': [
    'The subscription was revoked',
    'Request the subscription again: the new request needs approval.',
  ],
  'no-auth-time': [
    'The broker returned no auth_time',
    'The request has max_age, but this method’s broker does not return when people signed in. Omit max_age for this method, or ask the broker for the claim auth_time.',
  ],
  'acr-too-low': [
    'The sign-in is weaker than the API now requires',
    'Send the person through the browser again, to provide a second factor or set one up.',
  ],
  'code-unknown': [
    'This code was never issued to this client',
    'The sent value is truncated or altered, was issued to another client, or is too old to be known.',
  ],
  'code-other-issuer': [
    'The code was issued at another address',
    'Redeem a code at the token address of the same authentication method and API as the authorize address.',
  ],
  'code-used': [
    'The code has already been used',
    'A code works once. The second use also revokes the tokens of the first use: check for a callback that runs twice.',
  ],
  'code-revoked': [
    'The code was revoked before it was used',
    'The person withdrew the consent, changed the password or was disabled in the meantime.',
  ],
  'code-expired': ['The code is too old', 'A code is valid for 60 seconds: redeem it immediately.'],
  'code-other-redirect-uri': [
    'The redirect_uri differs from the one in the authorize request',
    'A redirect_uri that is sent to the token address must be identical to the value at the authorize address.',
  ],
  'verifier-missing': [
    'PKCE: code_verifier is missing',
    'The authorize request contained a code_challenge, so the token request must contain the code_verifier from which the code_challenge was derived.',
  ],
  'verifier-wrong': [
    'PKCE: code_verifier does not match the code_challenge',
    'The challenge is BASE64URL(SHA256(code_verifier)) without padding. A common cause is a verifier from another attempt.',
  ],
  'verifier-not-expected': [
    'PKCE: code_verifier was sent without an earlier code_challenge',
    'Send code_challenge and code_challenge_method=S256 with the authorize request, or omit code_verifier.',
  ],
  'refresh-unknown': [
    'This refresh token was never issued to this client',
    'The sent value is truncated or altered, was issued to another client, or is too old to be known.',
  ],
  'refresh-other-issuer': [
    'The refresh token was issued at another address',
    'Use the refresh token at the token address of the authentication method and API that issued it.',
  ],
  'refresh-used': [
    'The refresh token has already been used',
    'Each refresh token works once: store the new refresh token from every response. The second use revoked all tokens of the sign-in, so two callers must not share a refresh token. The person must sign in again.',
  ],
  'refresh-race': [
    'Two requests used one refresh token at the same time',
    'The other request was first, and the new token of this request works: nothing was revoked. Send one refresh request at a time, and share the new token.',
  ],
  'refresh-ended': [
    'The chain of refresh tokens has ended',
    'The refresh token was revoked: the person signed out of the client, withdrew the consent or changed the password, or a used refresh token was sent again.',
  ],
  'refresh-expired': ['The refresh token is too old', 'Send the person through the authorize address again.'],
};

const NO_OBJECTS = 'Request objects are not supported: send the parameters themselves.';

export const REFUSAL_ERRORS: Record<string, [title: string, explanation: string | null]> = {
  login_required: [
    'Silent renewal: no one is signed in',
    'With prompt=none, this is the response in three cases: the session has ended, the browser blocks third-party cookies, or the signed-in person is not the one in id_token_hint. Send the person through a visible sign-in.',
  ],
  consent_required: [
    'Silent renewal: the person has not consented yet',
    'Send the person through a visible sign-in once, or request fewer scopes.',
  ],
  invalid_target: [
    'resource is not the address of this API',
    'An issuer belongs to one API: send the address of that API as shown on its page, or omit resource.',
  ],
  request_not_supported: ['A request object was sent', NO_OBJECTS],
  request_uri_not_supported: ['A request object was sent by reference', NO_OBJECTS],
  invalid_request_uri: [
    'The pushed request cannot be used',
    'A request_uri yields one code, within 90 seconds of the push, for the client and at the issuer address that it was pushed with. Push the request again.',
  ],
  registration_not_supported: [
    'The parameter registration was sent',
    'Register the client in the console instead.',
  ],
  access_denied: ['The person declined', 'The person chose Deny, or cancelled the sign-in.'],
  slow_down: ['Too many wrong passwords', 'Wait until Retry-After has passed.'],
  temporarily_unavailable: ['The service could not respond', 'The request is correct: try again.'],
  server_error: ['Something went wrong on our side', 'Give the operator the request id.'],
};

/** Returns meaning and remedy of an error. `null`: the name of the error explains it. */
export const refusalWords = (error: string, reason: string): [string, string | null] | null =>
  ownValue(REFUSAL_REASONS, reason) ?? ownValue(REFUSAL_ERRORS, error) ?? null;

function explain(request: Request, registered: string[]): Explained {
  if (request.ok) {
    const title = ownValue(GRANT_TITLES, request.event ?? '') ?? IT_WENT_WELL.text;
    return { title, explanation: [], facts: factsOf(request.details, ['grant_type']) };
  }
  const facts = factsOf(request.details, FACTS);
  const words = refusalWords(request.error ?? '', String(request.details['reason'] ?? ''));
  if (words) return { title: words[0], explanation: sentences(words[1]), facts };
  const then = request.details['registered'];
  if (Array.isArray(then)) return { ...aboutRedirect(request, then.map(String), registered), facts };
  const title = ownValue(TITLES, request.error ?? '');
  if (title !== undefined) return { title, explanation: sentences(request.description), facts };
  return { title: request.description ?? REFUSED.text, explanation: [], facts };
}

const IT_WENT_WELL = english('The request succeeded');
const REFUSED = english('The request was refused');
const sentences = (text: string | null): EnglishSentence[] => (text === null ? [] : [{ text }]);

/** Titles of errors whose description already contains the remedy. */
const TITLES: Record<string, string> = {
  invalid_scope: english('A requested scope is not allowed').text,
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
  const since = registered.includes(came) ? [english('This address has been registered since then.')] : [];
  return {
    title: english('redirect_uri is not registered').text,
    explanation: [
      english('The request contained {address}, but it must match one of {registered} exactly.', {
        address: came,
        registered: list(then),
      }),
      ...(hint ? [hint] : []),
      ...since,
    ],
  };
}

/** Explains common mistakes in a redirect URI. */
function hintOf(came: string, registered: string[]): EnglishSentence | null {
  const like = (change: (uri: string) => string) => registered.some((uri) => change(uri) === change(came));
  if (like((uri) => uri.replace(/\/$/, ''))) return english('They differ in the trailing slash.');
  if (like((uri) => uri.replace(/^https?:/, '')))
    return english('They differ in the scheme: http and https.');
  if (like((uri) => uri.toLowerCase())) return english('They differ in upper and lower case.');
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

const nullable = z.string().nullable();
const inspectedRequest = z.strictObject({
  id: z.string(),
  at: z.date(),
  endpoint: z.enum(['authorize', 'par', 'token']),
  ok: z.boolean(),
  api: nullable,
  authMethodId: nullable,
  requestId: nullable,
  /** OAuth error code and description; `null`: success */
  error: nullable,
  description: nullable,
  /** the event in a few words */
  title: z.string(),
  /** the problem and its remedy; `null`: success */
  explanation: nullable,
  /** parameters of the request, without secrets */
  facts: z.array(z.strictObject({ name: z.string(), value: z.string() })),
});
/** For pages, which translate the explanation. */
export type InspectedRequest = Omit<z.output<typeof inspectedRequest>, 'explanation'> & {
  explanation: EnglishSentence[];
};

/** The texts of a request in English, for programs. */
export const requestInEnglish = ({ explanation, ...row }: InspectedRequest) => ({
  ...row,
  explanation: explanation.map(inEnglish).join(' ') || null,
});

const requestFilter = z.strictObject({ ...paging, failedOnly: flag.optional() });

export const pageClientRequests = operation(
  {
    name: 'pageClientRequests',
    right: SEE_CLIENT,
    shape: requestFilter,
    output: page('InspectedRequest', inspectedRequest, requestInEnglish),
  },
  async (
    context,
    input: ListInput<typeof requestFilter> & { clientId: string },
  ): Promise<Page<InspectedRequest>> => {
    const { clientId, redirectUris } = await reachClient(context, input.clientId, 'see');
    const page = await readPage(REQUESTS, input, { clientId, failedOnly: input.failedOnly === true });
    return { ...page, rows: page.rows.map((row) => inspectRequest(row, redirectUris)) };
  },
);

function inspectRequest(row: RequestRow, registered: string[]): InspectedRequest {
  const { id, at, endpoint, ok, apiId: api, authMethodId, requestId, error, description } = row;
  const head = { id, at, endpoint, ok, api, authMethodId, requestId, error, description };
  const { facts, ...words } = explain(row, registered);
  const times = row.count > 1 ? [{ name: 'times in ten minutes', value: String(row.count) }] : [];
  return { ...head, ...words, facts: [...times, ...facts] };
}
