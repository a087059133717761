// Events of the audit log: one row for each event, and a search among them. Details never contain a secret, a token
// or a password. They contain an email address only if an administrator acted on it.

import type { TermsChange } from '#lib/catalogue/subscriptions/definition.ts';
import { type FaultText, fault } from '#lib/kit/fault.ts';

type EventRow<Details> = {
  /** for the console and docs/reference/audit.md */
  meaning: string;
  /** proves that the person used the account: such people survive the undo of their import */
  isActivity?: true;
  /** title of the request on the client's page, if the client received a code or a token */
  granted?: string;
  /** type of the details; never set */
  details?: Details;
};

const event = <Details extends object = Nothing>(
  meaning: string,
  more: Pick<EventRow<Details>, 'isActivity' | 'granted'> = {},
): EventRow<Details> => ({ meaning, ...more });

type Nothing = Record<never, never>;
/** id of the token family; the statements that write tokens add it */
type InFamily = { family?: string };
type Because = { reason?: string | undefined };
/** number of further identical events in the ten minutes after `since` */
type Counted = { count?: number; since?: string };
/** changed fields; `before` and `after` omit secrets and values that are too long */
type Changed = { changed?: string[]; before?: Values; after?: Values; leftOut?: string[] };
type Values = Record<string, unknown>;

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

export const EVENTS = {
  'sign_in.succeeded': event<{ kind?: 'sign-in' | 'console' | 'password-grant' }>(
    'A person signed in to an application, to the console, or by the password grant.',
    { isActivity: true },
  ),
  /** `because`: the reason why another service rejected the account, in fixed words */
  'sign_in.refused': event<Because & Counted & { account?: string; because?: string }>(
    'A sign-in was refused. The details contain the reason.',
  ),
  'attempts.limited': event<Counted & { limit: string }>(
    'A limit on guessing was reached. Attempts refused afterwards have no event.',
  ),
  /** a second factor was used in an existing sign-in: the factor and the new level */
  'sign_in.confirmed': event<{ factor: string; level: number; kind?: 'sign-in' | 'console' }>(
    'A signed-in person provided a second proof of identity.',
    { isActivity: true },
  ),
  'factor.refused': event<Because & Counted & { factor: string }>(
    'A second factor was wrong, already used or unknown.',
  ),
  'factor.added': event<{ factor: string; name?: string }>(
    'A person added a passkey or an authenticator app.',
    { isActivity: true },
  ),
  'factor.renamed': event<{ factor: string; name?: string }>(
    'A person renamed a passkey or an authenticator app.',
  ),
  'factor.removed': event<{ factor: string; name?: string }>(
    'A person removed a passkey or an authenticator app.',
  ),
  'factor.counter_back': event<{ name?: string }>(
    'The counter of a passkey went backwards: there may be a copy of the passkey.',
  ),
  'factor.reset': event<{
    passkeys: number;
    totp: boolean;
    totpCount: number;
    recoveryCodes: number;
    browsers: number;
  }>('An administrator removed all second factors of a person.'),
  'recovery_codes.made': event('A person created recovery codes. Earlier codes no longer work.'),
  'recovery_code.used': event<{ left: number }>('A recovery code was used.'),
  'browser.trusted': event<{ until: string }>(
    'A person chose not to be asked for a second factor in this browser for a while.',
  ),
  'browser.forgotten': event<{ count: number }>('Trusted browsers are asked for a second factor again.'),
  /** the name of the device is personal data, and is deleted with the account */
  'device.named': event<{ device: 'session' | 'browser' }>(
    'A person named a device that they are signed in on, or a trusted browser.',
  ),
  'session.ended': event<Because & { count?: number }>(
    'A sign-in ended: by a sign-out, by another sign-in in the same browser, or because the person or an administrator ended it.',
  ),
  'logout.undelivered': event<Because & { attempts?: number; status?: number }>(
    'A client could not be notified of a sign-out, and there are no further attempts.',
  ),
  'consent.granted': event<{ scopes?: string[] }>('A person allowed an application to use an API.', {
    isActivity: true,
  }),
  'consent.refused': event('A person did not allow an application to use an API.'),
  'consent.withdrawn': event('A person revoked the consent for an application.'),
  'delegation.given': event<{ scopes: string[]; until: string }>(
    'A person allowed an application to act in their name at an API until a date.',
    { isActivity: true },
  ),
  'delegation.ended': event('A person ended an application’s permission to act in their name.'),
  /** a user allowed a device that shows a code; `from`: address block of the device */
  'device.allowed': event<{ from?: string }>('A person connected a device with its code.', {
    isActivity: true,
  }),
  'device.denied': event<{ from?: string }>('A person refused to connect a device.'),
  'code.issued': event('An authorization code was issued to a client.', {
    isActivity: true,
    granted: 'A code was issued',
  }),
  'code.reused': event<InFamily>(
    'An authorization code was used twice. The tokens issued for it are revoked.',
  ),
  'token.issued': event<InFamily & { grant_type: string }>('Tokens were issued.', {
    isActivity: true,
    granted: 'Tokens were issued',
  }),
  'token.refreshed': event<InFamily>('A refresh token was exchanged for a new refresh token.', {
    isActivity: true,
    granted: 'Tokens were renewed',
  }),
  'token.reused': event<InFamily & Because>(
    'A refresh token was used twice. All tokens of its sign-in are revoked.',
  ),
  'token.revoked': event<InFamily & Because>('Tokens were revoked.'),
  'token.exchanged': event<InFamily & { from: string; act?: unknown; by?: string }>(
    'A token was exchanged for a token of another API (RFC 8693).',
    { isActivity: true, granted: 'A token was exchanged' },
  ),
  'id_jag.issued': event<InFamily & { audience: string }>(
    'A client got an ID-JAG for another authorization server.',
    { isActivity: true, granted: 'An ID-JAG was issued' },
  ),
  'subscription.requested': event<SubscriptionFacts>('A client requested access to an API.'),
  'subscription.approved': event<SubscriptionFacts>(
    'A subscription was approved, by an approver or because it needs no approval.',
  ),
  'subscription.rejected': event<SubscriptionFacts>('An approver rejected a request.'),
  'subscription.decision_undone': event<SubscriptionFacts>(
    'An approver undid their own decision, within ten seconds and before it was used.',
  ),
  'subscription.suspended': event<SubscriptionFacts>('An approver suspended a subscription.'),
  'subscription.resumed': event<SubscriptionFacts>('An approver resumed a suspended subscription.'),
  'subscription.revoked': event<SubscriptionFacts>('An approver revoked a subscription.'),
  'subscription.changed': event<SubscriptionFacts>(
    'The scopes, the trust or the machine setting of a subscription changed.',
  ),
  'subscription.terms_changed': event<SubscriptionFacts>(
    'An approver changed the people who can use the client, the duration of consent, or the note.',
  ),
  'subscription.returned_to_pending': event<SubscriptionFacts>(
    'A change of the client or the API sent a subscription back for approval.',
  ),
  'subscription.cancelled': event<SubscriptionFacts>('The owner of a client unsubscribed it from an API.'),
  'subscription.removed': event('A subscription was deleted with its client or its API.'),
  /** `rule`: host in the rule that approved the agent; missing: an approver decided */
  'agent.approved': event<
    {
      rule?: string;
      scopes?: string[];
    } & TermsChange
  >('An unregistered client was approved, by an approver or by a rule of the API.'),
  'client.created': event<{ kind?: string; after?: Values; origin?: string }>('A client was registered.'),
  /** Gatehouse read the metadata document of an unregistered client, after a user had signed in at its request */
  'client.discovered': event<{ host?: string | null; name?: string | Values; redirectUris?: string[] }>(
    'A person signed in for an unregistered client, and its document was read.',
  ),
  'client.changed': event<Changed>('A client was changed.'),
  'client.secret_rotated': event<{ overlapSeconds?: number }>(
    'A client got a new secret in place of the old one.',
  ),
  'client.secret_added': event<{ secretId: string }>('A client got a second secret.'),
  'client.secret_dropped': event<{ secretId: string }>('A secret of a client was removed.'),
  'client.disabled': event('A client was disabled.'),
  'client.enabled': event('A client was enabled.'),
  'client.revoked': event<{ tokens: number; consents: number; delegations: number; people: number }>(
    'All tokens, consents and delegations of a client were revoked. The client remains.',
  ),
  'client.removed': event<{ name?: string }>('A client was deleted.'),
  'api.created': event<{ after?: Values }>('An API was created.'),
  'api.changed': event<Changed>('An API was changed.'),
  'api.removed': event('An API was deleted.'),
  'auth_method.created': event<{ type?: string; after?: Values }>('A sign-in method was created.'),
  'auth_method.changed': event<Changed>('A sign-in method was changed.'),
  'auth_method.removed': event('A sign-in method was deleted.'),
  'person.created': event<{ email?: string; roles?: string[] }>(
    'An account was created by an administrator, the command line or the configuration file.',
  ),
  'person.registered': event('A person created an account with a verified address.'),
  /** a person verified an address and waits for approval */
  'person.waiting': event('A person verified an address and is waiting for approval of their account.'),
  /** a waiting person was approved; the account exists from this moment */
  'person.approved': event<{ email: string; registration: string }>(
    'An approver accepted a person who was waiting for an account.',
  ),
  'person.rejected': event<{ email: string; registration: string; reason?: string }>(
    'An approver rejected a person who was waiting for an account.',
  ),
  'person.invited': event<{ email: string }>('An administrator invited a person.'),
  'invitation.withdrawn': event<{ email: string }>('An invitation was withdrawn. Its link no longer works.'),
  'person.changed': event<Changed>('A person’s name, address or other details changed.'),
  'person.disabled': event('A person was disabled.'),
  'person.enabled': event('A person was enabled.'),
  /** a repeated check with the directory (`recheck_seconds`) ended all sign-ins and tokens */
  'person.signed_out': event<{
    reason: 'locked' | 'disabled' | 'expired' | 'rejected' | 'gone';
    sessions: number;
    families: number;
  }>(
    'A directory no longer accepts a person: all their sign-ins and tokens ended. The details contain the reason.',
  ),
  'person.password_set': event('A password was set or changed.', { isActivity: true }),
  'person.password_unchecked': event(
    'A password was accepted without a check against leaked passwords, because the service did not respond.',
  ),
  'person.role_granted': event<{ role: string } & Changed>('A person received a role.'),
  'person.role_revoked': event<{ role: string } & Changed>('A person lost a role.'),
  'person.removed': event<{ email?: string }>('A person was deleted.'),
  /** `run`: id of the file. Each batch of at most 500 lines creates one event. */
  'people.tokens_imported': event<{ imported: number }>(
    'Refresh tokens of another service were imported: one batch of a file.',
  ),
  'people.imported': event<{ run: string; imported: number; unchanged: number; refused: number }>(
    'People of another service were imported: one batch of a file.',
  ),
  'people.import_undone': event<{ run: string; removed: number }>(
    'People created by an import were removed if they had not signed in.',
  ),
  'person.data_read': event(
    'A person, or an administrator for them, downloaded all data stored about the person.',
  ),
  'person.explained': event(
    'An administrator checked which token of an API a client would get for a person.',
  ),
  'mail.preview_sent': event<{ mail: string; language: string }>(
    'An administrator sent themselves a sample mail.',
  ),
  'person.email_verified': event('A person verified their email address.'),
  /** this method can now sign the person in; `joined`: the now disabled account that had this identity before */
  'person.identity_linked': event<{ joined?: string }>(
    'A person can now sign in with an additional method. If that method had its own account, the accounts were merged.',
  ),
  'person.identity_unlinked': event('A person can no longer sign in with a method.'),
  'person.password_reset_asked': event('A mail for a forgotten password was sent.'),
  'checklist.done': event<{ step: string }>('An administrator marked a step of the first day as done.'),
  'checklist.undone': event<{ step: string }>('An administrator marked a step of the first day as not done.'),
  'group.created': event<{ group: string; after?: Values }>('A group was created.'),
  'group.changed': event<{ group: string } & Changed>(
    'A group was changed: its name or its membership rules.',
  ),
  'group.removed': event<{ group: string }>('A group was removed, with the access that it granted.'),
  'group.member_added': event<{ group: string }>('A person was added to a group manually.'),
  'group.member_removed': event<{ group: string }>('A person was removed from a group manually.'),
  'claims.left_out': event<{ claims: string[] }>(
    'The claims of a person exceeded 8 KiB in total, at a sign-in or in a token: the largest were left out.',
  ),
  /** groups that the person joined or left by the rules on a method; the function `apply_group_rules` records it */
  'person.groups_changed': event<{ joined: string[]; left: string[] }>(
    'Data from a sign-in method changed the groups of a person.',
  ),
  'groups.overage': event<{ claims: string[] }>(
    'A method did not provide a claim that group rules use: the rules removed no one.',
  ),
  'key.created': event<{ kid: string; alg?: string }>('A signing key was created.'),
  'key.retired': event<{ kid: string }>('A signing key was retired immediately.'),
  'access.denied': event<Counted & { operation: string; answer: string; reason: string }>(
    'A caller requested something that is not allowed, or that belongs to another person.',
  ),
  'service.invalidated': event<{ before: string; families: number; codes: number; sessions: number }>(
    'Everything that was issued before a certain time (sessions, codes, tokens) was revoked, after a backup was restored.',
  ),
  'connection.tested': event<{ what: 'mail' | 'audit-webhook' | 'auth-method'; outcome: string }>(
    'An administrator tested the connection to another service.',
  ),
  'config.applied': event<{ created: number; changed: number; removed: number }>(
    'A configuration file was applied.',
  ),
};

export type EventName = keyof typeof EVENTS;
export type EventDetails = { [Name in EventName]: NonNullable<(typeof EVENTS)[Name]['details']> };

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

export const EVENT_NAMES = Object.keys(EVENTS).toSorted((a, b) => (a < b ? -1 : 1)) as EventName[];

/** Activity of a user. Every statement that starts a session or issues a token writes one of these events. */
export const ACTIVITY_EVENTS: readonly string[] = EVENT_NAMES.filter((name) => EVENTS[name].isActivity);

/** Titles of the events that give a client a code or a token. */
export const GRANT_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  EVENT_NAMES.flatMap((name) => {
    const { granted } = EVENTS[name];
    return granted === undefined ? [] : [[name, granted]];
  }),
);
export const GRANT_EVENTS: readonly string[] = Object.keys(GRANT_TITLES);

/** Converts `subscription.returned_to_pending` to "Subscription returned to pending". */
export function eventTitle(event: string): string {
  const words = event
    .replace(/^auth_method/, 'sign-in method')
    .replace(/^api\b/, 'API')
    .replace(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

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

/** Fault of an unknown event name. */
export function unknownEvent(typed: string): Required<FaultText> {
  const wanted = plain(typed).slice(0, 100);
  const near = [...EVENT_FAMILIES, ...EVENT_NAMES]
    .map((name) => ({ name, far: distance(wanted, name) }))
    .toSorted((a, b) => a.far - b.far)[0];
  const event = typed.trim().replace(/\.+$/, '').slice(0, 100);
  return near && near.far <= Math.max(2, wanted.length / 2)
    ? fault('No event is called {event}. Did you mean {name}?', { event, name: near.name })
    : fault('No event is called {event}. Choose one of the list.', { event });
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
