// How an agent stands at an API: a client that nobody registered, read from its document or by RFC 7591.
import { now } from '#lib/kit/index.ts';
import type { SnapshotApi, SnapshotClient, SnapshotSubscription } from '#lib/store/index.ts';
import { requireSubscription, subscriptionTo } from '../clients/index.ts';
import { isListed, isVouchedFor, ruleFor } from './known.ts';
import { AgentRefused } from './refused.ts';

/**
 * The approved subscription; null where it waits for an approval, or to be asked for. AgentRefused where it is over or not to
 * be had. With prompt=none nobody is asked: UnauthorizedClient, unless a rule lets it in once its person has signed in.
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
  if (subscription && subscription.state !== 'pending') throw new AgentRefused(subscription.state);
  const none = { scopes: [], scopeNamed: false };
  if (!subscription && !isListed(api, client) && !ruleFor(api, client, none))
    throw new AgentRefused('not-listed');
  return null;
}

/**
 * An agent that no approver and no rule has let in here: anybody may have put up its document, and whatever address stands in it. One that was
 * rejected or revoked is a stranger, whatever the rules say.
 */
export function isStranger(client: SnapshotClient, api: SnapshotApi): boolean {
  const state = subscriptionTo(api, client)?.state;
  if (client.origin === null || state === 'approved' || state === 'suspended') return false;
  const isUndecided = state === undefined || state === 'pending';
  return !(isUndecided && isVouchedFor(api, client));
}

const DAY_MS = 86_400_000;

/** What the person allowed ends by the subscription, and when the document names somebody else. */
export function consentSince(client: SnapshotClient, subscription: SnapshotSubscription | null): Date | null {
  const { identityChangedAt } = client;
  const days = subscription?.maxDays ?? null;
  const ends = [
    ...(identityChangedAt === null ? [] : [new Date(identityChangedAt).getTime()]),
    ...(days === null ? [] : [now().getTime() - days * DAY_MS]),
  ];
  return ends.length === 0 ? null : new Date(Math.max(...ends));
}
