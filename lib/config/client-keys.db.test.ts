// Client authentication in the file: how it reaches the database, the snapshot and the export.
import { expect, it } from 'vitest';
import { addSecret } from '#lib/catalogue/clients/operations.ts';
import { CONFIGURATION, OPERATOR } from '#lib/management/policy.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { makePair, setOf } from '#testing/clients/client-keys.ts';
import { sql } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

const file = (fields: object, confidential = true) =>
  JSON.stringify({
    clients: [
      {
        client_id: 'shop',
        ...(confidential ? { confidential } : { application_type: 'browser' }),
        redirect_uris: ['https://shop.example/cb'],
        ...fields,
      },
    ],
  });
const apply = (source: string) => applyConfiguration(source, { env: {} });
const BY_KEYS = { token_endpoint_auth_method: 'private_key_jwt' };
const secrets = () => sql('select 1 from client_secrets');

it('keys by value and by address reach the snapshot, and an export can be applied again', async () => {
  const pair = await makePair('RS256');
  const extra = { ...pair.jwk, x5c: ['…'], key_ops: ['verify'] };
  await apply(file({ ...BY_KEYS, jwks: { keys: [extra] } }));
  expect((await currentSnapshot()).clients.get('shop')).toMatchObject({
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwks: setOf(pair),
    jwksUri: null,
    tokenEndpointAsAudience: false,
    secrets: [],
  });
  // RFC 7517 §5: keys that the software does not understand are ignored
  const beside = [
    { ...pair.jwk, use: 'enc', alg: 'RSA-OAEP' },
    { kty: 'AKP', alg: 'ML-DSA-44', pub: 'x' },
  ];
  expect(await apply(file({ ...BY_KEYS, jwks: { keys: [...beside, extra] } }))).toEqual([]);
  const exported = await exportConfiguration();
  expect(exported).toContain('token_endpoint_auth_method: private_key_jwt');
  expect(await apply(exported)).toEqual([]);
  expect(await apply(file({ ...BY_KEYS, jwks: { keys: [extra] } }))).toEqual([]);

  const address = 'https://shop.example/keys';
  await apply(file({ ...BY_KEYS, jwks_uri: address, token_endpoint_as_audience: true }));
  expect((await currentSnapshot()).clients.get('shop')).toMatchObject({
    jwks: null,
    jwksUri: address,
    tokenEndpointAsAudience: true,
  });
  expect(await apply(await exportConfiguration())).toEqual([]);
});

it('switching a client to keys deletes all its secrets, and switching back is possible', async () => {
  await apply(file({ client_secret: 'the-secret-of-the-file' }));
  await addSecret(OPERATOR, { clientId: 'shop' });
  expect(await secrets()).toHaveLength(2);
  await apply(file({ ...BY_KEYS, jwks: setOf(await makePair()) }));
  expect(await secrets()).toEqual([]);
  await expect(addSecret(CONFIGURATION, { clientId: 'shop' })).rejects.toThrow('has no secret');
  await apply(file({ client_secret: 'the-secret-of-the-file' }));
  expect(await secrets()).toHaveLength(1);
});

it.each<[object, string, boolean?]>([
  [BY_KEYS, 'clients[0].jwks: is missing'],
  [{ ...BY_KEYS, jwks_uri: 'http://shop.example/keys' }, 'clients[0].jwks_uri: must be https'],
  [
    { ...BY_KEYS, jwks_uri: 'https://shop.example/keys', jwks: { keys: [] } },
    'clients[0].jwks_uri: cannot be combined',
  ],
  [
    { ...BY_KEYS, jwks: { keys: [{ kty: 'oct', k: 'x' }] } },
    'clients[0].jwks.keys[0].k: must not be included',
  ],
  [
    { ...BY_KEYS, jwks: { keys: [{ kty: 'EC', crv: 'P-256' }] } },
    'clients[0].jwks.keys[0]: must be a complete',
  ],
  [
    { ...BY_KEYS, jwks_uri: 'https://a.example/', client_secret: 'x' },
    'clients[0].client_secret: a client with',
  ],
  [{ jwks_uri: 'https://a.example/' }, 'clients[0].jwks_uri: is only for'],
  [
    { token_endpoint_auth_method: 'client_secret_jwt' },
    'clients[0].token_endpoint_auth_method: must be one of',
  ],
  [{ token_endpoint_auth_method: 'none' }, 'clients[0].token_endpoint_auth_method: must not be none'],
  [
    { ...BY_KEYS, jwks_uri: 'https://a.example/' },
    'clients[0].token_endpoint_auth_method: must be none',
    false,
  ],
])(
  'apply rejects the key settings %j with a path, and changes nothing',
  async (fields, place, confidential = true) => {
    const before = await sql('select * from clients');
    await expect(apply(file(fields, confidential))).rejects.toThrow(place);
    expect(await sql('select * from clients')).toEqual(before);
  },
);
