// The steps that a kind took itself, in the words of a test.
import type { TakenStep } from '#lib/registry/methods/kind.ts';
import { FAILURES, type Failure } from './failures.ts';
import type { TestStep } from './step.ts';
import { callFailure } from './walk.ts';

/** What a failure is called where the other service is a directory. */
const OF_DIRECTORY: Partial<Record<Failure, Failure>> = {
  'tls-untrusted': 'directory-untrusted',
  'bad-answer': 'directory-bad-answer',
};

export function stepOfTaken(taken: TakenStep): TestStep {
  const { check, sent, answered, tookMs } = taken;
  const step = { check, sent, answered, tookMs };
  if (!('failed' in taken))
    return { ...step, state: taken.state, found: taken.found, change: taken.change ?? null };
  const { host, port, seconds, failed } = taken;
  const failure = callFailure(failed);
  const { found, change } = FAILURES[OF_DIRECTORY[failure] ?? failure];
  const values = { host, port: String(port), seconds };
  return { ...step, state: 'broken', found: { text: found, values }, change: { text: change, values } };
}
