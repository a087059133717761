// What is to be said of a directory's configuration without asking it.
import type { FurtherVerdict, MethodConfig } from '../kind.ts';

/** What names an account only until it is given away, in small letters. */
const GIVEN_AWAY = new Set(['uid', 'mail', 'samaccountname', 'cn', 'userprincipalname']);

export function ldapRemarks({ subject_attribute: attribute }: MethodConfig): FurtherVerdict[] {
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
