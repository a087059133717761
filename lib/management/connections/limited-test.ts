// A connection test of an administrator: so many in a quarter of an hour, and a line in the audit log for each.
import type { EventDetails } from '#lib/audit/events.ts';
import { limitedWork } from '../core/limited-work.ts';
import type { Actor } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { type ConnectionTest, type TestStep, testOf } from './step.ts';

const TESTS = { kind: 'tests', most: 20, refusal: 'connection.too_many' } as const;

type Tested = { what: EventDetails['connection.tested']['what']; authMethodId?: string };

/** Refused where it was tested too often. */
export async function limitedTest(
  actor: Actor,
  { what, authMethodId }: Tested,
  run: () => Promise<TestStep[]>,
): Promise<ConnectionTest> {
  const steps = await limitedWork(actor, TESTS, run);
  const test = testOf(steps);
  const details = { what, outcome: test.state };
  await record(actor, { event: 'connection.tested', ...(authMethodId && { authMethodId }), details });
  return test;
}
