// invalidate: ends what was issued before a moment.
import { now } from '#lib/kit/index.ts';
import { invalidateIssued, OPERATOR } from '#lib/management/index.ts';
import { type Command, print, WrongUsage } from '../command.ts';
import { timeOf } from '../time.ts';

export const invalidateCommand: Command = {
  name: 'invalidate',
  args: [],
  about: 'end every sign-in, code and token issued before a moment; run it after a backup was put back',
  options: {
    before: {
      type: 'string',
      value: 'WHEN',
      required: true,
      about: 'a date, `now`, or how long ago: 30m, 12h, 7d',
    },
  },
  needs: 'migrated',
  async run({ text }) {
    const before = timeOf(text('before') as string, '--before');
    // a typing error must not end more than was meant
    if (before > now())
      throw new WrongUsage('--before lies ahead; write now to end everything issued so far');
    const { families, codes, sessions } = await invalidateIssued(OPERATOR, { before });
    print(`ended ${families} token families, ${codes} codes and ${sessions} sessions`);
  },
};
