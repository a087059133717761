import { expect, it } from 'vitest';
import { z } from 'zod';
import { api, apiRow } from '#lib/catalogue/apis/definition.ts';
import { clientRow, newClient } from '#lib/catalogue/clients/definition.ts';
import { answersElse, authMethodFaults } from '#lib/catalogue/methods/definition.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { changeOf, faultsOf, formFields, plainName, wire } from './definition.ts';

const NEW = { id: 'orders', name: 'Orders', url: 'https://orders.example' };

it('parsing a change adds no defaults', () => {
  expect(changeOf(api).parse({ name: ' Orders ' })).toEqual({ name: 'Orders' });
  expect(changeOf(api).safeParse({ nme: 'Orders' }).success).toBe(false);
});

it('field names in JSON are snake_case and times are ISO 8601, at every depth', () => {
  const names = (schema: z.core.$ZodType): string[] =>
    schema instanceof z.ZodObject
      ? Object.entries(schema.shape).flatMap(([name, field]) => [name, ...names(field as z.core.$ZodType)])
      : schema instanceof z.ZodArray
        ? names(schema.element)
        : [];
  const all = [...names(wire(apiRow)), ...names(wire(clientRow))];
  expect(all.filter((name) => /[A-Z]/.test(name))).toEqual([]);
  expect(all).toContain('access_token_ttl_seconds');
  expect(wire(apiRow).shape.created_at.safeParse('2026-11-22T05:00:00.000Z').success).toBe(true);
});

it('form fields report maximum length and address type', () => {
  const limits = Object.fromEntries(
    formFields(api).flatMap(({ name, as, maxLength }) =>
      maxLength === null ? [] : [[name, [as, maxLength]]],
    ),
  );
  expect(limits).toMatchObject({
    name: [undefined, 200],
    description: ['lines', 2000],
    url: ['url', 2000],
    contactUri: ['url', 2000],
    tosUri: ['url', 2000],
    policyUri: ['url', 2000],
  });
  // a field that can be null or empty, or is transformed, has the limit of its inner schema
  const owner = formFields(newClient).find(({ name }) => name === 'ownerEmail');
  expect(owner).toMatchObject({ optional: true, maxLength: 254 });
});

it('a number field of a form reports its minimum, which includes the default', () => {
  const numbers = formFields(api).filter(({ kind }) => kind === 'number');
  const least = Object.fromEntries(numbers.map((field) => [field.name, field.least]));
  expect(least).toMatchObject({ accessTokenTtlSeconds: 1, verifyCache: 0 });
  const defaults = api.partial().parse({}) as Record<string, number>;
  for (const { name, least } of numbers)
    expect(defaults[name] ?? least, name).toBeGreaterThanOrEqual(least ?? 0);
});

it.each([
  [
    { ...NEW, name: 7 },
    'name must be a string, or a map of languages such as {en: Orders, de: Bestellungen}',
  ],
  [{ ...NEW, scopes: 'read' }, 'scopes must be a list'],
  [{ ...NEW, requireScope: 'yes' }, 'require_scope must be true or false'],
  [{ ...NEW, accessTokenTtlSeconds: '60' }, 'access_token_ttl_seconds must be a whole number from 1'],
  [{ id: 'orders', name: 'Orders' }, 'url is missing'],
])('a value of a wrong type is reported as wrong and not as missing: %j', (given, message) => {
  const { error } = api.safeParse(given, { reportInput: true });
  expect(error && faultsOf(error).map((fault) => fault.message)).toEqual([message]);
});

it('plainName removes the unit from the name of a setting', () => {
  expect(plainName('accessTokenTtlSeconds')).toBe('access_token_ttl');
});

it.each([
  ['https://orders.example/help', 'https://orders.example/help'],
  ['mailto:help@orders.example', 'mailto:help@orders.example'],
  ['', null],
  [null, null],
])('an API’s contact %j is accepted', (given, kept) => {
  expect(api.parse({ ...NEW, contactUri: given }).contactUri).toBe(kept);
});

it.each(['javascript:alert(1)', 'help@orders.example', 'mailto:', 'data:text/html,x', '//orders.example'])(
  'a link in the settings of an API cannot be %s',
  (given) => {
    for (const name of ['contactUri', 'tosUri', 'policyUri'])
      expect(api.safeParse({ ...NEW, [name]: given }).success, name).toBe(false);
  },
);

const answering = (issuer: string) => ({ type: 'broker' as const, config: { issuer } });
it.each([
  ['https://id.example/.well-known/openid-configuration', 1],
  ['https://id.example/.well-known/openid-configuration/', 1],
  ['https://id.example/.well-known/oauth-authorization-server/a', 1],
  ['https://id.example/a/.well-known/openid-configuration?p=b', 1],
  ['https://id.example/well-known', 0],
])('Discovery §4.3: the broker issuer %s has %d faults', (issuer, count) => {
  const faults = authMethodFaults({ type: 'broker', issuer });
  expect(faults).toHaveLength(count);
  if (count > 0)
    expect(faults[0]).toMatchObject({
      path: ['issuer'],
      message: expect.stringContaining('remove /.well-known/'),
    });
});

it('removing /.well-known/… from a broker’s issuer preserves its users', () => {
  const [before, after] = ['https://a.example/.well-known/openid-configuration', 'https://a.example'].map(
    answering,
  ) as [ReturnType<typeof answering>, ReturnType<typeof answering>];
  expect(answersElse(before, after)).toBe(false);
  expect(answersElse(after, answering('https://b.example'))).toBe(true);
  expect(answersElse(after, { ...answering('https://a.example'), type: 'external' })).toBe(true);
});

it.each([
  [{ issuer: 'https://a.example', answer_issuer: 'https://a.example' }, 'answer_issuer'],
  [
    {
      authorization_endpoint: 'a',
      token_endpoint: 'b',
      userinfo_endpoint: 'c',
      subject_claim: 'd',
      answer_issuer: 'https://a.example',
    },
    undefined,
  ],
])('answer_issuer of a broker is rejected together with issuer: %j', (given, path) => {
  expect(authMethodFaults({ type: 'broker', ...given })[0]?.path[0]).toBe(path);
});

it.each([
  ['answer_issuer', 'https://a.example/?q', 'https://a.example#f', 'a.example'],
  ['token_endpoint_auth_method', 'none', 'private_key_jwt', ''],
  ['answer', 'query', 'fragment', true],
])('the broker setting %s rejects invalid values', (key, ...values) => {
  for (const value of values)
    expect(
      methodKind('broker').config.safeParse({ client_id: 'x', [key]: value }).success,
      String(value),
    ).toBe(false);
});
