// Faults in the configuration of a directory, by field.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfiguration } from '#lib/config/file.ts';
import { authMethodFaults } from '../definition.ts';
import { assertionsIn, inDn, inFilter } from './directory.ts';
import { ldapConfig } from './ldap-kind.ts';

const GOOD = { urls: ['ldaps://dc1.corp.example'], base_dn: 'dc=corp,dc=example' };

/** Fields that their schema rejects, or that rules about several fields reject. */
function faultsOf(more: object): string[] {
  const config = { ...GOOD, ...more };
  const read = ldapConfig.safeParse(config);
  const wrong = read.success ? [] : read.error.issues.map(({ path }) => path.join('.'));
  return [...wrong, ...authMethodFaults({ type: 'ldap', ...config }).map(({ path }) => path.join('.'))];
}

test.each<[string, object, string[]]>([
  ['nothing is wrong', {}, []],
  ['a catalogue, IPv6 and a port', { urls: ['ldaps://dc1.corp.example:3269', 'ldaps://[2001:4860::1]'] }, []],
  ['StartTLS', { urls: ['ldap://dc1.corp.example'], start_tls: true }, []],
  ['ldap:// without StartTLS', { urls: ['ldap://dc1.corp.example'] }, ['urls.0']],
  [
    'ldap:// without StartTLS in a private network',
    { urls: ['ldap://10.0.0.1'], allow_private_network: true },
    [],
  ],
  ['StartTLS beside ldaps://', { start_tls: true }, ['start_tls']],
  ['a private address', { urls: ['ldaps://10.0.0.1'] }, ['urls.0']],
  ['a private address in another spelling', { urls: ['ldaps://0x7f.1'] }, ['urls.0']],
  ['localhost', { urls: ['ldaps://localhost'] }, ['urls.0']],
  ['no address', { urls: [] }, ['urls']],
  ['an address of another kind', { urls: ['https://dc1.corp.example'] }, ['urls.0']],
  ['an address with a base', { urls: ['ldaps://dc1.corp.example/dc=corp'] }, ['urls.0']],
  ['an address with a password', { urls: ['ldaps://u:p@dc1.corp.example'] }, ['urls.0']],
  ['a port that there is not', { urls: ['ldaps://dc1.corp.example:70000'] }, ['urls.0']],
  ['filter beside bind_as', { filter: '(uid={username})', bind_as: 'uid={username},dc=corp' }, ['bind_as']],
  ['bind_dn beside bind_as', { bind_dn: 'cn=a', bind_as: 'uid={username},dc=corp' }, ['bind_dn']],
  ['a filter without {username}', { filter: '(uid=ada)' }, ['filter']],
  ['a filter that does not parse', { filter: '(uid={username}' }, ['filter']],
  ['a filter with more behind it', { filter: '(uid={username}))(a=b)' }, ['filter']],
  ['bind_as without {username}', { bind_as: 'uid=ada,dc=corp' }, ['bind_as']],
  ['userPassword in a filter', { filter: '(&(uid={username})(userPassword=*))' }, ['filter']],
  ['userPassword as a claim', { claims: { secret: 'UserPassword' } }, ['claims.secret']],
  ['a DN with NUL', { base_dn: 'dc=corp\\00,dc=example' }, ['base_dn']],
  ['no DN', { base_dn: 'corp.example' }, ['base_dn']],
  ['no base_dn', { base_dn: undefined }, ['base_dn']],
  ['no base_dn, but a DN to bind as', { base_dn: undefined, bind_as: 'uid={username},dc=corp' }, []],
  ['an authority that is no PEM', { ca: 'MIIB' }, ['ca']],
  ['an unknown kind of server', { server_kind: 'novell' }, ['server_kind']],
  ['a filter of groups that are on the entry', { groups: { filter: '(cn=x)' } }, ['groups.filter']],
  ['a filter of groups by tokens', { groups: { from: 'token_groups', filter: '(cn=x)' } }, ['groups.filter']],
  ['a filter of groups that are looked for', { groups: { from: 'search', filter: '(cn=x)' } }, []],
  ['an unknown source of groups', { groups: { from: 'nested' } }, ['groups.from']],
])('the settings of a directory method with %s have the expected faults', (_, more, expected) => {
  expect(faultsOf(more)).toEqual(expected);
});

test('RFC 4515 §3, RFC 4514 §2.4: names that users type are escaped in filters and DNs', () => {
  expect(inFilter('*)(uid=*')).toBe('\\2a\\29\\28uid=\\2a');
  expect(inFilter('a\\b\u0000')).toBe('a\\5cb\\00');
  expect(inDn('Lovelace, "Ada" <a+b>;=\\')).toBe('Lovelace\\, \\"Ada\\" \\<a\\+b\\>\\;\\=\\\\');
  expect([inDn('#ada'), inDn(' ada ')]).toEqual(['\\#ada', '\\ ada\\ ']);
});

test.each([
  ['(uid=x)', 1],
  ['(&(objectCategory=person)(|(a=x)(b:1.2.840.113556.1.4.803:=2))(!(c>=1)))', 4],
  ['(cn=*x*)', 1],
  ['(cn=a\\2ab)', 1],
  ['uid=x', null],
  ['(uid=x', null],
  ['(uid=(x))', null],
  ['(=x)', null],
  ['(cn=\\zz)', null],
  ['('.repeat(10_000), null],
])('the number of comparisons in an LDAP filter is counted (%#)', (text, count) => {
  expect(assertionsIn(text)?.length ?? null).toBe(count);
});

test.each([
  ...['uid', 'mail', 'cn', 'sAMAccountName', 'SAMACCOUNTNAME', 'userPrincipalName'].map(
    (name) => [name, 1] as const,
  ),
  ...['objectGUID', 'entryUUID', 'ipaUniqueID', 'nsUniqueId', 'employeeNumber'].map(
    (name) => [name, 0] as const,
  ),
])(
  'a subject attribute that the directory can reassign later causes a warning in the configuration file: %s',
  (name, count) => {
    const source = `auth_methods: [{ id: a, type: ldap, name: A, urls: ["ldaps://dc1.corp.example"],
    base_dn: "dc=corp",
    subject_attribute: ${name} }]`;
    const read = readConfiguration(source, {});
    expect('warnings' in read && read.warnings).toEqual(
      Array.from({ length: count }, () => ({
        path: 'auth_methods[0].subject_attribute',
        message: `${name} can be assigned to another person later. This service would then treat both as the same person. Use an attribute that does not change, such as entryUUID or objectGUID.`,
        line: 3,
      })),
    );
  },
);

test.each([
  ['ldaps://dc1.corp.example', 'ldaps://dc1.corp.example:3269', 'recheck_seconds: 300', '3269'],
  ['ldap://dc1.corp.example:3268', 'ldap://dc2.corp.example:3268', 'recheck_seconds: 300', '3268'],
  ['ldap://dc1.corp.example:3268', 'ldap://dc1.corp.example:3268', 'timeout_ms: 3000', null],
  ['ldaps://dc1.corp.example', 'ldaps://dc2.corp.example:636', 'recheck_seconds: 300', null],
])(
  'a recheck at a global catalogue causes a warning in the configuration file: %s, %s, %s',
  (one, other, line, port) => {
    const source = `auth_methods: [{ id: a, type: ldap, name: A, urls: ["${one}", "${other}"], start_tls: ${one.startsWith('ldap:')},
    base_dn: "dc=corp", server_kind: active-directory, bind_dn: "cn=s", bind_password_env: P, ${line} }]`;
    const read = readConfiguration(source, { P: 'of-the-searcher' });
    const said = 'warnings' in read && read.warnings.map(({ path, message }) => `${path}: ${message}`);
    expect(said).toEqual(
      port === null
        ? []
        : [
            `auth_methods[0].recheck_seconds: A catalogue uses port ${port}. It may not know whose accounts are expired or locked: those people may stay signed in. Use ldaps:// (port 636), or StartTLS on port 389.`,
          ],
    );
  },
);

test('docs/how-to/ldap.md: the configuration file accepts every example of the page', () => {
  const guide = readFileSync('docs/how-to/ldap.md', 'utf8');
  const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  expect(blocks).toHaveLength(2);
  const env = { STAFF_LDAP_PASSWORD: 'of-the-searcher', CORP_LDAP_PASSWORD: 'of-the-searcher' };
  for (const block of blocks) expect(readConfiguration(block, env)).not.toHaveProperty('faults');
});
