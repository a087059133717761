// Sends selected events to a URL of the operator: signed, in order, and at least once. The signature follows the
// Standard Webhooks specification (webhook-id, webhook-timestamp, webhook-signature).
import { createHmac } from 'node:crypto';
import { now, nowSeconds } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { randomToken } from '#lib/kit/random.ts';
import { toWire } from '#lib/kit/wire.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { settings, type Webhook } from '#lib/settings/settings.ts';
import {
  type AuditRecord,
  advanceWebhook,
  leaseWebhook,
  postponeWebhook,
  releaseWebhook,
  selectAuditEvents,
} from '#lib/store/audit.ts';

const EVERY_MS = 2_000;
const BATCH = 100;
/** Age in milliseconds from which events are sent: all older transactions have ended, so no older event can follow. */
const SETTLED_MS = 15_000;

type Delivery = { settledMs?: number; budgetMs?: number };

/**
 * If this instance gets the lease, sends all events that are due; after `budgetMs` it starts no further event.
 * Returns the number of accepted events.
 */
export async function deliverEvents({
  settledMs = SETTLED_MS,
  budgetMs = Number.POSITIVE_INFINITY,
}: Delivery = {}): Promise<number> {
  const end = performance.now() + budgetMs;
  const { webhook } = settings();
  if (webhook === null) return 0;
  let afterId = await leaseWebhook();
  if (afterId === null) return 0;
  let accepted = 0;
  while (performance.now() < end) {
    const until = new Date(nowSeconds() * 1000 + 1_000 - settledMs);
    const batch = await selectAuditEvents({ afterId, until, limit: BATCH });
    for (const event of batch) {
      if (performance.now() >= end) break;
      if (isChosen(event.event, webhook.events)) {
        if (!(await post(webhook, event))) {
          await postponeWebhook();
          return accepted;
        }
        accepted += 1;
      }
      await advanceWebhook(event.id);
      afterId = event.id;
    }
    if (batch.length < BATCH) break;
  }
  await releaseWebhook();
  return accepted;
}

/**
 * Returns true if the webhook sends this event. `chosen` contains names (`token.reused`) and prefixes that end
 * with a dot (`subscription.`).
 */
export function isChosen(event: string, chosen: readonly string[]): boolean {
  return chosen.some((name) => (name.endsWith('.') ? event.startsWith(name) : event === name));
}

/** Sends a test event, which is signed like all events and not stored. `null`: no webhook is configured. */
export function webhookTest() {
  const { webhook } = settings();
  if (webhook === null) return null;
  const event: AuditRecord = {
    id: '0',
    at: now(),
    event: 'connection.tested',
    ...{ actor: 'system', personId: null, clientId: null, apiId: null, authMethodId: null },
    ...{ requestId: null, ip: null },
    details: { what: 'audit-webhook', outcome: 'test' },
  };
  return { ...webhook, ...signEvent(webhook, `test-${randomToken('')}`, event) };
}

function signEvent({ secret }: Webhook, id: string, event: AuditRecord) {
  const timestamp = String(nowSeconds());
  const body = JSON.stringify(toWire(event));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  return { headers, body };
}

async function post(webhook: Webhook, event: AuditRecord): Promise<boolean> {
  const id = `audit-${event.id}`;
  try {
    const call = outboundFetch({ allowPrivateNetwork: webhook.allowPrivateNetwork });
    const answer = await call(webhook.url, { method: 'POST', ...signEvent(webhook, id, event) });
    if (answer.ok) return true;
    log().warn({ status: answer.status, event: id }, 'the webhook refused an event; it will be sent again');
  } catch (error) {
    log().warn(
      { reason: (error as Error).message, event: id },
      'the webhook was not reached; it will be tried again',
    );
  }
  return false;
}

/** Starts sending if a webhook is configured. Returns a function that stops it. */
export function startWebhook(): () => void {
  if (settings().webhook === null) return () => {};
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    deliverEvents()
      .catch((error: Error) => log().warn({ reason: error.message }, 'the webhook waits'))
      .finally(() => {
        busy = false;
      });
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
