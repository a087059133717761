// Which language a page is in that a person meets on the way through a sign-in or a sign-out.
import type { HttpRequest } from '#lib/http/index.ts';
import { languageOf, type Words, wordsOf } from '#lib/language/index.ts';
import { inTheme, readBrowser, readLanguage } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { type Interaction, openInteraction } from '../authorize-request/index.ts';
import { openSignOut } from '../sign-out/index.ts';

type Headers = HttpRequest['headers'];
/** The request behind a page. */
type Behind = { uiLocales: string | null; startedAt: number };

/**
 * By what the request behind the page asked for (`ui_locales`), what the person chose, their profile, the header, and
 * DEFAULT_LANGUAGE. A choice on a page of this very request is younger than the request, and counts before it.
 * `sealed`: the interaction of the page; `profile`: the language of a person who is known already.
 */
export function pageWords(headers: Headers, sealed?: string, profile: string | null = null): Words {
  return wordsFor(headers, sealed === undefined ? null : askedBy(headers['cookie'], sealed), profile);
}

/** The same where the interaction is open. */
export const interactionWords = (headers: Headers, interaction: Interaction | null): Words =>
  wordsFor(headers, interaction && behind(interaction));

/** Of an answer to the request itself, which names its interaction or carries `ui_locales`. */
export function requestWords({ headers, query }: Pick<HttpRequest, 'headers' | 'query'>): Words {
  const given = new URLSearchParams(query);
  const sealed = given.get('interaction');
  if (sealed !== null) return pageWords(headers, sealed);
  return wordsFor(headers, { uiLocales: given.get('ui_locales'), startedAt: Number.POSITIVE_INFINITY });
}

function wordsFor(headers: Headers, asked: Behind | null, profile: string | null = null): Words {
  const chosen = readLanguage(headers['cookie']);
  const younger = chosen !== null && asked !== null && chosen.at > asked.startedAt;
  const language = languageOf(
    {
      uiLocales: younger ? null : asked?.uiLocales,
      chosen: chosen?.language,
      profile,
      acceptLanguage: headers['accept-language'],
    },
    settings().defaultLanguage,
  );
  return inTheme(wordsOf(language), headers['cookie']);
}

function askedBy(cookie: string | undefined, sealed: string): Behind | null {
  const browser = readBrowser(cookie);
  const interaction = openInteraction(sealed, browser);
  if (interaction !== null && interaction !== 'expired') return behind(interaction);
  const signOut = openSignOut(sealed, browser);
  if (signOut === null || signOut === 'expired') return null;
  return { uiLocales: signOut.uiLocales ?? null, startedAt: signOut.startedAt };
}

const behind = ({ query, startedAt }: Interaction): Behind => ({
  uiLocales: new URLSearchParams(query).get('ui_locales'),
  startedAt,
});
