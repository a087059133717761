// The pages of the console that are in their reader's language: those of somebody who is not signed in. Decided before the page is made
// (app/_proxy.ts), so that its frame, its headers and its words agree; the page finds it in a request header.
import { headers } from 'next/headers';
import { LANGUAGE_PARAMETER } from '#app/_html/hosted-frame.ts';
import { isLanguage, type Words, wordsOf } from '#lib/language/index.ts';
import { pageWords } from '#lib/oauth/index.ts';
import { keepLanguage, readInterrupted } from '#lib/sessions/index.ts';

const TRANSLATED = new Set(['/account/forgot-password', '/account/reset-password', '/account/verify-email']);
const HEADER = 'x-page-language';

/** Of the page with this address. Null: it is in English alone. */
export function wordsOfPage(address: string, sent: Record<string, string | undefined>): Words | null {
  const { pathname, searchParams } = new URL(address, 'http://page');
  if (!TRANSLATED.has(pathname)) return null;
  const chosen = searchParams.get(LANGUAGE_PARAMETER);
  if (isLanguage(chosen)) return wordsOf(chosen);
  // the link of a mail belongs to the request that its browser keeps
  return pageWords(sent, searchParams.get('interaction') ?? readInterrupted(sent['cookie']));
}

/** Sets the request header; gives the headers of the answer. */
export function settleLanguage({ href, searchParams }: URL, sent: Headers): Record<string, string> {
  sent.delete(HEADER);
  const words = wordsOfPage(href, Object.fromEntries(sent));
  if (words === null) return {};
  const { language } = words;
  const chosen = searchParams.get(LANGUAGE_PARAMETER);
  sent.set(HEADER, language);
  return {
    'content-language': language,
    vary: 'Accept-Language, Cookie',
    ...(isLanguage(chosen) && { 'set-cookie': keepLanguage(chosen) }),
  };
}

/** Of the page that is being made. Null: it is in English alone. */
export async function translatedWords(): Promise<Words | null> {
  const language = (await headers()).get(HEADER);
  return isLanguage(language) ? wordsOf(language) : null;
}

export const visitWords = async (): Promise<Words> => (await translatedWords()) ?? wordsOf('en');
