// Custom texts of pages and mails: plain text, limited in length, with the same values as the original message.
import { expect, test } from 'vitest';
import { api } from '#lib/catalogue/apis/definition.ts';
import { faultsOf } from './definition.ts';
import {
  flatText,
  optionalTexts,
  TEXT_SLOT_NAMES,
  TEXT_SLOTS,
  textsShown,
  withFlatTexts,
  withTexts,
} from './own-texts.ts';

const faults = (texts: unknown): string[] => {
  const given = { id: 'orders', name: 'Orders', url: 'https://orders.example', texts };
  const parsed = api.safeParse(given, { reportInput: true });
  return parsed.success ? [] : faultsOf(parsed.error).map(({ message }) => message);
};

test.each([
  ['no map', 'Welcome', 'texts must be keys and values'],
  ['a list', [], 'texts must be keys and values'],
  [
    'a slot that is not there',
    { consent_heading: { en: 'Yes' } },
    'texts Unrecognized key: "consent_heading"',
  ],
  ['a text without its language', { sign_in_lead: 'Hello' }, 'texts.sign_in_lead must be keys and values'],
  ['a number', { sign_in_lead: { de: 7 } }, 'texts.sign_in_lead.de must be a string'],
  [
    'another language',
    { sign_in_lead: { sv: 'Hej' } },
    'texts.sign_in_lead.sv must be one of en, de, fr, es',
  ],
  [
    'a tag that is not canonical',
    { sign_in_lead: { 'pt-br': 'Olá' } },
    'texts.sign_in_lead.pt-br must be one of',
  ],
  [
    '__proto__',
    JSON.parse('{"sign_in_lead":{"constructor":"x"}}'),
    'texts.sign_in_lead.constructor must be one of',
  ],
  [
    'too much',
    { sign_in_lead: { de: 'x'.repeat(201) } },
    'texts.sign_in_lead.de must not be longer than 200 characters',
  ],
  ['two lines', { sign_in_lead: { de: 'a\nb' } }, 'texts.sign_in_lead.de must be one line'],
  [
    'a separator of paragraphs',
    { sign_in_lead: { de: 'a\u2029b' } },
    'texts.sign_in_lead.de must be one line',
  ],
  [
    'a control character',
    { sign_in_help: { de: 'a\u0007' } },
    'texts.sign_in_help.de must not contain the control character U+0007',
  ],
  [
    'an override of direction',
    { sign_in_lead: { de: 'a\u202Eb' } },
    'texts.sign_in_lead.de must not contain U+202E',
  ],
  ['an isolate', { sign_in_lead: { ar: '\u2066a\u2069' } }, 'texts.sign_in_lead.ar must not contain U+2066'],
  [
    'a space without width',
    { sign_in_lead: { de: 'a\u200Bb' } },
    'texts.sign_in_lead.de must not contain U+200B',
  ],
  [
    'half a pair',
    { sign_in_lead: { de: 'a\uD800' } },
    'texts.sign_in_lead.de must not contain the control character',
  ],
  [
    'a value that is not there',
    { sign_in_lead: { de: 'Hallo {name}' } },
    'texts.sign_in_lead.de must not contain {name}: there is no value for it',
  ],
  [
    'a brace',
    { sign_in_lead: { de: 'a { b' } },
    'texts.sign_in_lead.de must not contain {: there is no value for it',
  ],
  [
    'a choice of ICU',
    { mail_reset: { de: '{minutes, plural, one {#} other {#}}' } },
    'texts.mail_reset.de must not contain',
  ],
  [
    'a select',
    { mail_code: { de: '{code} {minutes} {x, select, other {a}}' } },
    'texts.mail_code.de must not contain',
  ],
  [
    'a value with a format',
    { mail_reset: { de: '{minutes, number}' } },
    'texts.mail_reset.de must not contain {minutes, number}',
  ],
  [
    'a value with spaces',
    { mail_reset: { de: '{ minutes }' } },
    'texts.mail_reset.de must not contain { minutes }',
  ],
  [
    'one value of two',
    { mail_code: { de: 'Ihr Code: {code}' } },
    'texts.mail_code.de must contain {minutes}, which is replaced by a value',
  ],
  [
    'no value',
    { mail_rejected: { de: 'Nein' } },
    'texts.mail_rejected.de must contain {host}, which is replaced by a value',
  ],
])('a custom text is rejected with its path: %s', (_, texts, fault) => {
  const found = faults(texts);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(fault);
});

test.each([
  ['HTML is text', { sign_in_lead: { de: '<b>Hallo</b> & "so"' } }],
  ['an apostrophe, and a sign of ICU', { mail_code: { fr: "L'essai '{code}' # {minutes}" } }],
  ['right to left, with joiners', { sign_in_lead: { ar: 'مرحبًا بكم' } }],
  ['emoji', { sign_in_help: { ja: '👩‍💻 ようこそ\n\n2行目' } }],
  ['an address, which is no link', { sign_in_help: { en: 'See https://help.example' } }],
])('a custom text is stored unchanged: %s', (_, texts) => {
  expect(optionalTexts.parse(texts)).toEqual(texts);
});

test('an empty custom text becomes the default text, and the order follows the table', () => {
  expect(optionalTexts.parse(undefined)).toBeNull();
  expect(
    optionalTexts.parse({ sign_in_lead: { de: ' ', fr: null }, sign_in_help: null, mail_code: {} }),
  ).toBeNull();
  const texts = {
    mail_closing: { fr: ' Merci \r\n-- \r\nShop ', de: 'Danke' },
    sign_in_lead: { de: 'Hallo' },
  };
  const settled = optionalTexts.parse(texts);
  expect(JSON.stringify(settled)).toBe(
    '{"sign_in_lead":{"de":"Hallo"},"mail_closing":{"de":"Danke","fr":"Merci\\n--\\nShop"}}',
  );
});

test('the total size of custom texts is limited', () => {
  const long = (length: number) =>
    Object.fromEntries(['ja', 'ar', 'en', 'de', 'fr', 'es', 'it'].map((tag) => [tag, 'あ'.repeat(length)]));
  const texts = Object.fromEntries(
    TEXT_SLOT_NAMES.filter((name) => TEXT_SLOTS[name].values.length === 0).map((name) => [
      name,
      long(TEXT_SLOTS[name].longest),
    ]),
  );
  expect(faults(texts)).toEqual(['texts must not exceed 49152 bytes, all texts together']);
});

test('with an approved subscription, client texts override API texts, per text and language', () => {
  const owned = { sign_in_lead: { de: 'API', fr: 'API' }, mail_reset: { de: '{minutes} API' } };
  const orders = { id: 'orders', texts: optionalTexts.parse(owned) };
  const texts = optionalTexts.parse({ sign_in_lead: { de: 'Client' }, sign_in_help: { de: 'Hilfe' } });
  const client = (state: string, origin: string | null = null) => ({
    texts,
    origin,
    subscriptions: [{ apiId: 'orders', state }],
  });
  const shown = textsShown('de', orders, client('approved'));
  expect(Object.fromEntries(shown?.lines ?? [])).toEqual({ sign_in_lead: 'Client', sign_in_help: 'Hilfe' });
  expect(Object.fromEntries(shown?.messages ?? [])).toEqual({ 'mail.reset': '{minutes} API' });
  expect(textsShown('fr', orders, client('approved'))?.lines.get('sign_in_lead')).toBe('API');
  for (const other of [client('pending'), client('approved', 'document'), null])
    expect(textsShown('de', orders, other)?.lines.get('sign_in_lead')).toBe('API');
  expect(textsShown('de', { id: 'orders', texts: null }, null)).toBeNull();
});

test('the audit log stores each custom text as a separate field, which can be parsed back', () => {
  const texts = optionalTexts.parse({ sign_in_lead: { 'pt-BR': 'Olá' } });
  expect(withFlatTexts({ id: 'orders', texts })).toEqual({ id: 'orders', 'texts.sign_in_lead.pt-BR': 'Olá' });
  expect(flatText('texts.sign_in_lead.pt-BR')).toEqual({ slot: 'sign_in_lead', language: 'pt-BR' });
  for (const field of ['texts', 'texts.other.de', 'texts.sign_in_lead.sv', 'name'])
    expect(flatText(field)).toBeNull();
  expect(optionalTexts.parse(withTexts(texts, 'de', { sign_in_lead: 'Hallo' }))).toEqual({
    sign_in_lead: { de: 'Hallo', 'pt-BR': 'Olá' },
  });
  expect(optionalTexts.parse(withTexts(texts, 'pt-BR', { sign_in_lead: '' }))).toBeNull();
});
