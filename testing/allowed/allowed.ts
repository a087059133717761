// What each ending, and each change of a client's identity, does to each form of "allowed". A form or an ending without
// a cell does not compile; lib/management/allowed-endings.db.test.ts carries every cell out.

/**
 * - `ends`: it counts no more, also once the ending is undone; it has to be given again.
 * - `held`: it counts no more until the ending is undone.
 * - `stays`: it remains.
 */
export type Fate = 'ends' | 'held' | 'stays';

/** Each with the table that holds it. */
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

/** Tables about a person or a client that hold nothing that anybody allowed. */
export const OTHER_TABLES: readonly string[] = [
  // what a person is in: asked again each time, as a claim is
  'group_members',
  'people_names',
  // what a person has or is, and what proves it
  ...['external_identities', 'passkeys', 'totp_secrets', 'recovery_codes', 'mail_tokens', 'address_changes'],
  // a code and a token rest on one of the forms; validity.ts asks for it
  ...['codes', 'machine_tokens'],
  // gives a code, which rests on a form
  'former_tokens',
  // what is known or waits to be told or decided
  ...['client_secrets', 'client_assertions', 'agent_requests', 'subscription_events', 'logout_deliveries'],
  'refused_requests',
  ...['request_mails', 'request_mail_turns', 'decision_mails'],
  // what a person let it do is a code
  'device_requests',
  ...['audit_events', 'refusals', 'directory_changes', 'clients'],
  // which lists a person put away; addresses of calendars up to 0.2
  ...['calendars', 'checklists_away'],
  // what the next page of the console shows to the person
  'page_states',
];

/** Operations that take away or change something that is no ground of any form. */
export const OTHER_OPERATIONS: readonly string[] = [
  // one's own profile, and factors that say how strong a sign-in is: strength is asked for each time
  ...['changeMyProfile', 'removeMyPasskey', 'removeMyTotp', 'unlinkIdentity', 'deleteMyAccount'],
  // the same as an operation of the table, for oneself or for all
  ...['changeMyPassword', 'endMySession', 'endMySessions', 'endSession', 'invalidateIssued'],
  ...['cancelSubscription', 'settleSubscription', 'rejectPerson', 'revokeRole', 'decideSubscriptions'],
  // what is shown, or changed elsewhere by an operation of the table
  ...['setApiLogo', 'setClientLogo', 'changeAuthMethod'],
  // who is in a group is asked at each grant: the person gets the rest
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
/** Everything stays but what is named. */
const but = (named: Partial<Record<Form, Fate>>): Record<Form, Fate> => ({ ...all('stays'), ...named });

const held = (...named: Form[]) => Object.fromEntries(named.map((form) => [form, 'held' as const]));

/** `by`: the operations that it is. */
type Ending = { by: readonly string[]; fates: Record<Form, Fate> };

export const ENDINGS = {
  'person disabled': {
    by: ['disablePerson'],
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
    fates: but({
      session: 'ends',
      consent: 'ends',
      delegation: 'ends',
      refresh: 'ends',
      browser: 'ends',
      trusted: 'ends',
    }),
  },
  'password set': { by: ['setPassword'], fates: but({ session: 'ends', refresh: 'ends', browser: 'ends' }) },
  'address changed': { by: ['changePerson'], fates: but({ session: 'ends', refresh: 'ends' }) },
  'factors reset': {
    by: ['resetFactors'],
    fates: but({ session: 'ends', refresh: 'ends', browser: 'ends' }),
  },
  'signed out everywhere': { by: ['endSessionsOf'], fates: but({ session: 'ends', refresh: 'ends' }) },
  'browsers forgotten': { by: ['forgetMyBrowsers'], fates: but({ browser: 'ends' }) },
  'consent withdrawn': { by: ['withdrawConsent'], fates: but({ consent: 'ends', refresh: 'ends' }) },
  'delegation ended': { by: ['endMyDelegation'], fates: but({ delegation: 'ends' }) },
  'invitation withdrawn': { by: ['withdrawInvitation'], fates: but({ invitation: 'ends' }) },
  'client disabled': {
    by: ['disableClient'],
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
    fates: but({ consent: 'ends', delegation: 'ends', refresh: 'ends' }),
  },
  'client deleted': {
    by: ['deleteClient'],
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
    fates: but({
      consent: 'held',
      delegation: 'held',
      subscription: 'held',
      trusted: 'held',
      machine: 'held',
      refresh: 'held',
    }),
  },
  // undone by another approval: what people allowed is theirs, and counts again; tokens do not
  'subscriptions revoked': {
    by: ['decideSubscription'],
    fates: but({ ...held('consent', 'delegation', 'subscription', 'trusted', 'machine'), refresh: 'ends' }),
  },
  'max_days over': {
    by: ['changeTerms'],
    fates: but({ consent: 'held', delegation: 'held', refresh: 'held' }),
  },
  'trust and machine taken away': {
    by: ['changeSubscription'],
    fates: but({ trusted: 'ends', machine: 'ends' }),
  },
  'method taken off the APIs': {
    by: ['changeApi'],
    fates: but({ refresh: 'ends' }),
  },
  'APIs deleted': {
    by: ['deleteApi'],
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
    fates: but({ session: 'ends', refresh: 'ends', browser: 'ends', invitation: 'ends' }),
  },
  'another name': { by: ['changeClient'], fates: but({ consent: 'ends', delegation: 'ends' }) },
  'another name in one language': {
    by: ['changeClient'],
    fates: but({ consent: 'ends', delegation: 'ends' }),
  },
  // what is powerful waits for an approval, which undoes that; people are asked again
  'a new redirect address': {
    by: ['changeClient'],
    fates: but({ consent: 'ends', delegation: 'ends', trusted: 'held', machine: 'held', refresh: 'held' }),
  },
  'other keys': { by: ['changeClient'], fates: but({}) },
  'a second secret, and the first dropped': { by: ['dropSecret'], fates: but({}) },
  'another owner': { by: ['changeClient'], fates: but({}) },
} as const satisfies Record<string, Ending>;
export type EndingName = keyof typeof ENDINGS;
