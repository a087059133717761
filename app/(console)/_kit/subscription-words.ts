import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import type { Powers, SubscriptionState } from '#lib/catalogue/subscriptions/definition.ts';
import type { SubscriptionView } from '#lib/catalogue/subscriptions/operations.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { toSay } from '../_texts/to-say.ts';

/**
 * Returns the checked scopes for the operation. If all scopes are checked, the list is empty, so that it includes
 * scopes added later.
 */
export function ceilingOf(checked: string[], apiScopes: readonly { name: string }[]): string[] {
  return apiScopes.every(({ name }) => checked.includes(name)) ? [] : checked;
}

export const trustedMeans = (api: string): EnglishSentence =>
  english(
    'people are not asked for consent, and the application can ask for passwords itself. A token issued for a password always has every scope of {api}.',
    { api },
  );

export const machineMeans = ({ api, apiName }: { api: string; apiName: string }): EnglishSentence =>
  api === BUILT_IN_API
    ? english(
        'a program acts with the rights of an administrator, within its scopes, except for actions that require a recent sign-in by a person. Anyone who holds its secret or key can do the same.',
      )
    : english(
        'the application gets tokens for {api} in its own name, without a signed-in person. Anyone who holds its secret or key can do what the scopes above allow.',
        { api: apiName },
      );

export const deviceMeans = (apiName: string): EnglishSentence =>
  english(
    'people let the application act for them at {api} by entering a code that a device shows. This requires an API that allows connecting devices. Attackers send people such codes, and a passkey does not prevent that.',
    { api: apiName },
  );

export const STATE_WORDS: Readonly<Record<SubscriptionView['state'], string>> = toSay({
  approved: 'Active: the application gets tokens for this API.',
  pending: 'A decision is pending. Until then the application gets no tokens for this API.',
  rejected: 'Rejected. Fix the problem that the reason describes, then request the subscription again.',
  suspended: 'Suspended: the application gets no tokens until the subscription is resumed.',
  revoked: 'Ended. You can request the subscription again; the new request needs approval.',
});

/** Explains that an approved background client gets no token without the permission `machine`. */
export const IDLE_WORDS = toSay(
  'Approved, but no tokens are issued yet: the application has no redirect address and did not request tokens without a person.',
);

type Step = SubscriptionState | 'back' | 'resumed' | 'changed' | 'subscribed';

/** Returns the name of the change from one state to another. */
export function stepOf(from: string | null, to: SubscriptionState): Step {
  if ((from === 'approved' || from === 'suspended') && to === 'pending') return 'back';
  if (from === 'suspended' && to === 'approved') return 'resumed';
  if (from === to) return 'changed';
  if (from === null && to === 'approved') return 'subscribed';
  return to;
}

/** Describes the change of state in words. */
export const stepWords = (from: string | null, to: SubscriptionState): EnglishSentence =>
  english(
    '{step, select, approved {approved} rejected {rejected} suspended {suspended} revoked {revoked} pending {requested} back {returned for approval} resumed {resumed} changed {changed} subscribed {subscribed} other {changed}}',
    { step: stepOf(from, to) },
  );

/** Time of the last request. A change to a pending request does not update this time. */
export function askedSince({ history, createdAt }: Pick<SubscriptionView, 'history' | 'createdAt'>): Date {
  return history.findLast(({ from, to }) => to === 'pending' && from !== 'pending')?.at ?? createdAt;
}

/** Label of the approved scopes. */
export const CEILING_LABEL = toSay('Maximum scopes');

/** Time of the last approval or resumption; undefined if the subscription was never approved. */
export const approvalOf = ({ history }: Pick<SubscriptionView, 'history'>): Date | undefined =>
  history.findLast(({ to, from, undoneAt }) => to === 'approved' && from !== 'approved' && undoneAt === null)
    ?.at;

/** The page with pending requests. */
export const INBOX = '/admin/approvals';

/** Lists the requested permissions in words, for the confirmation: `trusted and machine`. */
export function powersInWords({ trusted, machine, device }: Powers): EnglishSentence {
  if (device) {
    if (trusted && machine) return english('trusted, machine and device');
    return trusted ? english('trusted and device') : english(machine ? 'machine and device' : 'device');
  }
  if (trusted && machine) return english('trusted and machine');
  return trusted ? english('trusted') : machine ? english('machine') : { text: '' };
}
