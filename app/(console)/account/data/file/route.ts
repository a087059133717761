// GET /account/data/file: all stored data of the signed-in user, as a file.

import { besideIssuers, plainRequest, requestFacts, webResponse } from '#app/_doors/plain.ts';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { redirect } from '#lib/http/message.ts';
import { readMyData } from '#lib/management/my-account.ts';
import { Refused } from '#lib/management/refused.ts';
import { readConsoleActor } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';

export const dynamic = 'force-dynamic';

const PAGE = '/account/data';

export const GET = besideIssuers(async (request) => {
  const plain = plainRequest(request);
  const actor = await readConsoleActor(plain.headers['cookie'], requestFacts(plain));
  // redirect of signed-out or disabled users to the page, which reports their state
  if (!actor) return goTo(PAGE);
  try {
    const headers = {
      'content-type': 'application/json',
      'content-disposition': 'attachment; filename="my-data.json"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    return webResponse({ status: 200, headers, pieces: await readMyData(actor) });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return goTo(error.kind === 'reauthenticate' ? withQuery('/account/again', { to: PAGE }) : PAGE);
  }
});

const goTo = (to: string) => webResponse(redirect(303, `${settings().baseUrl}${to}`));
