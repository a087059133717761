// No question is asked inside another page, where a browser would show nothing of it.
import { type Answer, type HttpRequest, html, NOT_IN_A_FRAME, renderPage } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import { requestWords } from './page-words.ts';

export function notInAFrame(http: HttpRequest): Answer {
  const words = requestWords(http);
  const page = renderPage({ ...NOT_IN_A_FRAME, requestId: http.requestId }, words);
  return html(403, page, { https: settings().secureCookies, words });
}
