import type { SubscriptionView } from '#lib/management/index.ts';
import {
  BUILT_IN_API,
  type DisplayText,
  POWERS,
  type Powers,
  type SubscriptionRow,
} from '#lib/registry/index.ts';

type Scoped = Pick<SubscriptionRow, 'scopes' | 'apiScopes'>;

/** The scopes of a subscription; none named: all of the API's. */
export function reachOf({ scopes, apiScopes }: Scoped): { name: string; description: DisplayText }[] {
  return apiScopes.filter(({ name }) => scopes.length === 0 || scopes.includes(name));
}

/** The checked scopes for the operation; all checked: none named, so that later scopes are included. */
export function ceilingOf(checked: string[], apiScopes: readonly { name: string }[]): string[] {
  return apiScopes.every(({ name }) => checked.includes(name)) ? [] : checked;
}

export function trustedMeans(apiName: string): string {
  return `nobody is asked for consent, and the application may collect passwords itself. A token for a password always has every scope of ${apiName}.`;
}

export function machineMeans({ api, apiName }: { api: string; apiName: string }): string {
  if (api === BUILT_IN_API)
    return 'a program acts here with the rights of an administrator, as far as its scopes reach, except where a person must have just signed in. Anyone who holds its secret or key can do the same.';
  return `the application gets tokens for ${apiName} in its own name, with nobody signed in. Anyone who holds its secret or key can do what the scopes above allow.`;
}

export const STATE_WORDS: Record<SubscriptionView['state'], string> = {
  approved: 'It works: the application gets tokens for this API.',
  pending: 'It waits for a decision. Until then the application gets no tokens for this API.',
  rejected: 'It was rejected. Change what the reason names, then ask again.',
  suspended: 'It is suspended: the application gets no tokens until it is resumed.',
  revoked: 'It has ended. You can ask again; the request waits for approval.',
};

const STEPS = new Map<string, string>(
  Object.entries({
    pending: 'asked',
    approved: 'approved',
    rejected: 'rejected',
    suspended: 'suspended',
    revoked: 'revoked',
  }),
);

/** One change of state in words. */
export function stepWords(from: string | null, to: string): string {
  if ((from === 'approved' || from === 'suspended') && to === 'pending')
    return 'sent back to wait for approval';
  if (from === 'suspended' && to === 'approved') return 'resumed';
  if (from === to) return 'changed';
  if (from === null && to === 'approved') return 'subscribed';
  return STEPS.get(to) ?? to;
}

/** When it was last asked for: a change of a request that waits already is no new one. */
export function askedSince({ history, createdAt }: Pick<SubscriptionView, 'history' | 'createdAt'>): Date {
  return history.findLast(({ from, to }) => to === 'pending' && from !== 'pending')?.at ?? createdAt;
}

/** The scopes of an approval, as its form calls them. */
export const CEILING_LABEL = 'What it may do at most';

/** When it was last approved or resumed; undefined: never. */
export const approvalOf = ({ history }: Pick<SubscriptionView, 'history'>): Date | undefined =>
  history.findLast(({ to, from, undoneAt }) => to === 'approved' && from !== 'approved' && undoneAt === null)
    ?.at;

/** The page of requests that wait. */
export const INBOX = '/admin/approvals';

/** The powers of a request in words, to agree to: `trusted and machine`. */
export const powersInWords = (of: Powers): string => POWERS.filter((power) => of[power]).join(' and ');
