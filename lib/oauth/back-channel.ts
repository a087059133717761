// Back-channel logout (OpenID Connect Back-Channel Logout 1.0): sends queued logout tokens. Calls run in parallel with
// a small limit per client. A slow client delays neither other clients nor the sign-out.

import { randomUUID } from 'node:crypto';
import { currentKey } from '#lib/keys/keys.ts';
import { now, nowSeconds } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { inBackground, processWide } from '#lib/kit/process.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  claimLogoutDeliveries,
  dropLogoutDelivery,
  giveUpLogoutDelivery,
  isLogoutDeliveryWanted,
  type LogoutDelivery,
  postponeLogoutDelivery,
} from '#lib/store/logout-deliveries.ts';
import {
  currentSnapshot,
  type Snapshot,
  type SnapshotApi,
  type SnapshotClient,
} from '#lib/store/snapshot.ts';
import { signCompact } from '#lib/tokens/jws.ts';
import { heardBy, issuerUrl, sessionHeardBy } from './issuer.ts';
import { idTokenAlg } from './rules.ts';

// The logout token (OpenID Connect Back-Channel Logout §2.4) identifies the user who signed out, and the session. Each
// attempt uses a new token.

/** `typ` of logout tokens. It distinguishes them from ID tokens and access tokens (§4: explicit typing). */
const LOGOUT_TOKEN_TYPE = 'logout+jwt';
const LIFETIME_SECONDS = 120;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

async function signLogoutToken(
  { clientId, authMethodId, personId, sid, issuerHost }: LogoutDelivery,
  client: SnapshotClient,
  { api, snapshot }: { api: SnapshotApi; snapshot: Snapshot },
): Promise<string> {
  const key = await currentKey(idTokenAlg(api, client), snapshot);
  const issuedAt = nowSeconds();
  const payload = {
    // the issuer that issued the client's tokens, even if its host was removed since
    iss: issuerHost || issuerUrl(authMethodId, api.id),
    sub: await heardBy(client, personId, { api, snapshot }),
    aud: clientId,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: randomUUID(),
    events: { [EVENT]: {} },
    sid: await sessionHeardBy(client, sid, { api, snapshot }),
  };
  return signCompact(LOGOUT_TOKEN_TYPE, payload, key);
}

const EVERY_MS = 1_000;
const AT_ONCE = 64;
const OF_EACH = 4;
const GIVE_UP_MS = 86_400_000;
/** Faults that a retry cannot change. */
const FINAL: readonly string[] = ['redirect', 'private-address', 'insecure', 'bad-answer', 'too-large'];

type Telling = {
  /** the running deliveries, each with the id of its client */
  underWay: Map<Promise<void>, string>;
  running: Promise<void> | null;
  /** true: since the last time this process claimed deliveries, more may have become due */
  nudged: boolean;
  wake: () => void;
};

// one state per process, shared by both HTTP listeners
const slot = processWide<Telling>('back-channel');

function telling(): Telling {
  slot.value ??= { underWay: new Map(), running: null, nudged: false, wake: () => {} };
  return slot.value;
}

/** Sends all due logout tokens. Resolves when no further delivery is possible now. Several instances share the work. */
export function deliverLogouts(): Promise<void> {
  const queue = telling();
  queue.nudged = true;
  queue.wake();
  queue.running ??= run(queue).finally(() => {
    queue.running = null;
  });
  return queue.running;
}

/** Starts the deliveries of logout tokens in the background. */
export function deliverLogoutsSoon(): void {
  inBackground(
    deliverLogouts().catch((error: Error) =>
      log().warn({ reason: error.message }, 'back-channel logout waits'),
    ),
  );
}

/** Starts the timer that sends due logout tokens. Returns a function that stops the timer. */
export function startBackChannel(): () => void {
  const timer = setInterval(deliverLogoutsSoon, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Waits for the running deliveries before the process ends. */
export async function settleLogouts(): Promise<void> {
  await Promise.all(telling().underWay.keys());
}

async function run(telling: Telling): Promise<void> {
  const { underWay } = telling;
  while (telling.nudged || underWay.size > 0) {
    telling.nudged = false;
    const woken = new Promise<void>((resolve) => {
      telling.wake = resolve;
    });
    const limit = AT_ONCE - underWay.size;
    const claim = { limit, ofEach: OF_EACH, underWay: [...underWay.values()] };
    const due = limit > 0 ? await claimLogoutDeliveries(claim) : [];
    for (const delivery of due) begin(telling, delivery);
    if (underWay.size > 0 && !telling.nudged) await Promise.race([woken, ...underWay.keys()]);
  }
}

function begin(telling: Telling, delivery: LogoutDelivery): void {
  const deliveryPromise = attempt(delivery)
    .catch((error: Error) => log().warn({ reason: error.message }, 'a client was not told of a sign-out yet'))
    .finally(() => {
      telling.underWay.delete(deliveryPromise);
      // the limit now allows the client’s next delivery
      telling.nudged = true;
    });
  telling.underWay.set(deliveryPromise, delivery.clientId);
}

async function attempt(delivery: LogoutDelivery): Promise<void> {
  const { id, clientId, attempts } = delivery;
  const snapshot = await currentSnapshot();
  // checked after the snapshot was read, so that the client’s subject matches the row
  if (!(await isLogoutDeliveryWanted(id))) return;
  const client = snapshot.clients.get(clientId);
  const api = snapshot.apis.get(delivery.apiId);
  const address = client?.backchannelLogoutUri;
  // the address was removed, the client disabled, or the issuer deleted
  if (!address || client.disabled || !api) return dropLogoutDelivery(id);
  const answer = await signLogoutToken(delivery, client, { api, snapshot }).then(
    (token) => post(address, token),
    (error: Error): Told => ({ kind: 'later', reason: `the logout token was not signed: ${error.message}` }),
  );
  if (answer.kind === 'done') return dropLogoutDelivery(id);
  const late = now().getTime() - delivery.createdAt.getTime() >= GIVE_UP_MS;
  const { reason, status } = answer;
  log().info({ client_id: clientId, reason, status, attempts }, 'a client was not told of a sign-out');
  if (answer.kind === 'later' && !late) return postponeLogoutDelivery(id);
  return giveUpLogoutDelivery(id, { reason, attempts, ...(status === undefined ? {} : { status }) });
}

type Told = { kind: 'done' } | { kind: 'later' | 'refused'; reason: string; status?: number };

/** Posts a logout token (Back-Channel Logout §2.5, §2.8). */
async function post(address: string, token: string): Promise<Told> {
  try {
    const call = outboundFetch({ allowPrivateNetwork: settings().clientDocumentsPrivateNetwork });
    const { status } = await call(address, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `logout_token=${token}`,
    });
    if (status === 200 || status === 204) return { kind: 'done' };
    const later = status === 429 || status >= 500;
    return { kind: later ? 'later' : 'refused', reason: `the client answered ${status}`, status };
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    return { kind: FINAL.includes(error.reason) ? 'refused' : 'later', reason: error.message };
  }
}
