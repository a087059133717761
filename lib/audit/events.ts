// All audit events: their names and details. Details never contain a secret, a token or a password, and an e-mail
// address only where an administrator acted on it.

import type { TermsChange } from '#lib/registry/objects/subscription.ts';

type Nothing = Record<never, never>;
/** the family's id; written by the token statements */
type InFamily = { family?: string };
type Because = { reason?: string | undefined };
/** how many more of the same happened in the ten minutes from `since` */
type Counted = { count?: number; since?: string };
/** the fields that changed; values of secrets, and what is too long (diff.ts), are not in `before` and `after` */
type Changed = { changed?: string[]; before?: Values; after?: Values; leftOut?: string[] };
type Values = Record<string, unknown>;

export type EventDetails = {
  'sign_in.succeeded': { kind?: 'sign-in' | 'console' | 'password-grant' };
  /** `because`: of another service's accounts, why it said no, in fixed words */
  'sign_in.refused': Because & Counted & { account?: string; because?: string };
  /** a limit on guessing was used up; the attempts that it then refuses have no event */
  'attempts.limited': Counted & { limit: string };
  /** a second proof in a sign-in that was there: what it was, and how strong it made the sign-in */
  'sign_in.confirmed': { factor: string; level: number; kind?: 'sign-in' | 'console' };
  'factor.refused': Because & Counted & { factor: string };
  'factor.added': { factor: string; name?: string };
  'factor.renamed': { factor: string; name?: string };
  'factor.removed': { factor: string; name?: string };
  /** the counter of a passkey is not higher than before: there may be two of it */
  'factor.counter_back': { name?: string };
  /** an administrator took all of a person's factors */
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
  /** the name itself is the person's, and ends with their account */
  'device.named': { device: 'session' | 'browser' };
  'session.ended': Because & { count?: number };
  /** a client was not told of a sign-out, and is not tried again */
  'logout.undelivered': Because & { attempts?: number; status?: number };
  'consent.granted': { scopes?: string[] };
  'consent.refused': Nothing;
  'consent.withdrawn': Nothing;
  /** a person lets an agent act for them at an API */
  'delegation.given': { scopes: string[]; until: string };
  'delegation.ended': Nothing;
  /** a person decided about a device that shows a code; `from`: the address block that it asked from */
  'device.allowed': { from?: string };
  'device.denied': { from?: string };
  'code.issued': Nothing;
  'code.reused': InFamily;
  'token.issued': InFamily & { grant_type: string };
  'token.refreshed': InFamily;
  'token.reused': InFamily & Because;
  'token.revoked': InFamily & Because;
  'token.exchanged': InFamily & { from: string; act?: unknown; by?: string };
  /** this service vouched for the person at another one */
  'id_jag.issued': InFamily & { audience: string };
  'subscription.requested': SubscriptionFacts;
  'subscription.approved': SubscriptionFacts;
  'subscription.rejected': SubscriptionFacts;
  'subscription.decision_undone': SubscriptionFacts;
  'subscription.suspended': SubscriptionFacts;
  'subscription.resumed': SubscriptionFacts;
  'subscription.revoked': SubscriptionFacts;
  'subscription.changed': SubscriptionFacts;
  /** who may use it, or how long what a person allows lasts */
  'subscription.terms_changed': SubscriptionFacts;
  'subscription.returned_to_pending': SubscriptionFacts;
  'subscription.cancelled': SubscriptionFacts;
  'subscription.removed': Nothing;
  /** `rule`: the host of the rule that let it in; without one an approver did */
  'agent.approved': {
    rule?: string;
    scopes?: string[];
  } & TermsChange;
  'client.created': { kind?: string; after?: Values; origin?: string };
  /** the document of an unregistered client was read, and a person signed in for it */
  'client.discovered': { host?: string | null; name?: string | Values; redirectUris?: string[] };
  'client.changed': Changed;
  'client.secret_rotated': { overlapSeconds?: number };
  'client.secret_added': { secretId: string };
  'client.secret_dropped': { secretId: string };
  'client.disabled': Nothing;
  'client.enabled': Nothing;
  /** all its tokens and codes ended; the client itself remains */
  'client.revoked': { tokens: number; consents: number; delegations: number; people: number };
  'client.removed': { name?: string };
  'api.created': { after?: Values };
  'api.changed': Changed;
  'api.removed': Nothing;
  'auth_method.created': { type?: string; after?: Values };
  'auth_method.changed': Changed;
  'auth_method.removed': Nothing;
  'person.created': { email?: string; roles?: string[] };
  /** made an account of their own, with an address that they proved */
  'person.registered': Nothing;
  /** has proved an address, and waits for an approval */
  'person.waiting': Nothing;
  /** and has an account from then on */
  'person.approved': { email: string; registration: string };
  'person.rejected': { email: string; registration: string; reason?: string };
  'person.invited': { email: string };
  'invitation.withdrawn': { email: string };
  'person.changed': Changed;
  'person.disabled': Nothing;
  'person.enabled': Nothing;
  /** a directory was asked again (`recheck_seconds`), and all their sign-ins and tokens ended */
  'person.signed_out': {
    reason: 'locked' | 'disabled' | 'expired' | 'rejected' | 'gone';
    sessions: number;
    families: number;
  };
  'person.password_set': Nothing;
  /** the service that knows leaked passwords did not answer: the password was taken without its word */
  'person.password_unchecked': Nothing;
  'person.role_granted': { role: string } & Changed;
  'person.role_revoked': { role: string } & Changed;
  'person.removed': { email?: string };
  /** `run`: of the file; each batch of at most 500 lines has one */
  'people.tokens_imported': { imported: number };
  'people.imported': { run: string; imported: number; unchanged: number; refused: number };
  'people.import_undone': { run: string; removed: number };
  /** a person downloaded all that is kept of them */
  'person.data_read': Nothing;
  /** an administrator asked what a client would get of them */
  'person.explained': Nothing;
  /** an example of a mail, to the administrator who looks at it */
  'mail.preview_sent': { mail: string; language: string };
  'person.email_verified': Nothing;
  /** they can sign in by this method too; `joined`: the person who had this identity before, now disabled */
  'person.identity_linked': { joined?: string };
  'person.identity_unlinked': Nothing;
  'person.password_reset_asked': Nothing;
  /** an administrator said that a step of the first day is done, or that it is not */
  'checklist.done': { step: string };
  'checklist.undone': { step: string };
  'group.created': { group: string; after?: Values };
  'group.changed': { group: string } & Changed;
  'group.removed': { group: string };
  'group.member_added': { group: string };
  'group.member_removed': { group: string };
  /** the method did not tell a claim that rules of groups ask for: they took no one out */
  'groups.overage': { claims: string[] };
  /** of what a method says, or of a token: the largest went first */
  'claims.left_out': { claims: string[] };
  'key.created': { kid: string; alg?: string };
  'key.retired': { kid: string };
  /** a caller asked for something that they may not do, or that belongs to another person */
  'access.denied': Counted & { operation: string; answer: string; reason: string };
  'service.invalidated': { before: string; families: number; codes: number; sessions: number };
  /** an administrator tried whether another service answers as it should */
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
  /** of the client, by language, if there are several */
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
