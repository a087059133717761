import { expect, test } from 'vitest';
import { addressFaults } from '#lib/catalogue/clients/definition.ts';
import { deviceFault, machineFault, trustFault } from '#lib/catalogue/subscriptions/definition.ts';
import type { FaultText } from '#lib/kit/fault.ts';
import { wrongAt } from '#lib/management/refused.ts';
import { unknownEvent } from '#lib/registry/audit-event.ts';
import {
  type FormerIssuer,
  formerIssuerFaults,
  issuerHostFaults,
  sharedAddressFault,
} from '#lib/registry/issuers.ts';
import { autoApproveFaults } from '#lib/registry/unregistered.ts';
import { englishInFaults, englishInRefusals, isProse } from '#testing/code/fault-texts.ts';
import { pageWordsOf } from '../_texts/page-words.ts';
import { faultInWords } from './in-words.ts';

const former = (issuer: string, more: Partial<FormerIssuer> = {}): FormerIssuer => ({
  ...{ issuer, auth_method: 'pw', layout: 'same', until: '2030-01-01' },
  ...more,
});
const formers = (...formerIssuers: FormerIssuer[]) =>
  formerIssuerFaults({ authMethods: ['pw'], issuerHosts: { pw: 'https://own.example' }, formerIssuers }, [
    'https://service.example',
  ]);
const hosts = (issuerHosts: Record<string, string>) =>
  issuerHostFaults({ authMethods: ['pw', 'sso'], issuerHosts }, ['https://service.example']);
const sector = (...redirectUris: string[]) =>
  addressFaults({
    ...{ kind: 'confidential', redirectUris, allowedOrigins: [], privateUseSchemes: true, logoUri: null },
    ...{ postLogoutRedirectUris: [], backchannelLogoutUri: null, idJagAudiences: [] },
    ...{ subjectType: 'pairwise', sectorIdentifierUri: null },
  }).filter(({ message }) => message.includes('pairwise'));

const CASES: readonly (readonly [english: string, faults: readonly (FaultText | null)[]])[] = [
  ['other is not a sign-in method of this API', hosts({ other: 'https://a.example' })],
  [
    'https://a.example is already the host of pw',
    hosts({ pw: 'https://a.example', sso: 'https://a.example' }),
  ],
  ['https://service.example is the address of this service itself', hosts({ pw: 'https://service.example' })],
  [
    'other is not a sign-in method of this API',
    formers(former('https://a.example', { auth_method: 'other' })),
  ],
  [
    'refresh and token_endpoint must be set together',
    formers(former('https://a.example', { refresh: 'ask' })),
  ],
  [
    'refresh requires jwks or jwks_uri, which verify the responses',
    formers(former('https://a.example', { refresh: 'ask', token_endpoint: 'https://a.example/t' })),
  ],
  ['https://a.example is listed twice', formers(former('https://a.example'), former('https://a.example'))],
  [
    'https://a.example also uses the address https://a.example/oauth/par',
    formers(former('https://a.example', { layout: 'auth0' }), former('https://a.example/oauth')),
  ],
  [
    'https://own.example/x is at a host of this service, which already has its own issuers',
    formers(former('https://own.example/x')),
  ],
  [
    'https://a.example of the API orders is answered at https://a.example/token too',
    [sharedAddressFault({ issuer: 'https://a.example', api: 'orders', address: 'https://a.example/token' })],
  ],
  [
    'contains write, which is not a scope of this API',
    autoApproveFaults({
      scopes: [{ name: 'read' }],
      autoApprove: [{ host: 'a.example', scopes: ['write'], max_days: null }],
    }),
  ],
  ['a client described by a document cannot be trusted', [trustFault('orders', true, 'document')]],
  [
    'the API management cannot be trusted: its tokens require the consent of a person',
    [trustFault('management', true, null)],
  ],
  [
    'a machine of the API management must list the scopes that it needs',
    [machineFault('management', true, [])],
  ],
  ['the API management issues no tokens to devices', [deviceFault('management', true, null)]],
  ['a client described by a document cannot use the device grant', [deviceFault('orders', true, 'document')]],
  [
    'is missing: pairwise subjects require one sector, and the redirect addresses have the hosts a.example, b.example, c.example and others',
    sector('https://a.example', 'https://b.example', 'https://c.example', 'https://d.example'),
  ],
  [
    'is missing: pairwise subjects require one sector, and the redirect addresses have the hosts a.example, a device',
    sector('https://a.example', 'com.example:/cb'),
  ],
  ['No event is called sing_in. Did you mean sign_in.?', [unknownEvent('sing_in')]],
  ['No event is called xxxxxxxxxxx. Choose one of the list.', [unknownEvent('xxxxxxxxxxx')]],
];

test.each(CASES)('German pages translate the fault “%s”, and no value is English', (english, faults) => {
  const words = pageWordsOf('de');
  expect(faults.map((fault) => fault?.message)).toEqual([english]);
  for (const why of faults) {
    const fault = wrongAt('field', 'api.wrong_host', why as FaultText);
    expect(fault.message).toBe(english);
    expect(
      Object.values(fault.values ?? {})
        .flat()
        .filter(isProse),
    ).toEqual(english.includes('the hosts a.example, b') ? ['a.example, b.example, c.example, …'] : []);
    expect(words.translates(fault.text ?? '')).toBe(true);
    expect(faultInWords(words, fault, {})).toBe(words.say(fault.text ?? '', fault.values as never));
  }
});

test('no fault and no rejection has an English text in its values', () => {
  expect(englishInFaults()).toEqual([]);
  expect(englishInRefusals()).toEqual([]);
});
