// Subscriptions: found, and taken from state to state. Each step compares and sets the version, and leaves its
// line in subscription_events.
import type { BrandValues } from '#lib/registry/brand/brand.ts';
import type { ClientKind } from '#lib/registry/clients/client.ts';
import { BROKER_CLAIMS } from '#lib/registry/fields/claims.ts';
import { plainName } from '#lib/registry/fields/definition.ts';
import type { RequiredClaim } from '#lib/registry/fields/required-claim.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import type { AuthMethodValues } from '#lib/registry/objects/auth-method.ts';
import {
  type SubscriptionRow,
  subscriptionTerms,
  type TermsChange,
  termsNamed,
} from '#lib/registry/objects/subscription.ts';
import type { Powers, SubscriptionState } from '#lib/registry/objects/subscription-states.ts';
import { type Db, first, some } from '../database/prisma.ts';
import {
  assigned,
  columnsOf,
  columnText,
  displayed,
  inserted,
  jsonValue,
  raw,
  type Stored,
  selected,
  sql,
} from '../database/sql.ts';
import { dropFormerTokens, endTokens } from '../endings/endings.ts';
import { API_SCOPES } from './apis.ts';
import { CLIENT_KIND } from './clients.ts';

/** Who asks for one that waits is counted so far: a page needs no more. */
const MOST_ASKERS = 1_000;

const TERMS = selected(columnsOf(subscriptionTerms, []), 's').text;

const termColumns = (terms: TermsChange): Stored =>
  Object.fromEntries(termsNamed(terms).map(([name, value]) => [plainName(name), columnText(value)]));

/** SQL: a SubscriptionRow, and its tables. */
export const SUBSCRIPTION_ROWS =
  raw(`s.client_id as "clientId", c.name as "clientName", ${displayed('c.name')} as "clientNames",
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
  return first(
    db.$queryRaw(sql`select ${SUBSCRIPTION_ROWS} where s.client_id = ${clientId} and s.api_id = ${api}`),
  );
}

/** A client's or an API's, in any state. */
export function selectSubscriptionsOf(
  db: Db,
  asked: { clientId: string } | { api: string },
): Promise<SubscriptionRow[]> {
  const whose = 'api' in asked ? sql`s.api_id = ${asked.api}` : sql`s.client_id = ${asked.clientId}`;
  return db.$queryRaw(
    sql`select ${SUBSCRIPTION_ROWS} where ${whose} order by s.client_id, s.api_id limit 10000`,
  );
}

export type SubscriptionStep = Powers & {
  at: Date;
  from: SubscriptionState | null;
  to: SubscriptionState;
  scopes: string[];
  redirectUris: string[];
  clientKind: ClientKind;
  clientBrand: BrandValues | null;
  actor: string;
  reason: string | null;
  /** when the decision was taken back; null: it was not */
  undoneAt: Date | null;
};

type Pair = { clientId: string; api: string };

const STEPS =
  raw(`e.at, e.from_state as "from", e.to_state as "to", e.trusted, e.machine, e.device, e.scopes, e.redirect_uris as "redirectUris",
  e.client_kind as "clientKind", e.client_brand as "clientBrand", e.actor, e.reason, e.undone_at as "undoneAt"`);

/** The lives of these, each in order. */
export async function selectStepsOf(db: Db, pairs: readonly Pair[]): Promise<SubscriptionStep[][]> {
  const [clients, apis] = [pairs.map(({ clientId }) => clientId), pairs.map(({ api }) => api)];
  const steps = await db.$queryRaw<(SubscriptionStep & { at_pair: number })[]>(
    sql`select q.n::int as at_pair, ${STEPS} from subscription_events e
      join unnest(${clients}::text[], ${apis}::text[]) with ordinality as q (client_id, api_id, n) using (client_id, api_id)
      order by e.id`,
  );
  const lives = pairs.map((): SubscriptionStep[] => []);
  for (const { at_pair: at, ...step } of steps) lives[at - 1]?.push(step);
  return lives;
}

/** Its life, in order. */
export async function selectSubscriptionSteps(
  db: Db,
  clientId: string,
  api: string,
): Promise<SubscriptionStep[]> {
  const [steps = []] = await selectStepsOf(db, [{ clientId, api }]);
  return steps;
}

/** Terms that are left out stay as they are. */
export type Step = Powers &
  TermsChange & {
    to: SubscriptionState;
    scopes: string[];
    reason: string | null;
    /** who decided, null: the operator; left out: this is no decision */
    decidedBy?: string | null | undefined;
    /** who asks for it, null: no person; left out: the last one */
    requestedBy?: string | null;
    /** left out: the one that is there */
    message?: string | null;
    /** the author of the step, for the history */
    actor: string;
    actorId: string | null;
    /** a decision that may be taken back: the step keeps what it replaces */
    undoable?: boolean;
  };

/** `before`: what was read of it, null: it is not there yet. */
type Before = (Powers & { version: number; state: SubscriptionState }) | null;

/**
 * Takes the subscription from what was read of it to the next step, or makes it; false where another writer was faster.
 * A rejected or revoked one ends all its tokens, trust that is taken away those that rest on it.
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
      ? await first<{ row: object }>(
          db.$queryRaw(sql`select to_jsonb(s) - '{epoch,trust_epoch,machine_epoch,device_epoch,message}'::text[] as row
            from subscriptions s where client_id = ${clientId} and api_id = ${api}`),
        )
      : null;
  const done = before
    ? sql`update subscriptions set ${assigned(row)}, version = version + 1
        where client_id = ${clientId} and api_id = ${api} and version = ${before.version}`
    : sql`insert into subscriptions ${inserted({ ...id, ...row })} on conflict do nothing`;
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

/** Names of claims that the API's methods give, by their maps and by what a broker says without one. */
export async function selectClaimsAt(db: Db, api: string): Promise<string[]> {
  const rows = await db.$queryRaw<
    { type: string; claims: Record<string, string> | null }[]
  >(sql`select m.type, m.config -> 'claims' as claims from combinations c join auth_methods m on m.id = c.auth_method_id
      where c.api_id = ${api}`);
  return rows.flatMap(({ type, claims }) => [
    ...Object.keys(claims ?? {}),
    ...(methodCan({ type }, 'tellsProfile') ? BROKER_CLAIMS : []),
  ]);
}

/** The sign-in methods of the API, whole. */
export const selectMethodsAt = (db: Db, api: string): Promise<AuthMethodValues[]> =>
  db.$queryRaw(sql`select m.id, m.type, m.name, m.config from combinations c join auth_methods m on m.id = c.auth_method_id
    where c.api_id = ${api} order by c.position, m.id`);

export type RequiredClaimAt = { clientId: string; apiId: string; requiredClaim: RequiredClaim };

/** Of approved and suspended subscriptions: to one API, to every API with a method, or all. */
export const selectRequiredClaims = (
  db: Db,
  of: { api?: string; method?: string } = {},
): Promise<RequiredClaimAt[]> =>
  db.$queryRaw(sql`select client_id as "clientId", api_id as "apiId", required_claim as "requiredClaim" from subscriptions
    where required_claim is not null and state in ('approved', 'suspended')
      and (${of.api ?? null}::text is null or api_id = ${of.api ?? null})
      and (${of.method ?? null}::text is null
        or api_id in (select c.api_id from combinations c where c.auth_method_id = ${of.method ?? null}))
    order by client_id, api_id`);

/** Only the message: no step, so the version stays. */
export async function setSubscriptionMessage(
  db: Db,
  { clientId, api }: Pair,
  message: string | null,
): Promise<void> {
  await db.subscription.updateMany({ where: { clientId, apiId: api }, data: { message } });
}
