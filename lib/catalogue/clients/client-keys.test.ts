import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { faultsOf } from '#lib/registry/definition.ts';
import { checkedNewClient } from './definition.ts';

type Jwk = Record<string, unknown>;
const pairOf = (type: 'ec' | 'rsa' | 'ed25519', options: object = {}) => {
  const make = generateKeyPairSync as (
    type: string,
    options: object,
  ) => ReturnType<typeof generateKeyPairSync>;
  const { publicKey, privateKey } = make(type, options) as unknown as Record<
    string,
    import('node:crypto').KeyObject
  >;
  const jwkOf = (key: typeof publicKey) => key?.export({ format: 'jwk' }) as Jwk;
  return { open: jwkOf(publicKey), whole: jwkOf(privateKey) };
};
const ec = pairOf('ec', { namedCurve: 'P-256' });
const rsa = pairOf('rsa', { modulusLength: 2048 });
const weak = pairOf('rsa', { modulusLength: 1024 });
const slow = { open: { ...rsa.open, e: Buffer.from('010000000f', 'hex').toString('base64url') } };
const ed = pairOf('ed25519');
const bitcoin = pairOf('ec', { namedCurve: 'secp256k1' });

const CLIENT = { clientId: 'shop', name: 'Shop', kind: 'confidential', redirectUris: [] };
const KEYED = { ...CLIENT, tokenEndpointAuthMethod: 'private_key_jwt' };
const parse = (given: object) => checkedNewClient.safeParse(given, { reportInput: true });
const faultsAt = (given: object) => {
  const { error } = parse(given);
  return error ? faultsOf(error).map(({ field }) => field) : [];
};
const withKeys = (...keys: unknown[]) => ({ ...KEYED, jwks: { keys } });

it('public keys of each type keep only the members needed for verification', () => {
  const given = withKeys(
    { ...ec.open, kid: '1', alg: 'ES256', use: 'sig', key_ops: ['verify'], x5c: ['…'] },
    { ...rsa.open, kid: '2', alg: 'PS256' },
    { ...ed.open, alg: 'EdDSA' },
    rsa.open,
  );
  expect(parse(given).data?.jwks).toEqual({
    keys: [
      { ...ec.open, kid: '1', alg: 'ES256', use: 'sig' },
      { ...rsa.open, kid: '2', alg: 'PS256' },
      { ...ed.open, alg: 'EdDSA' },
      rsa.open,
    ],
  });
});

it.each<[what: string, keys: unknown[], place: string]>([
  ['a private EC key', [ec.open, ec.whole], 'jwks.keys.1.d'],
  ['a private RSA key', [{ ...rsa.open, q: rsa.whole['q'] }], 'jwks.keys.0.q'],
  ['a private Ed25519 key', [ed.whole], 'jwks.keys.0.d'],
  ['a secret', [{ kty: 'oct', k: 'c2VjcmV0' }], 'jwks.keys.0.kty jwks.keys.0.k'],
  ['a secret inside of a key', [{ ...ec.open, k: 'c2VjcmV0' }], 'jwks.keys.0.k'],
  ['no kty', [{ ...ec.open, kty: undefined }], 'jwks.keys.0.kty'],
  ['a key for encryption', [{ ...rsa.open, use: 'enc' }], 'jwks.keys.0.use'],
  ['HS256', [{ ...rsa.open, alg: 'HS256' }], 'jwks.keys.0.alg'],
  ['none', [{ ...rsa.open, alg: 'none' }], 'jwks.keys.0.alg'],
  ['an algorithm of another kind of key', [{ ...ec.open, alg: 'RS256' }], 'jwks.keys.0.alg'],
  ['an algorithm of another curve', [{ ...ec.open, alg: 'ES384' }], 'jwks.keys.0.alg'],
  ['a curve that we do not verify', [bitcoin.open], 'jwks.keys.0.crv'],
  ['a point that is not on the curve', [{ ...ec.open, y: ec.open['x'] }], 'jwks.keys.0'],
  ['half a key', [{ kty: 'EC', crv: 'P-256', x: ec.open['x'] }], 'jwks.keys.0'],
  ['a text that is no number', [{ ...rsa.open, n: '***' }], 'jwks.keys.0.n'],
  ['RSA of 1,024 bits', [weak.open], 'jwks.keys.0.n'],
  ['RSA with a large exponent', [slow.open], 'jwks.keys.0.e'],
  [
    'two keys of one kid',
    [
      { ...ec.open, kid: '1' },
      { ...rsa.open, kid: '1' },
    ],
    'jwks.keys.1.kid',
  ],
  ['an empty kid', [{ ...ec.open, kid: '' }], 'jwks.keys.0.kid'],
  ['no key', [], 'jwks.keys'],
  ['eleven keys', Array.from({ length: 11 }, () => ec.open), 'jwks.keys'],
  ['no object', ['key'], 'jwks.keys.0'],
])('%s in a client’s key set is rejected with its path', (_, keys, place) =>
  expect(faultsAt(withKeys(...keys)).join(' ')).toBe(place),
);

it.each<[what: string, others: Record<string, unknown>[]]>([
  ['a key for encryption', [{ ...rsa.open, kid: 'signs', use: 'enc', alg: 'RSA-OAEP' }]],
  ['a curve that we do not verify', [bitcoin.open]],
  ['a kind of key that we do not know', [{ kty: 'AKP', alg: 'ML-DSA-44', pub: 'x' }]],
  ['half a key', [{ kty: 'EC', crv: 'P-256', x: ec.open['x'] }]],
  ['RSA of 1,024 bits', [weak.open]],
  ['twelve keys for encryption', Array.from({ length: 12 }, () => ({ ...rsa.open, use: 'enc' }))],
])('RFC 7517 §5: if a key set has a signing key, %s is ignored', (_, others) => {
  const signs = { ...ec.open, kid: 'signs', use: 'sig' };
  for (const keys of [
    [signs, ...others],
    [...others, signs],
  ])
    expect(parse(withKeys(...keys)).data?.jwks).toEqual({ keys: [signs] });
});

it.each<[what: string, given: object, places: string[]]>([
  ['a private key beside one for encryption', withKeys(ec.open, ec.whole), ['jwks.keys.1.d']],
  ['no keys with private_key_jwt', KEYED, ['jwks']],
  ['both', { ...withKeys(ec.open), jwksUri: 'https://shop.example/keys' }, ['jwksUri']],
  ['an address without TLS', { ...KEYED, jwksUri: 'http://shop.example/keys' }, ['jwksUri']],
  ['no address', { ...KEYED, jwksUri: 'keys' }, ['jwksUri']],
  ['keys without the method', { ...CLIENT, jwks: { keys: [ec.open] } }, ['jwks']],
  ['an address without it', { ...CLIENT, jwksUri: 'https://shop.example/keys' }, ['jwksUri']],
  ['the audience without it', { ...CLIENT, tokenEndpointAsAudience: true }, ['tokenEndpointAsAudience']],
  [
    'none for a confidential client',
    { ...CLIENT, tokenEndpointAuthMethod: 'none' },
    ['tokenEndpointAuthMethod'],
  ],
  [
    'a secret for a public one',
    { ...CLIENT, kind: 'native', tokenEndpointAuthMethod: 'client_secret_post' },
    ['tokenEndpointAuthMethod'],
  ],
  ['keys for a public one', { ...withKeys(ec.open), kind: 'browser' }, ['tokenEndpointAuthMethod']],
  [
    'a method that we do not have',
    { ...CLIENT, tokenEndpointAuthMethod: 'client_secret_jwt' },
    ['tokenEndpointAuthMethod'],
  ],
  ['a text where the keys belong', { ...KEYED, jwks: '{}' }, ['jwks']],
])('the client setting is rejected: %s', (_, given, places) => expect(faultsAt(given)).toEqual(places));

it.each([
  { ...KEYED, jwksUri: 'https://shop.example/keys?tenant=7' },
  { ...KEYED, jwksUri: 'http://localhost:3000/keys', tokenEndpointAsAudience: true },
  { ...CLIENT, tokenEndpointAuthMethod: '' },
  { ...CLIENT, tokenEndpointAuthMethod: 'client_secret_basic' },
  { ...CLIENT, kind: 'native', tokenEndpointAuthMethod: 'none' },
])('a client with the key settings %j is accepted', (given) => expect(faultsAt(given)).toEqual([]));
