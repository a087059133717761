// The pages of the console that are in their reader's language: those of one's own account. Decided before the page is
// made (app/_proxy.ts), so that its frame, its headers and its words agree; the page finds it in a request header.
import { headers } from 'next/headers';
import { type HostedFrame, LANGUAGE_PARAMETER } from '#app/_html/hosted-frame.ts';
import { isLanguage, type Words, wordsOf } from '#lib/language/index.ts';
import { pageWords } from '#lib/oauth/index.ts';
import { keepLanguage, readInterrupted } from '#lib/sessions/index.ts';
import { LANGUAGES, settings } from '#lib/settings/index.ts';

/** All but the mails of development. */
const TRANSLATED = /^\/account(?!\/mail(?:\/|$))(?:\/|$)/;
const HEADER = 'x-page-language';

/** Of the page with this address. Null: it is only in English. `profile`: the language of the signed-in person. */
export function wordsOfPage(
  address: string,
  sent: Record<string, string | undefined>,
  profile: string | null = null,
): Words | null {
  const { pathname, searchParams } = new URL(address, 'http://page');
  if (!TRANSLATED.test(pathname)) return null;
  const chosen = searchParams.get(LANGUAGE_PARAMETER);
  if (isLanguage(chosen)) return wordsOf(chosen);
  // the link of a mail belongs to the request that its browser keeps
  return pageWords(sent, searchParams.get('interaction') ?? readInterrupted(sent['cookie']), profile);
}

/** Sets the request header; gives the headers of the answer. */
export function settleLanguage(
  { href, searchParams }: URL,
  sent: Headers,
  profile: string | null,
): Record<string, string> {
  sent.delete(HEADER);
  const words = wordsOfPage(href, Object.fromEntries(sent), profile);
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

/** Of the page that is being made. Null: it is only in English. */
export async function translatedWords(): Promise<Words | null> {
  const language = (await headers()).get(HEADER);
  return isLanguage(language) ? wordsOf(language) : null;
}

/** For the chooser at the foot of a page. */
export const frameOf = (words: Words, query: Record<string, string>): HostedFrame => ({
  words,
  kept: Object.entries(query).filter(([name]) => name !== LANGUAGE_PARAMETER && name !== 'draft'),
  serviceName: settings().serviceName,
  languages: LANGUAGES,
});

export const visitWords = async (): Promise<Words> => (await translatedWords()) ?? wordsOf('en');
