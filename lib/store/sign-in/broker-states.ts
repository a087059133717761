// Authorize requests whose people are at a broker, by `state`. A state works once; one statement uses it, so of two
// parallel callbacks exactly one continues. Callers hash the state and seal the request.
import { statement } from '../database/statement.ts';

export type NewBrokerState = {
  stateHash: Uint8Array;
  authMethodId: string;
  browserHash: Uint8Array;
  sealedRequest: string;
  seconds: number;
};

const brokerStateKeep = statement({
  name: 'broker-state-keep',
  takes: {
    stateHash: 'bytea',
    authMethodId: 'text',
    browserHash: 'bytea',
    sealedRequest: 'text',
    seconds: 'float8',
  },
  text: (
    value,
  ) => `insert into broker_states (state_hash, auth_method_id, browser_hash, sealed_request, expires_at)
values (${value.stateHash}, ${value.authMethodId}, ${value.browserHash}, ${value.sealedRequest}, now() + make_interval(secs => ${value.seconds}))`,
});

export async function keepBrokerState(state: NewBrokerState): Promise<void> {
  await brokerStateKeep(state);
}

export type KeptBrokerState = { browserHash: Uint8Array; sealedRequest: string; used: boolean };

const brokerStateFind = statement({
  name: 'broker-state-find',
  takes: { stateHash: 'bytea' },
  text: (
    value,
  ) => `select browser_hash as "browserHash", sealed_request as "sealedRequest", used_at is not null as used
from broker_states where state_hash = ${value.stateHash} and expires_at > now()`,
});

/** The request under a state, also a used one; null: unknown or expired. */
export async function findBrokerState(stateHash: Uint8Array): Promise<KeptBrokerState | null> {
  const [row] = await brokerStateFind<KeptBrokerState>({ stateHash });
  return row ?? null;
}

const brokerStateTake = statement({
  name: 'broker-state-take',
  takes: { stateHash: 'bytea' },
  text: (value) => `update broker_states set used_at = now()
where state_hash = ${value.stateHash} and used_at is null and expires_at > now() returning 1`,
});

/** Uses the state; false: it was used before, or has expired. */
export async function takeBrokerState(stateHash: Uint8Array): Promise<boolean> {
  const rows = await brokerStateTake({ stateHash });
  return rows.length === 1;
}
