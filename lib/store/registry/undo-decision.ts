// A decision on a subscription is taken back: what it replaced is there again, and its step in the history says when.
import { plainName } from '#lib/registry/fields/definition.ts';
import { TERM_NAMES } from '#lib/registry/objects/subscription.ts';
import { type Db, first, some } from '../database/prisma.ts';
import { joined, raw, sql } from '../database/sql.ts';

type Pair = { clientId: string; api: string };

export type LastStep = {
  id: string;
  actor: string;
  actorId: string | null;
  /** a decision that has not been taken back */
  undoable: boolean;
  /** of the subscription, once the step was taken */
  version: number;
  /** not longer ago than so many seconds */
  inTime: boolean;
};

/** The last step of its life. */
export function findLastStep(
  db: Db,
  { clientId, api }: Pair,
  withinSeconds: number,
): Promise<LastStep | null> {
  return first(
    db.$queryRaw(sql`select id::text, actor, actor_id as "actorId", replaced is not null and undone_at is null as undoable,
        coalesce((replaced->>'version')::int + 1, 0) as version,
        at > clock_timestamp() - make_interval(secs => ${withinSeconds}) as "inTime"
      from subscription_events where client_id = ${clientId} and api_id = ${api} order by id desc limit 1`),
  );
}

const RESTORED = ['state', 'scopes', 'reason', 'decided_by', 'decided_at', ...TERM_NAMES.map(plainName)];

/** False where another writer was faster. */
export async function undoStep(
  db: Db,
  { clientId, api }: Pair,
  { id, version }: Pick<LastStep, 'id' | 'version'>,
): Promise<boolean> {
  const restored = joined(
    RESTORED.map((name) => raw(`${name} = was.${name}`)),
    ', ',
  );
  const undone = db.$executeRaw(sql`update subscriptions s set ${restored}, version = s.version + 1
    from subscription_events e, jsonb_populate_record(null::subscriptions, e.replaced) was
    where e.id = ${id}::bigint and s.client_id = ${clientId} and s.api_id = ${api} and s.version = ${version}`);
  if (!(await some(undone))) return false;
  // it waits where it waited; a statement of its own, since a new state moves the time (touch_updated_at)
  await db.$executeRaw(sql`update subscriptions s set updated_at = (e.replaced->>'updated_at')::timestamptz
    from subscription_events e where e.id = ${id}::bigint and s.client_id = ${clientId} and s.api_id = ${api}`);
  await db.$executeRaw(sql`update subscription_events set undone_at = now() where id = ${id}::bigint`);
  return true;
}

const GIVEN = ['code.issued', 'token.issued', 'token.refreshed', 'token.exchanged', 'id_jag.issued'];

/** Did the client get a code or a token at the API since this step? Each is in the audit log by the same statement. */
export const isUsedSince = (db: Db, { clientId, api }: Pair, stepId: string): Promise<boolean> =>
  some(
    db.$queryRaw(sql`select from audit_events a, subscription_events e
      where e.id = ${stepId}::bigint and a.client_id = ${clientId} and a.api_id = ${api} and a.at >= e.at
        and a.event = any (${GIVEN}) limit 1`),
  );
