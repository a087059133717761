// The orders that a program may ask each list for.
import { GROUPS } from '#lib/store/groups/groups.ts';
import { AUDIT_EVENTS, SIGN_INS } from '#lib/store/log/audit.ts';
import { PEOPLE } from '#lib/store/people/people-list.ts';
import { personRegistrations } from '#lib/store/people/person-registrations.ts';
import { SESSIONS } from '#lib/store/people/session-list.ts';
import { waitingPeople } from '#lib/store/people/waiting-people.ts';
import { APIS } from '#lib/store/registry/apis.ts';
import { AUTH_METHODS } from '#lib/store/registry/auth-methods.ts';
import { CLIENTS } from '#lib/store/registry/clients.ts';
import { SUBSCRIPTIONS } from '#lib/store/registry/subscription-lists.ts';
import { bothWays } from './page.ts';

/** The list's own first, each followed by the one that turns it around: `-created`, `created`. */
export const LIST_ORDERS = {
  apis: bothWays(APIS.orders),
  audit: bothWays(AUDIT_EVENTS.orders),
  authMethods: bothWays(AUTH_METHODS.orders),
  clients: bothWays(CLIENTS.orders),
  groups: bothWays(GROUPS.orders),
  invitations: bothWays(personRegistrations.INVITATIONS.orders),
  people: bothWays(PEOPLE.orders),
  sessions: bothWays(SESSIONS.orders),
  signIns: bothWays(SIGN_INS.orders),
  subscriptions: bothWays(SUBSCRIPTIONS.orders),
  waiting: bothWays(waitingPeople.WAITING.orders),
};

export type ListName = keyof typeof LIST_ORDERS;
