// A connection test of an administrator: so many in a quarter of an hour, and a line in the audit log for each.
import type { EventDetails } from '#lib/audit/index.ts';
import { limited } from '#lib/mail/index.ts';
import { attemptLimit } from '#lib/store/index.ts';
import { type Actor, authorOf, isHost, Refused, record } from '../core/index.ts';
import { type ConnectionTest, type TestStep, testOf } from './step.ts';

const MOST = 20;

type Tested = { what: EventDetails['connection.tested']['what']; authMethodId?: string };

/** Refused where it was tested too often. */
export async function limitedTest(
  actor: Actor,
  { what, authMethodId }: Tested,
  run: () => Promise<TestStep[]>,
): Promise<ConnectionTest> {
  let steps: TestStep[] = [];
  const walk = async () => {
    steps = await run();
  };
  const { actor: by = '', requestId = '', ip = null } = authorOf(actor);
  const wait = isHost(actor)
    ? await walk().then(() => null)
    : await limited([attemptLimit('tests', by, MOST)], { requestId, ip }, walk);
  if (wait !== null) throw new Refused('connection.too_many', {}, { retryAfterSeconds: wait });
  const test = testOf(steps);
  const details = { what, outcome: test.state };
  await record(actor, { event: 'connection.tested', ...(authMethodId && { authMethodId }), details });
  return test;
}
