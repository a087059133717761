// Why an operation was refused. The kind is for whoever calls, the message for whoever asked.

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

export type Fault = { field: string; message: string };
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

export function refuseFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first) throw new Refused(first.message, 'invalid', { faults });
}

/** Somebody else has this value already. */
export function taken(field: string, message: string): Refused {
  return new Refused(message, 'conflict', { faults: [{ field, message }] });
}

export function stale(what: string): Refused {
  return new Refused(`somebody else changed ${what} meanwhile`, 'stale');
}
