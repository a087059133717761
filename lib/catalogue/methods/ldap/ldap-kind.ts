// Kind for users of a directory: LDAP (RFC 4511), such as OpenLDAP, and Active Directory.

import { z } from 'zod';
import { fault } from '#lib/kit/fault.ts';
import { namesPrivateHost } from '#lib/outbound/addresses.ts';
import { field } from '#lib/registry/definition.ts';
import {
  atMost,
  choiceOf,
  combinedWith,
  readable,
  tooLong,
  webAddress,
  wholeNumber,
} from '#lib/registry/values.ts';
import {
  type ConfigFault,
  describedPeople,
  type FurtherVerdict,
  type MethodConfig,
  type MethodKind,
  privateDirectory,
  privateFault,
  secondFactorElsewhere,
  timeoutOf,
} from '../kind.ts';
import {
  addressOf,
  assertionsIn,
  GROUP_SOURCES,
  groupSourceOf,
  hasSeveralNames,
  peopleIn,
  SERVER_KINDS,
  USERNAME,
} from './directory.ts';
import { tryDirectory } from './trial.ts';
import { askDirectory, recheck } from './verify.ts';

// The configuration of a directory.

const line = (max: number) => readable(z.string().min(1, 'must not be empty').max(max, tooLong(max)), 'line');
/**
 * Pairs `attribute=value`, separated by commas (RFC 4514 §3). NUL is rejected, because a server would treat it as the
 * end of the name.
 */
const dn = line(2000)
  .regex(
    /^(?:[A-Za-z0-9][\w.-]*=(?:[^\\]|\\.)*)$/,
    'must be a distinguished name, such as dc=corp,dc=example',
  )
  .refine((value) => !/\\00/.test(value), 'contains a NUL character');
const attribute = line(200).regex(/^[A-Za-z0-9][\w.-]*$/, 'must be the name of an attribute');
const filter = line(2000).refine(
  (value) => assertionsIn(value.replaceAll(USERNAME, 'x')) !== null,
  fault('must be a filter, such as {value}', { value: '(uid={username})' }),
);
const withName = fault('must contain {value}, which is replaced by a value', { value: '{username}' });
const server = line(300).refine(
  (value) => addressOf(value) !== null,
  'must be ldaps://host or ldap://host, with a port if it is not the default',
);
/** One or more certificates as PEM (RFC 7468). */
const authorities = readable(z.string().max(65_536, tooLong(65_536)), 'lines').regex(
  /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/,
  'must be certificates in PEM',
);

const groups = z.strictObject({
  from: choiceOf(GROUP_SOURCES)
    .optional()
    .describe(
      'memberOf: the attribute of the entry. search: groups that contain the person, directly or nested. token_groups: Active Directory, with nested groups. Default: token_groups for active-directory, otherwise memberOf',
    ),
  base_dn: dn
    .optional()
    .describe('Search base of groups. Default: base_dn of the method; with memberOf no limit'),
  filter: filter
    .optional()
    .describe(
      'For search only: the filter for groups. {dn} is the entry; {username} is each of its names that filter or bind_as compares. Default: (member={dn})',
    ),
  name_attribute: attribute.optional().describe('Attribute with the name of a group. Default: cn'),
  keep: atMost(100, line(200))
    .optional()
    .describe('Only groups with these names; * matches any text, such as app-*'),
});

const KINDS = {
  'active-directory': {
    label: 'Active Directory',
    note: 'Also for Samba. People are found by sAMAccountName or userPrincipalName, and identified by objectGUID.',
  },
  openldap: { label: 'OpenLDAP', note: 'People are found by uid, and identified by entryUUID.' },
  other: { label: 'Other directory', note: 'Like OpenLDAP. Enter the differences below.' },
};

/** Base of the search for users, and the search account. */
const search = {
  bind_dn: field(
    line(2000).optional().describe('The account for searches. Default: anonymous'),
    'Search account',
    {
      hint: 'Distinguished name of the search account. If empty, the directory must allow everyone to search.',
      as: 'code',
    },
  ),
  base_dn: field(dn.optional().describe('Search base of people'), 'Search base', {
    hint: 'The distinguished name below which the directory is searched for people.',
    placeholder: 'ou=people,dc=corp,dc=example',
    as: 'code',
  }),
  filter: field(
    filter
      .refine((value) => value.includes(USERNAME), withName)
      .optional()
      .describe('The filter that finds a person by {username}. The filter must match exactly one entry'),
    'Filter for finding a person',
    {
      hint: 'If empty, the default for the kind of directory applies. The filter must find exactly one entry.',
      placeholder: '(uid={username})',
      as: 'code',
    },
  ),
  bind_as: field(
    line(2000)
      .refine((value) => value.includes(USERNAME), withName)
      .optional()
      .describe(
        'Instead of filter: the bind name of a person, such as uid={username},ou=people,dc=corp,dc=example',
      ),
    'Or the bind name of a person',
    {
      hint: 'Used instead of a search, and requires no search account.',
      placeholder: 'uid={username},ou=people,dc=corp,dc=example',
      as: 'code',
    },
  ),
  reject_filter: field(
    filter.optional().describe('People who match this filter are rejected, even with a correct password'),
    'Filter for rejected people',
    {
      hint: 'Applies even after a correct password: for directories that still accept the password of a locked account.',
      placeholder: '(nsAccountLock=TRUE)',
      as: 'code',
    },
  ),
};

export const ldapConfig = z.strictObject({
  server_kind: field(
    choiceOf(SERVER_KINDS)
      .default('other')
      .describe('Determines the defaults of filter, subject_attribute and groups'),
    'Kind of directory',
    { choices: KINDS },
  ),
  urls: field(
    atMost(10, server)
      .min(1, 'must not be empty')
      .describe('ldaps://host, in order of use: if a server does not respond, the next server is used'),
    'Servers',
    {
      hint: 'For example ldaps://dc1.corp.example. If a server does not respond, the next one is used.',
      as: 'code',
      each: 'server',
    },
  ),
  start_tls: field(
    z
      .boolean()
      .default(false)
      .describe('For ldap://: TLS starts on the same connection, otherwise the connection is not used'),
    'Start TLS on the ldap:// connection (StartTLS)',
    { note: 'Servers that refuse StartTLS are not used.', group: 'Network' },
  ),
  ca: field(
    authorities
      .optional()
      .describe('The only trusted certificates, in PEM. Default: the certificates that Node.js trusts'),
    'Trusted certificates',
    {
      hint: 'In PEM, for your own authority. If empty, public authorities are trusted.',
      as: 'lines',
    },
  ),
  ...search,
  subject_attribute: field(
    attribute
      .optional()
      .describe(
        'Attribute with the permanent identifier of a person. Default: objectGUID for active-directory, otherwise entryUUID',
      ),
    'Attribute that identifies the person',
    {
      hint: 'Never use an attribute that can be reassigned to another person, such as uid or mail. If empty, the default for the kind of directory applies.',
      as: 'code',
    },
  ),
  groups: field(
    groups
      .optional()
      .describe('Reads the groups of a person in the directory, as the member groups that claims can name'),
    'Groups',
    {
      hint: 'As JSON. Claims can then refer to the groups member.',
      placeholder: '{"from": "search", "keep": ["app-*"]}',
      as: 'json',
    },
  ),
  password_change_url: field(
    webAddress.optional().describe('The address where people change an expired password'),
    'Password change address',
    { hint: 'Shown to people whose password has expired or was set by an administrator.', as: 'url' },
  ),
  recheck_seconds: field(
    wholeNumber(300, 604_800)
      .optional()
      .describe(
        'Interval in seconds, from 300 to 604800, of checks of signed-in people: people who are disabled, expired, locked, rejected or deleted in the directory are signed out. Default: only at sign-in',
      ),
    'Recheck signed-in people after (seconds)',
    {
      hint: 'From 300 to 604800. People who are disabled, expired, locked, rejected or deleted in the directory are signed out of this service. If empty, the directory is checked only at sign-in.',
    },
  ),
  timeout_ms: timeoutOf(3000),
  ...describedPeople,
  second_factor: secondFactorElsewhere,
  allow_private_network: privateDirectory,
});

// Faults that concern several keys of a directory's configuration.

/** Attributes with secrets, which a directory should hide and a method must not request. */
const SECRETS =
  /^(userpassword|unicodepwd|ntpwdhash|lmpwdhash|sambantpassword|sambalmpassword|krbprincipalkey)$/i;

function ldapFaults(config: MethodConfig): ConfigFault[] {
  const has = (key: string) => config[key] !== undefined && config[key] !== null;
  const faults: ConfigFault[] = [...addressFaults(config), ...secretFaults(config)];
  if (has('filter') && has('bind_as')) faults.push({ path: ['bind_as'], ...combinedWith('filter') });
  if (has('bind_as') && has('bind_dn')) faults.push({ path: ['bind_dn'], ...combinedWith('bind_as') });
  // without a search account the check is anonymous: many directories then return nothing, as if all users had left
  if (has('recheck_seconds') && has('bind_as'))
    faults.push({ path: ['recheck_seconds'], ...combinedWith('bind_as') });
  const { bind_as } = config;
  if (!has('base_dn') && !(typeof bind_as === 'string' && bind_as.includes('=')))
    faults.push({ path: ['base_dn'], message: 'is missing' });
  const { groups } = config;
  const from = groupSourceOf(config);
  // a filter without a search would look as if it excluded groups
  if (from !== 'search' && typeof groups === 'object' && groups !== null && 'filter' in groups)
    faults.push({ path: ['groups', 'filter'], ...combinedWith(from) });
  return faults;
}

/** Returns faults of server addresses. Without TLS, passwords travel in clear text. */
function addressFaults({ urls, start_tls, allow_private_network }: MethodConfig): ConfigFault[] {
  if (!Array.isArray(urls)) return [];
  return urls.flatMap((url: unknown, at): ConfigFault[] => {
    const server = typeof url === 'string' ? addressOf(url) : null;
    if (!server) return [];
    const path = ['urls', String(at)];
    if (server.secure && start_tls === true) return [{ path: ['start_tls'], ...combinedWith('ldaps://') }];
    if (allow_private_network === true) return [];
    const { host } = server;
    if (!server.secure && start_tls !== true)
      return [
        {
          path,
          ...fault('must be ldaps:// or have start_tls unless {field} is true', {
            field: 'allow_private_network',
          }),
        },
      ];
    return namesPrivateHost(new URL(`https://${host.includes(':') ? `[${host}]` : host}`))
      ? [{ path, ...privateFault }]
      : [];
  });
}

function secretFaults({ claims, filter, reject_filter }: MethodConfig): ConfigFault[] {
  const members = typeof claims === 'object' && claims !== null ? Object.entries(claims) : [];
  const named = members.flatMap(([claim, attribute]) =>
    SECRETS.test(String(attribute)) ? [['claims', claim]] : [],
  );
  const compared = Object.entries({ filter, reject_filter }).flatMap(([key, value]) =>
    /userpassword|unicodepwd/i.test(String(value)) ? [[key]] : [],
  );
  return [...named, ...compared].map((path) => ({ path, message: 'must not contain a password' }));
}

// Remarks about the configuration of a directory, without network calls.

/** Attributes that identify an account only until the value is given to another account, in lower case. */
const GIVEN_AWAY = new Set(['uid', 'mail', 'samaccountname', 'cn', 'userprincipalname']);

/** Ports of an Active Directory global catalogue, which contains only some attributes. */
const CATALOGUE = [3268, 3269];

const ldapRemarks = (config: MethodConfig): FurtherVerdict[] => [
  ...subjectRemarks(config),
  ...catalogueRemarks(config),
];

function subjectRemarks({ subject_attribute: attribute }: MethodConfig): FurtherVerdict[] {
  if (typeof attribute !== 'string' || !GIVEN_AWAY.has(attribute.toLowerCase())) return [];
  return [
    {
      check: { text: 'Attribute that identifies the person' },
      ...{ state: 'warning', key: 'subject_attribute' },
      found: {
        text: '{attribute} can be assigned to another person later. This service would then treat both as the same person.',
        values: { attribute },
      },
      change: { text: 'Use an attribute that does not change, such as entryUUID or objectGUID.' },
    },
  ];
}

function catalogueRemarks({ recheck_seconds: seconds, urls }: MethodConfig): FurtherVerdict[] {
  const ports = Array.isArray(urls) ? urls.map((url) => addressOf(String(url))?.port) : [];
  const port = CATALOGUE.find((cataloguePort) => ports.includes(cataloguePort));
  if (seconds === undefined || port === undefined) return [];
  return [
    {
      check: { text: 'Servers' },
      ...{ state: 'warning', key: 'recheck_seconds' },
      found: {
        text: 'A catalogue uses port {port}. It may not know whose accounts are expired or locked: those people may stay signed in.',
        values: { port: String(port) },
      },
      change: { text: 'Use ldaps:// (port 636), or StartTLS on port 389.' },
    },
  ];
}

// Attributes that directory users can change themselves, in any spelling (RFC 4512 §2.5): In Active Directory each
// user can write the property set Personal-Information, and many directories let users write the names and photos of
// inetOrgPerson.

const SELF_WRITTEN = new Set(
  [
    ...[
      'mail',
      'cn',
      'sn',
      'givenName',
      'displayName',
      'initials',
      'jpegPhoto',
      'photo',
      'preferredLanguage',
    ],
    ...[
      'assistant',
      'c',
      'facsimileTelephoneNumber',
      'homePhone',
      'homePostalAddress',
      'info',
      'ipPhone',
      'l',
    ],
    ...['internationaliSDNNumber', 'labeledURI', 'mobile', 'otherFacsimileTelephoneNumber', 'otherHomePhone'],
    ...['otherIpPhone', 'otherMobile', 'otherPager', 'otherTelephone', 'pager', 'personalTitle'],
    ...['physicalDeliveryOfficeName', 'postalAddress', 'postalCode', 'postOfficeBox', 'publicDelegates'],
    ...['preferredDeliveryMethod', 'registeredAddress', 'st', 'street', 'streetAddress', 'telephoneNumber'],
    ...['telexNumber', 'thumbnailPhoto', 'url', 'userCertificate', 'userSMIMECertificate', 'wWWHomePage'],
  ].map((name) => name.toLowerCase()),
);

/** True if users can write the attribute. Options are ignored (`mail;lang-de`). */
const isSelfWritten = (attribute: string): boolean =>
  SELF_WRITTEN.has((attribute.split(';')[0] ?? '').toLowerCase());

export const ldapKind = {
  type: 'ldap',
  capabilities: { asksPassword: true, redirects: false, hasAccounts: false, tellsProfile: false },
  words: {
    label: 'LDAP directory',
    note: 'An LDAP directory, such as Active Directory, checks the name and password.',
    catalogue: 'accounts of a directory',
  },
  config: ldapConfig,
  secret: { key: 'bind_password', label: 'Password of the search account', isOptional: true },
  faults: ldapFaults,
  whoAnswers: peopleIn,
  provesClaim: (_, attribute) => !isSelfWritten(attribute),
  severalNames: hasSeveralNames,
  verify: askDirectory,
  recheck,
  remarks: ldapRemarks,
  trial: tryDirectory,
  sendsTo: ({ urls, start_tls, ca, bind_dn }) => [urls, start_tls === true, ca, bind_dn],
} as const satisfies MethodKind;
