import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { profileChoices } from '#lib/catalogue/people/profile.ts';
import { changeOf, faultsOf } from './definition.ts';
import { displayText, membersOfText, plainText, textsOfMember } from './display-text.ts';

const named = z.strictObject({
  name: displayText(z.string().trim().max(9, 'must not be longer than 9 characters')),
});
const read = (name: unknown) => {
  const { data, error } = named.safeParse({ name }, { reportInput: true });
  if (data) return data.name;
  return faultsOf(error as z.core.$ZodError).map(({ field, message }) => ({ field, message }));
};

describe('contract 8: a name is a text, or a map of languages', () => {
  it('plain text is unchanged, and a language map keeps its order with tags in the form of RFC 5646 §4.5', () => {
    expect(read(' Orders ')).toBe('Orders');
    const texts = read({ DE: ' Bestellen', 'pt-br': 'Pedidos', en: 'Orders', und: 'X' });
    expect(JSON.stringify(texts)).toBe('{"de":"Bestellen","pt-BR":"Pedidos","en":"Orders","und":"X"}');
    expect(changeOf(named).parse({})).toEqual({});
  });

  it.each([
    [{ zz: 'Orders' }, 'name.zz', 'name.zz must be a language, such as de or pt-BR'],
    [
      { en: 'Orders', 'xx-nonsense!': 'X' },
      'name.xx-nonsense!',
      'name.xx-nonsense! must be a language, such as de or pt-BR',
    ],
    [{ 'de-XX-a': 'X' }, 'name.de-XX-a', 'name.de-XX-a must be a language, such as de or pt-BR'],
    [{ __proto: 'X' }, 'name.__proto', 'name.__proto must be a language, such as de or pt-BR'],
    [{ 'pt-BR': 'A', 'pt-br': 'B' }, 'name.pt-br', 'name.pt-br is pt-BR, which is already listed'],
    [{ en: 'Orders', de: '  ' }, 'name.de', 'name.de must not be empty'],
    [{ en: 'Orders', de: 'Bestellungen' }, 'name.de', 'name.de must not be longer than 9 characters'],
    ['Bestellungen', 'name', 'name must not be longer than 9 characters'],
    [{}, 'name', 'name must not be empty: enter a text, or one for each language'],
    [undefined, 'name', 'name is missing'],
  ])('the multilingual text %j is rejected with its field path', (name, field, message) => {
    expect(read(name)).toEqual([{ field, message }]);
  });

  it.each([7, null, ['Orders'], { de: 7 }, { de: { en: 'X' } }])(
    '%j is no text and no map of languages, and is rejected',
    (name) => {
      expect(read(name)).toEqual([
        {
          field: 'name',
          message: 'name must be a string, or a map of languages such as {en: Orders, de: Bestellungen}',
        },
      ]);
    },
  );

  it('a text with 31 languages is rejected', () => {
    const known =
      'aa af ak am ar as az be bg bm bn bo br bs ca ce cs cy da de dz ee el en eo es et eu fa ff fi'.split(
        ' ',
      );
    expect(read(Object.fromEntries(known.map((tag) => [tag, 'X'])))).toEqual([
      { field: 'name', message: 'name must not be more than 30 languages' },
    ]);
  });

  it('any value is rejected with a path, or accepted and unchanged when it is parsed again, and no value throws an error', () => {
    const tags = fc.oneof(
      fc.string(),
      fc.constantFrom('de', 'DE', 'pt-BR', 'en', 'zz', 'toString', 'constructor'),
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.dictionary(tags, fc.oneof(fc.string(), fc.anything()))),
        (given) => {
          const result = named.safeParse({ name: given }, { reportInput: true });
          if (!result.success) expect(faultsOf(result.error)[0]?.field).toMatch(/^name/);
          else expect(JSON.stringify(read(result.data.name))).toBe(JSON.stringify(result.data.name));
        },
      ),
      { numRuns: 500 },
    );
  });
});

it.each([
  ['Orders', 'Orders'],
  [{ de: 'Bestellungen', en: 'Orders' }, 'Orders'],
  [{ de: 'Bestellungen', 'en-GB': 'Orders' }, 'Orders'],
  [{ de: 'Bestellungen', fr: 'Commandes' }, 'Bestellungen'],
])('the plain text of the multilingual text %j is %s', (text, plain) => {
  expect(plainText(text)).toBe(plain);
});

describe('RFC 7591 §2.2: a member in other languages', () => {
  const texts = (metadata: Record<string, unknown>, text: string | null = 'Shop') =>
    textsOfMember(metadata, 'client_name', text);

  it('invalid languages and non-text values of third parties are ignored', () => {
    const strange = {
      'client_name#zz': 'A',
      'client_name#': 'B',
      'client_name#de#': 'C',
      'client_names#de': 'D',
    };
    expect(texts({ ...strange, 'client_name#fr': 7, 'client_name#pl': ' ' })).toBe('Shop');
    expect(texts({ ...strange, 'client_name#DE': 'Laden', 'client_name#de': 'Zweiter' })).toEqual({
      und: 'Shop',
      de: 'Laden',
    });
    expect(texts({}, null)).toBeNull();
    expect(texts({ 'client_name#de': 'Laden' }, null)).toEqual({ de: 'Laden' });
  });

  it('a member keeps 30 languages, and drops others', () => {
    const regions =
      'AD AE AF AG AI AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BS BT BW BY BZ CA CD CH';
    const many = Object.fromEntries(regions.split(' ').map((region) => [`client_name#de-${region}`, region]));
    expect(Object.keys(texts(many) ?? {})).toHaveLength(30);
  });

  it('a text is mapped back to members: the member without a tag contains the text without a language, otherwise the plain text', () => {
    expect(membersOfText('client_name', 'Shop')).toEqual({ client_name: 'Shop' });
    expect(membersOfText('client_name', { und: 'Shop', de: 'Laden' })).toEqual({
      client_name: 'Shop',
      'client_name#de': 'Laden',
    });
    expect(membersOfText('resource_name', { de: 'Bestellungen', en: 'Orders' })).toEqual({
      resource_name: 'Orders',
      'resource_name#de': 'Bestellungen',
      'resource_name#en': 'Orders',
    });
  });
});

it('a fault code is "missing", "unknown", "wrong", or specific to a field', () => {
  const codesOf = (given: object) => {
    const { error } = named.safeParse(given, { reportInput: true });
    return faultsOf(error as z.core.$ZodError).map(({ code }) => code);
  };
  expect(codesOf({})).toEqual(['input.missing']);
  expect(codesOf({ name: 'X', more: 1 })).toEqual(['input.unknown']);
  expect(codesOf({ name: 'more than nine' })).toEqual(['input.wrong']);
  const zoned = profileChoices.safeParse({ zoneinfo: 'Nowhere/At-All' }, { reportInput: true });
  expect(faultsOf(zoned.error as z.core.$ZodError).map(({ code }) => code)).toEqual(['own_account.zone']);
});
