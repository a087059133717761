// How a client proves that it is the client (RFC 7591 §2): by nothing, by its secret, or by keys of its own (RFC 7523,
// OpenID Connect Core §9), whose public half it registers by value or by address.
import { z } from 'zod';
import { type ChoiceWords, field } from '../fields/form-fields.ts';
import { optionalAddress } from '../fields/values.ts';
import { publicKeySet } from './public-keys.ts';
import { callFault } from './redirect-rules.ts';

const METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
/** Of a client on a server: only there is it a question. */
const METHOD_WORDS: Record<Exclude<(typeof METHODS)[number], 'none'> | '', ChoiceWords> = {
  '': { label: 'With its secret, in the header or the body', note: 'Most libraries choose one of the two.' },
  client_secret_basic: { label: 'With its secret, in the header alone', note: 'HTTP Basic.' },
  client_secret_post: { label: 'With its secret, in the body alone', note: 'As client_secret.' },
  private_key_jwt: {
    label: 'With a key pair of its own',
    note: 'It signs an assertion for each request (private_key_jwt), and there is no secret to keep here.',
  },
};

const method = z
  .union(
    [z.literal('').transform(() => null), z.enum(METHODS, `must be one of ${METHODS.join(', ')}`).nullable()],
    `must be one of ${METHODS.join(', ')}`,
  )
  .default(null)
  .describe(
    'How it authenticates. client_secret_basic, client_secret_post: its secret, only in the header or only in the body; private_key_jwt: keys of its own, and no secret; none: a public client. Left out: a secret in either place',
  );
const keySet = publicKeySet
  .nullable()
  .default(null)
  .describe(
    'With private_key_jwt: its public keys, as a JWK Set: RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519. Private and symmetric keys are refused',
  );
const keysAddress = optionalAddress.describe(
  'Instead of jwks: where its public keys are fetched, https at a public address',
);
const wideAudience = z
  .boolean('must be true or false')
  .default(false)
  .describe(
    'With private_key_jwt, at APIs with the profile oauth-2.1: its assertions may name the token endpoint as aud, beside the issuer. APIs without a profile accept both from each client',
  );
const boundTokens = z
  .boolean('must be true or false')
  .default(false)
  .describe(
    'It gets only access tokens that are bound to a key of its own (DPoP, RFC 9449 §5.2). A browser client that says so gets refresh tokens too',
  );
const rotation = z
  .union(
    [
      z.literal('').transform(() => 'always' as const),
      z.enum(['always', 'never'], 'must be always or never'),
    ],
    'must be always or never',
  )
  .default('always')
  .describe(
    'never, for a confidential client: a refresh token that is given with a proof of a key (DPoP) stays the same until the sign-in ends (`ghrk_`), and each use needs a proof. Those that were given before stay as they are',
  );

const BY_KEYS = { of: 'tokenEndpointAuthMethod', is: 'private_key_jwt' };

export const authenticationFields = {
  tokenEndpointAuthMethod: field(method, 'How it authenticates', {
    choices: METHOD_WORDS,
    under: { of: 'kind', is: 'confidential' },
  }),
  jwks: field(keySet, 'Public keys', {
    hint: 'A JWK Set. Paste public keys alone.',
    as: 'json',
    under: BY_KEYS,
    placeholder: '{"keys": [{"kty": "EC", "crv": "P-256", "kid": "1", "x": "…", "y": "…"}]}',
  }),
  jwksUri: field(keysAddress, 'Address of its key set', {
    hint: 'Instead of pasting them: where your server publishes its keys, https. A new one is found when it is first used.',
    as: 'url',
    under: BY_KEYS,
  }),
  tokenEndpointAsAudience: field(wideAudience, 'Accept the token endpoint as audience of client assertions', {
    note: 'Only at APIs with the profile oauth-2.1. APIs without a profile accept it from each client, and those with fapi-2.0 from none.',
    under: BY_KEYS,
  }),
  dpopBoundAccessTokens: field(boundTokens, 'Bind its tokens to a key (DPoP)', {
    note: 'A stolen token is worth nothing then. An app in the browser gets refresh tokens too.',
  }),
  refreshTokenRotation: field(rotation, 'Refresh tokens', {
    choices: {
      always: { label: 'A new one at each use', note: 'A stolen one is noticed when it is used again.' },
      never: {
        label: 'The same one until the end',
        note: 'Only where the client proves a key (DPoP): each use needs a proof of it.',
      },
    },
    under: { of: 'kind', is: 'confidential' },
  }),
};

type Authentication = {
  kind: string;
  tokenEndpointAuthMethod: string | null;
  jwks: unknown;
  jwksUri: string | null;
  tokenEndpointAsAudience: boolean;
  refreshTokenRotation: string;
};

/** What does not go together. */
export function authenticationFaults(one: Authentication): { path: string[]; message: string }[] {
  const { kind, tokenEndpointAuthMethod: by, jwks, jwksUri, tokenEndpointAsAudience } = one;
  const faults: [keyof Authentication, string | false | null][] = [];
  if (kind === 'confidential')
    faults.push([
      'tokenEndpointAuthMethod',
      by === 'none' && 'must not be none: a confidential client authenticates',
    ]);
  else
    faults.push([
      'tokenEndpointAuthMethod',
      by !== null && by !== 'none' && 'must be none or left out: a public client does not authenticate',
    ]);
  faults.push([
    'refreshTokenRotation',
    kind !== 'confidential' &&
      one.refreshTokenRotation === 'never' &&
      'must be always or left out: refresh tokens of a public client rotate',
  ]);
  if (by === 'private_key_jwt') {
    faults.push(
      ['jwks', jwks === null && jwksUri === null && 'is missing: private_key_jwt takes jwks or jwks_uri'],
      ['jwksUri', jwks !== null && jwksUri !== null && 'must not stand beside jwks'],
      ['jwksUri', callFault(jwksUri)],
    );
  } else {
    const alone = 'is only for token_endpoint_auth_method private_key_jwt';
    faults.push(
      ['jwks', jwks !== null && alone],
      ['jwksUri', jwksUri !== null && alone],
      ['tokenEndpointAsAudience', tokenEndpointAsAudience && alone],
    );
  }
  return faults.flatMap(([name, message]) => (message ? [{ path: [name], message }] : []));
}

type Keeper = Pick<Authentication, 'kind' | 'tokenEndpointAuthMethod'>;

/** May it have a secret? One with keys of its own has none. */
export const takesSecret = ({ kind, tokenEndpointAuthMethod }: Keeper): boolean =>
  kind === 'confidential' && tokenEndpointAuthMethod !== 'private_key_jwt';
