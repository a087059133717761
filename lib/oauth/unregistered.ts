// Clients without registration: document client, database row, subscription, and page for a rejected client.

import { recordEvent } from '#lib/audit/audit-log.ts';
import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { findClient } from '#lib/catalogue/clients/rows.ts';
import { personLabel } from '#lib/catalogue/people/definition.ts';
import { findPersonById } from '#lib/catalogue/people/rows.ts';
import {
  powersOf,
  type SubscriptionRow,
  type SubscriptionState,
  sameSet,
} from '#lib/catalogue/subscriptions/definition.ts';
import { findSubscription, stepSubscription } from '#lib/catalogue/subscriptions/rows.ts';
import { now } from '#lib/kit/clock.ts';
import type { Plain } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import { tellApprovers } from '#lib/mail/request-mails.ts';
import { type AutoApproval, documentHost, hostMatches } from '#lib/registry/unregistered.ts';
import { endTokens } from '#lib/store/endings.ts';
import { attemptLimit, type Limit, takeBackAttempt } from '#lib/store/hot/limits.ts';
import { type Db, database, inTransaction, lockName } from '#lib/store/prisma.ts';
import {
  RegistryChanged,
  type SnapshotApi,
  type SnapshotClient,
  type SnapshotSubscription,
} from '#lib/store/snapshot.ts';
import {
  countUnregisteredWaiting,
  type DocumentValues,
  findApprovalRequest,
  insertApprovalRequest,
  insertDocumentClient,
  type UnregisteredWaiting,
  updateDocumentClient,
} from '#lib/store/unregistered.ts';
import { isApprovedSomewhere, requireSubscription, subscriptionTo } from './client.ts';
import {
  type ClientDocument,
  ClientDocumentRefused,
  ClientDocumentUnavailable,
  isDocumentUrl,
  isPassing,
  readClientDocument,
} from './client-documents.ts';
import { TemporarilyUnavailable, UnidentifiedRequest } from './errors.ts';
import type { Issuer } from './issuer.ts';

// Shows the user why a client was rejected. A page replaces the redirect, because a client could only display an error
// code, and the user can act.

/**
 * Thrown if an unregistered client is rejected. `heading` and `told`: texts for the user, without personal data
 * of other users.
 */
export class UnregisteredClientRefused extends Error {
  override name = 'UnregisteredClientRefused';
  readonly heading: Plain;
  readonly told: Plain;
  readonly forDeveloper: string;
  constructor(why: Refusal) {
    super(wordsOf('en').t(WORDS[why].message));
    this.told = WORDS[why].message;
    this.heading = WORDS[why].heading;
    this.forDeveloper = WORDS[why].forDeveloper;
  }
}

type Refusal =
  | Exclude<SubscriptionState, 'pending' | 'approved'>
  | 'blocked'
  | 'not-listed'
  | 'full-person'
  | 'full-today'
  | 'full-host'
  | 'full-api';

type Words = { heading: Plain; message: Plain; forDeveloper: string };

const MANY = 'agent.many';
const WORDS: Record<Refusal, Words> = {
  rejected: {
    heading: 'agent.not_approved',
    message: 'agent.not_approved_lead',
    forDeveloper: 'The subscription of this client to the API was rejected.',
  },
  suspended: {
    heading: 'agent.suspended',
    message: 'agent.suspended_lead',
    forDeveloper: 'The subscription of this client to the API is suspended.',
  },
  revoked: {
    heading: 'agent.revoked',
    message: 'agent.revoked_lead',
    forDeveloper: 'The subscription of this client to the API was revoked.',
  },
  blocked: {
    heading: 'agent.blocked',
    message: 'agent.blocked_lead',
    forDeveloper: 'This client is blocked, at every API.',
  },
  'not-listed': {
    heading: 'agent.not_listed',
    message: 'agent.not_listed_lead',
    forDeveloper: 'The host of client_id is not listed at the API (agent_hosts).',
  },
  'full-person': {
    heading: MANY,
    message: 'agent.full_person',
    forDeveloper: 'This person has reached the limit of pending requests.',
  },
  'full-today': {
    heading: MANY,
    message: 'agent.full_day',
    forDeveloper: 'This person has reached the daily limit of new clients.',
  },
  'full-host': {
    heading: MANY,
    message: 'agent.full_host',
    forDeveloper: 'The limit of pending clients of this host at this API is reached.',
  },
  'full-api': {
    heading: MANY,
    message: 'agent.full',
    forDeveloper: 'The limit of pending clients at this API is reached.',
  },
};

// The document as client values: in memory before sign-in, with the names of the row's fields.

function valuesOf(of: ClientDocument | SnapshotClient): DocumentValues {
  const { clientId, name, confidential, applicationType, redirectUris, logoUri } = of;
  const { tokenEndpointAuthMethod, jwks, jwksUri, grantTypes } = of;
  const { requirePushedAuthorizationRequests, dpopBoundAccessTokens } = of;
  const who = { clientId, name, confidential, applicationType, redirectUris, logoUri };
  const how = { tokenEndpointAuthMethod, jwks, jwksUri, grantTypes };
  return { ...who, ...how, requirePushedAuthorizationRequests, dpopBoundAccessTokens };
}

/** Returns the client of a document that has no row and no subscriptions yet. */
function clientOf(document: ClientDocument, readAt: Date): SnapshotClient {
  return {
    ...valuesOf(document),
    tokenEndpointAuthMethod: document.tokenEndpointAuthMethod,
    jwks: document.jwks,
    tosUri: null,
    policyUri: null,
    brand: null,
    texts: null,
    allowedOrigins: [],
    privateUseSchemes: false,
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    backchannelLogoutSessionRequired: false,
    idTokenSignedResponseAlg: 'RS256',
    idTokenClaims: false,
    subjectType: 'public',
    sectorIdentifierUri: null,
    idJagAudiences: [],
    tokenEndpointAsAudience: false,
    refreshTokenRotation: 'always',
    defaultAcrValues: [],
    requireAuthTime: false,
    disabled: false,
    origin: 'document',
    documentReadAt: readAt.toISOString(),
    identityChangedAt: null,
    secrets: [],
    subscriptions: [],
  };
}

/** Fields that identify a client to its approver and to consenting users (draft §8.2.1). */
const IDENTITY = ['name', 'redirectUris', 'jwks', 'jwksUri'] as const;
const REST = [
  'confidential',
  'applicationType',
  'tokenEndpointAuthMethod',
  'logoUri',
  'grantTypes',
  'requirePushedAuthorizationRequests',
  'dpopBoundAccessTokens',
] as const;

type DocumentDifference = {
  changed: ((typeof IDENTITY)[number] | (typeof REST)[number])[];
  otherIdentity: boolean;
};

/** Fields whose values differ between document and row. */
function differenceOf(row: Omit<DocumentValues, 'clientId'>, document: DocumentValues): DocumentDifference {
  const differs = (name: keyof typeof document & keyof typeof row) =>
    orderedText(row[name]) !== orderedText(document[name]);
  const identity = IDENTITY.filter(differs);
  return { changed: [...identity, ...REST.filter(differs)], otherIdentity: identity.length > 0 };
}

/** Returns the value as text for comparisons. A new order of redirect addresses or members is not a change. */
function orderedText(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(orderedText).sort());
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return JSON.stringify(members.map(([name, member]) => [name, orderedText(member)]).sort());
}

// Updates the row of a document client after a change of the document. The row is never older than a process's copy: a
// copy that was read before the row's version changes nothing. A document can change at each fetch, so writes are
// limited. Above the limit, the row is unchanged, and the audit log contains attempts.limited.

/** Origin of the request, for the audit log and the limits of fetches. */
type ClientAsker = { address: string | null; requestId: string };

const firstSeen = new WeakMap<ClientDocument, Date>();

/** Returns the time at which this process first saw the document. An unchanged document is the same object. */
function readAtOf(document: ClientDocument): Date {
  const at = firstSeen.get(document) ?? now();
  firstSeen.set(document, at);
  return at;
}

const DAY_SECONDS = 86_400;

/**
 * Returns the daily limits for writes of a changed document. All unapproved documents together have a further limit.
 */
function changeLimits(client: SnapshotClient): Limit[] {
  const limit = (name: string, most: number) => attemptLimit('document', name, most, DAY_SECONDS);
  if (isApprovedSomewhere(client)) return [limit(`approved ${client.clientId}`, 100)];
  return [attemptLimit('all', 'document changes', 1_000, DAY_SECONDS), limit(client.clientId, 10)];
}

/**
 * Reads the client's document and updates its row. Returns true if the row has changed, so that the caller processes
 * the request again. Returns false if today's limit for changes is reached. Throws ClientDocumentRefused or
 * ClientDocumentUnavailable.
 */
export async function refreshDocumentClient(client: SnapshotClient, asker: ClientAsker): Promise<boolean> {
  if (client.origin !== 'document') return false;
  const reader = { caller: asker.address, known: isApprovedSomewhere(client) };
  const document = await readClientDocument(client.clientId, reader);
  if (differenceOf(client, valuesOf(document)).changed.length === 0) return false;
  if (isNewer(document, client)) return updateWithin(client, document, asker);
  // another process has read a newer version than this process's cached copy
  const later = await readClientDocument(client.clientId, { ...reader, newer: true });
  return isNewer(later, client) && updateWithin(client, later, asker);
}

/** Counts the change before writing, and subtracts it again if nothing changed. */
async function updateWithin(
  client: SnapshotClient,
  document: ClientDocument,
  asker: ClientAsker,
): Promise<boolean> {
  const { requestId, address: ip } = asker;
  const limits = changeLimits(client);
  try {
    await countAttempt(limits, { clientId: client.clientId, requestId, ip });
  } catch (error) {
    if (error instanceof TooManyAttempts) return false;
    throw error;
  }
  let updated = false;
  try {
    updated = await update(document, asker);
  } finally {
    if (!updated) await takeBackAttempt(limits);
  }
  return updated;
}

const isNewer = (document: ClientDocument, { documentReadAt }: SnapshotClient): boolean =>
  documentReadAt === null || readAtOf(document) > new Date(documentReadAt);

async function update(document: ClientDocument, { address, requestId }: ClientAsker): Promise<boolean> {
  const { clientId } = document;
  const after = valuesOf(document);
  return inTransaction(async (db) => {
    const row = await findClient(db, clientId, 'lock');
    if (row?.origin !== 'document') return false;
    const { grantTypes } = after;
    const before = {
      ...row,
      confidential: row.kind === 'confidential',
      applicationType: after.applicationType,
      grantTypes,
    };
    const { changed, otherIdentity } = differenceOf(before, after);
    if (!(await updateDocumentClient(db, after, { readAt: readAtOf(document), otherIdentity }))) return false;
    if (before.confidential !== after.confidential)
      await endTokens(db, { clientId }, 'client changed between public and confidential');
    if (changed.length > 0) {
      const pick = (of: Partial<DocumentValues>) =>
        Object.fromEntries(changed.map((name) => [name, truncateValue(of[name] ?? null)]));
      const details = { changed, before: pick(before), after: pick(after) };
      await recordEvent(
        { event: 'client.changed', clientId, requestId, ip: address ?? undefined, details },
        db,
      );
    }
    return true;
  });
}

const MOST_ENTRIES = 10;
const MOST_CHARACTERS = 1_000;

/** Limits a stranger's value in the audit log to about 1,000 characters of JSON, or ten list entries. */
function truncateValue(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text.length <= MOST_CHARACTERS) return value;
  if (!Array.isArray(value)) return `${text.slice(0, MOST_CHARACTERS)}…`;
  const each = MOST_CHARACTERS / MOST_ENTRIES;
  const first = value.slice(0, MOST_ENTRIES).map((entry) => String(entry).slice(0, each));
  return value.length > MOST_ENTRIES ? [...first, `… and ${value.length - MOST_ENTRIES} more`] : first;
}

// The client of an authorize request whose client_id is a document address. Existing clients use their updated row. New
// clients exist only in memory until a user signs in.

/** Adds this document client to the issuer, or removes it if the API rejects document clients. */
export async function withUnregisteredClient(
  issuer: Issuer,
  clientId: string | undefined,
  asker: ClientAsker,
): Promise<Issuer> {
  const unread = issuerUnread(issuer, clientId);
  if (unread !== null || clientId === undefined) return unread ?? issuer;
  const snapshotClient = issuer.snapshot.clients.get(clientId);
  try {
    if (snapshotClient) {
      if (await refreshDocumentClient(snapshotClient, asker))
        throw new RegistryChanged('the document says something else');
      return issuer;
    }
    const document = await readClientDocument(clientId, { caller: asker.address });
    return having(issuer, [], [clientOf(document, readAtOf(document))]);
  } catch (error) {
    if (snapshotClient && isPassing(error)) return issuer;
    if (error instanceof ClientDocumentRefused)
      throw new UnidentifiedRequest('agent.improper', error.message);
    if (!(error instanceof ClientDocumentUnavailable)) throw error;
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    throw new TemporarilyUnavailable(undefined, { told: 'agent.unreachable', headers });
  }
}

/**
 * Returns the result of `withUnregisteredClient` if no document must be fetched, or null if a document must be
 * fetched. Throws UnregisteredClientRefused if the host is not listed.
 */
export function issuerUnread(issuer: Issuer, clientId: string | undefined): Issuer | null {
  if (clientId === undefined || !isDocumentUrl(clientId)) return issuer;
  const { snapshot, api } = issuer;
  const snapshotClient = snapshot.clients.get(clientId);
  if (snapshotClient && snapshotClient.origin !== 'document') return issuer;
  if (api.agents === 'off') return snapshotClient ? having(issuer, [clientId], []) : issuer;
  if (snapshotClient?.disabled) return issuer;
  if (!isSubscribed(snapshotClient, api) && !mayAsk(api, clientId))
    throw new UnregisteredClientRefused('not-listed');
  return null;
}

function having(issuer: Issuer, gone: string[], clients: SnapshotClient[]): Issuer {
  const { snapshot } = issuer;
  return { ...issuer, snapshot: { ...snapshot, clients: snapshot.clients.with(gone, clients) } };
}

const isSubscribed = (client: SnapshotClient | undefined, api: SnapshotApi): boolean =>
  client?.subscriptions.some((subscription) => subscription.apiId === api.id) === true;

/** True if a client of this document can request API access. */
function mayAsk(api: SnapshotApi, clientId: string): boolean {
  const host = documentHost({ clientId, origin: 'document' }) ?? '';
  return (
    api.agents === 'ask' ||
    [...api.agentHosts, ...api.autoApprove.map((rule) => rule.host)].some((pattern) =>
      hostMatches(pattern, host),
    )
  );
}

/**
 * The auto-approval rule for this request. A rule with scopes accepts requests for those scopes, and requests that name
 * no scopes.
 */
export function ruleFor(
  api: SnapshotApi,
  client: SnapshotClient,
  scopeRequest: { scopes: string[]; scopeNamed: boolean },
): AutoApproval | null {
  const host = documentHost(client);
  if (host === null) return null;
  const fits = ({ scopes }: AutoApproval) =>
    scopes.length === 0 ||
    !scopeRequest.scopeNamed ||
    scopeRequest.scopes.every((scope) => scopes.includes(scope));
  return api.autoApprove.find((rule) => hostMatches(rule.host, host) && fits(rule)) ?? null;
}

/** True if an API rule names the document's host. The operator then vouches for the document's addresses. */
function isVouchedFor(api: SnapshotApi, client: SnapshotClient): boolean {
  const host = documentHost(client);
  return host !== null && api.autoApprove.some((rule) => hostMatches(rule.host, host));
}

/** True if the host is listed, or the API uses no list. A self-registered client has no host. */
function isListed(api: SnapshotApi, client: SnapshotClient): boolean {
  if (api.agents !== 'listed') return true;
  const host = documentHost(client);
  return host !== null && api.agentHosts.some((agentHost) => hostMatches(agentHost, host));
}

// An unregistered client requests API access for the signed-in user. A rule approves the client immediately, or an
// approver decides, as for any subscription. One transaction writes client, subscription and events.

/** The signed-in user, and the HTTP request, whose id the page shows. */
type Asker = { personId: string; requestId: string; ip: string | null };
type ApprovalRequest = {
  api: SnapshotApi;
  client: SnapshotClient;
  scopes: readonly string[];
  /** true: the client named its scopes; false: it received the default scopes */
  scopeNamed: boolean;
};

type Asked = Asker & {
  clientId: string;
  api: string;
  client: SnapshotClient;
  /** API scopes that the client requested; empty: none */
  wanted: string[];
  /** maximum scopes of the subscription; empty: every scope of the API */
  ceiling: string[];
  /** matching auto-approval rule; null: an approver decides */
  rule: AutoApproval | null;
};

/**
 * Maximum numbers of pending requests. A single person or host can use only a small part of an API's limit, so no
 * person or host hides the requests of others. `rule`: new clients per rule, API and day; further clients wait for an
 * approver.
 */
const MOST: UnregisteredWaiting = { person: 10, today: 30, host: 20, api: 200, rule: 100 };

/**
 * Returns the id of this user's first request. Null means that the request is already decided, so the caller must read
 * the registry again. Throws UnregisteredClientRefused if the client is not listed or a limit is exceeded.
 */
export async function requestApproval(request: ApprovalRequest, asker: Asker): Promise<string | null> {
  const { api, client, scopeNamed } = request;
  const { clientId } = client;
  const wanted = api.scopes.map(({ name }) => name).filter((name) => request.scopes.includes(name));
  const rule = ruleFor(api, client, { scopes: wanted, scopeNamed });
  const isThere = client.subscriptions.some((subscription) => subscription.apiId === api.id);
  if (!isThere && rule === null && !isListed(api, client)) throw new UnregisteredClientRefused('not-listed');
  const ceiling = wanted.length === api.scopes.length ? [] : wanted;
  const approval = { ...asker, clientId, api: api.id, client, wanted, ceiling, rule };
  const before = await findApprovalRequest(database(), keyOf(approval));
  if (before && covers(before.scopes, approval)) return before.requestId;
  return inTransaction((db) => ask(db, approval));
}

const keyOf = ({ clientId, api, personId }: Asked) => ({ clientId, apiId: api, personId });
const by = ({ personId, requestId, ip, clientId }: Asked) => ({
  ...{ actor: personId, requestId, ip: ip ?? undefined, clientId },
});

async function ask(db: Db, approval: Asked): Promise<string | null> {
  const { clientId, api, client, requestId, ceiling } = approval;
  // the lock prevents concurrent requests from exceeding a limit
  await lockName(db, 'agents');
  const row = await findSubscription(db, clientId, api);
  if (row && row.state !== 'pending') return null;
  const [host, ruleHost] = [documentHost(client), approval.rule?.host ?? null];
  const counts = await countUnregisteredWaiting(db, { ...keyOf(approval), host, ruleHost });
  const rule = counts.rule < MOST.rule ? approval.rule : null;
  const full = fullOf(counts, row !== null, rule);
  if (full !== null && row === null) throw new UnregisteredClientRefused(`full-${full}`);
  if (row) {
    await widen(db, row, approval);
    const mine = await findApprovalRequest(db, keyOf(approval));
    // users over the limit see the page, but are not recorded as requesters
    if (mine === null && full === null) await insertApprovalRequest(db, keyOf(approval), requestId);
    return mine?.requestId ?? requestId;
  }
  if (!(await findClient(db, clientId)) && !(await discover(db, approval))) return null;
  if (rule) await letIn(db, approval, rule);
  else
    await takeStep(db, approval, null, { event: 'subscription.requested', to: 'pending', scopes: ceiling });
  await insertApprovalRequest(db, keyOf(approval), requestId);
  if (rule) return null;
  await tellApprovers(db, approval);
  return requestId;
}

type Full = Exclude<keyof UnregisteredWaiting, 'rule'>;

/**
 * The exceeded limit, or null. Auto-approved clients do not wait for an approver, so only the daily limit per user
 * applies to them.
 */
function fullOf(counts: UnregisteredWaiting, isThere: boolean, rule: AutoApproval | null): Full | null {
  const limitNames: Full[] = isThere ? ['person'] : rule ? ['today'] : ['person', 'today', 'host', 'api'];
  return limitNames.find((whose) => counts[whose] >= MOST[whose]) ?? null;
}

/**
 * Inserts the client's row from its document. Returns false if there is no document, or if a concurrent call inserted
 * the row.
 */
async function discover(db: Db, approval: Asked): Promise<boolean> {
  const { client } = approval;
  if (client.origin !== 'document' || client.documentReadAt === null) return false;
  const values = valuesOf(client);
  if (!(await insertDocumentClient(db, values, new Date(client.documentReadAt)))) return false;
  const { name, redirectUris } = values;
  const details = { host: documentHost(client), name, redirectUris };
  await recordEvent({ ...by(approval), event: 'client.discovered', details }, db);
  return true;
}

async function letIn(db: Db, approval: Asked, rule: AutoApproval): Promise<void> {
  const { host, scopes, max_days: maxDays } = rule;
  await takeStep(db, approval, null, {
    event: 'subscription.requested',
    to: 'approved',
    scopes,
    maxDays,
    why: `the rule for ${host} lets it in`,
  });
  const details = { rule: host, scopes, maxDays };
  await recordEvent({ ...by(approval), event: 'agent.approved', apiId: approval.api, details }, db);
}

/** True if the scopes include the requested ones; an empty list means every scope. */
const covers = (has: string[], { wanted, ceiling }: Asked) =>
  wanted.length === 0 ||
  has.length === 0 ||
  (ceiling.length > 0 && ceiling.every((scope) => has.includes(scope)));

/** Adds the scopes of a later requester to the subscription, so that the approver decides on all of them. */
async function widen(db: Db, row: SubscriptionRow, approval: Asked): Promise<void> {
  if (covers(row.scopes, approval)) return;
  const { ceiling } = approval;
  const scopes = ceiling.length === 0 ? [] : [...new Set([...row.scopes, ...ceiling])];
  if (!sameSet(scopes, row.scopes))
    await takeStep(db, approval, row, { event: 'subscription.changed', to: 'pending', scopes });
}

type Step = {
  event: 'subscription.requested' | 'subscription.changed';
  to: 'pending' | 'approved';
  scopes: string[];
  maxDays?: number | null;
  why?: string;
};

async function takeStep(db: Db, approval: Asked, before: SubscriptionRow | null, step: Step): Promise<void> {
  const { personId, clientId, api } = approval;
  const { reason, ...had } = before ?? { trusted: false, machine: false, device: false, reason: null };
  const powers = powersOf(had);
  const { event, why, ...taken } = step;
  const person = await findPersonById(db, personId);
  // label of the user in the format of subscription histories
  const actor = person ? personLabel({ ...person, id: personId }) : personId;
  const who = { actor, actorId: personId, ...(before === null && { requestedBy: personId }) };
  const isTaken = await stepSubscription(db, { clientId, api }, before, {
    ...taken,
    ...powers,
    reason,
    ...who,
  });
  if (!isTaken) throw new RegistryChanged('an approver was faster');
  const { to, scopes, maxDays = null } = taken;
  const details = {
    ...{ from: before?.state ?? null, to, ...powers, scopes },
    ...(maxDays !== null && { maxDays }),
    ...(why && { reason: why }),
  };
  await recordEvent({ ...by(approval), event, apiId: api, details }, db);
}

// Subscription of an unregistered client, from a document or RFC 7591 registration, to an API.

/**
 * The approved subscription. Null if it is pending or not requested. With prompt=none no page can be shown, so the
 * function throws UnauthorizedClient unless a rule approves the client after the sign-in. Throws
 * UnregisteredClientRefused if the subscription ended or cannot be requested.
 */
export function standingOf(
  api: SnapshotApi,
  client: SnapshotClient,
  prompt: ReadonlySet<string>,
): SnapshotSubscription | null {
  const subscription = subscriptionTo(api, client);
  const mayWait = subscription !== undefined || api.agents !== 'off';
  const comes = subscription === undefined && isVouchedFor(api, client);
  if (client.origin === null || !mayWait || (prompt.has('none') && !comes))
    return requireSubscription(api, client);
  if (subscription?.state === 'approved') return subscription;
  if (subscription && subscription.state !== 'pending')
    throw new UnregisteredClientRefused(subscription.state);
  const none = { scopes: [], scopeNamed: false };
  if (!subscription && !isListed(api, client) && !ruleFor(api, client, none))
    throw new UnregisteredClientRefused('not-listed');
  return null;
}

/**
 * True if no approver or rule approved the unregistered client at this API, so its document may belong to an attacker.
 * After a rejection or revocation, rules no longer apply.
 */
export function isStranger(client: SnapshotClient, api: SnapshotApi): boolean {
  const state = subscriptionTo(api, client)?.state;
  if (client.origin === null || state === 'approved' || state === 'suspended') return false;
  const isUndecided = state === undefined || state === 'pending';
  return !(isUndecided && isVouchedFor(api, client));
}

const DAY_MS = 86_400_000;

/**
 * Returns the time before which consents are invalid, because the subscription limits their age or the client's
 * identity changed.
 */
export function consentSince(client: SnapshotClient, subscription: SnapshotSubscription | null): Date | null {
  const { identityChangedAt } = client;
  const days = subscription?.maxDays ?? null;
  const ends = [
    ...(identityChangedAt === null ? [] : [new Date(identityChangedAt).getTime()]),
    ...(days === null ? [] : [now().getTime() - days * DAY_MS]),
  ];
  return ends.length === 0 ? null : new Date(Math.max(...ends));
}
