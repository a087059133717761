/** What a refusal means to the caller's code. */
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
