// A table with the effect of each operation that ends permissions, or changes a client's identity, on each form of
// permission. A form or an operation without a cell does not compile; lib/management/allowed-endings.db.test.ts
// tests every cell.
import type { EventName } from '#lib/registry/audit-event.ts';

/**
 * - `ends`: the permission is invalid, even after the ending is undone; it must be granted again.
 * - `held`: the permission is invalid until the ending is undone.
 * - `stays`: the permission remains valid.
 */
export type Fate = 'ends' | 'held' | 'stays';

/** Grant kinds, mapped to tables. */
export const FORMS = {
  session: 'sessions',
  consent: 'consents',
  delegation: 'delegations',
  subscription: 'subscriptions',
  trusted: 'subscriptions',
  machine: 'subscriptions',
  refresh: 'token_families',
  browser: 'trusted_browsers',
  invitation: 'person_registrations',
} as const;
export type Form = keyof typeof FORMS;

/** Tables that refer to a person or a client, but contain no permission. */
export const OTHER_TABLES: readonly string[] = [
  // group data, read at each grant like a claim
  'group_members',
  'people_names',
  // attributes and credentials of users
  ...['external_identities', 'passkeys', 'totp_secrets', 'recovery_codes', 'mail_tokens', 'address_changes'],
  // codes and tokens depend on a grant; validity.ts checks it
  ...['codes', 'machine_tokens'],
  // imported tokens, from which a code is created that needs a permission
  'former_tokens',
  // records, pending notifications and pending decisions
  ...['client_secrets', 'client_assertions', 'agent_requests', 'subscription_events', 'logout_deliveries'],
  'refused_requests',
  ...['request_mails', 'request_mail_turns', 'decision_mails'],
  // device requests, which become codes after the user's approval
  'device_requests',
  ...['audit_events', 'refusals', 'directory_changes', 'clients'],
  // checklists that a person dismissed, and calendar addresses of versions up to 0.2
  ...['calendars', 'checklists_away'],
  // data for the user's next console page
  'page_states',
];

/** Operations that remove or change something, but affect no form of permission. */
export const OTHER_OPERATIONS: readonly string[] = [
  // changes of the user's profile and second factors: the authentication class is checked at every request
  ...['changeMyProfile', 'removeMyPasskey', 'removeMyTotp', 'unlinkIdentity', 'deleteMyAccount'],
  // same effect as a listed operation, with different scope: one user or everyone
  ...['changeMyPassword', 'endMySession', 'endMySessions', 'endSession', 'invalidateIssued'],
  ...['cancelSubscription', 'settleSubscription', 'rejectPerson', 'revokeRole', 'decideSubscriptions'],
  // changes of displayed data, and changes that a listed operation covers
  ...['setApiLogo', 'setClientLogo', 'changeAuthMethod'],
  // each grant reads the members of groups; users keep the scopes that no group controls
  ...['changeGroup', 'deleteGroup', 'removeGroupMember', 'setPersonGroups'],
];

const all = (fate: Fate): Record<Form, Fate> => ({
  session: fate,
  consent: fate,
  delegation: fate,
  subscription: fate,
  trusted: fate,
  machine: fate,
  refresh: fate,
  browser: fate,
  invitation: fate,
});
/** Returns a row in which every form of permission stays valid, except the named forms. */
const but = (named: Partial<Record<Form, Fate>>): Record<Form, Fate> => ({ ...all('stays'), ...named });

const held = (...named: Form[]) => Object.fromEntries(named.map((form) => [form, 'held' as const]));

/**
 * An operation that ends permissions. `by`: names of operations with this effect. `event`: the audit event that
 * records it.
 */
type Ending = { by: readonly string[]; event: EventName; fates: Record<Form, Fate> };

export const ENDINGS = {
  'person disabled': {
    by: ['disablePerson'],
    event: 'person.disabled',
    fates: but({
      session: 'ends',
      consent: 'held',
      delegation: 'held',
      refresh: 'ends',
      browser: 'ends',
      trusted: 'held',
    }),
  },
  'person deleted': {
    by: ['deletePerson'],
    event: 'person.removed',
    fates: but({
      session: 'ends',
      consent: 'ends',
      delegation: 'ends',
      refresh: 'ends',
      browser: 'ends',
      trusted: 'ends',
    }),
  },
  'password set': {
    by: ['setPassword'],
    event: 'person.password_set',
    fates: but({ session: 'ends', refresh: 'ends', browser: 'ends' }),
  },
  'address changed': {
    by: ['changePerson'],
    event: 'person.changed',
    fates: but({ session: 'ends', refresh: 'ends' }),
  },
  'factors reset': {
    by: ['resetFactors'],
    event: 'factor.reset',
    fates: but({ session: 'ends', refresh: 'ends', browser: 'ends' }),
  },
  'signed out everywhere': {
    by: ['endSessionsOf'],
    event: 'session.ended',
    fates: but({ session: 'ends', refresh: 'ends' }),
  },
  'browsers forgotten': {
    by: ['forgetMyBrowsers'],
    event: 'browser.forgotten',
    fates: but({ browser: 'ends' }),
  },
  'consent withdrawn': {
    by: ['withdrawConsent'],
    event: 'consent.withdrawn',
    fates: but({ consent: 'ends', refresh: 'ends' }),
  },
  'delegation ended': {
    by: ['endMyDelegation'],
    event: 'delegation.ended',
    fates: but({ delegation: 'ends' }),
  },
  'invitation withdrawn': {
    by: ['withdrawInvitation'],
    event: 'invitation.withdrawn',
    fates: but({ invitation: 'ends' }),
  },
  'client disabled': {
    by: ['disableClient'],
    event: 'client.disabled',
    fates: but({
      consent: 'held',
      delegation: 'held',
      subscription: 'held',
      trusted: 'held',
      machine: 'held',
      refresh: 'ends',
    }),
  },
  'client revoked': {
    by: ['revokeClient'],
    event: 'client.revoked',
    fates: but({ consent: 'ends', delegation: 'ends', refresh: 'ends' }),
  },
  'client deleted': {
    by: ['deleteClient'],
    event: 'client.removed',
    fates: but({
      consent: 'ends',
      delegation: 'ends',
      subscription: 'ends',
      trusted: 'ends',
      machine: 'ends',
      refresh: 'ends',
    }),
  },
  'subscriptions suspended': {
    by: ['decideSubscription'],
    event: 'subscription.suspended',
    fates: but({
      consent: 'held',
      delegation: 'held',
      subscription: 'held',
      trusted: 'held',
      machine: 'held',
      refresh: 'held',
    }),
  },
  // a new approval restores consents, but no tokens
  'subscriptions revoked': {
    by: ['decideSubscription'],
    event: 'subscription.revoked',
    fates: but({ ...held('consent', 'delegation', 'subscription', 'trusted', 'machine'), refresh: 'ends' }),
  },
  'max_days over': {
    by: ['changeTerms'],
    event: 'subscription.terms_changed',
    fates: but({ consent: 'held', delegation: 'held', refresh: 'held' }),
  },
  'trust and machine taken away': {
    by: ['changeSubscription'],
    event: 'subscription.changed',
    fates: but({ trusted: 'ends', machine: 'ends' }),
  },
  'method taken off the APIs': {
    by: ['changeApi'],
    event: 'api.changed',
    fates: but({ refresh: 'ends' }),
  },
  'APIs deleted': {
    by: ['deleteApi'],
    event: 'api.removed',
    fates: but({
      consent: 'ends',
      delegation: 'ends',
      subscription: 'ends',
      trusted: 'ends',
      machine: 'ends',
      refresh: 'ends',
    }),
  },
  'method deleted': {
    by: ['deleteAuthMethod'],
    event: 'auth_method.removed',
    fates: but({ session: 'ends', refresh: 'ends', browser: 'ends', invitation: 'ends' }),
  },
  'another name': {
    by: ['changeClient'],
    event: 'client.changed',
    fates: but({ consent: 'ends', delegation: 'ends' }),
  },
  'another name in one language': {
    by: ['changeClient'],
    event: 'client.changed',
    fates: but({ consent: 'ends', delegation: 'ends' }),
  },
  // clients with extra permissions wait for approval, which makes suspended grants valid again; users must
  // consent again
  'a new redirect address': {
    by: ['changeClient'],
    event: 'client.changed',
    fates: but({ consent: 'ends', delegation: 'ends', trusted: 'held', machine: 'held', refresh: 'held' }),
  },
  'other keys': { by: ['changeClient'], event: 'client.changed', fates: but({}) },
  'a second secret, and the first dropped': {
    by: ['dropSecret'],
    event: 'client.secret_dropped',
    fates: but({}),
  },
  'another owner': { by: ['changeClient'], event: 'client.changed', fates: but({}) },
} as const satisfies Record<string, Ending>;
export type EndingName = keyof typeof ENDINGS;
