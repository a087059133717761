import path from 'node:path';
import { Browser } from '#testing/service/browser.ts';
import { claimsOf } from '#testing/service/token.ts';
import { codeOf } from '../../support/client.ts';
import { type Fault, PLAIN } from '../../support/context.ts';
import { startBalanced } from './round-robin.ts';

const PRELOAD = path.resolve(import.meta.dirname, '../../support/wrong-clock.mjs');

export const wrongClock: Fault = {
  name: 'wrong-clock',
  title: 'instances whose clocks are five minutes ahead and five minutes behind',
  async run(context) {
    const { door } = await startBalanced(context, ['ahead', 'behind'], (name) => ({
      preload: [PRELOAD],
      env: { FAULTS_CLOCK_SECONDS: name === 'ahead' ? '300' : '-300' },
    }));
    const broken: string[] = [];
    const client = context.client(door, PLAIN);
    const rounds = context.quick ? 4 : 20;
    for (let round = 0; round < rounds; round += 1) {
      const person = context.person(round);
      const browser = new Browser(door);
      const code = await codeOf(browser, PLAIN, person);
      let tokens = code ? await client.redeem(code) : null;
      for (let step = 0; step < 3; step += 1) {
        if (!tokens) break;
        broken.push(...faultsOf(claimsOf(tokens.accessToken)));
        if ((await client.isActive(tokens.accessToken, tokens.family)) !== true)
          broken.push('a fresh token is inactive');
        tokens = await client.refresh(tokens);
      }
      if (!tokens) {
        broken.push('a sign-in over instances with different clocks broke');
        continue;
      }
      // the database's clock decides about expiry, even if a machine's clock differs
      const late = await codeOf(browser, PLAIN, person);
      await context.sql("update codes set expires_at = now() - interval '1 second' where used_at is null");
      const expired = await client.post(
        '/auth/pw/api/orders/token',
        { grant_type: 'authorization_code', code: late ?? '' },
        { kind: 'redeem', expected: true },
      );
      if (expired.status !== 400) broken.push('an expired code was taken');
    }
    return { broken, notes: 'iat and exp of every token are the database’s' };
  },
};

function faultsOf({ iat, exp }: Record<string, unknown>): string[] {
  const now = Date.now() / 1000;
  const broken = Math.abs(Number(iat) - now) > 30 || Math.abs(Number(exp) - Number(iat) - 3_600) > 1;
  return broken ? [`a token was made ${(Number(iat) - now).toFixed(0)} s off`] : [];
}
