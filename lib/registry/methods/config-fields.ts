// Fields of `config` that several kinds have.
import { z } from 'zod';
import { namesPrivateHost } from '#lib/outbound/addresses.ts';
import { claimMap, methodSecondFactor, SECOND_FACTOR_WORDS } from '../claims.ts';
import { field } from '../definition.ts';

export const milliseconds = z
  .int('must be a whole number')
  .min(1, 'must be from 1 to 60000')
  .max(60_000, 'must be from 1 to 60000');

const WAIT =
  'Milliseconds to wait for each answer, up to 60000; no wait is longer than 5 s. Left out: 3000, of a broker 5000';
const TIMEOUT = 'Give up after, milliseconds';
export const timeout = field(milliseconds.optional().describe(WAIT), TIMEOUT);
export const timeoutOf = (usual: number) => field(milliseconds.default(usual).describe(WAIT), TIMEOUT);

const mayBePrivate = z
  .boolean()
  .default(false)
  .describe('Calls to private addresses and over http are allowed; of a directory also without TLS');
export const privateNetwork = field(mayBePrivate, 'It may be called at a private address, and without TLS', {
  note: 'Only for a service in your own network. Otherwise such addresses are refused.',
  group: 'Network',
});

export const privateDirectory = field(
  mayBePrivate,
  'It may be called at a private address, and without TLS',
  {
    note: 'Only for a directory in your own network. Otherwise such addresses are refused.',
    group: 'Network',
  },
);

/** What people of another service have beside a name and an address. */
export const describedPeople = {
  claims: claimMap
    .optional()
    .describe(
      'Our name of a claim to the member that holds it there, such as {department: ou, groups: memberOf}; at most 50',
    ),
  trust_email: field(
    z
      .boolean()
      .optional()
      .describe(
        'An e-mail address from there counts as verified; a broker must also say so of each (email_verified)',
      ),
    'Addresses from there count as verified',
    {
      note: 'Only where they are proved there. A broker must also say so of each address.',
      group: 'E-mail addresses',
    },
  ),
};

/** `unset`: what the form says of a method that says nothing. */
export const secondFactor = (unset: string) =>
  field(methodSecondFactor, 'Second factor', {
    choices: { '': { label: 'Not set', note: unset }, ...SECOND_FACTOR_WORDS },
  });
export const secondFactorElsewhere = secondFactor(
  'Nobody is asked for one: that is for the service that checks them.',
);

/** What is wrong with an address that this service calls; null: nothing, or it is no address at all. */
export function addressFault(address: unknown, mayBePrivate: boolean): string | null {
  if (mayBePrivate || typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol === 'http:') return 'must be https unless allow_private_network is true';
  return namesPrivateHost(url) ? 'must not be a private address unless allow_private_network is true' : null;
}
