/** What a refusal means to the caller's code. */
export type RefusedKind =
  /** what was asked makes no sense: `faults` says where */
  | 'invalid'
  | 'forbidden'
  /** does not exist, or is another person's */
  | 'not-found'
  /** its state does not allow it */
  | 'conflict'
  /** was changed since it was shown */
  | 'stale'
  /** sign in again first */
  | 'reauthenticate'
  | 'slow-down';
