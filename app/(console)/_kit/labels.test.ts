import { expect, it, test } from 'vitest';
import { api } from '#lib/catalogue/apis/definition.ts';
import { checkedNewClient, newClient } from '#lib/catalogue/clients/definition.ts';
import { authMethodFaults } from '#lib/catalogue/methods/definition.ts';
import { METHOD_TYPES, methodKind } from '#lib/catalogue/methods/questions.ts';
import { faultsOf, formFields } from '#lib/registry/definition.ts';
import { configFields, configOf } from '../_subjects/methods.tsx';
import { pageWordsOf } from '../_texts/page-words.ts';
import { faultInWords, inLabels, labelsOf } from './in-words.ts';
import { Fields, readForm } from './posted.ts';

const OF_CLIENT = labelsOf(formFields(newClient));
const OF_API = labelsOf(formFields(api));
const OF_BROKER = labelsOf(configFields('broker'), 'config.');

test.each([
  [
    'tokenEndpointAuthMethod',
    'token_endpoint_auth_method must be none or omitted: a public client does not authenticate',
    '“Authentication” must be none or omitted: a public client does not authenticate',
  ],
  [
    'jwks',
    'jwks is only for token_endpoint_auth_method private_key_jwt',
    '“Public keys” is only for “Authentication” “With its own key pair”',
  ],
  [
    'jwks',
    'private_key_jwt requires jwks or jwks_uri',
    '“With its own key pair” requires “Public keys” or “Key set address”',
  ],
  [
    'jwksUri',
    'jwks_uri cannot be combined with jwks',
    '“Key set address” cannot be combined with “Public keys”',
  ],
  ['redirectUris.1', 'redirect_uris.1 must be https', 'redirect address 2 must be https'],
  ['redirectUris.0', 'redirect URI http://a.example: must be https', 'must be https'],
  ['jwks.keys.0.d', 'jwks.keys.0.d must not be here', 'this must not be here'],
  [
    'kind',
    'kind must be confidential, browser or native',
    '“Where does the application run?” must be “On a server”, “In the browser” or “On a phone or desktop”',
  ],
  ['name.de', 'name.de must not be empty', 'this must not be empty'],
  ['ownerEmail', 'first_last@example.com does not exist', 'first_last@example.com does not exist'],
])('the message for the field %s of a client names labels of the form: %s', (field, message, said) => {
  expect(inLabels({ field, message, code: 'input.custom' }, OF_CLIENT)).toBe(said);
});

test.each([
  ['autoApprove.0.host', 'auto_approve must not name a host twice', OF_API],
  ['config.token_endpoint', 'token_endpoint must be https unless allow_private_network is true', OF_BROKER],
  ['config.issuer', 'issuer must be an absolute https:// address without a fragment', OF_BROKER],
  ['newField', 'new_field must be a colour', {}],
])('%s: the error message contains no field name of the file or the API', (field, message, labels) => {
  expect(inLabels({ field, message, code: 'input.custom' }, labels).replaceAll(/“[^”]*”/g, '')).not.toMatch(
    /[a-z]_[a-z]/,
  );
});

/** Generates one set of posted fields for every combination of the form's choices, with all fields filled in. */
function* posts(fields: ReturnType<typeof formFields>, prefix = ''): Generator<Fields> {
  const choices = fields.filter(
    ({ kind, under, name }) => kind === 'choice' && (under || fields.some((one) => one.under?.of === name)),
  );
  const values = choices.map(({ name, choices: of = {} }) =>
    Object.keys(of).map((value) => [`${prefix}${name}`, value] as const),
  );
  const filled = fields
    .filter((field) => field.under && field.kind !== 'choice')
    .map(
      ({ name, kind }) => [`${prefix}${name}`, kind === 'checkbox' ? 'on' : 'https://a.example/x'] as const,
    );
  const all = values.reduce<(readonly (readonly [string, string])[])[]>(
    (sets, more) => sets.flatMap((set) => more.map((one) => [...set, one])),
    [[]],
  );
  for (const set of all) yield new Fields([...set, ...filled]);
}

it('every combination of choices in the client form is valid', () => {
  const about = { name: 'Shop', redirectUris: ['https://shop.example/cb'] };
  let count = 0;
  for (const typed of posts(formFields(newClient))) {
    const { jwks: _, ...read } = readForm(newClient, typed);
    const parsed = checkedNewClient.safeParse({ ...read, ...about }, { reportInput: true });
    expect(parsed.success ? [] : faultsOf(parsed.error), JSON.stringify(typed.entries)).toEqual([]);
    count += 1;
  }
  expect(count).toBe(3 * 4 * 2);
});

it('the form of a broker preset requires base_url if the provider has no public server', () => {
  const [adfs, gitlab] = ['adfs', 'gitlab'].map((preset) =>
    configFields('broker', { preset }).find(({ name }) => name === 'base_url'),
  );
  expect([adfs?.optional, adfs?.hint]).toEqual([false, expect.not.stringContaining('public')]);
  expect([gitlab?.optional, gitlab?.hint]).toEqual([true, expect.stringContaining('public')]);
});

it('every combination of choices in the broker form is valid', () => {
  for (const { entries } of posts(configFields('broker'), 'config.')) {
    const typed = new Fields([...entries, ['config.subject_claim', 'id']]);
    const config = configOf('broker', typed);
    expect('issuer' in config).toBe(!('token_endpoint' in config));
    expect(authMethodFaults({ ...config, type: 'broker' })).toEqual([]);
  }
});

test('faults name a checkbox by its label, with the word “ticked”', () => {
  const config = { client_id: 'a', subject_claim: 'sub', token_endpoint: 'http://a.example' };
  const [wrong] = authMethodFaults({ ...config, type: 'broker' });
  const fault = {
    field: 'config.token_endpoint',
    message: `token_endpoint ${wrong?.message}`,
    code: 'input.custom',
    ...wrong?.params,
  };
  expect(wrong?.message).toBe('must be https unless allow_private_network is true');
  expect(inLabels(fault, OF_BROKER)).toMatch(/ must be https unless “[^”]+” is ticked$/);
  expect(faultInWords(pageWordsOf('de'), fault, OF_BROKER)).toMatch(
    /^Muss https sein, außer „?“?[^_]+ ist angekreuzt\.$/,
  );
});

test('the label of the private-network checkbox is equal for every kind of method', () => {
  const labels = METHOD_TYPES.flatMap((type) =>
    formFields(methodKind(type).config)
      .filter(({ name }) => name === 'allow_private_network')
      .map(({ label }) => label),
  );
  expect(new Set(labels).size).toBe(1);
});
