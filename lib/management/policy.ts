// Who may do what: one table, role × action. A person who is only an end user may do none of it.

export const ROLES = ['administrator', 'approver', 'developer'] as const;
export type Role = (typeof ROLES)[number];

/** A person of the console, or the operator: whoever may run the command line on the host. */
export type Actor =
  | { kind: 'person'; id: string; email: string; roles: readonly string[] }
  | { kind: 'operator' };
export const OPERATOR: Actor = { kind: 'operator' };

export type Action =
  | 'people.manage'
  | 'clients.create'
  | 'clients.manage-own'
  | 'clients.manage-all'
  | 'subscriptions.request'
  | 'subscriptions.decide'
  | 'subscriptions.see-all'
  | 'keys.manage'
  | 'audit.read';

const ALLOWED: Record<Action, readonly Role[]> = {
  'people.manage': ['administrator'],
  'clients.create': ['administrator', 'developer'],
  'clients.manage-own': ['administrator', 'developer'],
  'clients.manage-all': ['administrator'],
  'subscriptions.request': ['administrator', 'developer'],
  'subscriptions.decide': ['administrator', 'approver'],
  'subscriptions.see-all': ['administrator', 'approver'],
  'keys.manage': ['administrator'],
  'audit.read': ['administrator'],
};

/** The operation was refused; the message is for whoever asked. */
export class Refused extends Error {
  override name = 'Refused';
}

export function mayDo(actor: Actor, action: Action): boolean {
  return actor.kind === 'operator' || ALLOWED[action].some((role) => actor.roles.includes(role));
}

export function requireAction(actor: Actor, action: Action): void {
  if (mayDo(actor, action)) return;
  throw new Refused(`${nameOf(actor)} may not do this: it takes the role ${ALLOWED[action].join(' or ')}`);
}

/** Administrators may decide for every API, approvers where they are listed or nobody is; nobody on their own request. */
export function requireDecider(
  actor: Actor,
  facts: { approvers: string[]; requestedBy: string | null },
): void {
  requireAction(actor, 'subscriptions.decide');
  if (actor.kind === 'operator') return;
  const listed = facts.approvers.length === 0 || facts.approvers.includes(actor.email.toLowerCase());
  if (!actor.roles.includes('administrator') && !listed) {
    throw new Refused(`${actor.email} is not among the approvers of this API`);
  }
}

export const nameOf = (actor: Actor) => (actor.kind === 'operator' ? 'operator' : actor.email);
export const idOf = (actor: Actor) => (actor.kind === 'operator' ? null : actor.id);
/** What the audit log calls the actor. */
export const auditName = (actor: Actor) => (actor.kind === 'operator' ? 'operator' : actor.id);
