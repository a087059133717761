// People of a directory: LDAP (RFC 4511), such as OpenLDAP, and Active Directory.
import type { MethodKind } from '../kind.ts';
import { ldapConfig } from './config.ts';
import { hasSeveralNames, peopleIn } from './directory.ts';
import { ldapFaults } from './faults.ts';
import { recheck } from './recheck.ts';
import { ldapRemarks } from './remarks.ts';
import { isSelfWritten } from './self-written.ts';
import { tryDirectory } from './trial.ts';
import { askDirectory } from './verify.ts';

export const ldapKind = {
  type: 'ldap',
  capabilities: { asksPassword: true, redirects: false, hasAccounts: false, tellsProfile: false },
  words: {
    label: 'LDAP directory',
    note: 'We ask an LDAP directory, such as Active Directory, whether a name and password are right.',
    catalogue: 'accounts of a directory',
  },
  config: ldapConfig,
  secret: { key: 'bind_password', label: 'Password of the account that searches', isOptional: true },
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
