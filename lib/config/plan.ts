// What `apply` would do: a pure comparison of the database with the file. An empty list: nothing to change.

import { BUILT_IN_API } from '#lib/registry/api.ts';
import { kindOf } from '#lib/registry/client.ts';
import {
  endsTrust,
  isPowerful,
  POWERS,
  type Powers,
  type SubscriptionState,
  stateWhenChanged,
  stateWhenRequested,
  stateWhenTrustEnds,
  type TrustedClient,
} from '#lib/registry/subscription.ts';
import type { FileFault } from './file.ts';

export type ItemType = 'auth_method' | 'group' | 'api' | 'client' | 'subscription' | 'user';
type Value = unknown;
export type Fields = Record<string, Value>;

/** One object in the file's words. A field that the desired item lacks is left as it is. */
export type Item = {
  type: ItemType;
  id: string;
  fields: Fields;
  /** fingerprints, compared and never shown */
  secrets: Record<string, string>;
  managed?: boolean;
  /** subscriptions: the last decision was a rejection, a suspension, a revocation or an approval that was taken back */
  refused?: boolean;
  /** subscriptions in the file */
  approvedBy?: string | undefined;
};

export type PlannedChange = {
  kind: 'create' | 'change' | 'remove';
  type: ItemType;
  id: string;
  lines: string[];
  /** the fields and secrets that differ */
  changed: string[];
  before: Item | null;
  after: Item | null;
  /** subscriptions that were approved and wait for a decision after this change: the keys whose change is the reason */
  stopsBy?: string[];
  /** the same, in words and with its place in the file */
  stops?: FileFault;
};

const ORDER: ItemType[] = ['auth_method', 'group', 'api', 'user', 'client', 'subscription'];
/** lists whose order does not matter */
const SETS = new Set([
  'client.redirect_uris',
  'client.allowed_origins',
  'client.post_logout_redirect_uris',
  'subscription.scopes',
  'api.approvers',
  'api.token_claims',
  'api.agent_hosts',
  'api.groups',
  'api.groups_claim',
  'user.roles',
  'user.groups',
]);

export function plan(current: Item[], desired: Item[], options: { prune: boolean }): PlannedChange[] {
  const before = new Map(current.map((item) => [`${item.type} ${item.id}`, item]));
  const wanted = settleSubscriptions(before, desired);
  const named = new Set(desired.map((item) => `${item.type} ${item.id}`));
  const goes = (item: Item) =>
    options.prune && item.managed === true && !named.has(`${item.type} ${item.id}`);
  const changes: PlannedChange[] = [];
  const reasons = reopenedClients(before, desired);
  for (const item of inOrder(wanted)) {
    if (goes(item)) continue;
    const old = before.get(`${item.type} ${item.id}`) ?? null;
    const change = compare(old, item) ?? approveAgain(old, item, reasons);
    if (change) changes.push(withReason(change, reasons));
  }
  for (const item of inOrder(current).filter(goes).reverse()) {
    changes.push({
      kind: 'remove',
      type: item.type,
      id: item.id,
      lines: [],
      changed: [],
      before: item,
      after: null,
    });
  }
  return changes;
}

function inOrder(items: Item[]): Item[] {
  return ORDER.flatMap((type) => items.filter((item) => item.type === type));
}

function compare(before: Item | null, after: Item): PlannedChange | null {
  const lines: string[] = [];
  const changed: string[] = [];
  for (const [key, value] of Object.entries(after.fields)) {
    if (value === undefined) continue;
    const old = before?.fields[key];
    if (before ? same(`${after.type}.${key}`, old, value) : isNothing(value)) continue;
    changed.push(key);
    if (before && !isNothing(old)) lines.push(`- ${key}: ${show(old)}`);
    if (!isNothing(value) || before) lines.push(`+ ${key}: ${show(value)}`);
  }
  for (const [key, fingerprint] of Object.entries(after.secrets)) {
    if (before?.secrets[key] === fingerprint) continue;
    changed.push(key);
    lines.push(before ? `~ ${key}: (changed)` : `+ ${key}: (set)`);
  }
  if (before && changed.length === 0) return null;
  return { ...changeOf(before, after), lines, changed };
}

const changeOf = (before: Item | null, after: Item): Omit<PlannedChange, 'lines' | 'changed'> => ({
  kind: before ? 'change' : 'create',
  type: after.type,
  id: after.id,
  before,
  after,
});

const isNothing = (value: Value) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

function same(name: string, a: Value, b: Value): boolean {
  const settled = (value: Value) =>
    SETS.has(name) && Array.isArray(value) ? [...new Set(value)].sort(byText) : value;
  return stable({ [name]: settled(a ?? null) }) === stable({ [name]: settled(b ?? null) });
}

const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1);

/** The order of texts by language counts: the first stands for those that are not there. */
const TEXTS = /(^|[._])(name|description)$/;

function stable(value: Value): string {
  return JSON.stringify(value, (key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part) && !TEXTS.test(key)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

const show = (value: Value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Gives every desired subscription its state, and adds those that a change of their client sends to pending. */
function settleSubscriptions(before: Map<string, Item>, desired: Item[]): Item[] {
  const apis = new Map(desired.filter((item) => item.type === 'api').map((item) => [item.id, item]));
  const reopened = reopenedClients(before, desired);
  const settled = desired.map((item) => {
    if (item.type !== 'subscription') return item;
    const api = String(item.fields.api);
    // the built-in API is in no file, and always needs an approval
    const requireApproval = api === BUILT_IN_API || apis.get(api)?.fields.require_approval === true;
    const old = before.get(`subscription ${item.id}`) ?? null;
    const state = stateOf(old, item, {
      requireApproval,
      reopened: reopened.has(String(item.fields.client_id)),
    });
    return { ...item, fields: { ...item.fields, state } };
  });
  const named = new Set(desired.map((item) => `${item.type} ${item.id}`));
  for (const [key, item] of before) {
    const mine =
      item.type === 'subscription' && !named.has(key) && reopened.has(String(item.fields.client_id));
    const from = item.fields.state as SubscriptionState;
    const state = stateWhenTrustEnds(from, powersIn(item));
    if (mine && state !== from) settled.push({ ...item, fields: { ...item.fields, state } });
  }
  return settled;
}

/** Clients whose subscriptions are decided again, each with its changed keys. */
type Reopened = ReadonlyMap<string, readonly string[]>;

const TRUSTED_BY = ['redirect_uris', 'confidential', 'application_type'];

function reopenedClients(before: Map<string, Item>, desired: Item[]): Reopened {
  const reopened = new Map<string, string[]>();
  for (const item of desired) {
    const old = item.type === 'client' ? before.get(`client ${item.id}`) : undefined;
    if (old && endsTrust(trustOf(old), trustOf(item)))
      reopened.set(item.id, changedKeys('client', old, item, TRUSTED_BY));
  }
  return reopened;
}

const changedKeys = (type: ItemType, before: Item, after: Item, keys: readonly string[]) =>
  keys.filter((key) => !same(`${type}.${key}`, before.fields[key], after.fields[key]));

const trustOf = ({ fields }: Item): TrustedClient => ({
  kind: kindOf({
    confidential: fields.confidential === true,
    applicationType: String(fields.application_type),
  }),
  redirectUris: (fields.redirect_uris ?? []) as string[],
});

const powersIn = ({ fields }: Item): Powers => ({
  trusted: fields.trusted === true,
  machine: fields.machine === true,
  device: fields.device === true,
});

/** What an approval of a subscription is for, beside its client. */
const APPROVED_KEYS = [...POWERS, 'scopes'];

/**
 * `approved_by` is a decision on everything that the file says, so it covers each changed term. It never replaces the
 * refusal of a person.
 */
function stateOf(
  old: Item | null,
  item: Item,
  context: { requireApproval: boolean; reopened: boolean },
): SubscriptionState {
  const { requireApproval } = context;
  const after = powersIn(item);
  const approved = item.approvedBy !== undefined;
  if (!old) return approved ? 'approved' : stateWhenRequested({ ...after, requireApproval });
  const from = old.fields.state as SubscriptionState;
  if (from !== 'pending' && from !== 'approved') return from;
  if (approved && !old.refused) return 'approved';
  if (changedKeys('subscription', old, item, APPROVED_KEYS).length === 0)
    return context.reopened ? stateWhenTrustEnds(from, after) : from;
  if (!isPowerful(after) && !requireApproval) return 'approved';
  return stateWhenChanged(from, { before: powersIn(old), after, requireApproval });
}

/** A change of its client alone sends it to pending, and `approved_by` approves it as it is. */
function approveAgain(before: Item | null, after: Item, reopened: Reopened): PlannedChange | null {
  if (after.type !== 'subscription' || before === null || after.approvedBy === undefined) return null;
  const reasons = reopened.get(String(after.fields.client_id));
  const waits = stateWhenTrustEnds(before.fields.state as SubscriptionState, powersIn(after)) === 'pending';
  if (!reasons || !waits || after.fields.state !== 'approved') return null;
  const lines = [`~ approved_by: ${after.approvedBy} (approves the changed ${reasons.join(', ')})`];
  return { ...changeOf(before, after), lines, changed: ['approved_by'] };
}

/** Adds the reason why a subscription stops working. */
function withReason(change: PlannedChange, reopened: Reopened): PlannedChange {
  const { type, before, after } = change;
  if (type !== 'subscription' || !before || !after) return change;
  if (before.fields.state !== 'approved' || after.fields.state !== 'pending') return change;
  const ofClient = reopened.get(String(after.fields.client_id)) ?? [];
  return { ...change, stopsBy: [...ofClient, ...changedKeys('subscription', before, after, APPROVED_KEYS)] };
}
