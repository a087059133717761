// The orders that a program may ask each list for.
import {
  APIS,
  AUDIT_EVENTS,
  AUTH_METHODS,
  CLIENTS,
  GROUPS,
  PEOPLE,
  personRegistrations,
  SESSIONS,
  SIGN_INS,
  SUBSCRIPTIONS,
  waitingPeople,
} from '#lib/store/index.ts';
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
