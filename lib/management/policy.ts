// Table of permissions: for each action, the roles and the scope of the management API. A user without a role can
// manage only their own account.

import { BUILT_IN_API, type Decidable, decidesFor } from '#lib/catalogue/apis/definition.ts';
import { personLabel, ROLES, type Role } from '#lib/catalogue/people/definition.ts';
import { now } from '#lib/kit/clock.ts';
import { canonicalEmail } from '#lib/kit/text.ts';
import { RECENT_SECONDS } from '#lib/sessions/page-state.ts';
import type { Language } from '#lib/settings/languages.ts';
import { Refused } from './refused.ts';

/** Data of the HTTP request, for the audit log, the error page and mails. */
export type RequestFacts = { id: string; ip: string | null; pageLanguage?: Language };

export type Actor =
  | {
      kind: 'person';
      id: string;
      /** `null`: the user signs in only with external methods */
      email: string | null;
      username?: string | null;
      name?: string;
      /** language in the profile (BCP 47) */
      locale?: string | null;
      roles: readonly Role[];
      /** null: the person has not signed in; the operator acts for them (`--by` at the command line) */
      signedInAt: Date | null;
      /** the current console session */
      session?: { idHash: Uint8Array; authMethodId: string };
      /** the scopes of the access token; absent: the actor has no token and no such limit */
      scopes?: readonly string[];
      /** `null`: only at the command line, never over HTTP */
      request: RequestFacts | null;
    }
  /**
   * a client that acts in its own name: a program, limited by the scopes of its token (docs/project/decisions/0020)
   */
  | {
      kind: 'machine';
      clientId: string;
      /** owner of the client; null: none */
      ownerId: string | null;
      scopes: readonly string[];
      request: RequestFacts;
    }
  /** the operator, at the command line on the host */
  | { kind: 'operator' }
  /** the configuration file, which `apply` applies */
  | { kind: 'configuration' };
export const OPERATOR: Actor = { kind: 'operator' };
export const CONFIGURATION: Actor = { kind: 'configuration' };

type Host = Extract<Actor, { kind: 'operator' | 'configuration' }>;
/** The operator on the host can do everything. Every other caller needs a right. */
export const isHost = (actor: Actor): actor is Host =>
  actor.kind === 'operator' || actor.kind === 'configuration';

const EVERYBODY = 'everybody';
export type Rule = { roles: readonly Role[] | typeof EVERYBODY; scope: string };

const RULES = {
  'account.read': { roles: EVERYBODY, scope: 'account:read' },
  'account.change': { roles: EVERYBODY, scope: 'account:write' },
  'people.read': { roles: ['administrator'], scope: 'people:read' },
  'people.manage': { roles: ['administrator'], scope: 'people:write' },
  'people.decide': { roles: ['administrator', 'approver'], scope: 'people:decide' },
  'groups.read': { roles: ['administrator'], scope: 'groups:read' },
  'groups.manage': { roles: ['administrator'], scope: 'groups:write' },
  'clients.create': { roles: ['administrator', 'developer'], scope: 'clients:write' },
  'clients.see-own': { roles: ['administrator', 'developer'], scope: 'clients:read' },
  'clients.see-all': { roles: ['administrator'], scope: 'clients:read' },
  'clients.manage-own': { roles: ['administrator', 'developer'], scope: 'clients:write' },
  'clients.manage-all': { roles: ['administrator'], scope: 'clients:write' },
  'subscriptions.see-own': { roles: ['administrator', 'developer'], scope: 'subscriptions:read' },
  'subscriptions.see-all': { roles: ['administrator', 'approver'], scope: 'subscriptions:read' },
  'subscriptions.request': { roles: ['administrator', 'developer'], scope: 'subscriptions:write' },
  'subscriptions.decide': { roles: ['administrator', 'approver'], scope: 'subscriptions:decide' },
  'registry.read': { roles: ['administrator'], scope: 'registry:read' },
  'registry.manage': { roles: ['administrator'], scope: 'registry:write' },
  'sessions.read': { roles: ['administrator'], scope: 'sessions:read' },
  'sessions.end': { roles: ['administrator'], scope: 'sessions:write' },
  'keys.read': { roles: ['administrator'], scope: 'keys:read' },
  'keys.manage': { roles: ['administrator'], scope: 'keys:write' },
  'audit.read': { roles: ['administrator'], scope: 'audit:read' },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof RULES;

/** Roles and scopes of these actions, each once, for the documentation. */
export function accessOf(actions: readonly Action[]): { roles: Rule['roles'][number][]; scopes: string[] } {
  const rules: Rule[] = actions.map((action) => RULES[action]);
  return {
    roles: [...new Set(rules.flatMap(({ roles }) => roles))],
    scopes: [...new Set(rules.map(({ scope }) => scope))],
  };
}

/** Scopes of the management API, in the order of the table. */
export const MANAGEMENT_SCOPES = [...new Set(Object.values(RULES).map((rule) => rule.scope))];

export function mayDo(actor: Actor, action: Action): boolean {
  return isHost(actor) || (hasRole(actor, action) && hasScope(actor, action));
}

/** Throws Refused if the actor has the right to none of the actions. */
export function requireAction(actor: Actor, ...actions: readonly Action[]): void {
  if (isHost(actor) || actions.some((action) => mayDo(actor, action))) return;
  const scope = missingScope(actor, ...actions);
  if (scope !== null) throw new Refused('right.scope', { scope });
  const { roles } = accessOf(actions);
  // every person has this role, so the actor is a program
  if (roles.includes(EVERYBODY)) throw new Refused('account.program');
  throw new Refused('right.role', {
    actor: nameOf(actor),
    roles: ROLES.filter((role) => roles.includes(role)).join('_'),
  });
}

/**
 * Returns the missing scope if the user has the right to one of the actions and only the token lacks the scope (RFC
 * 6750 §3.1). Otherwise returns `null`.
 */
export function missingScope(actor: Actor, ...actions: readonly Action[]): string | null {
  if (isHost(actor)) return null;
  const near = actions.find((action) => hasRole(actor, action) && !hasScope(actor, action));
  return near === undefined ? null : RULES[near].scope;
}

/** A person who is signed in. */
export type Person = Extract<Actor, { kind: 'person' }>;

/** Recipient of a mail, and origin of the request, for an action on the user's own account. */
export const readerOf = <Email extends string | null>({
  email,
  locale,
  request,
}: Pick<Person, 'locale' | 'request'> & { email: Email }) => ({
  email,
  locale,
  pageLanguage: request?.pageLanguage,
});

/** A program that an administrator approved has the rights of an administrator, except on accounts. */
function hasRole(actor: Exclude<Actor, Host>, action: Action): boolean {
  const { roles } = RULES[action] as Rule;
  if (actor.kind === 'machine') return roles !== EVERYBODY;
  return roles === EVERYBODY || roles.some((role) => actor.roles.includes(role));
}

function hasScope(actor: Exclude<Actor, Host>, action: Action): boolean {
  return actor.scopes === undefined || actor.scopes.includes(RULES[action].scope);
}

export function isDeciderOf(actor: Actor, decidable: Decidable): boolean {
  if (isHost(actor)) return true;
  if (!mayDo(actor, 'subscriptions.decide')) return false;
  return actor.kind === 'machine' || decidesFor(actor, decidable);
}

/** Returns the email address of the approver to whose decisions a list is limited; null: there is no limit. */
export function decidableBy(actor: Actor): string | null {
  if (actor.kind !== 'person' || actor.roles.includes('administrator')) return null;
  return actor.email === null ? '' : canonicalEmail(actor.email);
}

export function requireDecider(actor: Actor, decidable: Decidable): void {
  if (isDeciderOf(actor, decidable)) return;
  if (decidable.api === BUILT_IN_API) {
    throw new Refused('decider.administrators', { api: BUILT_IN_API });
  }
  throw new Refused('decider.other', { actor: nameOf(actor) });
}

function isRecent(actor: Exclude<Actor, { kind: 'machine' }>): boolean {
  if (isHost(actor) || actor.signedInAt === null) return true;
  return now().getTime() - actor.signedInAt.getTime() <= RECENT_SECONDS * 1000;
}

/** Requires a recent sign-in, which a program never has. */
export function requireRecent(actor: Actor): void {
  if (actor.kind === 'machine') throw new Refused('right.person');
  if (isRecent(actor)) return;
  throw new Refused('right.fresh_sign_in');
}

export function nameOf(actor: Actor): string {
  if (actor.kind === 'machine') return `client ${actor.clientId}`;
  return actor.kind === 'person' ? personLabel(actor) : authorNames[actor.kind];
}
export const idOf = (actor: Actor): string | null => (actor.kind === 'person' ? actor.id : null);
/**
 * Returns the requesting user, who therefore cannot decide on the request. A program requests in the name of its
 * client's owner.
 */
export const requesterOf = (actor: Actor): string | null =>
  actor.kind === 'machine' ? actor.ownerId : idOf(actor);
/** Name and id of the actor, for the history of a subscription. */
export const whoOf = (actor: Actor) => ({ actor: nameOf(actor), actorId: idOf(actor) });

/** Names in the audit log of actors without an account. */
export const authorNames = { operator: 'operator', configuration: 'config' } as const;

/** True if the id belongs to the current session of the actor. */
export function isOwnSession(actor: Actor, id: string): boolean {
  if (actor.kind !== 'person' || !actor.session) return false;
  return Buffer.from(actor.session.idHash).toString('hex') === id;
}

/** Prevents that a program changes its own client or its own permissions. */
export function refuseSelf(actor: Actor, clientId: string): void {
  if (actor.kind === 'machine' && actor.clientId === clientId) throw new Refused('client.itself');
}

/** Returns the actor as a person. Throws for the operator, who has no account. */
export function requirePerson(actor: Actor): Person {
  if (actor.kind === 'person') return actor;
  throw new Refused('account.unnamed');
}
