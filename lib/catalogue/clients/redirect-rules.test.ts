import { describe, expect, it } from 'vitest';
import { originFault, proposedRedirectUri, redirectUriAdvice, redirectUriFault } from './definition.ts';

describe('redirect addresses that are rejected at registration', () => {
  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/relative',
    'blob:x',
    'about:blank',
    'https://a.example/cb#x',
    'https://a.example/cb#',
    'https://*.example/cb',
    'https://u:p@a.example/cb',
    'https://@a.example/cb',
    'http://a.example/cb',
    'https://a.example/x y',
    '',
    'https://a.example/../cb',
    'https:a.example',
    'http://127.1/cb',
    'http://2130706433/cb',
    'http://localhost.evil.example/cb',
  ])('RU-04: the redirect URI %s is rejected', (uri) => {
    for (const type of ['web', 'browser', 'native'] as const)
      expect(redirectUriFault(uri, type)).not.toBeNull();
  });

  it.each(['code', 'state', 'iss', 'error'])(
    'RU-06: the parameter %s in the query of a redirect URI is rejected',
    (name) => {
      expect(redirectUriFault(`https://a.example/cb?${name}=1`, 'web')?.message).toContain(name);
    },
  );

  it('RU-14: private-use schemes contain a dot, and require a native client, or a confidential client with private_use_schemes', () => {
    expect(redirectUriFault('myapp:/cb', 'native')?.message).toContain('dot');
    for (const uri of [
      'com.example.app:/cb',
      'app.immich:///oauth-callback',
      'app.immich://oauth-callback',
    ]) {
      expect(redirectUriFault(uri, 'native')).toBeNull();
      expect(redirectUriFault(uri, 'web')?.message).toContain('private_use_schemes');
      expect(redirectUriFault(uri, 'web', true)).toBeNull();
      expect(redirectUriFault(uri, 'browser', true)).not.toBeNull();
    }
    for (const uri of ['myapp:/cb', 'javascript:alert(1)', 'shop.example:8443/cb', 'http://shop.example/cb'])
      expect(redirectUriFault(uri, 'web', true), uri).not.toBeNull();
  });
});

describe('suggestion of the intended address', () => {
  it.each([
    ['localhost/callback', 'web', 'http://localhost/callback'],
    ['localhost:3000/callback', 'browser', 'http://localhost:3000/callback'],
    ['127.0.0.1:8080', 'native', 'http://127.0.0.1:8080'],
    ['[::1]/cb', 'native', 'http://[::1]/cb'],
    ['shop.example/callback', 'web', 'https://shop.example/callback'],
    ['shop.example:8443/callback?tenant=7', 'web', 'https://shop.example:8443/callback?tenant=7'],
    ['http://shop.example/callback', 'browser', 'https://shop.example/callback'],
    ['https:/shop.example/callback', 'web', 'https://shop.example/callback'],
    ['HTTP:localhost/callback', 'web', 'http://localhost/callback'],
    [' https://shop.example/callback ', 'web', 'https://shop.example/callback'],
    ['https://shop.example/#/callback', 'browser', 'https://shop.example/'],
  ] as const)('for the redirect URI %s of a %s client, the error suggests %s', (typed, type, meant) => {
    expect(proposedRedirectUri(typed, type)).toBe(meant);
    expect(redirectUriFault(meant, type)).toBeNull();
    expect(redirectUriAdvice(typed, type)?.message).toContain(`. Did you mean ${meant}?`);
  });

  it.each([
    ['javascript:alert(1)', 'web'],
    ['com.example.app:/callback', 'web'],
    ['myapp://callback', 'native'],
    ['https://*.shop.example/callback', 'web'],
    ['https://u:p@shop.example/callback', 'web'],
    ['callback', 'web'],
    ['', 'web'],
    ['x'.repeat(3000), 'native'],
  ] as const)('for the redirect URI %s of a %s client, the error suggests no other URI', (typed, type) => {
    expect(proposedRedirectUri(typed, type)).toBeNull();
    expect(redirectUriAdvice(typed, type)?.message).not.toContain('Did you mean');
  });
});

describe('redirect addresses that are accepted', () => {
  it.each([
    ['https://conf.example', 'web'],
    ['https://conf.example/cb?tenant=7', 'web'],
    ['http://localhost:4001/cb', 'browser'],
    ['http://127.0.0.1:4001/cb', 'web'],
    ['http://127.0.0.1/cb', 'native'],
    ['http://[::1]/cb', 'native'],
    ['http://localhost/cb', 'native'],
    ['https://app.example/cb', 'native'],
  ] as const)('the redirect URI %s of a %s client is accepted', (uri, type) =>
    expect(redirectUriFault(uri, type)).toBeNull(),
  );
  it('an entry of allowed_origins must have no path', () => {
    expect(originFault('https://a.example')).toBeNull();
    expect(originFault('https://a.example/')).not.toBeNull();
  });
});
