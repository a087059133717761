import { expect, it } from 'vitest';
import { checkedNewClient } from './definition.ts';

const CLIENT = { clientId: 'shop', name: 'Shop', kind: 'confidential', redirectUris: [] };
const faultAt = (given: object) =>
  checkedNewClient.safeParse({ ...CLIENT, ...given }).error?.issues.map(({ path }) => path.join('.'));

it.each([
  ['https://shop.example/signed-out#x'],
  ['http://shop.example/signed-out'],
  ['javascript:alert(1)'],
  ['https://shop.example/signed-out?state=1'],
  [''],
])('RP-Initiated Logout §3.1: %s is rejected as redirect URI, also after sign-out', (uri) => {
  expect(faultAt({ postLogoutRedirectUris: ['https://shop.example/', uri] })).toEqual([
    'postLogoutRedirectUris.1',
  ]);
});

it.each([['http://shop.example/bcl'], ['https://shop.example/bcl#x'], ['com.example.app:/bcl'], ['bcl']])(
  'Back-Channel Logout §2.2: %s is rejected as back-channel logout address',
  (uri) => expect(faultAt({ backchannelLogoutUri: uri })).toEqual(['backchannelLogoutUri']),
);

it('a back-channel URI can have a query, an empty back-channel URI counts as unset, and a client can have 100 sign-out URIs', () => {
  const given = checkedNewClient.parse({
    ...CLIENT,
    backchannelLogoutUri: 'https://shop.example/bcl?tenant=7',
  });
  expect(given).toMatchObject({
    backchannelLogoutUri: 'https://shop.example/bcl?tenant=7',
    backchannelLogoutSessionRequired: false,
    postLogoutRedirectUris: [],
    idTokenSignedResponseAlg: 'RS256',
  });
  expect(checkedNewClient.parse({ ...CLIENT, backchannelLogoutUri: '' }).backchannelLogoutUri).toBeNull();
  const many = Array.from({ length: 101 }, (_, at) => `https://shop.example/${at}`);
  expect(faultAt({ postLogoutRedirectUris: many })).toEqual(['postLogoutRedirectUris']);
  expect(faultAt({ idTokenSignedResponseAlg: 'none' })).toEqual(['idTokenSignedResponseAlg']);
  const long = Array.from({ length: 99 }, (_, at) => `https://shop.example/${'x'.repeat(400)}${at}`);
  expect(faultAt({ postLogoutRedirectUris: long })).toEqual(['redirectUris']);
});
