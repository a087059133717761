// Which language a page is in that a person meets on the way through a sign-in or a sign-out.
import type { HttpRequest } from '#lib/http/index.ts';
import { languageOf, type Words, wordsOf } from '#lib/language/index.ts';
import { readBrowser, readLanguage } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { openInteraction } from '../authorize/interaction.ts';
import { openSignOut } from '../openid/sign-out-request.ts';

/**
 * By what the request behind the page asked for (`ui_locales`), what the person chose, the header, and DEFAULT_LANGUAGE. A choice on a
 * page of this very request is younger than the request, and counts before it. `sealed`: the interaction of the page.
 */
export function pageWords(headers: HttpRequest['headers'], sealed?: string): Words {
  const chosen = readLanguage(headers['cookie']);
  const asked = sealed === undefined ? null : askedBy(headers['cookie'], sealed);
  const younger = chosen !== null && asked !== null && chosen.at > asked.startedAt;
  const language = languageOf(
    {
      uiLocales: younger ? null : asked?.uiLocales,
      chosen: chosen?.language,
      acceptLanguage: headers['accept-language'],
    },
    settings().defaultLanguage,
  );
  return wordsOf(language);
}

function askedBy(
  cookie: string | undefined,
  sealed: string,
): { uiLocales: string | null; startedAt: number } | null {
  const browser = readBrowser(cookie);
  const interaction = openInteraction(sealed, browser);
  if (interaction !== null && interaction !== 'expired') {
    const uiLocales = new URLSearchParams(interaction.query).get('ui_locales');
    return { uiLocales, startedAt: interaction.startedAt };
  }
  const signOut = openSignOut(sealed, browser);
  if (signOut === null || signOut === 'expired') return null;
  return { uiLocales: signOut.uiLocales ?? null, startedAt: signOut.startedAt };
}
