import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { endpoints, handleHttp } from '#lib/oauth/endpoints.ts';
import { asRequest, requests } from '../../../fuzz/requests.ts';
import { faultOf } from '../../../fuzz/shape.ts';
import { prepareWorld } from '../../../fuzz/world.ts';
import type { Fault } from '../../support/context.ts';

export const inventedRequests: Fault = {
  name: 'invented-requests',
  title: 'invented requests to every address',
  async run(context) {
    if (context.quick) return { notes: 'ten thousand of them run with the other tests' };
    const runs = 1_000_000;
    const answers: Record<string, number> = {};
    const broken: string[] = [];
    await context.inside(async () => {
      const world = await prepareWorld();
      const patterns = endpoints.map(({ pattern }) => pattern);
      const property = fc.asyncProperty(requests(world, patterns), async (invented) => {
        const requestId = randomUUID();
        const answer = await handleHttp(asRequest(invented, requestId));
        const kind = answer === null ? 'a page' : String(answer.status);
        answers[kind] = (answers[kind] ?? 0) + 1;
        const fault = faultOf(invented, answer, requestId, world);
        if (fault !== null)
          throw new Error(`${fault}: ${JSON.stringify({ ...invented, body: invented.body.toString() })}`);
      });
      await fc
        .assert(property, { numRuns: runs })
        .catch((error: Error) => broken.push(String(error.cause ?? error).slice(0, 2_000)));
    });
    const notes = Object.entries(answers).map(([kind, count]) => `${count} × ${kind}`);
    return { broken, notes: `${runs} of them: ${notes.join(', ')}` };
  },
};
