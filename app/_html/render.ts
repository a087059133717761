// Next compiles routes for server components, and its bundler then rejects react-dom/server. Node's own module loader
// loads it.
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ReactNode } from 'react';
import { htmlDocument } from '#lib/http/page.ts';
import { keepMade } from '#lib/kit/process.ts';
import { type Words, wordsOf } from '#lib/language/words.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';

const load = createRequire(path.resolve('package.json'));
const { renderToStaticMarkup } = load('react-dom/server') as typeof import('react-dom/server');

type Document = {
  title?: string;
  content: ReactNode;
  scripts?: readonly string[];
  /** HTML that Gatehouse adds to the head of the document */
  head?: string;
  style?: string | undefined;
  words?: Words;
  /** cache key with everything that determines public content, which is rendered once per key */
  keptBy?: string;
};

const pageCache = keepMade<string>('pages', 3 * 2 * LANGUAGES.length);

/**
 * Renders an HTML document, whose components are synchronous and have no state. `nonce`: for the scripts of the
 * document.
 */
export function markupOf(
  { title, content, scripts = [], head = '', style, keptBy, words = wordsOf('en') }: Document,
  nonce?: string,
): string {
  const render = () => renderToStaticMarkup(content);
  return htmlDocument({
    title: title === undefined ? settings().serviceName : `${title} · ${settings().serviceName}`,
    head: head + scripts.map((src) => `<script src="${src}" nonce="${nonce}" defer></script>\n`).join(''),
    style,
    words,
    body: keptBy === undefined ? render() : pageCache(keptBy, render),
  });
}
