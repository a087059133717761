// Authorize requests whose people are at a broker, by `state`. A state works once; one statement uses it, so of two parallel
// callbacks exactly one goes on. Callers hash the state and seal the request.
import { query } from '../database/index.ts';

export type NewBrokerState = {
  stateHash: Uint8Array;
  authMethodId: string;
  browserHash: Uint8Array;
  sealedRequest: string;
  seconds: number;
};

export async function keepBrokerState(state: NewBrokerState): Promise<void> {
  await query({
    name: 'broker-state-keep',
    text: `insert into broker_states (state_hash, auth_method_id, browser_hash, sealed_request, expires_at)
values ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    values: [state.stateHash, state.authMethodId, state.browserHash, state.sealedRequest, state.seconds],
  });
}

export type KeptBrokerState = { browserHash: Uint8Array; sealedRequest: string; used: boolean };

/** The request under a state, also a used one; null: unknown or expired. */
export async function findBrokerState(stateHash: Uint8Array): Promise<KeptBrokerState | null> {
  const [row] = await query<KeptBrokerState>({
    name: 'broker-state-find',
    text: `select browser_hash as "browserHash", sealed_request as "sealedRequest", used_at is not null as used
from broker_states where state_hash = $1 and expires_at > now()`,
    values: [stateHash],
  });
  return row ?? null;
}

/** Uses the state; false: it was used before, or has expired. */
export async function takeBrokerState(stateHash: Uint8Array): Promise<boolean> {
  const rows = await query({
    name: 'broker-state-take',
    text: `update broker_states set used_at = now()
where state_hash = $1 and used_at is null and expires_at > now() returning 1`,
    values: [stateHash],
  });
  return rows.length === 1;
}
