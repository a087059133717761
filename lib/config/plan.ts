// What `apply` would do: a pure comparison of the database with the file. An empty list: nothing to change.
import {
  BUILT_IN_API,
  endsTrust,
  isPowerful,
  kindOf,
  type Powers,
  type SubscriptionState,
  samePowers,
  stateWhenChanged,
  stateWhenRequested,
  stateWhenTrustEnds,
  type TrustedClient,
} from '#lib/registry/index.ts';

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
  /** subscriptions: was there ever a decision on it */
  decided?: boolean;
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
  for (const item of inOrder(wanted)) {
    if (goes(item)) continue;
    const change = compare(before.get(`${item.type} ${item.id}`) ?? null, item);
    if (change) changes.push(change);
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
  return {
    kind: before ? 'change' : 'create',
    type: after.type,
    id: after.id,
    lines,
    changed,
    before,
    after,
  };
}

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
  const reopened = new Set(
    desired.filter((item) => item.type === 'client' && reopens(before, item)).map((c) => c.id),
  );
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

function reopens(before: Map<string, Item>, client: Item): boolean {
  const old = before.get(`client ${client.id}`);
  return old !== undefined && endsTrust(trustOf(old), trustOf(client));
}

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
  const before = powersIn(old);
  const differs =
    !samePowers(before, after) || !same('subscription.scopes', old.fields.scopes, item.fields.scopes);
  if (!differs) {
    if (context.reopened && stateWhenTrustEnds(from, after) !== from) return 'pending';
    return from === 'pending' && approved && !old.decided && !context.reopened ? 'approved' : from;
  }
  if (from !== 'pending' && from !== 'approved') return from;
  if (approved) return 'approved';
  if (!isPowerful(after) && !requireApproval) return 'approved';
  return stateWhenChanged(from, { before, after, requireApproval });
}
