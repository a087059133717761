// Pages that work without a script: a route renders their React components to plain markup, and sets the status by itself
// (docs/decisions/0039). Next's own pages bring its scripts along; the console's need them.
import { randomUUID } from 'node:crypto';
import type { ReactNode } from 'react';
import { html, isForFrame, NOT_IN_A_FRAME, renderPage } from '#lib/http/index.ts';
import { log } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { answerAtHost } from '../_host.ts';
import { plainRequest, webResponse } from '../_plain.ts';
import { isReadable, NO_SUCH_PAGE, UNAVAILABLE, UNREADABLE } from './refusals.ts';
import { markupOf } from './render.ts';

export type Visitor<PathParams> = {
  /** a parameter of the query that stands there once */
  query: (name: string) => string | undefined;
  path: PathParams;
  cookie: string | undefined;
  requestId: string;
};

/** `title`: without the product's name; the start page has none. `copies`: it has buttons that copy. */
export type Shown = { status?: 200 | 400; title?: string; content: ReactNode; copies?: boolean };

type Route<PathParams> = (request: Request, context: { params: Promise<PathParams> }) => Promise<Response>;

/**
 * A route's GET. `personal`: the page is not shown in a frame. Null is 404; a page that cannot be made is 503, and what
 * cannot be stored in an address is 400.
 */
export function htmlPage<PathParams = object>(
  show: (visitor: Visitor<PathParams>) => Promise<Shown | null>,
  { personal = false } = {},
): Route<PathParams> {
  return async (request, { params }) => {
    const plain = plainRequest(request);
    const answered = await answerAtHost(plain);
    if (answered) return webResponse(answered);
    const { requestId, path: whole, query, headers } = plain;
    const path = whole.slice(0, 300);
    const respond = (status: number, body: string, { nonce, ...more }: Record<string, string> = {}) =>
      webResponse(
        html(status, body, {
          https: settings().secureCookies,
          ...(nonce === undefined ? {} : { nonce }),
          headers: { 'x-request-id': requestId, ...more },
        }),
      );
    if (personal && isForFrame(headers)) return respond(403, renderPage({ ...NOT_IN_A_FRAME, requestId }));
    const given = new URLSearchParams(query);
    if (!isReadable(whole, given)) return respond(400, renderPage({ ...UNREADABLE, requestId }));
    try {
      const once = (name: string) => {
        const [value, ...more] = given.getAll(name);
        return more.length === 0 ? value : undefined;
      };
      const shown = await show({ query: once, path: await params, cookie: headers['cookie'], requestId });
      const { status = 200 } = shown ?? { status: 404 };
      if (status !== 200) log().info({ request_id: requestId, status, path }, 'a page has nothing to show');
      if (shown === null) return respond(404, renderPage({ ...NO_SUCH_PAGE, requestId }));
      const nonce = shown.copies ? randomUUID() : undefined;
      return respond(status, markupOf(shown, nonce), nonce === undefined ? {} : { nonce });
    } catch (error) {
      log().error({ request_id: requestId, status: 503, path, err: error }, 'a page cannot be shown');
      return respond(503, renderPage({ ...UNAVAILABLE, requestId }), { 'retry-after': '5' });
    }
  };
}
