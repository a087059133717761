// The kinds of client and what each may do: confidential, browser and native (specification 1.3).
import type { Snapshot, SnapshotApi, SnapshotClient, SnapshotSubscription } from '#lib/store/index.ts';

export type ClientKind = 'confidential' | 'browser' | 'native';

export function kindOf(client: SnapshotClient): ClientKind {
  if (client.confidential) return 'confidential';
  return client.applicationType === 'native' ? 'native' : 'browser';
}

/** A code's exchange gives a refresh token to all but browser clients (specification 2.1). */
export function codeGrantGivesRefreshToken(client: SnapshotClient): boolean {
  return kindOf(client) !== 'browser';
}

/** The approved subscription, or null: without one the client can not use the API. */
export function approvedSubscription(
  snapshot: Snapshot,
  client: SnapshotClient,
  api: SnapshotApi,
): SnapshotSubscription | null {
  const subscription = subscriptionOf(snapshot, client.clientId, api.id);
  return subscription?.state === 'approved' ? subscription : null;
}

/** In whatever state. */
export function subscriptionOf(
  snapshot: Snapshot,
  clientId: string,
  apiId: string,
): SnapshotSubscription | undefined {
  return snapshot.clients.get(clientId)?.subscriptions.find((one) => one.apiId === apiId);
}

/** What a subscription lets its client ask for, in the API's order. */
export function scopeCeiling(api: SnapshotApi, subscription: SnapshotSubscription): string[] {
  const all = api.scopes.map((scope) => scope.name);
  return subscription.scopes.length === 0 ? all : all.filter((name) => subscription.scopes.includes(name));
}

/** Origins that may read this client's answers (CORS). */
export function allowedOrigins(client: SnapshotClient): string[] {
  if (client.allowedOrigins.length > 0) return client.allowedOrigins;
  return client.redirectUris.filter((uri) => /^https?:/i.test(uri)).map((uri) => new URL(uri).origin);
}
