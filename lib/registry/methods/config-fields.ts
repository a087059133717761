// Fields of `config` that several kinds have.
import { z } from 'zod';
import { claimMap, field, methodSecondFactor, SECOND_FACTOR_WORDS } from '../fields/index.ts';

const milliseconds = z
  .int('must be a whole number')
  .min(1, 'must be from 1 to 60000')
  .max(60_000, 'must be from 1 to 60000');

const TIMEOUT = 'Give up after, milliseconds';
export const timeout = field(milliseconds.optional(), TIMEOUT);
export const timeoutOf = (usual: number) => field(milliseconds.default(usual), TIMEOUT);

export const privateNetwork = field(
  z.boolean().default(false),
  'It may be called at a private address, and over http',
  {
    note: 'Only for a service in your own network. Otherwise such addresses are refused.',
    group: 'Network',
  },
);

/** What people of another service have beside a name and an address. */
export const describedPeople = {
  claims: claimMap.optional().describe('Our name of a claim to the member that holds it there'),
  trust_email: field(
    z
      .boolean()
      .optional()
      .describe('Does an e-mail address from there count as verified? A broker must say so of each'),
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
  'Nobody is asked for one: that is the business of whoever checks them.',
);
