// The parts of every hosted page: its language, the checks of its form, and the protection against frames.
import { type Answer, type HttpRequest, html, redirect } from '#lib/http/message.ts';
import { NOT_IN_A_FRAME, whyForeignPost } from '#lib/http/navigation.ts';
import { renderPage } from '#lib/http/page.ts';
import { readBodyParams } from '#lib/http/params.ts';
import type { Told } from '#lib/language/message.ts';
import { languageOf } from '#lib/language/negotiate.ts';
import { type Words, withOwnTexts, wordsOf } from '#lib/language/words.ts';
import { textsShown } from '#lib/registry/own-texts.ts';
import { inTheme, readLanguage } from '#lib/sessions/choices.ts';
import { isAntiForgeryToken, readBrowser } from '#lib/sessions/transaction.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { knownSnapshot, recentSnapshot } from '#lib/store/snapshot.ts';
import { type Interaction, openInteraction, sealInteraction } from '../authorize/interaction.ts';
import { ForgedForm } from '../errors.ts';
import { openSignOut } from '../sign-out-request.ts';

// The language of a page that a person sees during a sign-in or a sign-out.

type Headers = HttpRequest['headers'];
/** The request behind a page. `at`: whose sign-in it is. */
type Behind = {
  uiLocales: string | null;
  startedAt: number;
  at?: { apiId: string; clientId: string | null };
};

/**
 * By what the request behind the page asked for (`ui_locales`), what the person chose, their profile, the header, and
 * DEFAULT_LANGUAGE. A choice on a page of this very request is younger than the request, and counts before it.
 * `sealed`: the interaction of the page; `profile`: the language of a person who is known already; `chosen`: in the
 * address of the page. Texts are those of the API and client, by the registry as this process knows it.
 */
export function pageWords(
  headers: Headers,
  sealed?: string,
  profile: string | null = null,
  chosen: Language | null = null,
): Words {
  const asked = sealed === undefined ? null : askedBy(headers['cookie'], sealed);
  return wordsFor(headers, asked, { profile, chosen });
}

/** Before the words of a sign-in: with the database away the page says so itself. */
export const readTexts = (): Promise<unknown> => recentSnapshot().catch(() => null);

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

type Known = { profile?: string | null; chosen?: Language | null };

function wordsFor(
  headers: Headers,
  asked: Behind | null,
  { profile = null, chosen = null }: Known = {},
): Words {
  const kept = readLanguage(headers['cookie']);
  const younger = kept !== null && asked !== null && kept.at > asked.startedAt;
  const language =
    chosen ??
    languageOf(
      {
        uiLocales: younger ? null : asked?.uiLocales,
        chosen: kept?.language,
        profile,
        acceptLanguage: headers['accept-language'],
      },
      settings().defaultLanguage,
    );
  const words = inTheme(wordsOf(language), headers['cookie']);
  return asked?.at ? inTheirTexts(words, asked.at) : words;
}

/** One place for every page of a sign-in: the pages themselves know nothing of it. */
function inTheirTexts(words: Words, { apiId, clientId }: NonNullable<Behind['at']>): Words {
  const snapshot = knownSnapshot();
  const api = snapshot?.apis.get(apiId);
  if (!api) return words;
  const client = (clientId !== null && snapshot?.clients.get(clientId)) || null;
  return withOwnTexts(words, textsShown(words.language, api, client));
}

function askedBy(cookie: string | undefined, sealed: string): Behind | null {
  const browser = readBrowser(cookie);
  const interaction = openInteraction(sealed, browser);
  if (interaction !== null && interaction !== 'expired') return behind(interaction);
  const signOut = openSignOut(sealed, browser);
  if (signOut === null || signOut === 'expired') return null;
  return { uiLocales: signOut.uiLocales ?? null, startedAt: signOut.startedAt };
}

function behind({ query, startedAt, apiId }: Interaction): Behind {
  const given = new URLSearchParams(query);
  return { uiLocales: given.get('ui_locales'), startedAt, at: { apiId, clientId: given.get('client_id') } };
}

// What every hosted form must prove before anything happens: it comes from our own page, in the browser that the page
// was made for, with that page's anti-forgery token.

/** A page or form whose ten minutes are over. */
export class ExpiredInteraction extends Error {
  override name = 'ExpiredInteraction';
}

export type HostedForm = { fields: ReadonlyMap<string, string>; interaction: Interaction };

export async function readHostedForm(request: HttpRequest): Promise<HostedForm> {
  const fields = await readOwnForm(request);
  const browser = readBrowser(request.headers['cookie']);
  const sealed = fields.get('interaction');
  const interaction = openInteraction(sealed, browser);
  if (interaction === 'expired') throw new ExpiredInteraction('the interaction is older than ten minutes');
  if (interaction === null || !isAntiForgeryToken(fields.get('anti_forgery'), browser, sealed ?? '')) {
    throw new ForgedForm('the form is not one of ours, or of another browser');
  }
  return { fields, interaction };
}

/** The fields of a form that one of our own pages posted. */
export async function readOwnForm(request: HttpRequest): Promise<ReadonlyMap<string, string>> {
  const why = whyForeignPost(request, settings().authUrl);
  if (why !== null) throw new ForgedForm(`the form was posted from elsewhere: ${why}`);
  const { values, repeated } = await readBodyParams(request);
  if (repeated.size > 0) throw new ForgedForm('a field is repeated');
  return values;
}

/** The sign-in page once more, with what went wrong, and what was typed. */
export function signInAgain(interaction: Interaction, alert: Told, username?: string): Answer {
  const sealed = sealInteraction({ ...interaction, ...(username !== undefined && { username }), alert });
  return redirect(303, `${settings().authUrl}/login?interaction=${sealed}`);
}

/**
 * The page that moves on by itself: Chromium applies the CSP's form-action to a form's whole chain of redirects, and
 * the redirect to the client must not be part of it.
 */
export function continueLocation(interaction: Interaction): string {
  return `${settings().authUrl}/continue?interaction=${sealInteraction(interaction)}`;
}

// No question is asked inside another page, where a browser would show nothing of it.

export function notInAFrame(http: HttpRequest): Answer {
  const words = requestWords(http);
  const page = renderPage({ ...NOT_IN_A_FRAME, requestId: http.requestId }, words);
  return html(403, page, { https: settings().secureCookies, words });
}
