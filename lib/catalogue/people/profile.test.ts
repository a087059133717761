import { expect, it } from 'vitest';
import { profileChoices } from './profile.ts';

const of = (name: 'picture' | 'locale' | 'zoneinfo', text: unknown) =>
  profileChoices.safeParse({ [name]: text }).data?.[name];
const long = (length: number) => `https://x.example/${'a'.repeat(length - 'https://x.example/'.length)}`;

it.each([
  ['locale', 'de', 'de'],
  ['locale', ' PT-br ', 'pt-BR'],
  ['locale', 'zh-hant-tw', 'zh-Hant-TW'],
  ['locale', 'iw', 'he'],
  ['locale', 'es-419', 'es-419'],
  ['zoneinfo', 'europe/berlin', 'Europe/Berlin'],
  ['zoneinfo', 'Asia/Kolkata', 'Asia/Kolkata'],
  ['zoneinfo', 'UTC', 'UTC'],
  ['picture', 'HTTPS://Ü.example/a b'.replace(' ', '%20'), 'https://xn--tda.example/a%20b'],
  ['picture', long(2048), long(2048)],
  ['picture', '', null],
  ['locale', ' ', null],
  ['zoneinfo', null, null],
] as const)('OpenID Connect Core §5.1: the profile claim %s %j is stored as %j', (name, text, kept) => {
  expect(of(name, text)).toBe(kept);
});

it.each([
  ['locale', 'xx'],
  ['locale', 'klingon'],
  ['locale', 'en_US'],
  ['locale', 'en-Abcd'],
  ['locale', 'en-XX'],
  ['locale', 'de-u-ca-buddhist'],
  ['locale', 'de-invented'],
  ['locale', 'x-private'],
  ['locale', 'de\u0000'],
  ['locale', 'a'.repeat(60_000)],
  ['zoneinfo', 'Europe/Atlantis'],
  ['zoneinfo', '+02:00'],
  ['zoneinfo', '2026-01-01T00:00Z'],
  ['zoneinfo', 'Europe/Berlin[u-ca=buddhist]'],
  ['zoneinfo', '\u0000'],
  ['picture', 'http://x.example/a.png'],
  ['picture', 'javascript:alert(1)'],
  ['picture', 'data:image/png;base64,AAAA'],
  ['picture', 'https://'],
  ['picture', 'https://me:secret@x.example/a.png'],
  ['picture', 'https://x.example/a b'],
  ['picture', 'https://x.exam\tple/'],
  ['picture', long(2049)],
  ['picture', `https://x.example/${'ü'.repeat(400)}`],
  ['picture', 7],
])('the profile claim %s %j is rejected', (name, text) => {
  expect(of(name as 'picture', text)).toBeUndefined();
});
