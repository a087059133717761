import { expect, it, test } from 'vitest';
import { newClient } from '#lib/catalogue/clients/definition.ts';
import { formFields } from '#lib/registry/definition.ts';
import { Fields } from '../_kit/posted.ts';
import { askedLater, askedOfKind, RUN_KINDS, readRegistration } from './client-kinds.ts';

const typed = (kind: string, ...more: [string, string][]) =>
  new Fields([['name', 'Shop'], ...(kind ? ([['kind', kind]] as const) : []), ...more]);
const fieldsOf = (fields: Fields) => readRegistration(fields).faults.map(({ field }) => field);

test.each(['confidential', 'browser', 'native'])('a %s application needs a redirect address', (kind) => {
  expect(fieldsOf(typed(kind, ['redirectUris', ' ']))).toEqual(['redirectUris']);
  expect(fieldsOf(typed(kind, ['redirectUris', 'http://localhost/callback']))).toEqual([]);
});

it('background clients are confidential without redirect URIs, and typed URIs are dropped', () => {
  const { input, faults } = readRegistration(typed('background', ['redirectUris', 'nonsense']));
  expect(faults).toEqual([]);
  expect(input).toMatchObject({ kind: 'confidential', redirectUris: [] });
});

it('a missing client kind is reported alone, without other faults', () => {
  for (const kind of ['', 'elsewhere']) expect(fieldsOf(typed(kind))).toEqual(['kind']);
});

it('all missing fields of a client form are reported together', () => {
  expect(new Set(fieldsOf(new Fields([['kind', 'browser']])))).toEqual(new Set(['name', 'redirectUris']));
});

test.each(RUN_KINDS)('%s: the client form accepts every combination of the fields that it offers', (kind) => {
  const { next, advanced } = askedLater(formFields(newClient));
  const asked = [...next, ...advanced]
    .filter(({ kinds }) => kinds.includes(kind))
    .flatMap((one) => one.fields);
  const names = asked.map(({ name }) => name);
  expect(names.includes('tokenEndpointAuthMethod')).toBe(kind === 'confidential' || kind === 'background');
  const values = asked.flatMap(({ name, kind: as, choices = {} }): [string, string][] => {
    if (as === 'checkbox') return name === 'tokenEndpointAsAudience' ? [] : [[name, 'on']];
    return Object.keys(choices).length > 0 ? [[name, Object.keys(choices).at(-1) ?? '']] : [];
  });
  const keys: [string, string] = ['jwksUri', 'https://shop.example/keys'];
  const all = typed(kind, ['redirectUris', 'https://shop.example/callback'], keys, ...values);
  expect(readRegistration(all).faults).toEqual([]);
});

it('every client field except the first three questions has one position in the form', () => {
  const { next, advanced } = askedLater(formFields(newClient));
  const names = [...next, ...advanced].flatMap(({ fields }) => fields.map(({ name }) => name));
  const all = formFields(newClient).map(({ name }) => name);
  const first = ['kind', 'name', 'redirectUris'];
  expect(new Set([...first, ...names])).toEqual(new Set(all));
  expect(names).toHaveLength(all.length - first.length);
});

it('input for another kind of client is dropped', () => {
  const { input } = readRegistration(
    typed(
      'native',
      ['redirectUris', 'com.example.app:/callback'],
      ['tokenEndpointAuthMethod', 'private_key_jwt'],
      ['allowedOrigins', 'https://shop.example'],
    ),
  );
  expect(input).toMatchObject({ kind: 'native', allowedOrigins: [], tokenEndpointAuthMethod: '' });
});

test.each([
  ['confidential', ['postLogoutRedirectUris']],
  ['browser', ['allowedOrigins', 'postLogoutRedirectUris']],
  ['native', ['postLogoutRedirectUris']],
])('the form of an existing %s client shows the relevant fields first and omits none', (kind, own) => {
  const all = formFields(newClient);
  const { first, advanced } = askedOfKind(all, kind);
  expect(new Set(first.map(({ name }) => name))).toEqual(new Set(['kind', 'name', 'redirectUris', ...own]));
  expect(new Set([...first, ...advanced])).toEqual(new Set(all));
});
