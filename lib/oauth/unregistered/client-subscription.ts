// The subscription of an unregistered client, read from its document or by RFC 7591, to an API.
import { now } from '#lib/kit/clock.ts';
import type { SnapshotApi, SnapshotClient, SnapshotSubscription } from '#lib/store/registry/snapshot-rows.ts';
import { requireSubscription, subscriptionTo } from '../clients/client.ts';
import { UnregisteredClientRefused } from './client-refused.ts';
import { isListed, isVouchedFor, ruleFor } from './resolve-client.ts';

/**
 * The approved subscription; null: not approved or not requested yet. With prompt=none no page can ask:
 * UnauthorizedClient, unless a rule lets it in once its person has signed in. UnregisteredClientRefused: it has ended
 * or cannot be requested.
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
 * An unregistered client that no approver and no rule has let in here: its document may be an attacker's. After a
 * rejection or revocation the rules no longer count.
 */
export function isStranger(client: SnapshotClient, api: SnapshotApi): boolean {
  const state = subscriptionTo(api, client)?.state;
  if (client.origin === null || state === 'approved' || state === 'suspended') return false;
  const isUndecided = state === undefined || state === 'pending';
  return !(isUndecided && isVouchedFor(api, client));
}

const DAY_MS = 86_400_000;

/** Consents before this time ended, with the subscription or because the document named another client. */
export function consentSince(client: SnapshotClient, subscription: SnapshotSubscription | null): Date | null {
  const { identityChangedAt } = client;
  const days = subscription?.maxDays ?? null;
  const ends = [
    ...(identityChangedAt === null ? [] : [new Date(identityChangedAt).getTime()]),
    ...(days === null ? [] : [now().getTime() - days * DAY_MS]),
  ];
  return ends.length === 0 ? null : new Date(Math.max(...ends));
}
