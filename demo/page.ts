// Pages of the demo, with the style sheet and languages of the service, and without scripts. Each demo server serves
// the style sheet itself, because its origin differs from the service's.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeHtml, htmlDocument } from '#lib/http/page.ts';
import { isLanguage, languageOf } from '#lib/language/negotiate.ts';
import { type Words, wordsOf } from '#lib/language/words.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { DEMO_TEXTS, type DemoTexts } from './words/demo-texts.ts';

/** Language and texts of a page. `say` translates a text and replaces names in braces. */
export type Reader = {
  words: Words;
  /** the language that this request selected, which the browser must store; undefined: none */
  chosen: string | undefined;
  say: (name: keyof DemoTexts['pages'], values?: Readonly<Record<string, string>>) => string;
  claims: Readonly<Record<string, string>>;
};

const fileOf = (name: string) => readFileSync(new URL(name, import.meta.url));
const FILES = new Map([
  ['/demo.css', { type: 'text/css', content: fileOf('demo.css') }],
  ['/gatehouse.css', { type: 'text/css', content: fileOf('../public/gatehouse.css') }],
  ['/icon.svg', { type: 'image/svg+xml', content: fileOf('../app/icon.svg') }],
]);
const CHOSEN = 'demo_language';

export const MARK =
  '<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M4 21V11a8 8 0 0 1 16 0v10M9 21v-9a3 3 0 0 1 6 0v9"/></svg>';

/** Responds to a request for a file that every page uses. */
export function answerFile(request: IncomingMessage, response: ServerResponse): boolean {
  const file = FILES.get(request.url?.split('?')[0] ?? '');
  if (file === undefined) return false;
  response.writeHead(200, { 'content-type': file.type, 'cache-control': 'max-age=3600' }).end(file.content);
  return true;
}

/** Returns the language that the user selected on a page of the demo, in this request or an earlier one. */
export function chosenLanguage({ url = '', headers }: IncomingMessage) {
  const kept = new RegExp(`(?:^|; )${CHOSEN}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1];
  return [languageInAddress(url), kept].find(isLanguage);
}

const languageInAddress = (url: string) => new URLSearchParams(url.split('?')[1]).get('language');

/**
 * Chooses the language of a page. `uiLocales`: value of the parameter `ui_locales` in the page's authorization
 * request.
 */
export function readerOf(request: IncomingMessage, uiLocales?: string): Reader {
  const acceptLanguage = request.headers['accept-language'];
  const language = languageOf({ uiLocales, chosen: chosenLanguage(request), acceptLanguage }, 'en');
  const { pages, claims } = DEMO_TEXTS[language];
  return {
    words: wordsOf(language),
    chosen: [languageInAddress(request.url ?? '')].find(isLanguage),
    claims,
    say: (name, values = {}) => pages[name].replaceAll(/\{(\w+)\}/g, (_, value) => values[value] ?? ''),
  };
}

/** `body` is HTML. */
type Shown = { status?: number; title: string; body: string };

export function show(response: ServerResponse, reader: Reader, { status = 200, ...shown }: Shown): void {
  response.writeHead(status, headersFor(reader)).end(documentOf(reader, shown));
}

export const headersFor = ({ words, chosen }: Reader) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-language': words.language,
  vary: 'Accept-Language, Cookie',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  ...(chosen && { 'set-cookie': `${CHOSEN}=${chosen}; SameSite=Lax; Path=/; Max-Age=31536000` }),
});

export const documentOf = ({ words }: Reader, { title, body }: Omit<Shown, 'status'>): string =>
  htmlDocument({ title, head: '<link rel="stylesheet" href="/demo.css">\n', body, words });

/** Isolates a text from another source, which may have another text direction. */
export const isolateText = (text: string): string => `<bdi>${escapeHtml(text)}</bdi>`;

/** Returns links to the first page in every language, as on the pages of the service. */
export function languageChooser({ words: { language, t } }: Reader): string {
  const items = LANGUAGES.map((tag) => {
    const current = tag === language ? ' aria-current="true"' : '';
    return `<li><a href="/?language=${tag}" lang="${tag}" hreflang="${tag}"${current}>${nameOf(tag)}</a></li>`;
  });
  return `<details class="languages">
<summary><span class="unseen">${t('frame.language')}: </span>${nameOf(language)}</summary>
<ul>${items.join('')}</ul></details>`;
}

/** Returns the name of a language in that language. */
function nameOf(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
