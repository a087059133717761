// Response that contains a preview, shown in a frame of the console. It changes nothing and is only for the signed-in
// user.
import { besideIssuers, plainRequest, requestFacts, webResponse } from '#app/_doors/plain.ts';
import { html } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { findUnstorable } from '#lib/kit/text.ts';
import { wordsOf } from '#lib/language/words.ts';
import { Refused } from '#lib/management/refused.ts';
import { type ConsoleActor, readConsoleActor } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import { NO_SUCH_PAGE, UNREADABLE } from '../../_doors/refusals.ts';

type Preview = { body: string; preview: 'page' | 'mail'; style?: string | undefined };
type Show = (actor: ConsoleActor, query: (name: string) => string | undefined) => Promise<Preview>;

/** Returns the handler that shows a preview. The handler returns 404 without a session or permission. */
export const previewRoute = (show: Show) =>
  besideIssuers(async (request) => {
    const plain = plainRequest(request);
    const { requestId } = plain;
    const https = settings().secureCookies;
    const refuse = (status: number, page: typeof NO_SUCH_PAGE | typeof UNREADABLE) =>
      webResponse(
        html(status, renderPage({ ...page, requestId }, wordsOf('en')), { https, preview: 'page' }),
      );
    const query = new URLSearchParams(plain.query);
    if (findUnstorable([...query])) return refuse(400, UNREADABLE);
    const actor = await readConsoleActor(plain.headers['cookie'], requestFacts(plain));
    if (!actor) return refuse(404, NO_SUCH_PAGE);
    try {
      const { body, ...security } = await show(actor, (name) => query.get(name) ?? undefined);
      return webResponse(html(200, body.replaceAll(AUTOFOCUS, '$1'), { https, ...security }));
    } catch (error) {
      if (error instanceof Refused) return refuse(404, NO_SUCH_PAGE);
      throw error;
    }
  });

/**
 * Matches `autofocus` in HTML, which is removed because browsers complain about autofocus in cross-origin
 * frames.
 */
const AUTOFOCUS = /(<(?:input|button)\b[^>]*?) autofocus=""/gi;

/**
 * HTML that makes the links of a preview inactive: each link opens a window, and the frame's policy blocks
 * windows.
 */
export const LEADS_NOWHERE = '<base target="_blank">\n';
