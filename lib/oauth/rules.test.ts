// Grant types, resources, API profiles and the required strength of a sign-in. Other test files in this folder cover
// scopes, PKCE, prompt and redirect URIs.
import { expect, test } from 'vitest';
import { ACR_VALUES, type AcrLevel } from '#lib/registry/claims.ts';
import type { SnapshotApi, SnapshotMethod } from '#lib/store/snapshot.ts';
import { InvalidTarget, UnauthorizedClient } from './errors.ts';
import type { Issuer } from './issuer.ts';
import {
  acrOfIdToken,
  acrTold,
  connectsDevices,
  FAPI2_ALGS,
  followsFapi2,
  followsOAuth21,
  GRANT_TYPES,
  grantTypesFor,
  hasStrictScopes,
  highest,
  idTokenAlg,
  isAbsolute,
  isPossible,
  levelOfApi,
  namesApi,
  pkceDemandedBy,
  policyOf,
  requiredLevel,
  requireOwnResource,
  requireProfiledClient,
  scopesAbove,
  strengthClaims,
  strictnessOf,
  supportedAcrs,
  tellsAcr,
} from './rules.ts';

const [PASSWORD, MFA, PASSKEY] = ACR_VALUES;
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

test.each([
  ['browser', 'document', ['authorization_code', 'refresh_token']],
  ['native', 'document', ['authorization_code', 'refresh_token']],
  [
    'confidential',
    'document',
    ['authorization_code', 'refresh_token', 'client_credentials', BEARER, EXCHANGE],
  ],
  ['browser', 'registration', ['authorization_code']],
  ['native', 'registration', ['authorization_code', 'refresh_token', DEVICE]],
  ['confidential', 'registration', ['authorization_code', 'refresh_token', 'client_credentials', DEVICE]],
] as const)(
  'RFC 7591 §2: grantTypesFor returns the grant types of a %s client that a %s creates',
  (kind, by, types) => {
    expect(grantTypesFor(kind, by)).toEqual(types);
  },
);

test('RFC 6749 §4: GRANT_TYPES contains every grant type', () => {
  expect(GRANT_TYPES.map(({ type }) => type)).toEqual([
    'authorization_code',
    'password',
    'refresh_token',
    'client_credentials',
    DEVICE,
    BEARER,
    EXCHANGE,
  ]);
});

// Resource indicators (RFC 8707 §2)

const API = 'https://mcp.example/mcp';

test.each([
  [API, true],
  ['https://MCP.example:443/a/../mcp', true],
  ['https://mcp.example', true],
  ['https://mcp.example/', true],
  ['https://mcp.example/other', false],
  ['https://mcp.example/mcp#part', false],
  ['http://mcp.example/mcp', false],
  ['https://mcp.example:8443/', false],
  [' https://mcp.example/mcp', false],
  ['urn:mcp.example', false],
  ['', false],
])('namesApi: resource %j names %s: %s', (resource, names) => {
  expect(namesApi(API, resource)).toBe(names);
});

test('namesApi accepts an API without a web address only as the same text', () => {
  expect(namesApi('urn:orders', 'urn:orders')).toBe(true);
  expect(namesApi('orders', 'https://orders.example/')).toBe(false);
});

test.each([
  ['https://a.example/x?y=1', true],
  ['HTTP://a.example', true],
  ['https://a.example/#part', false],
  ['https://a.example/a b', false],
  ['https://[::1]:8443/~a/%20', true],
  ['https://a.example/\n', false],
  ['xhttps://a.example', false],
  ['https://', false],
  ['https://[a', false],
  ['/mcp', false],
])('isAbsolute %j: %s', (resource, absolute) => {
  expect(isAbsolute(resource)).toBe(absolute);
});

test('RFC 8707 §2: requireOwnResource rejects a request if one resource names another API', () => {
  const check = (...resources: string[]) =>
    requireOwnResource(
      { url: API },
      {
        values: new Map(resources.slice(0, 1).map((resource) => ['resource', resource])),
        repeated: new Set(),
        ...(resources.length > 1 && { more: new Map([['resource', resources.slice(1)]]) }),
      },
    );
  check();
  check(API);
  check(API, 'https://mcp.example/');
  for (const foreign of [['https://a.example/'], [API, 'https://a.example/'], ['https://a.example/', API]])
    expect(() => check(...foreign)).toThrow(InvalidTarget);
  expect(() => check('x')).toThrow(
    `resource must be the API of this issuer, ${API}, as an absolute URI without a fragment.`,
  );
});

// API profiles

test('profile fapi-2.0 includes the rules of oauth-2.1', () => {
  const of = (profile: SnapshotApi['profile']) => [followsOAuth21({ profile }), followsFapi2({ profile })];
  expect(of(null)).toEqual([false, false]);
  expect(of('oauth-2.1')).toEqual([true, false]);
  expect(of('fapi-2.0')).toEqual([true, true]);
});

test.each([
  ['a public client', false, 'https://a.example/cb', null, 'this client'],
  ['a private-use scheme', true, 'com.example.app:/cb', null, 'a redirect_uri with a private-use scheme'],
  ['the profile oauth-2.1', true, 'https://a.example/cb', 'oauth-2.1', 'this API'],
  ['nothing else', true, 'https://a.example/cb', null, null],
] as const)(
  'PKCE is required by %s (RFC 7636, RFC 8252 §8.1)',
  (_, confidential, redirectUri, profile, reason) => {
    expect(pkceDemandedBy({ profile }, { client: { confidential }, redirectUri })).toBe(reason);
  },
);

test('FAPI 2.0 §5.3.2.1: clients without private_key_jwt are rejected', () => {
  const check = (profile: SnapshotApi['profile'], tokenEndpointAuthMethod: string | null) =>
    requireProfiledClient({ profile }, { tokenEndpointAuthMethod });
  check('oauth-2.1', null);
  check('fapi-2.0', 'private_key_jwt');
  const refused = expect(() => check('fapi-2.0', 'client_secret_basic'));
  refused.toThrow(UnauthorizedClient);
  refused.toThrow(expect.objectContaining({ reason: 'profile-client' }));
  refused.toThrow('This API accepts only confidential clients with private_key_jwt (FAPI 2.0).');
});

test('FAPI 2.0 §5.4.1: client assertions use PS256, ES256 or EdDSA, and ID tokens ES256', () => {
  expect(FAPI2_ALGS).toEqual(['PS256', 'ES256', 'EdDSA', 'Ed25519']);
  const client = { idTokenSignedResponseAlg: 'RS256' };
  expect(idTokenAlg({ profile: 'fapi-2.0' }, client)).toBe('ES256');
  expect(idTokenAlg({ profile: 'oauth-2.1' }, client)).toBe('RS256');
});

test('RFC 8628: the device grant requires the API’s setting for devices', () => {
  expect(connectsDevices({ deviceGrant: 'on' })).toBe(true);
  expect(connectsDevices({ deviceGrant: 'off' })).toBe(false);
});

// Strength of a sign-in (RFC 9470)

type Scopes = Record<string, string | null>;
const api = ({ scopes = {}, ...over }: { scopes?: Scopes } & Partial<Omit<SnapshotApi, 'scopes'>> = {}) =>
  ({
    secondFactor: null,
    requiredAcr: null,
    scopes: Object.entries(scopes).map(([name, acr]) => ({ name, ...(acr && { required_acr: acr }) })),
    ...over,
  }) as unknown as SnapshotApi;
const method = (type: SnapshotMethod['type'], config: object = {}) =>
  ({ type, config }) as unknown as SnapshotMethod;
const LOCAL = method('local');
const BROKER = method('broker');

test.each([
  ['off', 'required', 'off', 0],
  [null, undefined, 'own', 1],
  [null, 'optional', 'optional', 1],
  ['required', 'off', 'required', 2],
] as const)(
  'second factor: the API’s setting %s and the method’s setting %s result in the policy %s',
  (ofApi, ofMethod, policy, strictness) => {
    const at = api({ secondFactor: ofApi });
    const local = method('local', ofMethod && { second_factor: ofMethod });
    expect(policyOf(at, local)).toBe(policy);
    expect(strictnessOf(at, local)).toBe(strictness);
  },
);

test('the function highest ignores missing levels', () => {
  expect(highest([])).toBeNull();
  expect(highest([null])).toBeNull();
  expect(highest([2, null, 1])).toBe(2);
});

const STRICT = { read: null, pay: MFA, admin: PASSKEY };
test.each<[string, SnapshotApi, string[], AcrLevel | null]>([
  ['nothing', api({ scopes: { read: null } }), ['read'], null],
  ['its acr for every scope', api({ requiredAcr: MFA, scopes: { read: null } }), ['read'], 2],
  ['the acr of a scope', api({ scopes: STRICT }), ['read', 'pay'], 2],
  ['no acr of another scope', api({ scopes: STRICT }), ['read'], null],
  ['the higher of both', api({ requiredAcr: MFA, scopes: STRICT }), ['admin'], 3],
  ['the higher acr of the API', api({ requiredAcr: PASSKEY, scopes: STRICT }), ['pay'], 3],
])('RFC 9470: an API requires %s', (_, at, scopes, level) => {
  expect(requiredLevel(at, scopes)).toBe(level);
});

test('scopesAbove lists scopes that require a higher level', () => {
  const at = api({ scopes: STRICT });
  expect(([1, 2, 3] as const).map((level) => scopesAbove(at, level))).toEqual([
    ['pay', 'admin'],
    ['admin'],
    [],
  ]);
});

test.each<[string, SnapshotApi, { strict: boolean; tells: boolean; level: AcrLevel }]>([
  ['without a setting', api({ scopes: { read: null } }), { strict: false, tells: false, level: 1 }],
  ['with an acr', api({ requiredAcr: MFA }), { strict: false, tells: true, level: 2 }],
  ['with a second-factor policy', api({ secondFactor: 'off' }), { strict: false, tells: true, level: 1 }],
  ['with a strict scope', api({ scopes: STRICT }), { strict: true, tells: true, level: 1 }],
])('tokens of an API %s', (_, at, expected) => {
  expect({ strict: hasStrictScopes(at), tells: tellsAcr(at), level: levelOfApi(at) }).toEqual(expected);
});

test('isPossible: a broker reaches no password class', () => {
  expect(ACR_VALUES.map((acr) => isPossible(acr, LOCAL))).toEqual([true, true, true]);
  expect(ACR_VALUES.map((acr) => isPossible(acr, BROKER))).toEqual([false, true, true]);
  expect(isPossible('other', LOCAL)).toBe(false);
});

test('acrTold returns null if the class is known only to the broker', () => {
  expect(([null, 1, 2] as const).map((level) => acrTold(level, LOCAL))).toEqual([PASSWORD, PASSWORD, MFA]);
  expect(([null, 1, 2] as const).map((level) => acrTold(level, BROKER))).toEqual([null, null, MFA]);
});

test.each<[string, AcrLevel | null, string[] | null, SnapshotApi, SnapshotMethod, object]>([
  ['nothing without a reason', null, ['pwd'], api(), LOCAL, {}],
  ['a requested class', 1, ['pwd'], api(), LOCAL, { acr: PASSWORD, amr: ['pwd'] }],
  ['the class that the API requires', null, null, api({ requiredAcr: MFA }), LOCAL, { acr: PASSWORD }],
  ['no class of a broker', null, ['hwk'], api({ secondFactor: 'off' }), BROKER, { amr: ['hwk'] }],
  ['no empty amr', 2, [], api(), BROKER, { acr: MFA }],
])('RFC 9068 §2.2.1: an access token contains %s', (_, acrLevel, amr, at, by, claims) => {
  expect(strengthClaims({ acrLevel, amr }, { api: at, method: by })).toEqual(claims);
});

test.each<[string, AcrLevel | null, SnapshotMethod, string[], string | null]>([
  ['the class of the sign-in', 2, LOCAL, [], MFA],
  ['the strongest requested class that it reaches', 2, LOCAL, [PASSWORD, MFA, PASSKEY], MFA],
  ['a weaker class, if only that is requested', 3, LOCAL, [PASSWORD], PASSWORD],
  ['the password class for no level', null, LOCAL, [MFA, PASSWORD], PASSWORD],
  ['the spelling of the client', 3, LOCAL, [MFA, 'phr'], 'phr'],
  ['no unknown class', 3, LOCAL, ['other'], PASSKEY],
  ['no class of a broker', 1, BROKER, [PASSWORD], null],
])('OpenID Connect Core §5.5.1.1: an ID token contains %s', (_, level, by, acrs, acr) => {
  expect(acrOfIdToken(level, by, acrs)).toBe(acr);
});

test.each<[string, SnapshotApi, SnapshotMethod, readonly string[] | undefined]>([
  ['every class of a local method', api(), LOCAL, ACR_VALUES],
  [
    'the password class, if second factors are off',
    api(),
    method('local', { second_factor: 'off' }),
    [PASSWORD],
  ],
  ['every class, if only the API is off', api({ secondFactor: 'off' }), LOCAL, ACR_VALUES],
  [
    'every class, if only the method is off',
    api({ secondFactor: 'required' }),
    method('local', { second_factor: 'off' }),
    ACR_VALUES,
  ],
  ['no class of a broker without factors', api(), BROKER, undefined],
  ['the classes of Gatehouse after a broker', api({ secondFactor: 'optional' }), BROKER, [MFA, PASSKEY]],
])('RFC 8414 §3.2: metadata list %s', (_, at, by, acrs) => {
  expect(supportedAcrs({ api: at, method: by } as Issuer)).toEqual(acrs);
});
