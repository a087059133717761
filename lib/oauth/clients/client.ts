// The kinds of client and what each may do: confidential, browser and native (specification 1.3).
import { kindOf } from '#lib/registry/clients/client.ts';
import { apiScopesOf } from '#lib/registry/objects/subscription-states.ts';
import type { SnapshotApi, SnapshotClient, SnapshotSubscription } from '#lib/store/registry/snapshot-rows.ts';
import { AccessDenied, InvalidGrant, UnauthorizedClient } from '../errors/errors.ts';
import { REFRESH_TOKEN } from '../rules/grant-types.ts';
import type { AuthenticatedClient, ProvedClient } from './authenticated-client.ts';

/**
 * Redeeming a code gives a refresh token to all but unregistered clients that do not want one, and clients in the
 * browser whose tokens are not bound to a key (RFC 9700 §2.2.2).
 */
export function codeGrantGivesRefreshToken(client: SnapshotClient): boolean {
  const { grantTypes, dpopBoundAccessTokens: bound } = client;
  const takesOne = kindOf(client) !== 'browser' || bound;
  return takesOne && (grantTypes.length === 0 || grantTypes.includes(REFRESH_TOKEN));
}

/** The approved subscription, or UnauthorizedClient: without one the client cannot use the API. */
export function requireSubscription(
  api: SnapshotApi,
  client: SnapshotClient,
  description = 'This client has no approved subscription to this API.',
): SnapshotSubscription {
  const subscription = subscriptionTo(api, client);
  if (subscription?.state === 'approved') return subscription;
  const reason = subscription ? (`subscription-${subscription.state}` as const) : 'not-subscribed';
  throw new UnauthorizedClient(description, { reason });
}

/**
 * The approved and trusted subscription of a client that has proved who it is, or UnauthorizedClient. Trust in a
 * client_id alone would be trust in every caller.
 */
export const requireTrust = (api: SnapshotApi, client: ProvedClient, description: string) =>
  trustedSubscription(api, client, description);

/**
 * The same where a user takes part, with a password or at a broker: trust only replaces the user's consent
 * (specification 4.6: public clients have the password grant, too).
 */
export const requireTrustOfUser = (api: SnapshotApi, client: AuthenticatedClient, description: string) =>
  trustedSubscription(api, client, description);

function trustedSubscription(api: SnapshotApi, client: SnapshotClient, description: string) {
  const subscription = requireSubscription(api, client, description);
  if (subscription.trusted) return subscription;
  throw new UnauthorizedClient(description, { reason: 'not-trusted' });
}

export const PERSON_REFUSED = 'This client is not for this person here.';

/** The subscription asks for a claim that the person does not have. */
export const personRefused = () => new InvalidGrant(PERSON_REFUSED, { reason: 'person-refused' });
export const personDenied = () => new AccessDenied(PERSON_REFUSED, { reason: 'person-refused' });

/** Has an approver, or a rule, let this client use any API? */
export const isApprovedSomewhere = ({ subscriptions }: Pick<SnapshotClient, 'subscriptions'>): boolean =>
  subscriptions.some(({ state }) => state === 'approved');

/** In any state. */
export function subscriptionTo(
  api: Pick<SnapshotApi, 'id'>,
  client: SnapshotClient,
): SnapshotSubscription | undefined {
  return client.subscriptions.find((one) => one.apiId === api.id);
}

/** What a subscription lets its client ask for, in the API's order. */
export function scopeCeiling(api: SnapshotApi, subscription: Pick<SnapshotSubscription, 'scopes'>): string[] {
  const all = api.scopes.map((scope) => scope.name);
  const named = apiScopesOf(subscription.scopes);
  return named.length === 0 ? all : all.filter((name) => named.includes(name));
}

/**
 * May pages of this origin read the client's answers (CORS)? Those of a native client on this machine have any port, as
 * it has.
 */
export function isAllowedOrigin(client: SnapshotClient, origin: string): boolean {
  if (client.allowedOrigins.length > 0) return client.allowedOrigins.includes(origin);
  const origins = client.redirectUris
    .filter((uri) => /^https?:/i.test(uri))
    .map((uri) => new URL(uri).origin);
  if (origins.includes(origin)) return true;
  return kindOf(client) === 'native' && origins.some((one) => isSameMachine(one, origin));
}

const LOOPBACK_ORIGIN = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?$/;

function isSameMachine(one: string, other: string): boolean {
  const host = LOOPBACK_ORIGIN.exec(one)?.[1];
  return host !== undefined && host === LOOPBACK_ORIGIN.exec(other)?.[1];
}
