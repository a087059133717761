import type { Context, Fault } from '../../support/context.ts';
import { endLeaders } from '../../support/end-leaders.ts';

export const switchOver: Fault = {
  name: 'switch-over',
  title: 'of two PostgreSQL servers the replica takes over as planned',
  needs: ['haproxy', 'postgresql'],
  onPair: true,
  async run(context) {
    const { rounds, broken, recoverySeconds, longestMs } = await endLeaders(context, {
      // a checkpoint before shutdown reduces the remaining writes
      prepare: (leader) => leader.asOwner((client) => client.query('checkpoint'), 'postgres'),
      // a clean shutdown waits for the replica
      end: (leader) => leader.stop(),
    });
    const notes = `${rounds} ×; no request succeeded for ${(longestMs / 1000).toFixed(1)} s at most`;
    return { recoverySeconds, broken: [...broken, ...withoutOutage(context)], notes };
  },
};

/** Checks that the load continued, because otherwise nothing was tested. */
function withoutOutage({ ledger }: Context): string[] {
  return ledger.entries.some(({ status }) => status === 503)
    ? []
    : ['nobody noticed that the servers changed'];
}
