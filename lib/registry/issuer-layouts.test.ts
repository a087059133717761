import { expect, test } from 'vitest';
import { formerIssuerFaults, type IssuerLayout, sharedAddress } from './issuers.ts';

test.each<[string, IssuerLayout, string, IssuerLayout, string | null]>([
  // the path of one issuer is a prefix of the other, but no address is shared
  ['https://h/a', 'auth0', 'https://h/a/b', 'auth0', null],
  ['https://h/realms/a', 'keycloak', 'https://h/realms/ab', 'keycloak', null],
  ['https://h', 'hydra', 'https://h/a', 'same', null],
  ['https://h/', 'auth0', 'https://h/realms/a', 'keycloak', null],
  // the rest of one issuer's path is the start of the other issuer's addresses
  ['https://h/a', 'auth0', 'https://h/a/oauth', 'same', 'https://h/a/oauth/par'],
  ['https://h/a', 'hydra', 'https://h/a/oauth2', 'same', 'https://h/a/oauth2/token'],
  ['https://h/', 'hydra', 'https://h/oauth2', 'wicked', 'https://h/oauth2/token'],
  ['https://h/', 'auth0', 'https://h/oidc', 'same', 'https://h/oidc/logout'],
  [
    'https://h/realms/a',
    'keycloak',
    'https://h/realms/a/protocol/openid-connect',
    'same',
    'https://h/realms/a/protocol/openid-connect/token',
  ],
  // the addresses of metadata also exist in the form in which `/.well-known/` precedes the path
  ['https://h', 'same', 'https://h/.well-known/openid-configuration', 'same', null],
  [
    'https://h/.well-known/openid-configuration',
    'same',
    'https://h/token',
    'same',
    'https://h/.well-known/openid-configuration/token',
  ],
  // the same issuer with two layouts: both layouts would publish metadata at the same address
  ['https://h/a', 'auth0', 'https://h/a/', 'hydra', 'https://h/a/userinfo'],
  ['https://h/a', 'auth0', 'https://i/a/oauth', 'same', null],
  ['https://h/a', 'auth0', 'https://h:8443/a/oauth', 'same', null],
  ['no address', 'auth0', 'https://h/a', 'same', null],
])(
  'the former issuers %s (%s) and %s (%s) share the address %s',
  (one, layout, other, otherLayout, shared) => {
    const [first, second] = [
      { issuer: one, layout },
      { issuer: other, layout: otherLayout },
    ];
    expect(sharedAddress(second, first) !== null).toBe(shared !== null);
    expect(sharedAddress(first, second)).toBe(shared);
    if (shared === null) return;
    const former = { auth_method: 'pw', until: '2999-12-31' };
    const api = {
      authMethods: ['pw'],
      issuerHosts: null,
      formerIssuers: [first, second].map((one) => ({ ...former, ...one })),
    };
    expect(formerIssuerFaults(api, [])).toMatchObject([{ at: 1 }]);
  },
);
