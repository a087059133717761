// Results of walks (runs of the activities of walks.ts) by phase and kind. A phase ends after each kind
// completed often enough, with responses from both versions if both serve. Independent of the clock.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#testing/net/until.ts';
import type { Trail, Walk } from './walks.ts';

export type Phase = { name: string; crosses: boolean };
export type Count = { good: number; crossed: number; faults: string[] };

/** Milliseconds between the requests of a simulated user: enough load for the test, without an overload. */
const PAUSE_MS = 200;
/** Maximum duration of a phase in seconds, which is sufficient on busy machines, too. */
const MOST_SECONDS = 240;

const isCrossed = (trail: Trail) => new Set(trail.map((name) => name.replace(/-.*$/, ''))).size > 1;

export class Tally {
  readonly phases: Phase[] = [];
  readonly kinds: string[];
  readonly #counts = new Map<string, Count>();
  readonly #runs: Promise<void>[] = [];
  #going = true;

  constructor(walks: Walk[]) {
    this.kinds = [...new Set(walks.map(({ kind }) => kind))];
    this.begin({ name: 'the walks begin', crosses: false });
    for (const walk of walks) this.#runs.push(this.#keep(walk));
  }

  begin(phase: Phase): void {
    this.phases.push(phase);
  }

  of(phase: Phase, kind: string): Count {
    const key = `${phase.name}: ${kind}`;
    const known = this.#counts.get(key) ?? { good: 0, crossed: 0, faults: [] };
    this.#counts.set(key, known);
    return known;
  }

  total(): number {
    return [...this.#counts.values()].reduce((sum, { good, faults }) => sum + good + faults.length, 0);
  }

  /**
   * Returns whether each kind completed often enough in this phase, with responses from both versions for crossed
   * kinds.
   */
  hasReached(least: number): Promise<boolean> {
    const phase = this.phases.at(-1) as Phase;
    const enough = (kind: string) => {
      const { good, crossed, faults } = this.of(phase, kind);
      return faults.length > 0 || (good >= least && (!phase.crosses || crossed >= least));
    };
    return until(() => this.kinds.every(enough), { seconds: MOST_SECONDS });
  }

  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#runs);
  }

  async #keep({ kind, once }: Walk): Promise<void> {
    while (this.#going) {
      const phase = this.phases.at(-1) as Phase;
      const trail: Trail = [];
      try {
        await once(trail);
        const count = this.of(phase, kind);
        count.good += 1;
        if (isCrossed(trail)) count.crossed += 1;
      } catch (error) {
        this.of(phase, kind).faults.push(`${(error as Error).message} (answers of ${trail.join(', ')})`);
      }
      await sleep(PAUSE_MS);
    }
  }
}
