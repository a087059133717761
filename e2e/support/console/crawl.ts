// Crawls all linked console pages and finds faulty page texts.
import { SENTENCES } from '#app/(console)/_texts/catalogue.ts';
import { CATALOGUE } from '#lib/language/messages/catalogue.ts';
import type { Language } from '#lib/settings/languages.ts';
import type { CookieJar } from '#testing/net/cookie-jar.ts';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { readPage } from './read-page.ts';

const AREA = /^\/(?:admin|developer|account)(?:[/?]|$)/;
/** Maximum number of pages of one kind. Two are enough to reveal differences. */
const MOST_OF_KIND = 2;
/** Maximum addresses per page with filters and orders. */
const MOST_OF_PATH = 3;

export type Walked = {
  address: string;
  kind: string;
  /** text of the page, without data */
  texts: string[];
  /** values that were not converted correctly, including values in data */
  wrong: string[];
  /** text fields of GET forms that accept a credential */
  open: string[];
};

type Site = { url: string; jar: CookieJar };

/** Returns the kind of a page: its address without identifiers and query values. */
function kindOf(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://page');
  const parts = pathname.split('/').map((part, at, all) => (isId(part, all[at - 1]) ? '*' : part));
  const query = [...searchParams]
    .map(([name, value]) => (value === '' ? `${name}-` : name))
    .toSorted((one, other) => one.localeCompare(other));
  return `${parts.join('/')}?${query.join('&')}`;
}

const HOLDERS = new Set([
  'apis',
  'clients',
  'auth-methods',
  'groups',
  'people',
  'keys',
  'audit',
  'subscriptions',
]);
const isId = (part: string, before = '') =>
  part !== 'new' &&
  part !== 'invitations' &&
  part !== 'file' &&
  (HOLDERS.has(before) || /[0-9a-f]{8}-/.test(part));

/** Crawls pages from these addresses in one language. Also collects responses of non-console addresses. */
export async function walk({ url, jar }: Site, language: Language, from: readonly string[]) {
  const pages: Walked[] = [];
  const dead: string[] = [];
  const seen = new Set<string>();
  const kinds = new Map<string, number>();
  const paths = new Map<string, number>();
  const open = from.map((address) => ({ address, on: 'the beginning' }));
  const get = (address: string): Promise<Answer> =>
    send(url + address, {
      jar,
      timeoutMs: 60_000,
      headers: { accept: 'text/html', 'accept-language': language },
    });
  const visit = async ({ address, on }: { address: string; on: string }) => {
    const answer = await get(address);
    if (answer.status >= 400) dead.push(`${on} leads to ${address}: ${answer.status}`);
    if (!AREA.test(address) || !/html/.test(String(answer.headers['content-type']))) return;
    const { texts, all, links, ids, open: takes } = readPage(answer.text);
    const kind = kindOf(address);
    const wrong = [
      ...all.filter((text) => text.includes('[object ')),
      ...texts.filter((text) => WRONG.test(text) || KEYS.has(text)),
    ];
    pages.push({ address, kind, texts, wrong, open: takes });
    for (const link of links) {
      const fragment = link.startsWith('#') ? link.slice(1) : '';
      if (fragment !== '' && !ids.has(fragment)) dead.push(`${address} has no ${link}`);
      const at = new URL(link, url + address);
      if (at.origin !== url) continue;
      const next = at.pathname + at.search;
      const nextKind = kindOf(next);
      const count = kinds.get(nextKind) ?? 0;
      if (
        seen.has(next) ||
        count >= MOST_OF_KIND ||
        (paths.get(at.pathname) ?? 0) >= MOST_OF_PATH ||
        /[?&](?:language|theme)=/.test(next)
      )
        continue;
      seen.add(next);
      kinds.set(nextKind, count + 1);
      paths.set(at.pathname, (paths.get(at.pathname) ?? 0) + 1);
      open.push({ address: next, on: address });
    }
  };
  for (const { address } of open) {
    seen.add(address);
    kinds.set(kindOf(address), 1);
  }
  while (open.length > 0) await Promise.all(open.splice(0, 4).map(visit));
  return { pages, dead };
}

/** Matches an object, a value or a placeholder that was displayed without conversion to text. */
const WRONG = /\[object |\bundefined\b|\bNaN\b|^null$|\bnull null\b|\{\w+, (?:plural|select)|Invalid Date/;
const KEYS = new Set(
  Object.entries(CATALOGUE.en).flatMap(([group, texts]) =>
    Object.keys(texts).map((name) => `${group}.${name}`),
  ),
);

/** Names of libraries and packages, which pages show as titles of code. */
const PRODUCTS =
  /packages\/verify|openid-client|oauth4webapi|oidc-client-ts|Authlib|AppAuth|nginx|Spring|Express|FastAPI|\bGo\b|\bPHP\b|curl/;

/** Matches mail addresses, and URLs of services, which a client id can follow. */
const ADDRESS = /^(?:\S+@\S+|https?:\S+(?: [0-9a-f]+)?)$/;

const translated = new Map<Language, Set<string>>();

/** Returns the English texts of the catalogue whose translation differs. */
function englishTexts(language: Exclude<Language, 'en'>): Set<string> {
  const known = translated.get(language);
  if (known) return known;
  const [english, other] = [CATALOGUE.en, CATALOGUE[language]].map((catalogue) =>
    Object.entries(catalogue).flatMap(([group, texts]) =>
      Object.entries(texts).map(([name, text]) => [`${group}.${name}`, text] as const),
    ),
  );
  const theirs = new Map(other);
  const texts = new Set([
    ...Object.entries(SENTENCES[language]).flatMap(([text, say]) => (say === text ? [] : [text])),
    ...(english ?? []).flatMap(([name, text]) => (theirs.get(name) === text ? [] : [text])),
  ]);
  translated.set(language, texts);
  return texts;
}

/**
 * Finds English text on a translated page. `english`: the English version of the page. `names`: texts that users
 * typed.
 */
export function englishLeft(
  { texts }: Walked,
  english: Walked | undefined,
  language: Exclude<Language, 'en'>,
  names: ReadonlySet<string>,
): string[] {
  const catalogue = englishTexts(language);
  const others = new Set(english?.texts);
  const hasWords = (text: string) => /\p{L}{2,}\S*\s+\S*\p{L}{2,}/u.test(text) && /[a-z]/.test(text);
  const isName = (text: string) => names.has(text) || ADDRESS.test(text);
  const isSame = (text: string) => SENTENCES[language][text] === text;
  // the parts of a title, such as `Orders · APIs · Gatehouse`, are names or texts that are equal in both languages
  const isTyped = (text: string) =>
    PRODUCTS.test(text) ||
    isSame(text) ||
    text.split(/ · | → /).every((part) => isName(part) || isSame(part) || part.split(/, |: /).every(isName));
  return texts.filter(
    (text) => !isTyped(text) && (catalogue.has(text) || (others.has(text) && hasWords(text))),
  );
}
