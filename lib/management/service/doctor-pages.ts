// What of our pages reaches a browser. A proxy that sets `Referrer-Policy: no-referrer` makes browsers send `Origin:
// null` with each form (Fetch §3.2), as a form from elsewhere has it.
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { settings } from '#lib/settings/settings.ts';
import { type Finding, finding, guideAt } from './doctor-finding.ts';

const [ok, warning] = [finding('ok'), finding('warning')];
/** A page with a form, also for who is not signed in. */
const PAGE = '/logout';

export function examinePages(): Promise<Finding[]> {
  const { baseUrl, authUrl } = settings();
  return Promise.all([...new Set([baseUrl, authUrl])].map(examineAt));
}

async function examineAt(origin: string): Promise<Finding> {
  const check = `pages at ${origin}`;
  try {
    // an operator's own name, which may lead here by the inner network
    const answer = await outboundFetch({ allowPrivateNetwork: true })(`${origin}${PAGE}`);
    const policy = effectivePolicy(answer.headers.get('referrer-policy'));
    if (answer.status !== 200) return warning(check, `${PAGE} answers ${answer.status}`);
    if (policy !== 'no-referrer') return ok(check, `Referrer-Policy ${policy ?? 'is missing'}`);
    return warning(
      check,
      `a proxy sets Referrer-Policy: no-referrer, with which browsers send Origin: null: some get 403 for each form; see ${guideAt('deploy-node')}`,
    );
  } catch (error) {
    const { message, cause } = error as Error;
    const code = (cause as { code?: string } | undefined)?.code;
    return warning(check, `${PAGE} does not answer: ${message}${code ? ` (${code})` : ''}`);
  }
}

/** Of several policies the last one counts (Referrer Policy §8.1). */
const effectivePolicy = (header: string | null) => header?.split(',').at(-1)?.trim().toLowerCase();
