// A subscription's life, in one place: pending, approved, rejected, suspended, revoked (contract.md section 6).
// Pure: who may do what is policy.ts, how it is stored is store/subscriptions.ts.

export type SubscriptionState = 'pending' | 'approved' | 'rejected' | 'suspended' | 'revoked';
export type SubscriptionAction =
  | 'request'
  | 'approve'
  | 'reject'
  | 'suspend'
  | 'resume'
  | 'revoke'
  | 'change';
type DecidedTransition = 'approve' | 'reject' | 'suspend' | 'resume' | 'revoke';

const TRANSITIONS: Record<DecidedTransition, Partial<Record<SubscriptionState, SubscriptionState>>> = {
  approve: { pending: 'approved', rejected: 'approved' },
  reject: { pending: 'rejected' },
  suspend: { approved: 'suspended' },
  resume: { suspended: 'approved' },
  revoke: { pending: 'revoked', approved: 'revoked', rejected: 'revoked', suspended: 'revoked' },
};

/** Where a decision leads from here, or null where it cannot be taken. */
export function decide(from: SubscriptionState, action: DecidedTransition): SubscriptionState | null {
  return TRANSITIONS[action][from] ?? null;
}

/** Trusted subscriptions always wait for a decision, plain ones where the API says so. */
export function stateWhenRequested(asked: { trusted: boolean; requireApproval: boolean }): SubscriptionState {
  return asked.trusted || asked.requireApproval ? 'pending' : 'approved';
}

/** May be asked for (again) from here: nothing yet, or after a no. A suspended one waits for its resumption. */
export function mayRequest(from: SubscriptionState | null): boolean {
  return from === null || from === 'rejected' || from === 'revoked';
}

/** The state after trusted, scopes or the client's redirect addresses were changed: what was decided stays decided. */
export function stateWhenChanged(
  from: SubscriptionState,
  change: { wasTrusted: boolean; trusted: boolean; requireApproval: boolean },
): SubscriptionState {
  if (from !== 'approved' && from !== 'pending') return from;
  const waits = change.trusted || change.requireApproval || (from === 'pending' && change.wasTrusted);
  return waits ? 'pending' : from;
}
