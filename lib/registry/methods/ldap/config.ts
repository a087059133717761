// The configuration of a directory.
import { z } from 'zod';
import { field } from '../../fields/form-fields.ts';
import { atMost, readable, webAddress } from '../../fields/values.ts';
import { describedPeople, privateDirectory, secondFactorElsewhere, timeoutOf } from '../config-fields.ts';
import { addressOf, GROUP_SOURCES, SERVER_KINDS } from './directory.ts';
import { assertionsIn, USERNAME } from './names.ts';

const line = (max: number) =>
  readable(
    z.string().min(1, 'must not be empty').max(max, `must not be longer than ${max} characters`),
    'line',
  );
/** `attribute=value` by commas (RFC 4514 §3); a NUL in one is refused, since servers end at it. */
const dn = line(2000)
  .regex(
    /^(?:[A-Za-z0-9][\w.-]*=(?:[^\\]|\\.)*)$/,
    'must be a distinguished name, such as dc=corp,dc=example',
  )
  .refine((value) => !/\\00/.test(value), 'holds a NUL character');
const attribute = line(200).regex(/^[A-Za-z0-9][\w.-]*$/, 'must be the name of an attribute');
const filter = line(2000).refine(
  (value) => assertionsIn(value.replaceAll(USERNAME, 'x')) !== null,
  'must be a filter, such as (uid={username})',
);
const withName = 'must hold {username}, for which a value is put in';
const server = line(300).refine(
  (value) => addressOf(value) !== null,
  'must be ldaps://host or ldap://host, with a port where it is another one',
);
/** PEM (RFC 7468): one certificate or more. */
const authorities = readable(
  z.string().max(65_536, 'must not be longer than 65536 characters'),
  'lines',
).regex(/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/, 'must be certificates in PEM');

const groups = z.strictObject({
  from: z
    .enum(GROUP_SOURCES, `must be ${GROUP_SOURCES.slice(0, -1).join(', ')} or ${GROUP_SOURCES.at(-1)}`)
    .optional()
    .describe(
      'memberOf: as the entry says; search: by the members of groups, upwards; token_groups: of Active Directory, with nested ones. Left out: token_groups for active-directory, otherwise memberOf',
    ),
  base_dn: dn
    .optional()
    .describe('Where groups are looked for; left out: base_dn of the method, and with memberOf anywhere'),
  filter: filter
    .optional()
    .describe(
      'Of search alone: which groups; {dn} is the entry, {username} each name of it that filter or bind_as compares, as the directory has it. Left out: (member={dn})',
    ),
  name_attribute: attribute.optional().describe('What a group is called; left out: cn'),
  keep: atMost(100, line(200))
    .optional()
    .describe('Only groups of these names; * is any text, such as app-*'),
});

const KINDS = {
  'active-directory': {
    label: 'Active Directory',
    note: 'Samba, too. People are found by sAMAccountName or userPrincipalName, and known by objectGUID.',
  },
  openldap: { label: 'OpenLDAP', note: 'People are found by uid, and known by entryUUID.' },
  other: { label: 'Another one', note: 'As OpenLDAP. Say below what differs.' },
};

/** Where people are, and who looks for them. */
const search = {
  bind_dn: field(
    line(2000).optional().describe('The account that looks for people; left out: anonymous'),
    'Account that searches',
    { hint: 'Its distinguished name. Left empty, the directory must let everyone search.', as: 'code' },
  ),
  base_dn: field(dn.optional().describe('Where people are looked for'), 'Where people are', {
    hint: 'A distinguished name. People are looked for below it.',
    placeholder: 'ou=people,dc=corp,dc=example',
    as: 'code',
  }),
  filter: field(
    filter
      .refine((value) => value.includes(USERNAME), withName)
      .optional()
      .describe('How a person is found by {username}; exactly one entry must be'),
    'Filter that finds a person',
    {
      hint: 'Left empty, as the kind of directory says. It must find exactly one entry.',
      placeholder: '(uid={username})',
      as: 'code',
    },
  ),
  bind_as: field(
    line(2000)
      .refine((value) => value.includes(USERNAME), withName)
      .optional()
      .describe(
        'Instead of filter: what a person binds as, such as uid={username},ou=people,dc=corp,dc=example',
      ),
    'Or the name that a person binds with',
    {
      hint: 'Instead of a search: no account for it is needed.',
      placeholder: 'uid={username},ou=people,dc=corp,dc=example',
      as: 'code',
    },
  ),
  reject_filter: field(
    filter.optional().describe('Who is found by it is refused, after a right password too'),
    'Filter of those who are refused',
    {
      hint: 'After a right password, too: for directories that still accept the password of a locked account.',
      placeholder: '(nsAccountLock=TRUE)',
      as: 'code',
    },
  ),
};

export const ldapConfig = z.strictObject({
  server_kind: field(
    z
      .enum(SERVER_KINDS, `must be ${SERVER_KINDS.slice(0, -1).join(', ')} or ${SERVER_KINDS.at(-1)}`)
      .default('other')
      .describe('What filter, subject_attribute and groups mean where they are left out'),
    'Kind of directory',
    { choices: KINDS },
  ),
  urls: field(
    atMost(10, server)
      .min(1, 'must not be empty')
      .describe('ldaps://host, in order: the next one is asked where one does not answer'),
    'Servers',
    {
      hint: 'Such as ldaps://dc1.corp.example. The next one is asked where one does not answer.',
      as: 'code',
      each: 'server',
    },
  ),
  start_tls: field(
    z.boolean().default(false).describe('Of ldap://: TLS begins on the same connection, or none is used'),
    'TLS begins on the connection of ldap:// (StartTLS)',
    { note: 'A server that refuses it is not used.', group: 'Network' },
  ),
  ca: field(
    authorities
      .optional()
      .describe('Certificates in PEM that are trusted, and no others; left out: those of Node'),
    'Certificates that are trusted',
    {
      hint: 'In PEM, for an authority of your own. Left empty, public authorities are trusted.',
      as: 'lines',
    },
  ),
  ...search,
  subject_attribute: field(
    attribute
      .optional()
      .describe(
        'What names a person for good; left out: objectGUID of active-directory, otherwise entryUUID',
      ),
    'Attribute that names the person',
    {
      hint: 'Never one that another person may get later, such as uid or mail. Left empty, as the kind of directory says.',
      as: 'code',
    },
  ),
  groups: field(groups.optional().describe('Gives the member groups for claims'), 'Groups', {
    hint: 'As JSON. Claims can then name the member groups.',
    placeholder: '{"from": "search", "keep": ["app-*"]}',
    as: 'json',
  }),
  password_change_url: field(
    webAddress.optional().describe('Where people change a password that has expired'),
    'Address where people change their password',
    { hint: 'Shown to those whose password has expired, or was set by an administrator.', as: 'url' },
  ),
  recheck_seconds: field(
    z
      .int('must be a whole number')
      .min(300, 'must be from 300 to 604800')
      .max(604_800, 'must be from 300 to 604800')
      .optional()
      .describe(
        'How often the directory is asked about people who are signed in, in seconds, from 300 to 604800: who is disabled, expired, locked, rejected or gone is signed out. Left out: only at a sign-in',
      ),
    'Ask again about people who are signed in after, seconds',
    {
      hint: 'From 300 to 604800. Who is disabled, expired, locked, rejected or gone there is signed out here. Left empty, the directory is asked only at a sign-in.',
    },
  ),
  timeout_ms: timeoutOf(3000),
  ...describedPeople,
  second_factor: secondFactorElsewhere,
  allow_private_network: privateDirectory,
});
