// Language of a console page. app/_proxy.ts determines it before rendering, so that frame, headers and texts agree. A
// request header passes it to the page.
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { type HostedFrame, LANGUAGE_PARAMETER } from '#app/_components/frame.tsx';
import { mayKeepChoice } from '#lib/http/navigation.ts';
import type { Plain } from '#lib/language/message.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import type { Words } from '#lib/language/words.ts';
import { pageWords } from '#lib/oauth/pages/frame.ts';
import { inTheme, keepLanguage } from '#lib/sessions/choices.ts';
import { readInterrupted } from '#lib/sessions/transaction.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { type PageWords, pageWordsOf } from '../_texts/page-words.ts';

const TRANSLATED = /^\/(?:account|developer|admin)(?:\/|$)/;
const HEADER = 'x-page-language';

/**
 * Texts of the page at this address. Null: not a console page. `profile`: language in the profile of the signed-in
 * user.
 */
export function wordsOfPage(
  address: string,
  sent: Record<string, string | undefined>,
  profile: string | null = null,
): PageWords | null {
  const { pathname, searchParams } = new URL(address, 'http://page');
  if (!TRANSLATED.test(pathname)) return null;
  const chosen = searchParams.get(LANGUAGE_PARAMETER);
  if (isLanguage(chosen)) return pageWordsOf(chosen);
  // a link in a mail belongs to the authorization request during which this browser requested the mail
  const interaction = searchParams.get('interaction') ?? readInterrupted(sent['cookie']);
  return pageWordsOf(pageWords(sent, interaction, profile).language);
}

/** Sets the request header; returns the headers of the response. */
export function settleLanguage(
  { href, searchParams }: URL,
  headers: Headers,
  profile: string | null,
): Record<string, string> {
  headers.delete(HEADER);
  const words = wordsOfPage(href, Object.fromEntries(headers), profile);
  if (words === null) return {};
  const { language } = words;
  const chosen = searchParams.get(LANGUAGE_PARAMETER);
  const isOwn = mayKeepChoice(Object.fromEntries(headers));
  headers.set(HEADER, language);
  return {
    'content-language': language,
    vary: 'Accept-Language, Cookie',
    ...(isLanguage(chosen) && isOwn && { 'set-cookie': keepLanguage(chosen) }),
  };
}

/** Data for the page frame, including the language and theme choosers in the footer. */
export const frameOf = (words: Words, query: Record<string, string>): HostedFrame => ({
  words,
  kept: Object.entries(query).filter(([name]) => name !== LANGUAGE_PARAMETER && name !== 'draft'),
  serviceName: settings().serviceName,
  languages: LANGUAGES,
});

/** Texts of the page that is rendered; English outside the console. */
export async function visitWords(): Promise<PageWords> {
  const sent = await headers();
  const language = sent.get(HEADER);
  return inTheme(pageWordsOf(isLanguage(language) ? language : 'en'), sent.get('cookie') ?? undefined);
}

/** The `generateMetadata` of a page: its title, an English sentence, in the reader's language. */
export const pageTitle = (title: string) => async (): Promise<Metadata> => ({
  title: (await visitWords()).say(title),
});

/** The `generateMetadata` of a page whose title is in the message catalogue. */
export const messageTitle = (title: Plain) => async (): Promise<Metadata> => ({
  title: (await visitWords()).t(title),
});

/** The `metadata` of a page that sets the title of the window while it is rendered. */
export const untitled: Metadata = { title: { absolute: '' } };
