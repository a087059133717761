// Events of the audit log: their names, details and meanings, and a search among them. Details never contain a
// secret, a token or a password. They contain an email address only if an administrator acted on it.
import type { TermsChange } from '#lib/registry/subscription.ts';

type Nothing = Record<never, never>;
/** id of the token family; the statements that write tokens add it */
type InFamily = { family?: string };
type Because = { reason?: string | undefined };
/** number of further identical events in the ten minutes after `since` */
type Counted = { count?: number; since?: string };
/** changed fields; `before` and `after` omit secrets and values that are too long (audit-log.ts) */
type Changed = { changed?: string[]; before?: Values; after?: Values; leftOut?: string[] };
type Values = Record<string, unknown>;

export type EventDetails = {
  'sign_in.succeeded': { kind?: 'sign-in' | 'console' | 'password-grant' };
  /** `because`: the reason why another service rejected the account, in fixed words */
  'sign_in.refused': Because & Counted & { account?: string; because?: string };
  /** a limit on guesses was reached; the attempts that the limit rejects create no events */
  'attempts.limited': Counted & { limit: string };
  /** a second factor was used in an existing sign-in: the factor and the new level */
  'sign_in.confirmed': { factor: string; level: number; kind?: 'sign-in' | 'console' };
  'factor.refused': Because & Counted & { factor: string };
  'factor.added': { factor: string; name?: string };
  'factor.renamed': { factor: string; name?: string };
  'factor.removed': { factor: string; name?: string };
  /** the counter of the passkey did not increase, so the passkey may have been copied */
  'factor.counter_back': { name?: string };
  /** an administrator removed every factor of a person */
  'factor.reset': {
    passkeys: number;
    totp: boolean;
    totpCount: number;
    recoveryCodes: number;
    browsers: number;
  };
  'recovery_codes.made': Nothing;
  'recovery_code.used': { left: number };
  'browser.trusted': { until: string };
  'browser.forgotten': { count: number };
  /** the name of the device is personal data, and is deleted with the account */
  'device.named': { device: 'session' | 'browser' };
  'session.ended': Because & { count?: number };
  /** a client did not receive a logout notice, and no further attempt is made */
  'logout.undelivered': Because & { attempts?: number; status?: number };
  'consent.granted': { scopes?: string[] };
  'consent.refused': Nothing;
  'consent.withdrawn': Nothing;
  /** a user authorized an agent to act for them at one API */
  'delegation.given': { scopes: string[]; until: string };
  'delegation.ended': Nothing;
  /** a user allowed a device that shows a code; `from`: address block of the device */
  'device.allowed': { from?: string };
  'device.denied': { from?: string };
  'code.issued': Nothing;
  'code.reused': InFamily;
  'token.issued': InFamily & { grant_type: string };
  'token.refreshed': InFamily;
  'token.reused': InFamily & Because;
  'token.revoked': InFamily & Because;
  'token.exchanged': InFamily & { from: string; act?: unknown; by?: string };
  /** Gatehouse issued an ID-JAG about the user for another service */
  'id_jag.issued': InFamily & { audience: string };
  'subscription.requested': SubscriptionFacts;
  'subscription.approved': SubscriptionFacts;
  'subscription.rejected': SubscriptionFacts;
  'subscription.decision_undone': SubscriptionFacts;
  'subscription.suspended': SubscriptionFacts;
  'subscription.resumed': SubscriptionFacts;
  'subscription.revoked': SubscriptionFacts;
  'subscription.changed': SubscriptionFacts;
  /** the users that the subscription admits, or the duration of their consent, changed */
  'subscription.terms_changed': SubscriptionFacts;
  'subscription.returned_to_pending': SubscriptionFacts;
  'subscription.cancelled': SubscriptionFacts;
  'subscription.removed': Nothing;
  /** `rule`: host in the rule that approved the agent; missing: an approver decided */
  'agent.approved': {
    rule?: string;
    scopes?: string[];
  } & TermsChange;
  'client.created': { kind?: string; after?: Values; origin?: string };
  /** Gatehouse read the metadata document of an unregistered client, after a user had signed in at its request */
  'client.discovered': { host?: string | null; name?: string | Values; redirectUris?: string[] };
  'client.changed': Changed;
  'client.secret_rotated': { overlapSeconds?: number };
  'client.secret_added': { secretId: string };
  'client.secret_dropped': { secretId: string };
  'client.disabled': Nothing;
  'client.enabled': Nothing;
  /** all tokens and codes of the client were revoked; the client itself remains */
  'client.revoked': { tokens: number; consents: number; delegations: number; people: number };
  'client.removed': { name?: string };
  'api.created': { after?: Values };
  'api.changed': Changed;
  'api.removed': Nothing;
  'auth_method.created': { type?: string; after?: Values };
  'auth_method.changed': Changed;
  'auth_method.removed': Nothing;
  'person.created': { email?: string; roles?: string[] };
  /** a person with a verified address created an account */
  'person.registered': Nothing;
  /** a person verified an address and waits for approval */
  'person.waiting': Nothing;
  /** a waiting person was approved; the account exists from this moment */
  'person.approved': { email: string; registration: string };
  'person.rejected': { email: string; registration: string; reason?: string };
  'person.invited': { email: string };
  'invitation.withdrawn': { email: string };
  'person.changed': Changed;
  'person.disabled': Nothing;
  'person.enabled': Nothing;
  /** a repeated check with the directory (`recheck_seconds`) ended all sign-ins and tokens */
  'person.signed_out': {
    reason: 'locked' | 'disabled' | 'expired' | 'rejected' | 'gone';
    sessions: number;
    families: number;
  };
  'person.password_set': Nothing;
  /** the service for leaked passwords did not answer, so the password was accepted without that check */
  'person.password_unchecked': Nothing;
  'person.role_granted': { role: string } & Changed;
  'person.role_revoked': { role: string } & Changed;
  'person.removed': { email?: string };
  /** `run`: id of the file. Each batch of at most 500 lines creates one event. */
  'people.tokens_imported': { imported: number };
  'people.imported': { run: string; imported: number; unchanged: number; refused: number };
  'people.import_undone': { run: string; removed: number };
  /** a user downloaded all data that Gatehouse stores about them */
  'person.data_read': Nothing;
  /** an administrator viewed the claims that a client would receive about this person */
  'person.explained': Nothing;
  /** a sample mail was sent to the administrator who viewed the preview */
  'mail.preview_sent': { mail: string; language: string };
  'person.email_verified': Nothing;
  /** this method can now sign the person in; `joined`: the now disabled account that had this identity before */
  'person.identity_linked': { joined?: string };
  'person.identity_unlinked': Nothing;
  'person.password_reset_asked': Nothing;
  /** an administrator marked a step of the first-day list as done or not done */
  'checklist.done': { step: string };
  'checklist.undone': { step: string };
  'group.created': { group: string; after?: Values };
  'group.changed': { group: string } & Changed;
  'group.removed': { group: string };
  'group.member_added': { group: string };
  'group.member_removed': { group: string };
  /** the method omitted claims that group rules need, so memberships stayed unchanged */
  'groups.overage': { claims: string[] };
  /** the method's response or the token was too large, so the largest claims were omitted */
  'claims.left_out': { claims: string[] };
  'key.created': { kid: string; alg?: string };
  'key.retired': { kid: string };
  /** a caller attempted an action that is not permitted, or accessed an object of another person */
  'access.denied': Counted & { operation: string; answer: string; reason: string };
  'service.invalidated': { before: string; families: number; codes: number; sessions: number };
  /** an administrator tested the connection to another service */
  'connection.tested': { what: 'mail' | 'audit-webhook' | 'auth-method'; outcome: string };
  'config.applied': { created: number; changed: number; removed: number };
};

type SubscriptionFacts = Because & {
  from?: string | null;
  to?: string;
  trusted?: boolean;
  machine?: boolean;
  device?: boolean;
  scopes?: string[];
  /** names of the client keyed by language, if there are several languages */
  names?: Values;
} & Changed &
  TermsChange;

export type EventName = keyof EventDetails;

type Subject = {
  /**
   * a person's id, `client:ID` (a client in its own name), `operator` (the command line), `config` (apply) or `system`
   */
  actor?: string | undefined;
  personId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  authMethodId?: string | undefined;
  requestId?: string | undefined;
  ip?: string | undefined;
};

export type AuditEvent = {
  [Name in EventName]: { event: Name; details?: EventDetails[Name] } & Subject;
}[EventName];

// The meaning of each event. docs/reference/audit.md contains this table.

export const EVENT_MEANINGS: Readonly<Record<EventName, string>> = {
  'sign_in.succeeded': 'A person signed in to an application, to the console, or by the password grant.',
  'sign_in.refused': 'A sign-in was refused. The details contain the reason.',
  'attempts.limited': 'A limit on guessing was reached. Attempts refused afterwards have no event.',
  'sign_in.confirmed': 'A signed-in person provided a second proof of identity.',
  'factor.refused': 'A second factor was wrong, already used or unknown.',
  'factor.added': 'A person added a passkey or an authenticator app.',
  'factor.renamed': 'A person renamed a passkey or an authenticator app.',
  'factor.removed': 'A person removed a passkey or an authenticator app.',
  'factor.counter_back': 'The counter of a passkey went backwards: there may be a copy of the passkey.',
  'factor.reset': 'An administrator removed all second factors of a person.',
  'recovery_codes.made': 'A person created recovery codes. Earlier codes no longer work.',
  'recovery_code.used': 'A recovery code was used.',
  'browser.trusted': 'A person chose not to be asked for a second factor in this browser for a while.',
  'browser.forgotten': 'Trusted browsers are asked for a second factor again.',
  'device.named': 'A person named a device that they are signed in on, or a trusted browser.',
  'session.ended': 'A sign-in ended: by a sign-out, or because the person or an administrator ended it.',
  'logout.undelivered': 'A client could not be notified of a sign-out, and there are no further attempts.',
  'consent.granted': 'A person allowed an application to use an API.',
  'consent.refused': 'A person did not allow an application to use an API.',
  'consent.withdrawn': 'A person revoked the consent for an application.',
  'delegation.given': 'A person allowed an application to act in their name at an API until a date.',
  'delegation.ended': 'A person ended an application’s permission to act in their name.',
  'device.allowed': 'A person connected a device with its code.',
  'device.denied': 'A person refused to connect a device.',
  'code.issued': 'An authorization code was issued to a client.',
  'code.reused': 'An authorization code was used twice. The tokens issued for it are revoked.',
  'token.issued': 'Tokens were issued.',
  'token.refreshed': 'A refresh token was exchanged for a new refresh token.',
  'token.reused': 'A refresh token was used twice. All tokens of its sign-in are revoked.',
  'token.revoked': 'Tokens were revoked.',
  'token.exchanged': 'A token was exchanged for a token of another API (RFC 8693).',
  'id_jag.issued': 'A client got an ID-JAG for another authorization server.',
  'subscription.requested': 'A client requested access to an API.',
  'subscription.approved': 'A subscription was approved, by an approver or because it needs no approval.',
  'subscription.rejected': 'An approver rejected a request.',
  'subscription.decision_undone':
    'An approver undid their own decision, within ten seconds and before it was used.',
  'subscription.suspended': 'An approver suspended a subscription.',
  'subscription.resumed': 'An approver resumed a suspended subscription.',
  'subscription.revoked': 'An approver revoked a subscription.',
  'subscription.changed': 'The scopes, the trust or the machine setting of a subscription changed.',
  'subscription.terms_changed':
    'An approver changed the people who can use the client, the duration of consent, or the note.',
  'subscription.returned_to_pending':
    'A change of the client or the API sent a subscription back for approval.',
  'subscription.cancelled': 'The owner of a client unsubscribed it from an API.',
  'subscription.removed': 'A subscription was deleted with its client or its API.',
  'agent.approved': 'An unregistered client was approved, by an approver or by a rule of the API.',
  'client.created': 'A client was registered.',
  'client.discovered': 'A person signed in for an unregistered client, and its document was read.',
  'client.changed': 'A client was changed.',
  'client.secret_rotated': 'A client got a new secret in place of the old one.',
  'client.secret_added': 'A client got a second secret.',
  'client.secret_dropped': 'A secret of a client was removed.',
  'client.disabled': 'A client was disabled.',
  'client.enabled': 'A client was enabled.',
  'client.revoked': 'All tokens, consents and delegations of a client were revoked. The client remains.',
  'client.removed': 'A client was deleted.',
  'api.created': 'An API was created.',
  'api.changed': 'An API was changed.',
  'api.removed': 'An API was deleted.',
  'auth_method.created': 'A sign-in method was created.',
  'auth_method.changed': 'A sign-in method was changed.',
  'auth_method.removed': 'A sign-in method was deleted.',
  'person.created': 'An account was created by an administrator, the command line or the configuration file.',
  'person.registered': 'A person created an account with a verified address.',
  'person.waiting': 'A person verified an address and is waiting for approval of their account.',
  'person.approved': 'An approver accepted a person who was waiting for an account.',
  'person.rejected': 'An approver rejected a person who was waiting for an account.',
  'person.invited': 'An administrator invited a person.',
  'invitation.withdrawn': 'An invitation was withdrawn. Its link no longer works.',
  'person.changed': 'A person’s name, address or other details changed.',
  'person.disabled': 'A person was disabled.',
  'person.enabled': 'A person was enabled.',
  'person.signed_out':
    'A directory no longer accepts a person: all their sign-ins and tokens ended. The details contain the reason.',
  'person.password_set': 'A password was set or changed.',
  'person.password_unchecked':
    'A password was accepted without a check against leaked passwords, because the service did not respond.',
  'person.role_granted': 'A person received a role.',
  'person.role_revoked': 'A person lost a role.',
  'person.removed': 'A person was deleted.',
  'people.tokens_imported': 'Refresh tokens of another service were imported: one batch of a file.',
  'people.imported': 'People of another service were imported: one batch of a file.',
  'people.import_undone': 'People created by an import were removed if they had not signed in.',
  'person.data_read': 'A person, or an administrator for them, downloaded all data stored about the person.',
  'person.explained': 'An administrator checked which token of an API a client would get for a person.',
  'mail.preview_sent': 'An administrator sent themselves a sample mail.',
  'person.email_verified': 'A person verified their email address.',
  'person.identity_linked':
    'A person can now sign in with an additional method. If that method had its own account, the accounts were merged.',
  'person.identity_unlinked': 'A person can no longer sign in with a method.',
  'person.password_reset_asked': 'A mail for a forgotten password was sent.',
  'checklist.done': 'An administrator marked a step of the first day as done.',
  'checklist.undone': 'An administrator marked a step of the first day as not done.',
  'group.created': 'A group was created.',
  'group.changed': 'A group was changed: its name or its membership rules.',
  'group.removed': 'A group was removed, with the access that it granted.',
  'group.member_added': 'A person was added to a group manually.',
  'group.member_removed': 'A person was removed from a group manually.',
  'claims.left_out':
    'The claims of a person exceeded 8 KiB in total, at a sign-in or in a token: the largest were left out.',
  'groups.overage': 'A method did not provide a claim that group rules use: the rules removed no one.',
  'key.created': 'A signing key was created.',
  'key.retired': 'A signing key was retired immediately.',
  'access.denied': 'A caller requested something that is not allowed, or that belongs to another person.',
  'service.invalidated':
    'Everything that was issued before a certain time (sessions, codes, tokens) was revoked, after a backup was restored.',
  'connection.tested': 'An administrator tested the connection to another service.',
  'config.applied': 'A configuration file was applied.',
};

// Names of events as data, and a search among them.

/** If a name is missing, the code does not compile. */
const CATALOGUE: Record<EventName, true> = {
  'sign_in.succeeded': true,
  'sign_in.refused': true,
  'attempts.limited': true,
  'sign_in.confirmed': true,
  'factor.refused': true,
  'factor.added': true,
  'factor.renamed': true,
  'factor.removed': true,
  'factor.counter_back': true,
  'factor.reset': true,
  'recovery_codes.made': true,
  'recovery_code.used': true,
  'browser.trusted': true,
  'browser.forgotten': true,
  'device.named': true,
  'session.ended': true,
  'logout.undelivered': true,
  'consent.granted': true,
  'consent.refused': true,
  'consent.withdrawn': true,
  'delegation.given': true,
  'delegation.ended': true,
  'device.allowed': true,
  'device.denied': true,
  'code.issued': true,
  'code.reused': true,
  'token.issued': true,
  'token.refreshed': true,
  'token.reused': true,
  'token.revoked': true,
  'token.exchanged': true,
  'id_jag.issued': true,
  'subscription.requested': true,
  'subscription.approved': true,
  'subscription.rejected': true,
  'subscription.decision_undone': true,
  'subscription.suspended': true,
  'subscription.resumed': true,
  'subscription.revoked': true,
  'subscription.changed': true,
  'subscription.terms_changed': true,
  'subscription.returned_to_pending': true,
  'subscription.cancelled': true,
  'subscription.removed': true,
  'agent.approved': true,
  'client.created': true,
  'client.discovered': true,
  'client.changed': true,
  'client.secret_rotated': true,
  'client.secret_added': true,
  'client.secret_dropped': true,
  'client.disabled': true,
  'client.enabled': true,
  'client.revoked': true,
  'client.removed': true,
  'api.created': true,
  'api.changed': true,
  'api.removed': true,
  'auth_method.created': true,
  'auth_method.changed': true,
  'auth_method.removed': true,
  'person.created': true,
  'person.registered': true,
  'person.waiting': true,
  'person.approved': true,
  'person.rejected': true,
  'person.invited': true,
  'invitation.withdrawn': true,
  'person.changed': true,
  'person.disabled': true,
  'person.enabled': true,
  'person.signed_out': true,
  'person.password_set': true,
  'person.password_unchecked': true,
  'person.role_granted': true,
  'person.role_revoked': true,
  'person.removed': true,
  'people.tokens_imported': true,
  'people.imported': true,
  'people.import_undone': true,
  'person.data_read': true,
  'person.explained': true,
  'mail.preview_sent': true,
  'person.email_verified': true,
  'person.identity_linked': true,
  'person.identity_unlinked': true,
  'person.password_reset_asked': true,
  'checklist.done': true,
  'checklist.undone': true,
  'group.created': true,
  'group.changed': true,
  'group.removed': true,
  'group.member_added': true,
  'group.member_removed': true,
  'groups.overage': true,
  'claims.left_out': true,
  'key.created': true,
  'key.retired': true,
  'access.denied': true,
  'service.invalidated': true,
  'connection.tested': true,
  'config.applied': true,
};

export const EVENT_NAMES = Object.keys(CATALOGUE).toSorted((a, b) => (a < b ? -1 : 1)) as EventName[];

/** Prefixes of event names, such as `sign_in.`, including the dot. A prefix selects all events that start with it. */
export const EVENT_FAMILIES: readonly string[] = [
  ...new Set(EVENT_NAMES.map((name) => name.slice(0, name.indexOf('.') + 1))),
];

/** Converts typed text such as `Sign in` to the spelling of event names. */
const plain = (typed: string) =>
  typed
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');

/** Finds events by name, by prefix (`sign_in`, `sign_in.`), or by the part after the dot (`refused`). */
export function eventsMeant(typed: string): EventName[] {
  const wanted = plain(typed);
  if (wanted === '') return [];
  const exact = EVENT_NAMES.filter((name) => name === wanted);
  if (exact.length > 0) return exact;
  return EVENT_NAMES.filter((name) =>
    [name, name.slice(name.indexOf('.') + 1), name.replace('.', '_')].some((spelling) =>
      spelling.startsWith(wanted),
    ),
  );
}

/** Error text for an unknown event name. */
export function unknownEvent(typed: string): string {
  const wanted = plain(typed).slice(0, 100);
  const near = [...EVENT_FAMILIES, ...EVENT_NAMES]
    .map((name) => ({ name, far: distance(wanted, name) }))
    .toSorted((a, b) => a.far - b.far)[0];
  const hint =
    near && near.far <= Math.max(2, wanted.length / 2)
      ? `Did you mean ${near.name}?`
      : 'Choose one of the list.';
  return `No event is called ${typed.trim().replace(/\.+$/, '').slice(0, 100)}. ${hint}`;
}

/** Number of characters to add, remove or replace (Levenshtein distance). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
