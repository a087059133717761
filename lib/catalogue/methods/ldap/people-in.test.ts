// Changes of a directory's configuration that revoke tokens of its users, because they change the identity of users.
import { expect, test } from 'vitest';
import { answersElse } from '../definition.ts';

const BEFORE = {
  urls: ['ldaps://a.example'],
  base_dn: 'ou=People,dc=corp,dc=example',
  server_kind: 'openldap',
};

test.each<[string, object, boolean, object?]>([
  ['another server', { urls: ['ldaps://b.example'] }, false],
  ['another filter', { filter: '(cn={username})' }, false],
  ['the usual subject, written out', { subject_attribute: 'entryUUID' }, false],
  ['the usual subject, in another case', { subject_attribute: 'ENTRYUUID' }, false],
  [
    'the usual subject of Active Directory, written out',
    { subject_attribute: 'objectguid' },
    false,
    { server_kind: 'active-directory' },
  ],
  ['the usual kind, written out', { server_kind: 'other' }, false, { server_kind: undefined }],
  ['blanks after the commas of a DN', { base_dn: 'ou=People, dc=corp, dc=example' }, false],
  ['blanks around the signs of a DN', { base_dn: 'ou = People , dc= corp,dc =example' }, false],
  ['another case in a DN', { base_dn: 'OU=people,DC=Corp,DC=example' }, false],
  ['another escape in a DN', { base_dn: 'ou=\\50eople,dc=corp,dc=example' }, false],
  ['another place', { base_dn: 'dc=corp,dc=example' }, true],
  ['another place by a comma in a name', { base_dn: 'ou=People\\,dc=corp,dc=example' }, true],
  ['another subject', { subject_attribute: 'ipaUniqueID' }, true],
  ['another kind', { server_kind: 'other' }, true],
  ['another kind, and the subject of before', { server_kind: 'other', subject_attribute: 'entryUUID' }, true],
  [
    'another usual subject',
    { server_kind: 'active-directory' },
    true,
    { server_kind: undefined, subject_attribute: undefined },
  ],
  ['no place', { base_dn: undefined, bind_as: 'uid={username},dc=corp' }, true],
])(
  'whether a change of a directory method can sign in other users than before: %s',
  (_, change, isAnother, more = {}) => {
    const config = { ...BEFORE, ...more };
    const answering = (changed: object) => ({ type: 'ldap', config: { ...config, ...changed } }) as const;
    expect(answersElse(answering({}), answering(change))).toBe(isAnother);
    expect(answersElse(answering(change), answering({}))).toBe(isAnother);
  },
);
