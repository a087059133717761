// GET /account/data/file: all that is kept of whoever is signed in, as a file.

import { besideIssuers } from '#app/_host.ts';
import { plainRequest, requestFacts, webResponse } from '#app/_plain.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import { redirect } from '#lib/http/index.ts';
import { log } from '#lib/kit/index.ts';
import { Refused, readMyData } from '#lib/management/index.ts';
import { readConsoleActor } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';

export const dynamic = 'force-dynamic';

const PAGE = '/account/data';

export const GET = besideIssuers(async (request) => {
  const plain = plainRequest(request);
  const actor = await readConsoleActor(plain.headers['cookie'], requestFacts(plain));
  // who is signed out, or cannot come in any more, is told so by the page
  if (!actor) return goTo(PAGE);
  try {
    return new Response(streamOf(await readMyData(actor)), {
      headers: {
        'content-type': 'application/json',
        'content-disposition': 'attachment; filename="my-data.json"',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return goTo(error.kind === 'reauthenticate' ? withQuery('/account/again', { to: PAGE }) : PAGE);
  }
});

const goTo = (to: string) => webResponse(redirect(303, `${settings().baseUrl}${to}`));

/** Takes the next piece when there is room for it. A download that breaks off is no JSON, so nobody takes it for the whole. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        log().error({ err: error }, 'a download of what is kept of somebody broke off');
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
