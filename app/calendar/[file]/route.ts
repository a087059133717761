// GET {base_url}/calendar/TOKEN.ics: what expires, for a calendar program, which has no sign-in. The address is the
// right to read it.
import { NO_STORE } from '#app/_doors/bearer.ts';
import { besideIssuers } from '#app/_doors/host.ts';
import { plainRequest, requestFacts } from '#app/_doors/plain.ts';
import { readCalendar } from '#lib/management/index.ts';

export const dynamic = 'force-dynamic';

const HEADERS = { ...NO_STORE, 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' };
const FILE = /^\/calendar\/([\w-]{43})\.ics$/;

export const GET = besideIssuers(async (request) => {
  const asked = plainRequest(request);
  const token = FILE.exec(asked.path)?.[1];
  const answer = token === undefined ? null : await readCalendar(token, requestFacts(asked));
  if (answer?.kind === 'slow-down') {
    const headers = { ...HEADERS, 'retry-after': String(answer.retryAfterSeconds) };
    return Response.json({ error: 'slow_down' }, { status: 429, headers });
  }
  if (answer?.kind !== 'file')
    return Response.json({ error: 'not_found' }, { status: 404, headers: HEADERS });
  return new Response(answer.text, {
    headers: {
      ...HEADERS,
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'inline; filename="expires.ics"',
    },
  });
});
