// YAML values that are meant as text, and syntax that YAML 1.2 does not have: they are reported with path and line,
// and never guessed or rounded.
import { describe, expect, test } from 'vitest';
import { describeFault, readConfiguration } from './file.ts';

const faults = (source: string) => {
  const read = readConfiguration(source, {});
  return 'faults' in read ? read.faults.map(describeFault) : [];
};

describe('a value that YAML reads as a number or a boolean is rejected if a text is required', () => {
  const broker = (id: string, secret = 'x') =>
    `auth_methods:\n  - id: partner\n    type: broker\n    issuer: https://b.example\n    client_id: ${id}\n    client_secret: ${secret}\n`;
  test.each(['918756876419824312', '0123', '12e45', '0x1F', '0o17', '1.0', '.inf', '-7', 'true'])(
    'an unquoted value of client_id is rejected: %s',
    (value) => {
      expect(faults(broker(value))).toEqual([
        'auth_methods[0].client_id: must be a string: put it in quotes (line 5)',
      ]);
      expect(faults(broker('x', value))).toEqual([
        'auth_methods[0].client_secret: must be a string: put it in quotes (line 6)',
      ]);
      expect(faults(broker(`"${value}"`, `"${value}"`))).toEqual([]);
    },
  );
  test('for numbers in lists, multilingual names, choices and references, the fault suggests quotes', () => {
    const source = `auth_methods:
  - { id: 12, type: local, name: 007, registration: false }
clients:
  - { client_id: 5, application_type: native, redirect_uris: [1] }
subscriptions:
  - { client_id: 5, api: 6, scopes: [7] }
users:
  - { email: a@example.com, password: 12345678, roles: [1] }
`;
    const found = faults(source);
    for (const place of [
      'auth_methods[0].id',
      'auth_methods[0].name',
      'auth_methods[0].registration',
      'clients[0].client_id',
      'clients[0].redirect_uris[0]',
      'subscriptions[0].client_id',
      'subscriptions[0].api',
      'subscriptions[0].scopes[0]',
      'users[0].password',
      'users[0].roles[0]',
    ])
      expect(found.find((line) => line.startsWith(`${place}: `))).toContain('put it in quotes');
  });
  test('YAML 1.2: no, off, yes and on parse as text', () => {
    expect(faults('auth_methods: [{ id: no, type: local, registration: off }]')).toEqual([]);
    expect(
      faults('clients: [{ client_id: c, confidential: yes, redirect_uris: ["https://c.example/"] }]'),
    ).toEqual(
      expect.arrayContaining([expect.stringContaining('clients[0].confidential: must be true or false')]),
    );
  });
});

test('the directive %YAML 1.1 is rejected with a hint, because YAML 1.1 reads no and off as false, and 010 as eight', () => {
  expect(faults('%YAML 1.1\n---\nauth_methods: [{ id: no, type: local, registration: off }]\n')).toEqual([
    'is read as YAML 1.2: remove the line %YAML 1.1. In YAML 1.2, no and off are strings, and 010 is ten (line 1)',
  ]);
});
test('the directive %YAML 1.2 is accepted', () => {
  expect(faults('%YAML 1.2\n---\nauth_methods: [{ id: no, type: local }]\n')).toEqual([]);
});

test('every merge key is reported with its path, and aliases are accepted', () => {
  const source = `auth_methods:
  - &base { id: one, type: local }
  - <<: *base
    id: two
`;
  expect(faults(source)).toEqual([
    'auth_methods[1].<<: merge keys are not supported (YAML 1.2 has none): write the keys out, or use an alias *name (line 3)',
  ]);
  expect(
    faults('auth_methods: [{ id: local, type: local, name: &n Local }, { id: two, type: local, name: *n }]'),
  ).toEqual([]);
});

describe('the fault of an unusable file names the reason', () => {
  test.each([
    ['', 'the file is empty: write {} for an empty configuration'],
    ['\n# only a comment\n', 'the file is empty'],
    ['---\n', 'the file is empty'],
    ['~\n', 'the file is empty'],
    ['\uFEFF', 'the file is empty'],
    ['apis: []\napis: []\n', 'unique (line 2)'],
    ['auth_methods:\n  - { id: a, id: b, type: local }\n', 'unique (line 2)'],
    ['x: { 1: a, "1": b }\n', 'unique (line 1)'],
    ['apis:\n\t- id: a\n', 'a tab indents this line: use spaces (line 2)'],
    ['apis: []\n---\napis: []\n', 'contains more than one document'],
    ['apis: *nowhere\n', 'alias'],
    ['apis: !custom []\n', 'tag'],
    ['apis: "open\n', 'quote'],
    ['apis: []\n}\n', 'not readable as YAML'],
    ['just text\n', 'must be keys and values'],
    ['- a\n', 'must be keys and values'],
    ['5\n', 'must be keys and values'],
    ['a: &a [*a]\n', 'nested too deeply'],
  ])('the file %j is rejected with a reason', (source, reason) => {
    const found = faults(source);
    expect(found.length).toBeGreaterThan(0);
    expect(found.join('\n')).toContain(reason);
  });
  test('a byte order mark before a valid file causes no fault', () => {
    expect(faults('\uFEFFauth_methods: [{ id: local, type: local }]\r\n')).toEqual([]);
  });
});
