// Why an operation was refused: the kind for the caller's code, the message for people.
import type { z } from 'zod';
import { type Fault, faultsOf, longText } from '#lib/registry/index.ts';

/** A limit on guessing is used up. */
export const TOO_MANY_ATTEMPTS = 'Too many attempts. Wait a while, then try again.';

export type RefusedKind =
  /** what was asked makes no sense: `faults` says where */
  | 'invalid'
  | 'forbidden'
  /** not there, or somebody else's */
  | 'not-found'
  /** its state does not allow it */
  | 'conflict'
  /** somebody changed it since it was shown */
  | 'stale'
  /** sign in again first */
  | 'reauthenticate'
  | 'slow-down';

type More = { faults?: readonly Fault[]; foreign?: boolean; retryAfterSeconds?: number };

export class Refused extends Error {
  override name = 'Refused';
  readonly kind: RefusedKind;
  readonly faults: readonly Fault[];
  /** it is there, and another's */
  readonly foreign: boolean;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, kind: RefusedKind = 'invalid', more: More = {}) {
    super(message);
    this.kind = kind;
    this.faults = more.faults ?? [];
    this.foreign = more.foreign ?? false;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }
}

/** Something in what was sent is wrong; the first fault says it for whoever reads one line. */
export function faulty(faults: readonly Fault[]): Refused {
  return new Refused(faults[0]?.message ?? 'this makes no sense', 'invalid', { faults });
}

export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw faulty(faults);
}

/** Somebody else has this value already. */
export function taken(field: string, message: string): Refused {
  return new Refused(message, 'conflict', { faults: [{ field, message }] });
}

export function stale(what: string): Refused {
  return new Refused(`somebody else changed ${what} meanwhile`, 'stale');
}

/** Where `given`, the version that was shown, is there and is not the current one. */
export function refuseStale(what: string, given: number | undefined, current: number): void {
  if (given !== undefined && given !== current) throw stale(what);
}

/** The input as its definition says, or Refused with every fault. */
export function parseInput<Definition extends z.ZodType>(
  definition: Definition,
  input: unknown,
): z.output<Definition> {
  const parsed = definition.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw faulty(faultsOf(parsed.error));
}

/** What a developer or a decider wrote to people, or null. Refused where they could not read all of it. */
export function writtenText(field: 'message' | 'reason', given: string | undefined): string | null {
  const read = longText.safeParse(given ?? '');
  if (read.success) return read.data || null;
  throw faulty([{ field, message: `${field} ${read.error.issues[0]?.message}` }]);
}
