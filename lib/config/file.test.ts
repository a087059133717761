import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeFault, readConfiguration } from './file.ts';
import { jsonSchema } from './schema.ts';

const root = new URL('../../', import.meta.url);
const faultsOf = (source: string, env = {}) => {
  const read = readConfiguration(source, env);
  return 'faults' in read ? read.faults.map(describeFault) : [];
};

describe('docs/reference/configuration.md: the configuration file', () => {
  it('text that the database cannot store is reported with its path', () => {
    const nul = 'users:\n  - { email: a@example.com, name: "a\\0b" }\n';
    expect(faultsOf(nul)).toEqual(['users[0].name: contains a NUL character (line 2)']);
    const half = 'apis:\n  - id: orders\n    scopes:\n      "re\\ud800ad": See\n';
    expect(faultsOf(half)).toEqual([
      'apis[0].scopes: has a name that contains half of a surrogate pair (line 3)',
    ]);
  });

  it('local methods with different registration settings are accepted without a warning', () => {
    const read = readConfiguration(
      'auth_methods:\n  - { id: local, type: local, registration: open }\n  - { id: staff, type: local, registration: invite }\n',
      {},
    );
    expect('warnings' in read && read.warnings).toEqual([]);
  });

  it('ten faults are all reported, each with path and line', () => {
    const source = `auth_methods:
  - { id: callback, type: local }
apis:
  - id: orders
    url: https://api.example/orders
    access_token_ttl: 0
    auth_methods: [nope]
    colour: red
clients:
  - { client_id: pub, application_type: browser, client_secret: x }
  - { client_id: orders, confidential: true, redirect_uris: ["http://evil.example/cb"] }
subscriptions:
  - { client_id: ghost, api: orders, approved_by: nobody@example.com }
users:
  - { email: a@example.com, password_env: NOT_SET }
`;
    expect(faultsOf(source)).toEqual([
      'auth_methods[0].id: must not be callback or token (line 2)',
      'apis[0].access_token_ttl: must be a whole number from 1 (line 6)',
      'apis[0].auth_methods[0]: the authentication method nope is not in this file (line 7)',
      'apis[0].colour: is not a key of this file (line 8)',
      'clients[0].client_secret: a public client has no secret: set confidential, or omit this (line 10)',
      'clients[1].client_id: must not be the id of an API (line 11)',
      'clients[1].redirect_uris[0]: must be https (or http on localhost, for development). Did you mean https://evil.example/cb? (line 11)',
      'subscriptions[0].client_id: the client ghost is not in this file (line 13)',
      'subscriptions[0].approved_by: the user nobody@example.com is not in this file (line 13)',
      'users[0].password_env: the environment variable NOT_SET is not set (line 15)',
    ]);
  });

  it('an object with a member "toString" in place of a text is reported', () => {
    const source = `
auth_methods:
  - { id: local, type: broker, issuer: { toString: "" }, client_id: x }
clients:
  - { client_id: pub, application_type: { toString: "" }, redirect_uris: [{ toString: "" }] }
`;
    const places = faultsOf(source).map((line) => line.split(':')[0]);
    expect(places).toEqual(
      expect.arrayContaining([
        'auth_methods[0].issuer',
        'clients[0].application_type',
        'clients[0].redirect_uris[0]',
      ]),
    );
  });

  it('the id "new" is rejected, because the console uses it in the address of a page', () => {
    const source = `
auth_methods:
  - { id: new, type: local }
apis:
  - { id: new, url: "https://api.example/new", auth_methods: [new] }
clients:
  - { client_id: new, application_type: browser, redirect_uris: ["https://new.example/cb"] }
`;
    const where = faultsOf(source).filter((line) => line.includes('must not be new'));
    expect(where.map((line) => line.split(':')[0])).toEqual(
      expect.arrayContaining(['auth_methods[0].id', 'apis[0].id', 'clients[0].client_id']),
    );
  });

  it('every syntax error is reported with its line, and a repeated key counts as a syntax error', () => {
    expect(faultsOf('apis: [1\nusers: }\n').length).toBeGreaterThan(1);
    expect(faultsOf('users: []\nusers: []\n')[0]).toMatch(/unique.*\(line 2\)/);
  });

  it('a secret’s value and its variable are mutually exclusive', () => {
    const user = (rest: string) => `users:\n  - { email: A@Example.com, ${rest} }\n`;
    expect(faultsOf(user('password: x, password_env: X'), { X: 'x' })).toHaveLength(1);
    expect(readConfiguration(user('password_env: X'), { X: 'x' })).toMatchObject({
      file: { users: [{ values: { email: 'a@example.com' }, secret: { variable: 'X' } }] },
    });
  });

  it('built-in API: a subscription cannot be trusted, and requires an administrator’s approval', () => {
    const source = (rest: string) => `clients:
  - { client_id: c, confidential: true }
subscriptions:
  - { client_id: c, api: management, ${rest} }
users:
  - { email: lead@example.com, roles: [approver] }
  - { email: admin@example.com, roles: [administrator] }
`;
    expect(faultsOf(source('approved_by: admin@example.com'))).toEqual([]);
    expect(faultsOf(source('trusted: true, approved_by: admin@example.com'))).toEqual([
      'subscriptions[0].trusted: the API management cannot be trusted: its tokens require the consent of a person (line 4)',
    ]);
    expect(faultsOf(source('approved_by: lead@example.com'))).toEqual([
      'subscriptions[0].approved_by: lead@example.com is not an administrator: only administrators can decide for this API (line 4)',
    ]);
    const edited = 'apis:\n  - { id: management, url: "https://a.example", approvers: [lead@example.com] }\n';
    expect(faultsOf(edited)[0]).toContain('apis[0].id: must not be management');
  });

  it('a well-known password is rejected with its path', () => {
    const user = (rest: string) => `users:\n  - { email: bob.b@example.com, name: Bob Builder, ${rest} }\n`;
    const known = 'this password is too easy to guess: it is an address or a name that others know (line 2)';
    expect(faultsOf(user('password: Bob.B@example.com'))).toEqual([`users[0].password: ${known}`]);
    expect(faultsOf(user('password_env: X'), { X: 'gatehouse2026' })).toEqual([
      `users[0].password_env: ${known}`,
    ]);
    expect(faultsOf(user('password: bobs-own-secret'))).toEqual([]);
  });

  it('approved_by must name a user with the right to decide for the API', () => {
    const source = (approver: string) => `apis:
  - { id: a, url: https://a.example, approvers: [Lead@example.com] }
clients:
  - { client_id: c, confidential: true }
subscriptions:
  - { client_id: c, api: a, approved_by: ${approver} }
users:
  - { email: lead@example.com, roles: [approver] }
  - { email: other@example.com, roles: [approver] }
  - { email: admin@example.com, roles: [administrator] }
  - { email: dev@example.com, roles: [developer] }
`;
    expect(faultsOf(source('lead@example.com'))).toEqual([]);
    expect(faultsOf(source('admin@example.com'))).toEqual([]);
    expect(faultsOf(source('other@example.com'))[0]).toContain('is not an approver');
    expect(faultsOf(source('dev@example.com'))[0]).toContain('neither an administrator nor an approver');
  });

  it('an empty file is rejected, because it would remove everything', () => {
    for (const source of ['', '\n', '# nothing yet\n']) {
      expect(faultsOf(source)).toEqual(['the file is empty: write {} for an empty configuration']);
    }
    expect(faultsOf('{}')).toEqual([]);
  });

  it('error messages use the file’s terms, not the parser’s', () => {
    const [api, client] = ['require_scope: maybe', 'application_type: browser, redirect_uris: here'];
    const source = `apis:\n  - { id: a, url: "https://a.example", ${api} }\nclients:\n  - { client_id: c, ${client} }\nusers: [1]\n`;
    expect(faultsOf(source)).toEqual([
      'apis[0].require_scope: must be true or false (line 2)',
      'clients[0].redirect_uris: must be a list (line 4)',
      'users[0]: must be keys and values (line 5)',
    ]);
    expect(faultsOf('apis: []\n---\nusers: []\n')).toEqual([
      'not readable as YAML: contains more than one document (line 2)',
    ]);
  });

  it('the file reader accepts JSON, and the configuration files of the demo and the fixtures', () => {
    expect(faultsOf('{"users":[{"email":"a@example.com"}]}')).toEqual([]);
    expect(faultsOf(readFileSync(new URL('demo/gatehouse.yaml', root), 'utf8'))).toEqual([]);
    expect(faultsOf(readFileSync(new URL('testing/data/fixtures.yaml', root), 'utf8'))).toEqual([]);
  });

  it('fault messages about the file never contain secrets', () => {
    expect(faultsOf('clients:\n  - { client_id: c, client_secret: hush-hush }\n').join()).not.toContain(
      'hush',
    );
  });

  it('gatehouse.schema.json is current (gatehouse schema > gatehouse.schema.json)', () => {
    expect(readFileSync(new URL('gatehouse.schema.json', root), 'utf8')).toBe(jsonSchema());
  });

  const PRIVATE = [
    'https://127.0.0.1/x',
    'https://10.1.2.3/x',
    'https://172.16.0.1/x',
    'https://192.168.1.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/x',
    'https://2130706433/x',
    'https://0x7f000001/x',
    'https://0177.0.0.1/x',
    'https://127.1/x',
    'https://10.1.2.3./x',
    'https://[::1]/x',
    'https://[fe80::1]/x',
    'https://[fd00::1]/x',
    'https://[::ffff:10.1.2.3]/x',
    'https://[64:ff9b::a01:203]/x',
    'https://localhost/x',
    'https://broker.localhost./x',
    'https://user.example@10.1.2.3/x',
  ];
  it.each(PRIVATE)('SR-01: the literal address %s is rejected unless the method allows it', (address) => {
    const methods = (allow: string) => `auth_methods:
  - { id: a, type: external, verify_url: "${address}"${allow} }
  - { id: b, type: broker, client_id: x, issuer: "${address}"${allow} }
  - { id: c, type: broker, client_id: x, subject_claim: id, authorization_endpoint: "${address}", token_endpoint: "${address}", userinfo_endpoint: "${address}"${allow} }
`;
    const message = 'must not be a private address unless allow_private_network is true';
    const found = faultsOf(methods('')).filter((fault) => fault.includes(message));
    expect(found.map((fault) => fault.split(':')[0])).toEqual([
      'auth_methods[0].verify_url',
      'auth_methods[1].issuer',
      'auth_methods[2].authorization_endpoint',
      'auth_methods[2].token_endpoint',
      'auth_methods[2].userinfo_endpoint',
    ]);
    expect(faultsOf(methods(', allow_private_network: true')).join()).not.toContain(message);
  });

  it('public addresses and host names are accepted, because host names are resolved at call time', () => {
    for (const address of ['https://8.8.8.8/x', 'https://[2606:4700::1111]/x', 'https://login.example/x'])
      expect(faultsOf(`auth_methods: [{ id: a, type: external, verify_url: "${address}" }]`)).toEqual([]);
  });

  it('docs/how-to/fapi.md: a FAPI 2.0 API rejects subscriptions of clients without keys', () => {
    const file = (more: string) =>
      `apis: [{ id: a, url: "https://a.example/", profile: fapi-2.0 }]\nclients: [{ client_id: c, confidential: true, redirect_uris: ["https://c.example/cb"], ${more} }]\nsubscriptions: [{ client_id: c, api: a }]`;
    expect(
      faultsOf(file('token_endpoint_auth_method: private_key_jwt, jwks_uri: "https://c.example"')),
    ).toEqual([]);
    const fault = 'the API a follows FAPI 2.0: it accepts only clients with private_key_jwt (line 3)';
    expect(faultsOf(file('client_name: C'))).toEqual([`subscriptions[0].client_id: ${fault}`]);
  });

  it('docs/how-to/brokers.md: export writes the key callback of a broker, and apply ignores it', () => {
    const broker = 'issuer: https://login.example, client_id: x, callback: https://elsewhere.example/cb';
    expect(faultsOf(`auth_methods: [{ id: b, type: broker, ${broker} }]`)).toEqual([]);
    expect(faultsOf('auth_methods: [{ id: l, type: local, callback: x }]')).toHaveLength(1);
  });
});
