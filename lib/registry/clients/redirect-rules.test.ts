import { describe, expect, it } from 'vitest';
import { originFault, redirectUriFault } from './redirect-rules.ts';

describe('redirect addresses that are refused at registration', () => {
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
  ])('RU-04: %s', (uri) => {
    for (const type of ['web', 'browser', 'native'] as const)
      expect(redirectUriFault(uri, type)).not.toBeNull();
  });

  it.each(['code', 'state', 'iss', 'error'])('RU-06: %s in the query', (name) => {
    expect(redirectUriFault(`https://a.example/cb?${name}=1`, 'web')).toContain(name);
  });

  it('RU-14: a private-use scheme needs a dot, and a native client', () => {
    expect(redirectUriFault('myapp:/cb', 'native')).toContain('dot');
    expect(redirectUriFault('com.example.app:/cb', 'native')).toBeNull();
    expect(redirectUriFault('com.example.app:/cb', 'web')).not.toBeNull();
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
  ] as const)('%s for %s', (uri, type) => expect(redirectUriFault(uri, type)).toBeNull());
  it('an origin has no path', () => {
    expect(originFault('https://a.example')).toBeNull();
    expect(originFault('https://a.example/')).not.toBeNull();
  });
});
