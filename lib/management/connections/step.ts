// What a connection test tells: its steps, in the order that they were taken.
import type { Sentence } from '#lib/kit/sentence.ts';

export type StepState = 'ok' | 'warning' | 'broken' | 'skipped';

export type TestStep = {
  check: Sentence;
  state: StepState;
  /** what was asked: an address, a command; without secrets */
  sent: string | null;
  /** what came back: the status and the first characters, without secrets; null: nothing */
  answered: string | null;
  tookMs: number | null;
  /** what that means */
  found: Sentence;
  /** what makes it work */
  change: Sentence | null;
};

export type ConnectionTest = { state: Exclude<StepState, 'skipped'>; tookMs: number; steps: TestStep[] };

const BY_WEIGHT = ['broken', 'warning'] as const;

/** As good as its worst step. A test of nothing is no success. */
export function testOf(steps: TestStep[]): ConnectionTest {
  const worst = BY_WEIGHT.find((one) => steps.some((step) => step.state === one));
  const state = worst ?? (steps.every((step) => step.state === 'skipped') ? 'warning' : 'ok');
  const tookMs = steps.reduce((sum, step) => sum + (step.tookMs ?? 0), 0);
  return { state, tookMs, steps };
}
