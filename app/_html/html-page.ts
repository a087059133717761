// Pages that work without a script: a route renders their React components to HTML and sets the status itself
// (docs/project/decisions/0010). Next's own pages include scripts of Next, which only the console needs.
import { randomUUID } from 'node:crypto';
import type { ReactNode } from 'react';
import { callerAddress } from '#lib/http/forwarding.ts';
import { html, redirect } from '#lib/http/message.ts';
import { isForFrame, mayKeepChoice, NOT_IN_A_FRAME } from '#lib/http/navigation.ts';
import { renderPage } from '#lib/http/page.ts';
import { log } from '#lib/kit/log.ts';
import { sha256 } from '#lib/kit/random.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import { wordsOf } from '#lib/language/words.ts';
import { brandStyle, pageWords, readTexts } from '#lib/oauth/pages/frame.ts';
import type { BrandColours } from '#lib/registry/brand.ts';
import { inTheme, keepLanguage } from '#lib/sessions/choices.ts';
import { readInterrupted } from '#lib/sessions/transaction.ts';
import { LANGUAGES, type Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { answerAtHost, plainRequest, webResponse } from '../_doors/plain.ts';
import { isReadable, NO_SUCH_PAGE, UNAVAILABLE, UNREADABLE } from '../_doors/refusals.ts';
import { type HostedFrame, LANGUAGE_PARAMETER } from './hosted-frame.ts';
import { markupOf } from './render.ts';
import { chooseTheme } from './theme.ts';

export type Visitor<PathParams> = {
  /** returns the value of a query parameter; undefined unless the parameter occurs exactly once */
  query: (name: string) => string | undefined;
  path: PathParams;
  cookie: string | undefined;
  /** address of the caller; null: unknown */
  ip: string | null;
  requestId: string;
  /** texts for sign-in pages; other pages are English */
  frame: HostedFrame;
  /** returns the frame in the language of a user's profile; the response then uses this language, too */
  frameFor: (locale: string | null) => HostedFrame;
};

/**
 * `title`: without the name of the product; the start page has none. `scripts`: files of Gatehouse scripts that the
 * page loads.
 */
export type Shown = {
  status?: 200 | 400;
  title?: string;
  content: ReactNode;
  scripts?: readonly string[];
  /** style sheet with the colours of the client or API for which the user signs in */
  style?: string | undefined;
  /** for public content: a cache key with everything that determines the content */
  keptBy?: string;
  /** caches may store the page for five minutes: only language and theme change its content */
  cacheable?: true;
};

/** Inline content that the page's content security policy allows. */
type Own = { nonce?: string; style?: string | undefined };

type Route<PathParams> = (request: Request, context: { params: Promise<PathParams> }) => Promise<Response>;

/**
 * GET handler of a route. `personal`: the page must not be framed. `translated`: the page uses the reader's language.
 * A null result returns 404, a page that fails returns 503, and an address with text that cannot be stored returns
 * 400.
 */
export function htmlPage<PathParams = object>(
  show: (visitor: Visitor<PathParams>) => Promise<Shown | null>,
  { personal = false, translated = false } = {},
): Route<PathParams> {
  return async (request, { params }) => {
    const plain = plainRequest(request);
    const answered = await answerAtHost(plain);
    if (answered) return webResponse(answered);
    const { requestId, path: whole, query, headers } = plain;
    const path = whole.slice(0, 300);
    const respond = (status: number, body: string, more: Record<string, string> = {}, options: Own = {}) =>
      webResponse(
        html(status, body, {
          https: settings().secureCookies,
          ...options,
          ...(translated && { words: frame.words }),
          headers: {
            'x-request-id': requestId,
            ...(isLanguage(chosen) && isOwn && { 'set-cookie': keepLanguage(chosen) }),
            ...more,
          },
        }),
      );
    const searchParams = new URLSearchParams(query);
    const isOwn = mayKeepChoice(headers);
    const theme = chooseTheme({ method: request.method, path: whole, query: searchParams, headers });
    if (theme)
      return webResponse(
        redirect(303, theme.location, {
          ...(theme.cookie !== null && { 'set-cookie': theme.cookie }),
          'x-request-id': requestId,
        }),
      );
    const chosen = translated ? searchParams.get(LANGUAGE_PARAMETER) : null;
    const page = { translated, headers, given: searchParams, chosen: isLanguage(chosen) ? chosen : null };
    if (translated && isOfSignIn(searchParams)) await readTexts();
    let frame = frameOf(page);
    if (personal && isForFrame(headers))
      return respond(403, renderPage({ ...NOT_IN_A_FRAME, requestId }, frame.words));
    if (!isReadable(whole, searchParams))
      return respond(400, renderPage({ ...UNREADABLE, requestId }, frame.words));
    try {
      const once = (name: string) => {
        const [value, ...more] = searchParams.getAll(name);
        return more.length === 0 ? value : undefined;
      };
      const pageView = await show({
        query: once,
        path: await params,
        cookie: headers['cookie'],
        ip: callerAddress(plain, settings().trustProxy),
        requestId,
        frame,
        frameFor: (locale) => {
          frame = frameOf(page, locale);
          return frame;
        },
      });
      const { status = 200 } = pageView ?? { status: 404 };
      if (status !== 200) log().info({ request_id: requestId, status, path }, 'a page has nothing to show');
      if (pageView === null) return respond(404, renderPage({ ...NO_SUCH_PAGE, requestId }, frame.words));
      const nonce = pageView.scripts === undefined ? undefined : randomUUID();
      const pageOptions = { ...(nonce !== undefined && { nonce }), style: pageView.style };
      const markup = markupOf({ ...pageView, words: frame.words }, nonce);
      // a response that sets a cookie is valid for one browser only
      if (!pageView.cacheable || chosen !== null || isOfSignIn(searchParams))
        return respond(status, markup, {}, pageOptions);
      const cached = { 'cache-control': 'public, max-age=300', etag: tagFor(markup, nonce), vary: VARY };
      // a 304 must not send a content security policy, because its new nonce would differ from the nonce in the
      // cached page
      if (headers['if-none-match']?.includes(cached.etag))
        return webResponse({ status: 304, headers: { 'x-request-id': requestId, ...cached } });
      return respond(status, markup, cached, pageOptions);
    } catch (error) {
      log().error({ request_id: requestId, status: 503, path, err: error }, 'a page cannot be shown');
      return respond(503, renderPage({ ...UNAVAILABLE, requestId }, frame.words), { 'retry-after': '5' });
    }
  };
}

const VARY = 'Accept-Language, Cookie';

/** A weak ETag (RFC 9110 §8.8.1), because each response has a different nonce. */
const tagFor = (markup: string, nonce: string | undefined): string =>
  `W/"${sha256(nonce === undefined ? markup : markup.replaceAll(nonce, '')).toString('base64url')}"`;

type Page = {
  translated: boolean;
  headers: Record<string, string | undefined>;
  given: URLSearchParams;
  /** language selected in the address of the page; it takes precedence */
  chosen: Language | null;
};

/** True for sign-in pages: only these show the custom texts of an API or client. */
const isOfSignIn = (searchParams: URLSearchParams) =>
  searchParams.has('interaction') || searchParams.has('link');

function frameOf({ translated, headers, given, chosen }: Page, locale: string | null = null): HostedFrame {
  // a link in a mail belongs to the authorization request during which this browser requested the mail
  const interactions = given.has('link') ? [readInterrupted(headers['cookie'])] : given.getAll('interaction');
  const words = translated
    ? pageWords(headers, interactions.length === 1 ? interactions[0] : undefined, locale, chosen)
    : inTheme(wordsOf('en'), headers['cookie']);
  return {
    words,
    serviceName: settings().serviceName,
    kept: [...given].filter(([name]) => KEPT.includes(name)),
    languages: LANGUAGES,
  };
}

const KEPT = ['interaction', 'with', 'done', 'link', 'invitation', 'again', 'user_code'];

/** Returns the style sheet of a page with the brand of a client. */
export const styleOf = (view: {
  kind: string;
  client?: { colours: BrandColours | null };
}): string | undefined => brandStyle(view.client?.colours ?? null);
