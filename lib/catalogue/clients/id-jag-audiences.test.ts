import { expect, test } from 'vitest';
import { checkedNewClient, idJagAudienceOf } from './definition.ts';

const CLIENT = { name: 'Wiki', kind: 'confidential', redirectUris: ['https://wiki.example/cb'] } as const;
const faults = (idJagAudiences: string[], kind: string = CLIENT.kind) =>
  checkedNewClient
    .safeParse({ ...CLIENT, kind, idJagAudiences })
    .error?.issues.map(({ path }) => path.join('.')) ?? [];

test('an entry of id_jag_audiences contains an issuer and an optional client_id', () => {
  expect(idJagAudienceOf('https://a.example/t', 'wiki')).toEqual({
    issuer: 'https://a.example/t',
    clientId: 'wiki',
  });
  expect(idJagAudienceOf('https://a.example f5', 'wiki')).toEqual({
    issuer: 'https://a.example',
    clientId: 'f5',
  });
  expect(
    faults(['https://a.example', 'https://b.example/x f5', 'https://c.example https://wiki.example/client']),
  ).toEqual([]);
});

test.each([
  'a',
  'ftp://a.example',
  'https://a.example f5 f6',
  'https://a.example  f5',
  'https://a.example?x',
  'https://a.example/#x',
  'https://u@a.example',
  'https://a.example ä',
  `https://a.example/${'x'.repeat(2_600)}`,
])('id_jag_audiences with this entry is rejected: %s', (entry) =>
  expect(new Set(faults([entry]))).toEqual(new Set(['idJagAudiences.0'])),
);

test('the issuers of id_jag_audiences must be unique and at most twenty, and public clients cannot have any', () => {
  expect(faults(['https://a.example', 'https://a.example f5'])).toEqual(['idJagAudiences.1']);
  expect(faults(Array.from({ length: 21 }, (_, at) => `https://a${at}.example`))).toEqual(['idJagAudiences']);
  expect(faults(['https://a.example'], 'browser')).toContain('idJagAudiences');
});
