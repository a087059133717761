import { expect, it } from 'vitest';
import { checkedNewClient, sectorOf } from './definition.ts';

const of = (redirectUris: string[], sectorIdentifierUri: string | null = null) =>
  sectorOf({ clientId: 'shop.example', redirectUris, sectorIdentifierUri });

it.each<[string, string[], string | null, string]>([
  ['its one host', ['https://shop.example/a', 'https://shop.example:8443/b'], null, 'host shop.example'],
  [
    'the host of its list',
    ['https://a.example/', 'com.b:/cb'],
    'https://Shop.example/l',
    'host shop.example',
  ],
  ['several hosts', ['https://shop.example/', 'https://b.example/'], null, 'client shop.example'],
  ['no address at all', [], null, 'client shop.example'],
  ['a scheme of its own', ['com.example.app:/cb'], null, 'client shop.example'],
  ['a machine of one’s own', ['http://127.0.0.1/cb', 'http://[::1]/cb'], null, 'client shop.example'],
  ['localhost', ['http://localhost:3000/cb'], null, 'client shop.example'],
  // A developer who adds another client's host as a second address must not share the sector of that client.
  ['a host and localhost', ['https://shop.example/', 'http://localhost/'], null, 'client shop.example'],
  ['a host and a scheme', ['https://shop.example/', 'com.example.app:/cb'], null, 'client shop.example'],
])('Core §8.1: the sector is determined for a client with %s', (_, redirectUris, list, sector) => {
  expect(of(redirectUris, list)).toBe(sector);
});

const CLIENT = { clientId: 'shop', name: 'Shop', kind: 'native', redirectUris: [] };
const faults = (given: object) =>
  checkedNewClient
    .safeParse({ ...CLIENT, ...given })
    .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
const TWO = ['https://a.example/cb', 'https://b.example/cb'];

it('pairwise subjects require one sector: only several redirect hosts without a sector document are rejected', () => {
  expect(faults({ redirectUris: TWO })).toEqual([]);
  expect(faults({ redirectUris: TWO, subjectType: 'pairwise' })).toEqual([
    'sectorIdentifierUri is missing: pairwise subjects require one sector, and the redirect addresses have the hosts a.example, b.example',
  ]);
  const list = { subjectType: 'pairwise', sectorIdentifierUri: 'https://a.example/sector.json' };
  expect(faults({ redirectUris: TWO, ...list })).toEqual([]);
  const mixed = { redirectUris: ['https://a.example/cb', 'com.example.app:/cb'], subjectType: 'pairwise' };
  expect(faults(mixed)).toEqual([expect.stringContaining('a.example, a device')]);
  for (const uri of ['com.example.app:/cb', 'http://127.0.0.1/cb', 'https://a.example/cb'])
    expect(faults({ redirectUris: [uri], subjectType: 'pairwise' })).toEqual([]);
});

it.each([['http://shop.example/list'], ['com.example:/list'], ['https://shop.example/#x'], ['list']])(
  '%s is rejected as sector_identifier_uri, even with the subject type public',
  (sectorIdentifierUri) =>
    expect(faults({ sectorIdentifierUri })).toEqual([expect.stringMatching(/^sectorIdentifierUri must be /)]),
);

it('subject_type is public or pairwise, and defaults to public', () => {
  expect(checkedNewClient.parse(CLIENT)).toMatchObject({ subjectType: 'public', sectorIdentifierUri: null });
  expect(checkedNewClient.parse({ ...CLIENT, sectorIdentifierUri: '' }).sectorIdentifierUri).toBeNull();
  expect(faults({ subjectType: 'both' })).toEqual(['subjectType must be public or pairwise']);
});
