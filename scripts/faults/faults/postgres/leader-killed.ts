import type { Fault } from '../../support/context.ts';
import { endLeaders } from '../../support/end-leaders.ts';

export const leaderKilled: Fault = {
  name: 'leader-killed',
  title: 'of two PostgreSQL servers the leader killed (kill -9), and its replica promoted',
  needs: ['haproxy', 'postgresql'],
  onPair: true,
  async run(context) {
    const { rounds, broken, recoverySeconds } = await endLeaders(context, { end: (leader) => leader.kill() });
    return { recoverySeconds, broken, notes: `${rounds} × each in turn; it came back as the replica` };
  },
};
