// Texts of the inspector: why an ID-JAG, with which a broker vouches for a person, was not accepted.
import type { ReasonWords } from './inspector-authentication.ts';

export const ID_JAG_REASONS: Record<string, ReasonWords> = {
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
