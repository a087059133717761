import { freePort } from '#testing/net/free-port.ts';
import { Browser } from '#testing/service/browser.ts';
import { Balancer } from '../../support/balancer.ts';
import { codeOf } from '../../support/client.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';
import type { InstanceOptions } from '../../support/instance.ts';

/** Starts instances behind a load balancer. The public URL of the service is the balancer's address. */
export async function startBalanced(
  context: Context,
  names: string[],
  optionsOf: (name: string) => Partial<InstanceOptions> = () => ({}),
) {
  const port = await freePort();
  const door = { url: `http://localhost:${port}` };
  const instances = await Promise.all(
    names.map((name) => context.instance(name, { baseUrl: door.url, ...optionsOf(name) })),
  );
  const balancer = new Balancer(instances);
  await balancer.listen(port);
  context.onEnd(() => balancer.close());
  return { door, instances, balancer };
}

export const roundRobin: Fault = {
  name: 'round-robin',
  title: 'three instances behind a round robin, every step on another one',
  async run(context) {
    const { door, balancer } = await startBalanced(context, ['a', 'b', 'c']);
    const broken: string[] = [];
    const rounds = context.quick ? 3 : 30;
    const client = context.client(door, PLAIN);
    for (let round = 0; round < rounds; round += 1) {
      const browser = new Browser(door);
      const code = await codeOf(browser, PLAIN, context.person(round));
      if (!code) {
        broken.push('a sign-in did not end in a code');
        continue;
      }
      let tokens = await client.redeem(code);
      for (let step = 0; step < 4; step += 1) tokens = tokens && (await client.refresh(tokens));
      if (!tokens || (await client.isActive(tokens.accessToken, tokens.family)) !== true) {
        broken.push('a chain of refreshes broke');
        continue;
      }
      // every instance finds the session, so silent renewal works anywhere
      if (!(await codeOf(browser, PLAIN, context.person(round), { prompt: 'none' })))
        broken.push('a silent renewal found no session');
      await client.revoke(tokens);
      if (await client.isActive(tokens.accessToken, tokens.family))
        broken.push('a revoked token is active elsewhere');
    }
    const shares = [...balancer.served.values()];
    if (shares.length !== 3 || Math.min(...shares) * 2 < Math.max(...shares))
      broken.push('one instance did the work');
    return { broken, notes: `${rounds} sign-ins; requests by instance: ${shares.join(', ')}` };
  },
};
