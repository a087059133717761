import { attempt } from '#testing/net/http.ts';
import { type Fault, PLAIN } from '../../support/context.ts';
import { sameDistribution } from '../../support/mann-whitney.ts';

const TRIES = 3;
const LIKELY = 0.01;

/**
 * The time of an error response must not reveal whether a client exists. Three measurements exclude chance results.
 */
export const guessedByTheClock: Fault = {
  name: 'guessed-by-the-clock',
  title: 'CA-12: unknown clients and wrong secrets, told apart by the clock',
  async run(context) {
    const requests = context.quick ? 100 : 500;
    const instance = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    const broken: string[] = [];
    let sent = 0;
    const refusal = async (clientId: string): Promise<number> => {
      sent += 1;
      // fresh IP address per request: a rate limit would respond without checking
      const headers = { 'x-forwarded-for': `198.18.${sent >> 8}.${sent & 255}` };
      const form = {
        grant_type: 'refresh_token',
        refresh_token: 'none',
        client_id: clientId,
        client_secret: 'no',
      };
      const began = performance.now();
      const { status } = await attempt(`${instance.url}/auth/pw/api/orders/token`, { form, headers });
      if (status !== 401) broken.push(`${status} for a wrong secret`);
      return performance.now() - began;
    };
    const likely: number[] = [];
    while (likely.length < TRIES && likely.every((p) => p < LIKELY)) {
      const unknown: number[] = [];
      const known: number[] = [];
      for (let each = 0; each < requests; each += 1) {
        unknown.push(await refusal('konf'));
        known.push(await refusal(PLAIN.clientId));
      }
      likely.push(sameDistribution(unknown, known));
    }
    if (likely.every((p) => p < LIKELY)) broken.push(`the clock tells: p = ${likely.join(', ')}`);
    const p = likely.at(-1) ?? 0;
    return { broken, notes: `${sent} refusals one after the other, Mann–Whitney p = ${p.toFixed(2)}` };
  },
};
