// What is to be said of a directory's configuration without asking it.
import type { FurtherVerdict, MethodConfig } from '../kind.ts';
import { addressOf } from './directory.ts';

/** What names an account only until it is given away, in small letters. */
const GIVEN_AWAY = new Set(['uid', 'mail', 'samaccountname', 'cn', 'userprincipalname']);

/** The catalogue of a forest of Active Directory, which has a part of the attributes. */
const CATALOGUE = [3268, 3269];

export const ldapRemarks = (config: MethodConfig): FurtherVerdict[] => [
  ...subjectRemarks(config),
  ...catalogueRemarks(config),
];

function subjectRemarks({ subject_attribute: attribute }: MethodConfig): FurtherVerdict[] {
  if (typeof attribute !== 'string' || !GIVEN_AWAY.has(attribute.toLowerCase())) return [];
  return [
    {
      check: { text: 'Attribute that names the person' },
      ...{ state: 'warning', key: 'subject_attribute' },
      found: {
        text: '{attribute} is given to other people later, who would then be the same person here.',
        values: { attribute },
      },
      change: { text: 'Use an attribute that stays, such as entryUUID or objectGUID.' },
    },
  ];
}

function catalogueRemarks({ recheck_seconds: seconds, urls }: MethodConfig): FurtherVerdict[] {
  const ports = Array.isArray(urls) ? urls.map((url) => addressOf(String(url))?.port) : [];
  const port = CATALOGUE.find((one) => ports.includes(one));
  if (seconds === undefined || port === undefined) return [];
  return [
    {
      check: { text: 'Servers' },
      ...{ state: 'warning', key: 'recheck_seconds' },
      found: {
        text: 'Port {port} is a catalogue, which may not know who is expired or locked: they may remain signed in.',
        values: { port: String(port) },
      },
      change: { text: 'Use ldaps:// (port 636), or StartTLS on port 389.' },
    },
  ];
}
