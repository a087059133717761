// Pages that work without a script: a route awaits the async component of the page, renders the result to HTML and
// sets the status itself (docs/project/decisions/0010). Next's own pages include scripts of Next, which only the
// console needs.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ReactNode } from 'react';
import { callerAddress } from '#lib/http/forwarding.ts';
import { html, redirect } from '#lib/http/message.ts';
import { isForFrame, mayKeepChoice, NOT_IN_A_FRAME } from '#lib/http/navigation.ts';
import { htmlDocument, type PlainPage, renderPage } from '#lib/http/page.ts';
import type { HtmlSecurity } from '#lib/http/security-headers.ts';
import { log } from '#lib/kit/log.ts';
import { keepMade } from '#lib/kit/process.ts';
import { sha256 } from '#lib/kit/random.ts';
import type { Told } from '#lib/language/message.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import type { Words } from '#lib/language/words.ts';
import { brandStyle, pageWords, readTexts } from '#lib/oauth/pages/frame.ts';
import type { BrandColours } from '#lib/registry/brand.ts';
import { keepLanguage } from '#lib/sessions/choices.ts';
import { readInterrupted } from '#lib/sessions/transaction.ts';
import { LANGUAGES, type Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { type HostedFrame, LANGUAGE_PARAMETER } from '../_components/frame.tsx';
import { answerAtHost, plainRequest, webResponse } from '../_doors/plain.ts';
import { isReadable, NO_SUCH_PAGE, UNAVAILABLE, UNREADABLE } from '../_doors/refusals.ts';
import { chooseTheme } from './theme.ts';

// Node's module loader loads React DOM, because Next compiles routes for server components, and its bundler then
// rejects react-dom/server
const load = createRequire(path.resolve('package.json'));
const { renderToStaticMarkup } = load('react-dom/server') as typeof import('react-dom/server');

/** Renders the content of a page. Its components are synchronous and have no state. */
export const renderMarkup = (content: ReactNode): string => renderToStaticMarkup(content);

/** What a page shows during a sign-in. An unusable page has the status 400. */
type View = {
  kind: string;
  /** language of the user's profile */
  locale?: string | null;
  client?: { colours: BrandColours | null };
};

type Document = {
  /** without the name of the product; the start page has none */
  title?: Told;
  view?: View;
  /** files of Gatehouse scripts that the page loads */
  scripts?: readonly string[] | undefined;
  style?: string | undefined;
  /** for public content: a cache key with everything that determines the content */
  keptBy?: string;
  /** caches may store the page for five minutes: only language and theme change its content */
  cacheable?: true;
};

export type Visit<PathParams = object> = {
  /** returns the value of a query parameter; undefined unless the parameter occurs exactly once */
  query: (name: string) => string | undefined;
  path: PathParams;
  cookie: string | undefined;
  /** address of the caller; null: unknown */
  ip: string | null;
  /** texts in the language that the request selects */
  words: Words;
  /** Describes the document, and returns the frame of its content. */
  frameFor: (document: Document) => HostedFrame;
};

/** An async component: it reads the data of a page. The components in its result are synchronous. Null: 404. */
type Page<PathParams> = (visit: Visit<PathParams>) => Promise<ReactNode>;

type Route<PathParams> = (request: Request, context: { params: Promise<PathParams> }) => Promise<Response>;

const pageCache = keepMade<string>('pages', 3 * 2 * LANGUAGES.length);

/**
 * GET handler of a route. `personal`: the page must not be framed. A page that fails returns 503, and an address with
 * text that cannot be stored returns 400.
 */
export function htmlPage<PathParams = object>(
  page: Page<PathParams>,
  { personal = false } = {},
): Route<PathParams> {
  return async (request, { params }) => {
    const plain = plainRequest(request);
    const answered = await answerAtHost(plain);
    if (answered) return webResponse(answered);
    const { requestId, path: whole, query, headers } = plain;
    const loggedPath = whole.slice(0, 300);
    const searchParams = new URLSearchParams(query);
    const theme = chooseTheme({ method: request.method, path: whole, query: searchParams, headers });
    if (theme)
      return webResponse(
        redirect(303, theme.location, {
          ...(theme.cookie !== null && { 'set-cookie': theme.cookie }),
          'x-request-id': requestId,
        }),
      );
    const choice = searchParams.get(LANGUAGE_PARAMETER);
    const chosen = isLanguage(choice) ? choice : null;
    if (isOfSignIn(searchParams)) await readTexts();
    let words = wordsFor(headers, searchParams, chosen);
    const respond = (
      status: number,
      body: string,
      more: Record<string, string> = {},
      security: Pick<HtmlSecurity, 'nonce' | 'style'> = {},
    ) =>
      webResponse(
        html(status, body, {
          https: settings().secureCookies,
          ...security,
          words,
          headers: {
            'x-request-id': requestId,
            ...(chosen !== null && mayKeepChoice(headers) && { 'set-cookie': keepLanguage(chosen) }),
            ...more,
          },
        }),
      );
    const refuse = (status: number, shown: PlainPage, more?: Record<string, string>) =>
      respond(status, renderPage({ ...shown, requestId }, words), more);
    if (personal && isForFrame(headers)) return refuse(403, NOT_IN_A_FRAME);
    if (!isReadable(whole, searchParams)) return refuse(400, UNREADABLE);
    try {
      let document: Document = {};
      const content = await page({
        query: (name) => {
          const [value, ...repeated] = searchParams.getAll(name);
          return repeated.length === 0 ? value : undefined;
        },
        path: await params,
        cookie: headers['cookie'],
        ip: callerAddress(plain, settings().trustProxy),
        words,
        frameFor: (described) => {
          document = described;
          const { locale } = described.view ?? {};
          if (locale) words = wordsFor(headers, searchParams, chosen, locale);
          const kept = [...searchParams].filter(([name]) => KEPT.includes(name));
          return { words, serviceName: settings().serviceName, kept, languages: LANGUAGES, requestId };
        },
      });
      const { title, view, scripts, keptBy, cacheable } = document;
      const status = content ? (view?.kind === 'unusable' ? 400 : 200) : 404;
      if (status !== 200)
        log().info({ request_id: requestId, status, path: loggedPath }, 'a page has nothing to show');
      if (!content) return refuse(404, NO_SUCH_PAGE);
      const nonce = scripts && randomUUID();
      const style = document.style ?? brandStyle(view?.client?.colours ?? null);
      const { serviceName } = settings();
      const markup = htmlDocument({
        title: title === undefined ? serviceName : `${words.told(title)} · ${serviceName}`,
        body: keptBy === undefined ? renderMarkup(content) : pageCache(keptBy, () => renderMarkup(content)),
        head: scripts?.map((src) => `<script src="${src}" nonce="${nonce}" defer></script>\n`).join(''),
        ...{ words, style },
      });
      // a response that sets a cookie is valid for one browser only
      if (!cacheable || choice !== null || isOfSignIn(searchParams))
        return respond(status, markup, {}, { nonce, style });
      const cached = { 'cache-control': 'public, max-age=300', etag: tagFor(markup, nonce), vary: VARY };
      // a 304 must not send a content security policy, because its new nonce would differ from the nonce in the
      // cached page
      if (headers['if-none-match']?.includes(cached.etag))
        return webResponse({ status: 304, headers: { 'x-request-id': requestId, ...cached } });
      return respond(status, markup, cached, { nonce, style });
    } catch (error) {
      log().error(
        { request_id: requestId, status: 503, path: loggedPath, err: error },
        'a page cannot be shown',
      );
      return refuse(503, UNAVAILABLE, { 'retry-after': '5' });
    }
  };
}

const VARY = 'Accept-Language, Cookie';

/** A weak ETag (RFC 9110 §8.8.1), because each response has a different nonce. */
const tagFor = (markup: string, nonce: string | undefined): string =>
  `W/"${sha256(nonce === undefined ? markup : markup.replaceAll(nonce, '')).toString('base64url')}"`;

/** True for sign-in pages: only these show the custom texts of an API or client. */
const isOfSignIn = (searchParams: URLSearchParams) =>
  searchParams.has('interaction') || searchParams.has('link');

/** `chosen`: language that the address selects; it takes precedence. `locale`: language of a user's profile. */
function wordsFor(
  headers: Record<string, string | undefined>,
  searchParams: URLSearchParams,
  chosen: Language | null,
  locale: string | null = null,
): Words {
  // a link in a mail belongs to the authorization request during which this browser requested the mail
  const [interaction, ...repeated] = searchParams.has('link')
    ? [readInterrupted(headers['cookie'])]
    : searchParams.getAll('interaction');
  return pageWords(headers, repeated.length === 0 ? interaction : undefined, locale, chosen);
}

const KEPT = ['interaction', 'with', 'done', 'link', 'invitation', 'again', 'user_code'];
