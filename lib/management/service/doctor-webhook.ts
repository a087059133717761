// Does a server answer at AUDIT_WEBHOOK_URL? It is asked without an event: the console's test sends one.
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { settings } from '#lib/settings/settings.ts';
import { type Finding, finding } from './doctor-finding.ts';

const CHECK = 'audit webhook';

/** Nothing where no webhook is set. */
export async function examineWebhook(): Promise<Finding[]> {
  const { webhook } = settings();
  if (webhook === null) return [];
  const { url, allowPrivateNetwork } = webhook;
  try {
    const { status } = await outboundFetch({ allowPrivateNetwork })(url);
    if (status >= 500) return [finding('broken')(CHECK, `${url} answers ${status}`)];
    // a receiver that takes POST only answers 405, one behind a login 401
    const state = status === 404 || status === 410 ? 'warning' : 'ok';
    return [finding(state)(CHECK, `${url} answers ${status} to a GET; its signature was not tried`)];
  } catch (error) {
    const reason = error instanceof OutboundFailed ? error.reason : (error as Error).message;
    return [finding('broken')(CHECK, `${url} does not answer: ${reason}`)];
  }
}
