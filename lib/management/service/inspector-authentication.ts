// Texts of the inspector: why a client did not prove that it is the client, or its key (RFC 9449 §4.3).

export type ReasonWords = [title: string, explanation: string];

export const AUTHENTICATION_REASONS: Record<string, ReasonWords> = {
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

export const PROOF_REASONS: Record<string, ReasonWords> = {
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
