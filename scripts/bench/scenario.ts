// The shape of a scenario: what is asked of a server, and how its answer is checked.
import type { Reply } from './client.ts';
import type { TargetName } from './targets.ts';
import type { World } from './world.ts';

export type Request = { text: string; check: (reply: Reply) => string | null };
/** Several requests, one after the other; null where all went well. */
export type Walk = { walk: (send: (text: string) => Promise<Reply>) => Promise<string | null> };
export type Scenario<Asked = Request> = {
  /** readies what a measurement of so many requests will use up */
  prepare?: (world: World, requests: number, target: TargetName) => Promise<void>;
  next: (world: World) => Asked;
};
