// Types for scenarios: how to create a request, and how to check its response.
import type { Reply } from './client.ts';
import type { TargetName } from './targets.ts';
import type { World } from './world.ts';

export type Request = { text: string; check: (reply: Reply) => string | null };
/** A sequence of requests; resolves to `null` after success, otherwise to the error. */
export type Walk = { walk: (send: (text: string) => Promise<Reply>) => Promise<string | null> };
export type Scenario<Asked = Request> = {
  /** prepares data for this number of requests */
  prepare?: (world: World, requests: number, target: TargetName) => Promise<void>;
  next: (world: World) => Asked;
};
