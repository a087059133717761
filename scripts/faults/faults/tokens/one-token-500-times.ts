import type { Client, Tokens } from '../../support/client.ts';
import type { Context, Fault } from '../../support/context.ts';

const TIMES = 500;

export const oneToken500Times: Fault = {
  name: 'one-token-500-times',
  title: '500 parallel uses of one refresh token, over one instance and over three',
  async run(context) {
    const instances = await Promise.all(['a', 'b', 'c'].map((name) => context.instance(name)));
    const broken: string[] = [];
    for (const targets of [instances.slice(0, 1), instances]) {
      const clients = targets.map((instance) => context.client(instance));
      const winner = await race(context, clients, broken);
      // all failures happened within the grace period: a race, so the winner's token remains valid
      if (winner && !(await clients[0]?.refresh(winner))) broken.push("the winner's token does not work");
    }
    return { broken };
  },
};

async function race(context: Context, clients: Client[], broken: string[]): Promise<Tokens | undefined> {
  const [first] = clients;
  const { email, password } = context.person(0);
  const tokens = await first?.signIn(email, password);
  if (!tokens) throw new Error('nobody could sign in');
  const answers = await Promise.all(
    Array.from({ length: TIMES }, (_, index) => clients[index % clients.length]?.refresh(tokens)),
  );
  const winners = answers.filter((answer) => answer !== null && answer !== undefined);
  if (winners.length !== 1) broken.push(`${winners.length} of ${TIMES} won`);
  return winners[0];
}
