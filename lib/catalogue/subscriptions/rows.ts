// Subscriptions: finds them, and changes their state. Each step compares and increments the version, and adds a row
// to subscription_events.

import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import { API_SCOPES } from '#lib/catalogue/apis/rows.ts';
import type { ClientKind } from '#lib/catalogue/clients/definition.ts';
import type { AuthMethodValues } from '#lib/catalogue/methods/definition.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { GRANT_EVENTS } from '#lib/registry/audit-event.ts';
import type { BrandValues } from '#lib/registry/brand.ts';
import { BROKER_CLAIMS, type RequiredClaim } from '#lib/registry/claims.ts';
import { plainName } from '#lib/registry/definition.ts';
import { dropFormerTokens, endTokens } from '#lib/store/endings.ts';
import { CLIENT_KIND } from '#lib/store/function-values.ts';
import {
  anyOf,
  BY_NAME,
  contains,
  containsEmail,
  type DayRange,
  equals,
  inRange,
  list,
} from '#lib/store/list.ts';
import { type Db, readRow, readRows, some } from '#lib/store/prisma.ts';
import {
  assignSql,
  columnsOf,
  columnText,
  displayTextSql,
  insertSql,
  joinSql,
  jsonValue,
  raw,
  type Sql,
  type Stored,
  selectSql,
  sql,
} from '#lib/store/sql.ts';
import { type ColdRow, narrowTo } from '#lib/store/statement.ts';
import {
  type Powers,
  type SubscriptionRow,
  type SubscriptionState,
  subscriptionRow,
  subscriptionTerms,
  TERM_NAMES,
  type TermsChange,
  termsNamed,
} from './definition.ts';

/** Maximum number of counted requesters, sufficient for display. */
const MOST_ASKERS = 1_000;

const TERMS = selectSql(columnsOf(subscriptionTerms, []), 's').text;

const termColumns = (terms: TermsChange): Stored =>
  Object.fromEntries(termsNamed(terms).map(([name, value]) => [plainName(name), columnText(value)]));

/** SQL: selects a SubscriptionRow from its tables. */
export const SUBSCRIPTION_ROWS =
  raw(`s.client_id as "clientId", c.name as "clientName", ${displayTextSql('c.name')} as "clientNames",
  c.logo_uri as "clientLogoUri", c.tos_uri as "clientTosUri", c.policy_uri as "clientPolicyUri", ${CLIENT_KIND} as "clientKind",
  c.disabled_at is not null as "clientDisabled", c.brand as "clientBrand", c.redirect_uris as "redirectUris", c.owner_id as "ownerId",
  o.email as "ownerEmail", s.api_id as api, a.name as "apiName", ${API_SCOPES} as "apiScopes",
  a.approvers, a.require_approval as "requireApproval", s.state, s.trusted, s.machine, s.device, s.scopes, s.message, s.reason,
  s.requested_by as "requestedBy", r.email as "requestedByEmail", d.email as "decidedByEmail",
  ${TERMS}, c.origin as "clientOrigin", c.token_endpoint_auth_method as "clientAuthMethod",
  c.jwks_uri as "clientJwksUri", c.identity_changed_at as "clientChangedAt",
  (select g.request_id from agent_requests g where g.client_id = s.client_id and g.api_id = s.api_id
    and g.person_id = s.requested_by) as "firstRequestId",
  (select count(*)::int from (select from agent_requests g where g.client_id = s.client_id and g.api_id = s.api_id
    limit ${MOST_ASKERS}) counted) as askers,
  s.decided_at as "decidedAt", s.created_at as "createdAt", s.updated_at as "updatedAt", s.version, s.managed
  from subscriptions s join clients c using (client_id) join apis a on a.id = s.api_id
  left join people o on o.id = c.owner_id left join people r on r.id = s.requested_by
  left join people d on d.id = s.decided_by`);

export function findSubscription(db: Db, clientId: string, api: string): Promise<SubscriptionRow | null> {
  return readRow(db, subscriptionRow.shape)`
    select ${SUBSCRIPTION_ROWS} where s.client_id = ${clientId} and s.api_id = ${api}`;
}

/** Returns the subscriptions of a client or API in any state, sorted by id. */
export function selectSubscriptionsOf(
  db: Db,
  filter: { clientId: string } | { api: string },
): Promise<SubscriptionRow[]> {
  const whose = 'api' in filter ? sql`s.api_id = ${filter.api}` : sql`s.client_id = ${filter.clientId}`;
  return readRows(db, subscriptionRow.shape)`
    select ${SUBSCRIPTION_ROWS} where ${whose} order by s.client_id, s.api_id limit 10000`;
}

const STEP_ROW = {
  trusted: 'boolean',
  machine: 'boolean',
  device: 'boolean',
  at: 'timestamptz',
  from: narrowTo<SubscriptionState>('text?'),
  to: narrowTo<SubscriptionState>('text'),
  scopes: 'text[]',
  redirectUris: 'text[]',
  clientKind: narrowTo<ClientKind>('text'),
  clientBrand: narrowTo<BrandValues>('jsonb?'),
  actor: 'text',
  reason: 'text?',
  /** time of the undo; null: not undone */
  undoneAt: 'timestamptz?',
} as const;
export type SubscriptionStep = ColdRow<typeof STEP_ROW>;

type Pair = { clientId: string; api: string };

const STEPS =
  raw(`e.at, e.from_state as "from", e.to_state as "to", e.trusted, e.machine, e.device, e.scopes, e.redirect_uris as "redirectUris",
  e.client_kind as "clientKind", e.client_brand as "clientBrand", e.actor, e.reason, e.undone_at as "undoneAt"`);

/** Returns the histories of several subscriptions, each in order. */
export async function selectStepsOf(db: Db, pairs: readonly Pair[]): Promise<SubscriptionStep[][]> {
  const [clients, apis] = [pairs.map(({ clientId }) => clientId), pairs.map(({ api }) => api)];
  const steps = await readRows(db, { at_pair: 'int', ...STEP_ROW })`
    select q.n::int as at_pair, ${STEPS} from subscription_events e
      join unnest(${clients}::text[], ${apis}::text[]) with ordinality as q (client_id, api_id, n) using (client_id, api_id)
      order by e.id`;
  const lives = pairs.map((): SubscriptionStep[] => []);
  for (const { at_pair: at, ...step } of steps) lives[at - 1]?.push(step);
  return lives;
}

/** Returns the steps of the subscription, in order. */
export async function selectSubscriptionSteps(
  db: Db,
  clientId: string,
  api: string,
): Promise<SubscriptionStep[]> {
  const [steps = []] = await selectStepsOf(db, [{ clientId, api }]);
  return steps;
}

/** A step of a subscription. If a member of `Powers` is missing, its value stays unchanged. */
export type Step = Powers &
  TermsChange & {
    to: SubscriptionState;
    scopes: string[];
    reason: string | null;
    /** deciding user; null: operator; missing: no decision */
    decidedBy?: string | null | undefined;
    /** requesting user; null: none; missing: unchanged */
    requestedBy?: string | null;
    /** message of the requester; missing: unchanged */
    message?: string | null;
    /** author of the step, as the history shows it */
    actor: string;
    actorId: string | null;
    /** true: the decision can be undone, so the step stores the replaced values */
    undoable?: boolean;
  };

/** The subscription as the caller read it before the step; null: there was none. */
type Before = (Powers & { version: number; state: SubscriptionState }) | null;

/**
 * Moves the subscription to its next step, or creates it. Returns false after a concurrent change. Rejection and
 * revocation revoke every token. Removed trust revokes tokens based on trust.
 */
export async function stepSubscription(
  db: Db,
  { clientId, api }: Pair,
  before: Before,
  step: Step,
): Promise<boolean> {
  const { to, trusted, machine, device, scopes, reason, actor, actorId } = step;
  const id = { client_id: clientId, api_id: api };
  const row = {
    state: to,
    trusted,
    machine,
    device,
    scopes,
    reason,
    ...(step.requestedBy !== undefined && { requested_by: step.requestedBy }),
    ...(step.message !== undefined && { message: step.message }),
    ...termColumns(step),
    ...(step.decidedBy !== undefined && { decided_by: step.decidedBy, decided_at: sql`now()` }),
  };
  const replaced =
    before && step.undoable
      ? await readRow(db, { row: narrowTo<object>('jsonb') })`
        select to_jsonb(s) - '{epoch,trust_epoch,machine_epoch,device_epoch,message}'::text[] as row
            from subscriptions s where client_id = ${clientId} and api_id = ${api}`
      : null;
  const done = before
    ? sql`update subscriptions set ${assignSql(row)}, version = version + 1
        where client_id = ${clientId} and api_id = ${api} and version = ${before.version}`
    : sql`insert into subscriptions ${insertSql({ ...id, ...row })} on conflict do nothing`;
  if (!(await some(db.$executeRaw(done)))) return false;
  const of = { clientId, apiId: api };
  const taken = { fromState: before?.state ?? null, toState: to, trusted, machine, device, scopes, reason };
  await db.subscriptionEvent.create({
    data: { ...of, ...taken, actor, actorId, ...(replaced && { replaced: jsonValue(replaced.row) }) },
    select: { id: true },
  });
  if (to === 'revoked' || to === 'rejected') await endTokens(db, of, `subscription ${to}`);
  else {
    if (before?.trusted && !trusted) await endTokens(db, { ...of, basis: 'trust' }, 'trust taken away');
    if (before?.machine && !machine) await endTokens(db, { ...of, basis: 'machine' }, 'machine taken away');
    if (before?.device && !device) await endTokens(db, { ...of, basis: 'device' }, 'device taken away');
  }
  return true;
}

export async function removeSubscription(db: Db, { clientId, api }: Pair): Promise<void> {
  await db.subscription.deleteMany({ where: { clientId, apiId: api } });
  await endTokens(db, { clientId, apiId: api }, 'subscription removed');
  await dropFormerTokens(db, { clientId, apiId: api });
}

/** Names of the claims that the API's methods provide: mapped claims, and the default claims of brokers. */
export async function selectClaimsAt(db: Db, api: string): Promise<string[]> {
  const rows = await readRows(db, { type: 'text', claims: narrowTo<Record<string, string>>('jsonb?') })`
    select m.type, m.config -> 'claims' as claims from combinations c join auth_methods m on m.id = c.auth_method_id
      where c.api_id = ${api}`;
  return rows.flatMap(({ type, claims }) => [
    ...Object.keys(claims ?? {}),
    ...(methodCan({ type }, 'tellsProfile') ? BROKER_CLAIMS : []),
  ]);
}

/** Complete sign-in methods of the API. */
export const selectMethodsAt = (db: Db, api: string): Promise<AuthMethodValues[]> =>
  readRows(db, {
    id: 'text',
    type: narrowTo<AuthMethodValues['type']>('text'),
    name: 'text',
    config: narrowTo<AuthMethodValues['config']>('jsonb'),
  })`
    select m.id, m.type, m.name, m.config from combinations c join auth_methods m on m.id = c.auth_method_id
    where c.api_id = ${api} order by c.position, m.id`;

const REQUIRED_CLAIM = {
  clientId: 'text',
  apiId: 'text',
  requiredClaim: narrowTo<RequiredClaim>('jsonb'),
} as const;
export type RequiredClaimAt = ColdRow<typeof REQUIRED_CLAIM>;

/** Returns the required claims of approved and suspended subscriptions: of one API, of one method, or all. */
export const selectRequiredClaims = (
  db: Db,
  of: { api?: string; method?: string } = {},
): Promise<RequiredClaimAt[]> =>
  readRows(db, REQUIRED_CLAIM)`
    select client_id as "clientId", api_id as "apiId", required_claim as "requiredClaim" from subscriptions
    where required_claim is not null and state in ('approved', 'suspended')
      and (${of.api ?? null}::text is null or api_id = ${of.api ?? null})
      and (${of.method ?? null}::text is null
        or api_id in (select c.api_id from combinations c where c.auth_method_id = ${of.method ?? null}))
    order by client_id, api_id`;

/** Updates the message without step or version change. */
export async function setSubscriptionMessage(
  db: Db,
  { clientId, api }: Pair,
  message: string | null,
): Promise<void> {
  await db.subscription.updateMany({ where: { clientId, apiId: api }, data: { message } });
}

// Lists of subscriptions: all, and pending.

/** Condition: this approver decides for API `a`. Null means an administrator, who decides for each API. */
export const isDecidable = (approver: string | null): Sql | null =>
  approver === null
    ? null
    : sql`a.id <> ${BUILT_IN_API} and (a.approvers = '{}' or ${approver} = any (a.approvers))`;

/** Filter of a list. Missing members impose no filter. `decidable`: only APIs for which this approver decides. */
type SubscriptionFilter = {
  ownerId?: string | null;
  clientId?: string | undefined;
  api?: string | undefined;
  state?: SubscriptionState | undefined;
  trusted?: boolean | undefined;
  machine?: boolean | undefined;
  device?: boolean | undefined;
  /** true: only clients that nobody registered */
  unregistered?: boolean | undefined;
  search?: string | null;
  requested?: DayRange | undefined;
  decided?: DayRange | undefined;
  decidable: string | null;
};

const PAIR = [
  ['s.client_id', 'text'],
  ['s.api_id', 'text'],
] as const;
const CLIENT_NAME = [`c.name ${BY_NAME}`, 'text'] as const;

export const SUBSCRIPTIONS = list({
  returns: subscriptionRow.shape,
  rows: SUBSCRIPTION_ROWS,
  orders: {
    changed: { key: [['s.updated_at', 'time'], ...PAIR], begins: 'desc' },
    name: { key: [CLIENT_NAME, ...PAIR] },
    /** oldest first, then client name */
    age: { key: [['s.updated_at', 'time'], CLIENT_NAME, ...PAIR] },
  },
  where: ({ requested, decided, search, decidable, ...asked }: SubscriptionFilter) => {
    const { ownerId, clientId, api, state, trusted, machine, device, unregistered } = asked;
    const whereNamed = (table: string, id: string) =>
      sql`select ${raw(id)} from ${raw(table)} where ${contains(search, `lower(${id})`, 'lower(name)')}`;
    return [
      equals('c.owner_id', ownerId),
      equals('s.client_id', clientId),
      equals('s.api_id', api),
      equals('s.state', state),
      equals('s.trusted', trusted),
      equals('s.machine', machine),
      equals('s.device', device),
      equals('(c.origin is not null)', unregistered),
      anyOf(
        search ? sql`s.client_id in (${whereNamed('clients', 'client_id')})` : null,
        search ? sql`s.api_id in (${whereNamed('apis', 'id')})` : null,
        // only for pending requests, because it is too slow for all subscriptions
        state === 'pending' ? containsEmail(search, 'r.email') : null,
      ),
      inRange('s.created_at', requested),
      inRange('s.decided_at', decided),
      isDecidable(decidable),
    ];
  },
});

/** Counts the requests that wait for this approver. Null means an administrator. */
export async function countPending(db: Db, approver: string | null): Promise<number> {
  const where = joinSql([sql`s.state = 'pending'`, isDecidable(approver)], ' and ');
  const row = await readRow(db, { count: 'int' })`
    select count(*)::int as count from subscriptions s join apis a on a.id = s.api_id where ${where}`;
  return row?.count ?? 0;
}

/** Returns the APIs with pending requests for this approver, by name. Null means an administrator. */
export function selectWaitingApis(db: Db, approver: string | null): Promise<{ id: string; name: string }[]> {
  const waits = sql`exists (select from subscriptions s where s.api_id = a.id and s.state = 'pending')`;
  return readRows(db, { id: 'text', name: 'text' })`
    select a.id, a.name from apis a where ${joinSql([waits, isDecidable(approver)], ' and ')}
      order by a.name ${raw(BY_NAME)}, a.id limit 1000`;
}

// Undo of a subscription decision: restores the replaced values and records the time in the history.

const LAST_STEP = {
  id: 'text',
  actor: 'text',
  actorId: 'uuid?',
  /** true: the decision can still be undone */
  undoable: 'boolean',
  /** subscription version after this step */
  version: 'int',
  /** true: the decision is recent enough to be undone */
  inTime: 'boolean',
} as const;
type LastStep = ColdRow<typeof LAST_STEP>;

/** Returns the last step of the subscription. */
export function findLastStep(
  db: Db,
  { clientId, api }: Pair,
  withinSeconds: number,
): Promise<LastStep | null> {
  return readRow(db, LAST_STEP)`
    select id::text, actor, actor_id as "actorId", replaced is not null and undone_at is null as undoable,
        coalesce((replaced->>'version')::int + 1, 0) as version,
        at > clock_timestamp() - make_interval(secs => ${withinSeconds}) as "inTime"
      from subscription_events where client_id = ${clientId} and api_id = ${api} order by id desc limit 1`;
}

const RESTORED = ['state', 'scopes', 'reason', 'decided_by', 'decided_at', ...TERM_NAMES.map(plainName)];

/** Returns false if another writer changed the subscription first. */
export async function undoStep(
  db: Db,
  { clientId, api }: Pair,
  { id, version }: Pick<LastStep, 'id' | 'version'>,
): Promise<boolean> {
  const restored = joinSql(
    RESTORED.map((name) => raw(`${name} = was.${name}`)),
    ', ',
  );
  const undone = db.$executeRaw(sql`update subscriptions s set ${restored}, version = s.version + 1
    from subscription_events e, jsonb_populate_record(null::subscriptions, e.replaced) was
    where e.id = ${id}::bigint and s.client_id = ${clientId} and s.api_id = ${api} and s.version = ${version}`);
  if (!(await some(undone))) return false;
  // restores the request's place in the queue, in a separate statement, because a new state sets the time
  // (touch_updated_at)
  await db.$executeRaw(sql`update subscriptions s set updated_at = (e.replaced->>'updated_at')::timestamptz
    from subscription_events e where e.id = ${id}::bigint and s.client_id = ${clientId} and s.api_id = ${api}`);
  await db.$executeRaw(sql`update subscription_events set undone_at = now() where id = ${id}::bigint`);
  return true;
}

/**
 * Returns true if the client received a code or token at the API since this step. The issuing statement writes the
 * audit event.
 */
export const isUsedSince = (db: Db, { clientId, api }: Pair, stepId: string): Promise<boolean> =>
  some(
    db.$executeRaw(sql`select from audit_events a, subscription_events e
      where e.id = ${stepId}::bigint and a.client_id = ${clientId} and a.api_id = ${api} and a.at >= e.at
        and a.event = any (${GRANT_EVENTS}) limit 1`),
  );
