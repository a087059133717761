// Device requests (RFC 8628). A device polls with the hash of its device code. A browser finds the request by the keyed
// hash of the typed user code. The first browser in which the code was typed owns the request: every later statement
// names that browser.

import { confirmVersion, SEEN, stands } from '../snapshot.ts';
import { narrowTo, type RowOf, statement } from '../statement.ts';

export type NewDeviceRequest = {
  /** snapshot version of the request */
  version: string;
  deviceCodeHash: Uint8Array;
  typedCodeHmac: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
  issuerHost: string | null;
  query: string;
  askedFrom: string | null;
  /** limit keys that count the pending request */
  attempts: string[];
  intervalSeconds: number;
  seconds: number;
};

const keep = statement({
  name: 'device-request-keep',
  takes: {
    version: 'bigint',
    deviceCodeHash: 'bytea',
    typedCodeHmac: 'bytea',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    issuerHost: 'text?',
    query: 'text',
    askedFrom: 'text?',
    attempts: 'text[]',
    intervalSeconds: 'int',
    seconds: 'int',
  },
  returns: { ...SEEN, kept: 'boolean' },
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), kept as (
  insert into device_requests (device_code_hash, user_code_hmac, client_id, api_id, auth_method_id, issuer_host, query,
    asked_from, attempts, interval_seconds, expires_at)
  select ${value.deviceCodeHash}, ${value.typedCodeHmac}, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.issuerHost}, ${value.query},
    ${value.askedFrom}, ${value.attempts}, ${value.intervalSeconds}, now() + make_interval(secs => ${value.seconds})
  from asked where stands
  on conflict (user_code_hmac) do nothing
  returning 1
)
select version::text, stands, exists (select from kept) as kept from asked`,
});

/**
 * Returns false if a pending device has the same user code. Throws RegistryChanged if the registry changed since the
 * request.
 */
export async function keepDeviceRequest(request: NewDeviceRequest): Promise<boolean> {
  const askedAt = performance.now();
  const [row] = await keep(request);
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  return row.kept;
}

const SHOWN = `device_code_hash as "deviceCodeHash", client_id as "clientId", api_id as "apiId",
  auth_method_id as "authMethodId", query, asked_from as "askedFrom", asked_at as "askedAt",
  greatest(1, extract(epoch from expires_at - now()))::int as "secondsLeft"`;
const RETURNS = {
  deviceCodeHash: 'bytea',
  clientId: 'text',
  apiId: 'text',
  authMethodId: 'text',
  query: 'text',
  askedFrom: 'text?',
  askedAt: 'timestamptz',
  /** remaining seconds; at least one while the request is pending */
  secondsLeft: 'int',
} as const;
const WAITS = 'decision is null and expires_at > now()';

const claim = statement({
  name: 'device-request-claim',
  takes: { typedCodeHmacs: 'bytea[]', browserHash: 'bytea' },
  returns: RETURNS,
  text: (value) => `update device_requests set browser_hash = ${value.browserHash}
where user_code_hmac = any (${value.typedCodeHmacs}) and ${WAITS}
  and (browser_hash is null or browser_hash = ${value.browserHash})
returning ${SHOWN}`,
});

export type DeviceRequest = RowOf<typeof claim>;

/**
 * Finds the pending request for a typed code and binds it to this browser; null: unknown code, or bound to a
 * different browser.
 */
export async function claimDeviceRequest(
  typedCodeHmacs: readonly Uint8Array[],
  browserHash: Uint8Array,
): Promise<DeviceRequest | null> {
  const [row] = await claim({ typedCodeHmacs: [...typedCodeHmacs], browserHash });
  return row ?? null;
}

type OfBrowser = { deviceCodeHash: Uint8Array; browserHash: Uint8Array };

const find = statement({
  name: 'device-request-find',
  takes: { deviceCodeHash: 'bytea', browserHash: 'bytea' },
  returns: RETURNS,
  text: (value) => `select ${SHOWN} from device_requests
where device_code_hash = ${value.deviceCodeHash} and browser_hash = ${value.browserHash} and ${WAITS}`,
});

/** Returns null if the request has expired, was decided, or is bound to a different browser. */
export async function findDeviceRequest(of: OfBrowser): Promise<DeviceRequest | null> {
  const [row] = await find(of);
  return row ?? null;
}

const decide = statement({
  name: 'device-request-decide',
  takes: {
    deviceCodeHash: 'bytea',
    browserHash: 'bytea',
    givenCodeHash: 'bytea?',
    personId: 'uuid?',
    requestId: 'text',
    ip: 'text?',
  },
  returns: { askedFrom: 'text?', attempts: 'text[]' },
  text: (value) => `
with decided as (
  update device_requests set given_code_hash = ${value.givenCodeHash},
    decision = case when ${value.givenCodeHash} is null then 'denied' else 'allowed' end
  where device_code_hash = ${value.deviceCodeHash} and browser_hash = ${value.browserHash} and ${WAITS}
  returning client_id, api_id, auth_method_id, decision, asked_from, attempts
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select case decision when 'allowed' then 'device.allowed' else 'device.denied' end, ${value.personId}, client_id, api_id, auth_method_id, ${value.requestId}, ${value.ip},
    jsonb_strip_nulls(jsonb_build_object('from', asked_from)) from decided
)
select asked_from as "askedFrom", attempts from decided`,
});

/**
 * Stores the user's denial, or the approval with the hash of the resulting code. Returns null without a change if the
 * request expired or was already decided.
 */
export async function decideDeviceRequest(
  decision: OfBrowser & {
    givenCodeHash: Uint8Array | null;
    personId: string | null;
    requestId: string;
    ip: string | null;
  },
): Promise<RowOf<typeof decide> | null> {
  const [row] = await decide(decision);
  return row ?? null;
}

const poll = statement({
  name: 'device-request-poll',
  takes: { deviceCodeHash: 'bytea' },
  returns: {
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    issuerHost: 'text?',
    decision: narrowTo<'allowed' | 'denied'>('text?'),
    givenCodeHash: 'bytea?',
    isExpired: 'boolean',
    intervalSeconds: 'int',
    /** milliseconds since 1970, by the database's clock; null: no process has recorded a poll */
    polledAt: 'float8?',
    polledNow: 'float8',
  },
  text: (value) => `select client_id as "clientId", api_id as "apiId", auth_method_id as "authMethodId",
  issuer_host as "issuerHost", decision, given_code_hash as "givenCodeHash", expires_at <= now() as "isExpired",
  interval_seconds as "intervalSeconds", (extract(epoch from polled_at) * 1000)::float8 as "polledAt",
  (extract(epoch from now()) * 1000)::float8 as "polledNow"
from device_requests where device_code_hash = ${value.deviceCodeHash}`,
});

export type PolledDevice = RowOf<typeof poll>;

/** Returns the state of the request for a poll; writes nothing. */
export async function pollDeviceRequest(deviceCodeHash: Uint8Array): Promise<PolledDevice | null> {
  const [row] = await poll({ deviceCodeHash });
  return row ?? null;
}

const note = statement({
  name: 'device-request-note-poll',
  takes: { deviceCodeHash: 'bytea', intervalSeconds: 'int', polledAt: 'float8' },
  text: (
    value,
  ) => `update device_requests set interval_seconds = greatest(interval_seconds, ${value.intervalSeconds}),
  polled_at = greatest(polled_at, to_timestamp(${value.polledAt} / 1000))
where device_code_hash = ${value.deviceCodeHash}`,
});

/** Stores the time of the last accepted poll and a longer interval, for other processes. */
export async function noteDevicePoll(polled: {
  deviceCodeHash: Uint8Array;
  intervalSeconds: number;
  polledAt: number;
}): Promise<void> {
  await note(polled);
}
