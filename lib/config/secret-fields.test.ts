// Each secret in the file, set directly or through a variable: characters that an editor or `echo` added are
// rejected, and the error does not repeat the value.
import { describe, expect, test } from 'vitest';
import { SECRET_FIELDS } from './checks.ts';
import { describeFault, readConfiguration } from './file.ts';
import { jsonSchema } from './schema.ts';

/** For each kind of secret, a function that returns a file with one object that contains the given line. */
const FILES: Record<string, (given: string) => string> = {
  'auth_methods.verify_token': (given) =>
    `auth_methods: [{ id: m, type: external, verify_url: "https://v.example/", ${given} }]`,
  'auth_methods.client_secret': (given) =>
    `auth_methods: [{ id: m, type: broker, issuer: "https://b.example", client_id: x, ${given} }]`,
  'auth_methods.private_key': (given) =>
    `auth_methods: [{ id: m, type: broker, issuer: "https://b.example", client_id: x, signed_secret: { team_id: ABCDE12345, key_id: FGHIJ67890, ${given} } }]`,
  'apis.introspection_secret': (given) =>
    `auth_methods: [{ id: local, type: local }]\napis: [{ id: a, url: "https://a.example/", auth_methods: [local], ${given} }]`,
  'auth_methods.bind_password': (given) =>
    `auth_methods: [{ id: l, type: ldap, urls: ["ldaps://dc.example"], base_dn: "dc=a", ${given} }]`,
  'clients.client_secret': (given) =>
    `clients: [{ client_id: c, confidential: true, redirect_uris: ["https://c.example/cb"], ${given} }]`,
  'users.password': (given) => `users: [{ email: a@example.com, ${given} }]`,
};
const read = (source: string, env: Record<string, string> = {}) => {
  const result = readConfiguration(source, env);
  return 'faults' in result
    ? { faults: result.faults.map(describeFault), warnings: [] }
    : { faults: [], warnings: result.warnings.map(describeFault) };
};

const GOOD = 'correct-horse-battery';
const ALWAYS: [value: string, reason: string][] = [
  [`${GOOD}\n`, 'ends in a line break (echo adds one, printf does not)'],
  [`${GOOD}\r\n`, 'ends in a line break'],
  [`\n${GOOD}`, 'begins with a line break'],
  ['correct\nhorse', 'contains a line break'],
  [`${GOOD}\u0007`, 'contains a control character'],
  [`\uFEFF${GOOD}`, 'begins with a byte order mark'],
];
const BUT_PASSWORDS: [value: string, reason: string][] = [
  [` ${GOOD}`, 'begins with a space'],
  [`${GOOD} `, 'ends in a space'],
  [`${GOOD}é`, 'contains a character outside of printable ASCII'],
];

test('the table contains every secret field of the file', () => {
  const schema = JSON.parse(jsonSchema());
  const named = Object.entries<{ items?: unknown }>(schema.properties).flatMap(([section, value]) =>
    [...JSON.stringify(value).matchAll(/"(\w+)_env":/g)].map(([, key]) => `${section}.${key}`),
  );
  expect(new Set(SECRET_FIELDS.map(({ section, key }) => `${section}.${key}`))).toEqual(new Set(named));
  expect(new Set(Object.keys(FILES))).toEqual(new Set(named));
});

describe.each(SECRET_FIELDS.map(({ section, key }) => [`${section}.${key}`, key]))(
  'the secret field %s',
  (name, key) => {
    const file = FILES[name] ?? (() => '');
    const refused = name === 'users.password' ? ALWAYS : [...ALWAYS, ...BUT_PASSWORDS];
    test('a valid value of this secret is accepted, in the file and in a variable', () => {
      expect(read(file(`${key}: ${GOOD}`)).faults).toEqual([]);
      expect(read(file(`${key}_env: S`), { S: GOOD }).faults).toEqual([]);
    });
    test.each(refused)('RFC 6749 Appendix A.2: the secret value %j is rejected', (value, reason) => {
      const byVariable = read(file(`${key}_env: S`), { S: value }).faults;
      expect(byVariable[0]).toContain(`${key}_env: the environment variable S ${reason}`);
      const itself = read(file(`${key}: ${JSON.stringify(value)}`)).faults;
      expect(itself[0]).toContain(`${key}: ${reason}`);
      expect(`${byVariable}${itself}`).not.toMatch(/correct|horse/);
    });
  },
);

test('passwords may contain letters of any alphabet and spaces', () => {
  for (const password of ['pässwörter sind lang', ' between spaces ', '正しい馬の電池の針'])
    expect(read('users: [{ email: a@example.com, password_env: S }]', { S: password }).faults).toEqual([]);
});

test('a weak value of this secret is accepted with a warning that contains its path', () => {
  const short = (name: string, given: string, env = {}) => read(FILES[name]?.(given) ?? '', env).warnings;
  expect(short('users.password', 'password: geheim')).toEqual([
    'users[0].password: is shorter than 8 characters (line 1)',
  ]);
  expect(short('users.password', 'password_env: S', { S: '1234567' })).toEqual([
    'users[0].password_env: is shorter than 8 characters (line 1)',
  ]);
  expect(short('clients.client_secret', 'client_secret: abc')).toEqual([
    'clients[0].client_secret: is shorter than 16 characters (line 1)',
  ]);
  expect(short('apis.introspection_secret', 'introspection_secret: abc')[0]).toContain('shorter than 16');
  expect(short('auth_methods.client_secret', 'client_secret: abc'), 'the broker chose it').toEqual([]);
  expect(short('users.password', 'password: longer-than-that')).toEqual([]);
  const asked = readConfiguration(
    'users: [{ email: a@example.com, password: eightsome }]',
    {},
    { leastPassword: 15 },
  );
  expect('warnings' in asked && asked.warnings[0]?.message).toBe('is shorter than 15 characters');
});
