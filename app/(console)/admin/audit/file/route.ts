// GET /admin/audit/file: the events that match the filters of the page, as CSV or JSON.
import { readQuery } from '#app/_components/page-input.ts';
import { besideIssuers, plainRequest, requestFacts, webResponse } from '#app/_doors/plain.ts';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { redirect } from '#lib/http/message.ts';
import { now } from '#lib/kit/clock.ts';
import { exportAudit } from '#lib/management/audit.ts';
import { Refused } from '#lib/management/refused.ts';
import { readConsoleActor } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import { givenOf, understand } from '../filter.tsx';

export const dynamic = 'force-dynamic';

const PAGE = '/admin/audit';
const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json' } as const;

export const GET = besideIssuers(async (request) => {
  const plain = plainRequest(request);
  const parameters = Object.fromEntries(new URLSearchParams(plain.query));
  const query = await readQuery(Promise.resolve(parameters));
  const filterValues = givenOf(query);
  // if the session, the permission or a valid filter is missing, redirects to the page, which shows the reason
  const page = withQuery(PAGE, filterValues);
  const actor = await readConsoleActor(plain.headers['cookie'], requestFacts(plain));
  if (!actor) return goTo(page);
  const form = query['form'] === 'json' ? 'json' : 'csv';
  try {
    const { filter, faults } = await understand(actor, filterValues);
    if (faults.length > 0) return goTo(page);
    const day = now().toISOString().slice(0, 10);
    const headers = {
      'content-type': TYPES[form],
      'content-disposition': `attachment; filename="audit-${day}.${form}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    return webResponse({ status: 200, headers, pieces: await exportAudit(actor, { filter, form }) });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return goTo(page);
  }
});

const goTo = (to: string) => webResponse(redirect(303, `${settings().baseUrl}${to}`));
