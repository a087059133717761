// What the tokens of an API are like, and by which grants they are given.
import { z } from 'zod';
import { claimList } from '../fields/claims.ts';
import { field } from '../fields/form-fields.ts';
import { seconds } from '../fields/values.ts';

const PROFILES = ['oauth-2.1', 'fapi-2.0'] as const;
const PROFILE_WORDS = {
  '': { label: 'OAuth 2.0', note: 'Trusted clients may send passwords, and some leave PKCE out.' },
  'oauth-2.1': { label: 'OAuth 2.1', note: 'No client sends passwords, and all use PKCE. MCP asks for it.' },
  'fapi-2.0': {
    label: 'FAPI 2.0',
    note: 'As banks and health services ask: servers only, with keys of their own, requests that are pushed first, and tokens that are bound to a key.',
  },
};
const profile = z
  .union(
    [z.literal('').transform(() => null), z.enum(PROFILES, `must be ${PROFILES.join(', ')}`).nullable()],
    `must be ${PROFILES.join(', ')}`,
  )
  .default(null)
  .describe(
    'oauth-2.1: no password grant, and no code without PKCE, confidential clients included. fapi-2.0 (FAPI 2.0 Security Profile): beside that, confidential clients with private_key_jwt only, pushed requests, and access tokens that are bound to keys',
  );

const CACHED = 'must be a whole number from 0 to 30';

export const tokenFields = {
  accessTokenTtlSeconds: field(
    seconds.default(3600).describe('Seconds that an access token lives (expires_in)'),
    'Access token, seconds',
  ),
  accessTokenFormat: field(
    z
      .enum(['jwt', 'opaque'], 'must be jwt or opaque')
      .default('jwt')
      .describe(
        'jwt: the API checks access tokens itself (RFC 9068); opaque: it asks the introspection endpoint',
      ),
    'Access tokens',
    {
      choices: {
        jwt: { label: 'Signed (JWT)', note: 'The API checks them itself with our published keys.' },
        opaque: { label: 'Opaque', note: 'The API asks us about each, and a revocation counts at once.' },
      },
    },
  ),
  tokenClaims: field(
    claimList
      .default([])
      .describe(
        'Claims of the person that access tokens and introspection carry, such as [groups]; at most 50',
      ),
    'Claims in tokens',
    {
      hint: 'Names of claims of the person, such as groups, which the API is told with each token.',
      each: 'claim',
      placeholder: 'groups',
    },
  ),
  verifyCache: field(
    z
      .int(CACHED)
      .min(0, CACHED)
      .max(30, CACHED)
      .default(0)
      .describe(
        'Seconds that a gateway may keep a good answer of `/verify` (Cache-Control): so long a token that has ended still passes; at most 30',
      ),
    'Gateways keep an answer, seconds',
    {
      hint: 'So long a gateway that asks us lets a token pass that has ended. With 0 it asks each time.',
    },
  ),
  dpop: field(
    z
      .enum(['optional', 'required'], 'must be optional or required')
      .default('optional')
      .describe(
        'required: every access token is bound to a key of its client (DPoP, RFC 9449), and a stolen one is worth nothing; optional: the client decides',
      ),
    'Bound to keys (DPoP)',
    {
      choices: {
        optional: { label: 'If the client asks for it', note: 'Other clients get bearer tokens.' },
        required: {
          label: 'Always',
          note: 'Each client proves a key of its own, and the API asks for that proof with each token.',
        },
      },
    },
  ),
  dpopNonce: field(
    z
      .enum(['off', 'required'], 'must be off or required')
      .default('off')
      .describe(
        'required: a DPoP proof must hold a nonce of this service (RFC 9449 §8), so that none can be made in advance',
      ),
    'Nonce in the proof',
    {
      choices: {
        off: { label: 'None', note: 'A proof is good for a minute.' },
        required: {
          label: 'Required',
          note: 'No proof can be made in advance. A client needs one more request now and then.',
        },
      },
    },
  ),
  signingAlg: field(
    z
      .enum(['ES256', 'RS256'], 'must be ES256 or RS256')
      .default('ES256')
      .describe('What its access tokens are signed with'),
    'Signed with',
    {
      choices: {
        ES256: { label: 'ES256', note: 'Short and fast.' },
        RS256: { label: 'RS256', note: 'For libraries that know nothing else.' },
      },
    },
  ),
  refreshTokenTtlSeconds: field(
    seconds.default(2_592_000).describe('Seconds that a refresh token may lie unused'),
    'Refresh token unused, seconds',
  ),
  refreshFamilyTtlSeconds: field(
    seconds.default(7_776_000).describe('Seconds that the refresh tokens of one sign-in live in all'),
    'Longest sign-in, seconds',
  ),
  deviceGrant: field(
    z
      .enum(['off', 'on'], 'must be off or on')
      .default('off')
      .describe(
        'on: devices without a browser may be connected (RFC 8628), by clients whose subscription says `device`',
      ),
    'Devices',
    {
      choices: {
        off: { label: 'Off', note: 'No device is connected by a code.' },
        on: {
          label: 'On',
          note: 'A person types a code that a device shows. A passkey does not protect against being talked into it.',
        },
      },
    },
  ),
  profile: field(profile, 'OAuth version', { choices: PROFILE_WORDS }),
};

type Profiled = {
  profile: string | null;
  dpop: 'optional' | 'required';
  requireRedirectUri: boolean;
  signingAlg: 'ES256' | 'RS256';
  deviceGrant: 'off' | 'on';
};

/** FAPI 2.0 Security Profile §5.3.2.1 (3), (6): confidential clients, which authenticate by keys of their own. */
export const profileExcludes = (api: { profile: string | null }, clientAuthMethod: string | null): boolean =>
  api.profile === 'fapi-2.0' && clientAuthMethod !== 'private_key_jwt';

/**
 * Algorithms of ID tokens that clients of the API can choose: `id_token_signing_alg_values_supported` (OpenID Connect
 * Discovery §3). FAPI 2.0 Security Profile §5.4.1 has no RS256.
 */
export const idTokenAlgs = (api: { profile: string | null }): readonly ('ES256' | 'RS256')[] =>
  api.profile === 'fapi-2.0' ? ['ES256'] : ['RS256', 'ES256'];

/** FAPI 2.0 Security Profile §5.3.2.1, §5.3.2.2, §5.4.1: what holds beside all that the API says. */
export const underProfile = <Api extends Profiled>(api: Api): Api =>
  api.profile === 'fapi-2.0'
    ? { ...api, dpop: 'required', requireRedirectUri: true, signingAlg: 'ES256', deviceGrant: 'off' }
    : api;
