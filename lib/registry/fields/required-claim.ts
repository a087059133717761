// Who may use a client at an API: everybody, or people whose claim has one of some values. A term of a subscription;
// how a person's claims are compared with it is `isFor` of lib/store/tokens/validity.ts.
import { z } from 'zod';
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import { claimName } from './claims.ts';
import { atMost, label } from './values.ts';

/** What people may call themselves, and what changes by itself, says nothing about who they are. */
const PERSONAL = ['name', 'updated_at'];

const value = label;

const ADDRESS = /^[^\s@]*@[^\s@]+$/;

/** What is wrong with a value of this claim; null: nothing. */
function valueFault(name: string, text: string): string | null {
  if (name === 'email' && !ADDRESS.test(text))
    return 'must be an e-mail address, or @example.com for all of a domain';
  return name === 'email_verified' && text !== 'true' ? 'must be true' : null;
}

export const requiredClaim = z
  .strictObject({
    name: claimName.refine(
      (name) => !PERSONAL.includes(name),
      'must be another claim: people choose this one themselves',
    ),
    values: atMost(100, value).min(1, 'must be at least one').describe('one of these'),
  })
  .superRefine(({ name, values }, context) => {
    for (const [at, text] of values.entries()) {
      const message = valueFault(name, text);
      if (message !== null) context.addIssue({ code: 'custom', path: ['values', at], message });
    }
  })
  .transform(({ name, values }) => ({
    name,
    values: [...new Set(name === 'email' ? values.map(canonicalEmail) : values)],
  }));

export type RequiredClaim = z.output<typeof requiredClaim>;

/** Claims that are known of people of every method. */
const OF_EVERYBODY = ['email', 'email_verified', 'groups'];

/**
 * `given`: claims that the API's methods give. A name that none gives would shut everybody out. Null: nothing is wrong.
 */
export function requiredClaimFault({ name }: RequiredClaim, given: readonly string[]): string | null {
  const known = [...new Set([...OF_EVERYBODY, ...given])].toSorted((a, b) => (a < b ? -1 : 1));
  return known.includes(name) ? null : `must be a claim that a method of the API gives: ${known.join(', ')}`;
}
