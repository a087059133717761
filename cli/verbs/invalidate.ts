// invalidate: ends what was issued before a moment.
import { now } from '#lib/kit/clock.ts';
import { OPERATOR } from '#lib/management/core/policy.ts';
import { invalidateIssued } from '#lib/management/service/invalidate.ts';
import { option, print, verb } from '../command.ts';
import { timeOf, WrongUsage } from '../typed.ts';

export const invalidateCommand = verb(
  'invalidate',
  'end every sign-in, code and token issued before a moment; run it after a backup was put back',
  async ({ text }) => {
    const before = timeOf(text('before') as string, '--before');
    // a typing error must not end more than was meant
    if (before > now())
      throw new WrongUsage('--before lies ahead; write now to end everything issued so far');
    const { families, codes, sessions } = await invalidateIssued(OPERATOR, { before });
    print(`ended ${families} token families, ${codes} codes and ${sessions} sessions`);
  },
  {
    options: { before: option('WHEN', 'a date, `now`, or how long ago: 30m, 12h, 7d', { required: true }) },
  },
);
