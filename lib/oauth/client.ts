// The kinds of client and what each may do: confidential, browser and native (specification 1.3).
import type { Directory, DirectoryApi, DirectoryClient, DirectorySubscription } from '#lib/store/index.ts';

export type ClientKind = 'confidential' | 'browser' | 'native';

export function kindOf(client: DirectoryClient): ClientKind {
  if (client.confidential) return 'confidential';
  return client.applicationType === 'native' ? 'native' : 'browser';
}

/** A code's exchange gives a refresh token to all but browser clients (specification 2.1). */
export function codeGrantGivesRefreshToken(client: DirectoryClient): boolean {
  return kindOf(client) !== 'browser';
}

/** The approved subscription, or null: without one the client can not use the API. */
export function approvedSubscription(
  registry: Directory,
  client: DirectoryClient,
  api: DirectoryApi,
): DirectorySubscription | null {
  const subscription = subscriptionOf(registry, client.clientId, api.id);
  return subscription?.state === 'approved' ? subscription : null;
}

/** In whatever state. */
export function subscriptionOf(
  registry: Directory,
  clientId: string,
  apiId: string,
): DirectorySubscription | undefined {
  return registry.clients.get(clientId)?.subscriptions.find((one) => one.apiId === apiId);
}

/** What a subscription lets its client ask for, in the API's order. */
export function scopeCeiling(api: DirectoryApi, subscription: DirectorySubscription): string[] {
  const all = api.scopes.map((scope) => scope.name);
  return subscription.scopes.length === 0 ? all : all.filter((name) => subscription.scopes.includes(name));
}

/** Origins that may read this client's answers (CORS). */
export function allowedOrigins(client: DirectoryClient): string[] {
  if (client.allowedOrigins.length > 0) return client.allowedOrigins;
  return client.redirectUris.filter((uri) => /^https?:/i.test(uri)).map((uri) => new URL(uri).origin);
}
