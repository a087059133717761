// Pages that work without a script: a route renders their React components to plain markup, and sets the status
// itself (docs/project/decisions/0010). Next's own pages include its scripts, which only the console's pages need.
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
  /** query parameter that occurs once */
  query: (name: string) => string | undefined;
  path: PathParams;
  cookie: string | undefined;
  /** null: not known */
  ip: string | null;
  requestId: string;
  /** words for sign-in pages; other pages are English */
  frame: HostedFrame;
  /** frame for a user's profile language, also used by the response */
  frameFor: (locale: string | null) => HostedFrame;
};

/** `title`: without the product's name; the start page has none. `scripts`: Gatehouse script files of the page. */
export type Shown = {
  status?: 200 | 400;
  title?: string;
  content: ReactNode;
  scripts?: readonly string[];
  /** of whose sign-in it is */
  style?: string | undefined;
  /** cache key of everything that determines the content, if public */
  keptBy?: string;
  /** caches store the page for five minutes: only language and theme change its content */
  cacheable?: true;
};

/** Inline content allowed by the document's policy. */
type Own = { nonce?: string; style?: string | undefined };

type Route<PathParams> = (request: Request, context: { params: Promise<PathParams> }) => Promise<Response>;

/**
 * GET handler of a route. `personal`: forbids framing. `translated`: uses the reader's language. Null returns 404,
 * failing pages 503, and unstorable address text 400.
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
    const respond = (status: number, body: string, more: Record<string, string> = {}, own: Own = {}) =>
      webResponse(
        html(status, body, {
          https: settings().secureCookies,
          ...own,
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
      const shown = await show({
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
      const { status = 200 } = shown ?? { status: 404 };
      if (status !== 200) log().info({ request_id: requestId, status, path }, 'a page has nothing to show');
      if (shown === null) return respond(404, renderPage({ ...NO_SUCH_PAGE, requestId }, frame.words));
      const nonce = shown.scripts === undefined ? undefined : randomUUID();
      const own = { ...(nonce !== undefined && { nonce }), style: shown.style };
      const markup = markupOf({ ...shown, words: frame.words }, nonce);
      // a response that sets a cookie belongs to one browser
      if (!shown.cacheable || chosen !== null || isOfSignIn(searchParams))
        return respond(status, markup, {}, own);
      const cached = { 'cache-control': 'public, max-age=300', etag: tagFor(markup, nonce), vary: VARY };
      // no content security policy, because its nonce would differ from the nonce of the cached page
      if (headers['if-none-match']?.includes(cached.etag))
        return webResponse({ status: 304, headers: { 'x-request-id': requestId, ...cached } });
      return respond(status, markup, cached, own);
    } catch (error) {
      log().error({ request_id: requestId, status: 503, path, err: error }, 'a page cannot be shown');
      return respond(503, renderPage({ ...UNAVAILABLE, requestId }, frame.words), { 'retry-after': '5' });
    }
  };
}

const VARY = 'Accept-Language, Cookie';

/** Weak (RFC 9110 §8.8.1): each response has its own nonce. */
const tagFor = (markup: string, nonce: string | undefined): string =>
  `W/"${sha256(nonce === undefined ? markup : markup.replaceAll(nonce, '')).toString('base64url')}"`;

type Page = {
  translated: boolean;
  headers: Record<string, string | undefined>;
  given: URLSearchParams;
  /** selected in the page address: takes precedence */
  chosen: Language | null;
};

/** Only sign-in pages show custom texts of an API or client. */
const isOfSignIn = (searchParams: URLSearchParams) =>
  searchParams.has('interaction') || searchParams.has('link');

function frameOf({ translated, headers, given, chosen }: Page, locale: string | null = null): HostedFrame {
  // mail links belong to the browser's interrupted request
  const asked = given.has('link') ? [readInterrupted(headers['cookie'])] : given.getAll('interaction');
  const words = translated
    ? pageWords(headers, asked.length === 1 ? asked[0] : undefined, locale, chosen)
    : inTheme(wordsOf('en'), headers['cookie']);
  return {
    words,
    serviceName: settings().serviceName,
    kept: [...given].filter(([name]) => KEPT.includes(name)),
    languages: LANGUAGES,
  };
}

const KEPT = ['interaction', 'with', 'done', 'link', 'invitation', 'again', 'user_code'];

/** Style sheet of a client's page. */
export const styleOf = (view: {
  kind: string;
  client?: { colours: BrandColours | null };
}): string | undefined => brandStyle(view.client?.colours ?? null);
