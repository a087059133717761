// Each step of a subscription's life is in the audit log, with who and why.
import type { EventName } from '#lib/audit/index.ts';
import type { Db } from '#lib/store/index.ts';
import type { Actor } from './policy.ts';
import { record } from './record.ts';

export type Pair = { clientId: string; api: string };

export function recordStep(
  db: Db,
  actor: Actor,
  event: EventName & `subscription.${string}`,
  pair: Pair,
  details: { from: string | null; to: string; trusted: boolean; scopes: string[]; reason?: string },
): Promise<void> {
  return record(actor, { event, clientId: pair.clientId, apiId: pair.api, details }, db);
}
