// What a supervisor and its workers say to each other over their channel (node:child_process). Counts are whole
// numbers.
import type { Metric } from '#lib/observability/sums.ts';

export type ToWorker =
  /** with the connection's socket */
  | { kind: 'connection' }
  /** do from now on what one worker does for all */
  | { kind: 'duty' }
  /** so many connections are more than your share */
  | { kind: 'shed'; connections: number }
  /** are you there? */
  | { kind: 'ping' }
  /** no more connections follow */
  | { kind: 'no-more' }
  | { kind: 'metrics-wanted'; id: number }
  | { kind: 'sums'; id: number; text: string };

export type ToSupervisor =
  /** give me connections */
  | { kind: 'open' }
  /** the one that you gave last is mine */
  | { kind: 'taken' }
  /** how many I have open */
  | { kind: 'connections'; open: number }
  | { kind: 'pong' }
  /** I serve */
  | { kind: 'ready' }
  /** give me no more connections */
  | { kind: 'closing' }
  | { kind: 'metrics'; id: number; metrics: Metric[] }
  | { kind: 'sums-wanted'; id: number };

/** Next, or a library, may use the channel too; what has no `kind` is not ours. */
export function isOurs(message: unknown): message is { kind: string } {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
