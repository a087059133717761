// Scenario types: request and response check.
import type { Reply } from './client.ts';
import type { TargetName } from './targets.ts';
import type { World } from './world.ts';

export type Request = { text: string; check: (reply: Reply) => string | null };
/** Sequence of requests; resolves to `null` after success. */
export type Walk = { walk: (send: (text: string) => Promise<Reply>) => Promise<string | null> };
export type Scenario<Asked = Request> = {
  /** prepares data for this number of requests */
  prepare?: (world: World, requests: number, target: TargetName) => Promise<void>;
  next: (world: World) => Asked;
};
