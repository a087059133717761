import { expect, test } from 'vitest';
import { changesIn } from './events.tsx';

type Line = { of: string | null; was: string | null; is: string | null };

/** Returns the changed fields, each formatted as `of: was > is`. */
function told(event: string, details: Record<string, unknown>): string[] {
  return changesIn({ event, details }).map(({ label, lines, untold }) => {
    const texts = lines.map((line) => {
      if (line.kind === 'order') return 'order';
      const { of, was, is }: Line = line;
      const change = was === null ? `+ ${is}` : is === null ? `- ${was}` : `${was} > ${is}`;
      return of === null ? change : `${of}: ${change}`;
    });
    return `${label} | ${[...texts, ...(untold === null ? [] : [untold])].join(' | ')}`;
  });
}

const changed = (event: string, before: object, after: object, more = {}) =>
  told(event, { changed: Object.keys(after), before, after, ...more });

test('the audit difference of a list shows its additions and removals, or its new order', () => {
  expect(
    changed(
      'client.changed',
      { redirectUris: ['https://a.example/cb', 'https://b.example/cb'], allowedOrigins: ['a', 'b'] },
      { redirectUris: ['https://a.example/cb', 'https://c.example/cb'], allowedOrigins: ['b', 'a'] },
    ),
  ).toEqual([
    'Redirect addresses | + https://c.example/cb | - https://b.example/cb',
    'Allowed origins | order',
  ]);
});

test('audit differences show times, choices, switches and empty values in words', () => {
  expect(
    changed(
      'api.changed',
      {
        accessTokenTtlSeconds: 300,
        accessTokenFormat: 'jwt',
        requireScope: false,
        tosUri: null,
        profile: null,
      },
      {
        accessTokenTtlSeconds: 600,
        accessTokenFormat: 'opaque',
        requireScope: true,
        tosUri: 'https://a.example',
        profile: 'oauth-2.1',
      },
    ),
  ).toEqual([
    'Access token lifetime | 5 minutes > 10 minutes',
    'Access tokens | Signed (JWT) > Opaque',
    'Requests must name their scopes | no > yes',
    'Terms of service | + https://a.example',
    'OAuth version | OAuth 2.0 > OAuth 2.1',
  ]);
});

test('audit differences compare texts by language, and scopes by name', () => {
  const read = { name: 'read', description: 'See' };
  expect(
    changed(
      'api.changed',
      { name: 'Orders', description: { en: 'A', de: 'B' }, scopes: [read, { name: 'old', description: '' }] },
      {
        name: { en: 'Orders', de: 'Bestellungen' },
        description: { en: 'A', de: 'C' },
        scopes: [
          { ...read, description: 'Look' },
          { name: 'write', description: 'Change' },
        ],
      },
    ),
  ).toEqual([
    'Name | - Orders | en: + Orders | de: + Bestellungen',
    'Description | de: B > C',
    'Scopes | + write (Change) | - old | read, Description: See > Look',
  ]);
});

test('audit differences compare brands, claims and keys part by part', () => {
  const key = (kid: string) => ({ kty: 'EC', kid });
  const brand = { logo: `/logo/${'a'.repeat(64)}`, accent: '#1f6b4a', accent_dark: null };
  expect(
    changed(
      'client.changed',
      { brand: null, jwks: { keys: [key('1')] } },
      { brand, jwks: { keys: [key('1'), key('2')] } },
    ),
  ).toEqual(['Brand | Logo: + /logo/aaaaaaaa… | Colour: + #1f6b4a', 'Public keys | + 2']);
  expect(
    changed('auth_method.changed', { claims: { dept: 'ou' } }, { claims: { dept: 'dep', id: 'x' } }),
  ).toEqual(['Claim mapping | dept: ou > dep | id: + x']);
  expect(
    changed('person.role_granted', { roles: [] }, { roles: ['developer'] }, { role: 'developer' }),
  ).toEqual(['Roles | + Developer']);
});

test('audit differences show no secrets and no overlong values, and an unknown field shows its name', () => {
  expect(told('auth_method.changed', { changed: ['secret'], before: {}, after: {} })).toEqual([
    'Secret | Changed. The log does not contain its value.',
  ]);
  expect(told('api.changed', { changed: ['scopes'], before: {}, after: {}, leftOut: ['scopes'] })).toEqual([
    'Scopes | Changed. The values are too long to log.',
  ]);
  expect(changed('api.changed', { somethingNew: 1 }, { somethingNew: 2 })).toEqual(['Something new | 1 > 2']);
});

test('the audit difference of a created object shows its values, and an event without an object shows none', () => {
  const after = { name: 'Shop', redirectUris: [], logoUri: null, tokenEndpointAsAudience: false };
  expect(told('client.created', { kind: 'native', after })).toEqual(['Name | + Shop']);
  expect(told('token.issued', { grant_type: 'password' })).toEqual([]);
  expect(told('service.invalidated', { before: '2026-11-27T00:00:00Z', families: 1 })).toEqual([]);
});

test('audit differences treat a field named like a member of Object.prototype as an ordinary field', () => {
  expect(changed('api.changed', { constructor: 'a' }, { constructor: 'b' })).toEqual(['Constructor | a > b']);
});
