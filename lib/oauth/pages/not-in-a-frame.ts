// No question is asked inside another page, where a browser would show nothing of it.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { NOT_IN_A_FRAME } from '#lib/http/navigation.ts';
import { renderPage } from '#lib/http/page.ts';
import { html } from '#lib/http/respond.ts';
import { settings } from '#lib/settings/settings.ts';
import { requestWords } from './page-words.ts';

export function notInAFrame(http: HttpRequest): Answer {
  const words = requestWords(http);
  const page = renderPage({ ...NOT_IN_A_FRAME, requestId: http.requestId }, words);
  return html(403, page, { https: settings().secureCookies, words });
}
