// Full-text search of guides and endpoints, with MiniSearch (docs/project/decisions/0028-tests-and-libraries.md). The
// first query builds the index.
import type { Token, Tokens } from 'marked';
import MiniSearch, { type Query, type SearchOptions } from 'minisearch';
import { ownValue } from '#lib/kit/wire.ts';
import { listResources } from '#lib/management-api/resources.ts';
import { sections } from '#lib/reference/described.ts';
import { endpointPath, guidePath, resourcePath } from './addresses.ts';
import { endpointTitle } from './endpoints.tsx';
import { type Guide, guideGroups, plainText } from './guides.tsx';

export type Found = {
  href: string;
  /** title of the guide, or `Endpoints` */
  page: string;
  heading: string;
  /** the text around the first match */
  excerpt: readonly { text: string; isMatch: boolean }[];
};

export const MAX_QUERY = 200;
const MAX_WORDS = 10;
const MAX_FOUND = 30;
/** Number of sections that are indexed at a time. */
const CHUNK = 10;
/** Number of characters before and after the first match. */
const AROUND = 90;

/**
 * `title`: title of the page, only in the entry of its first section. `defined`: names in the first cells of tables.
 */
type Entry = {
  href: string;
  page: string;
  title: string;
  heading: string;
  defined: string;
  text: string;
  weight: number;
};

const BOOST = { title: 8, heading: 5, defined: 4, page: 2, text: 1 };
/** Weight of long reference lists and reports, so that they are ranked after guides. */
const REFERENCE_WEIGHT = 0.6;
const RESOURCE_WEIGHT = 0.3;
const PAGE_WEIGHTS: Readonly<Record<string, number>> = {
  glossary: 0.6,
  scale: 0.6,
  security: 0.4,
  storage: 0.1,
  'threat-model': 0.4,
};

/** Words that readers use, separated by `|`, and the words of the guides. */
const SYNONYMS: readonly [readers: string, guides: readonly string[]][] = [
  ['2fa|mfa', ['second factor']],
  ['api key', ['machine', 'client secret']],
  ['app', ['application', 'client']],
  ['azure|azure ad|entra', ['microsoft']],
  ['custom', ['brand']],
  ['docker', ['container']],
  ['introspection', ['introspect']],
  ['log in|login', ['sign in']],
  ['log in with|login with', ['provider']],
  ['log out|logout', ['sign out']],
  ['migrate|migration', ['import', 'migrating']],
  ['permission', ['scope']],
  ['prometheus', ['metric']],
  ['rate limit', ['slow_down', 'limit']],
  ['reset password|password reset', ['forgotten password']],
  ['revocation', ['revoke']],
  ['role', ['group']],
  ['rotation', ['rotate', 'renewing']],
  ['session timeout|session lifetime', ['session_idle', 'session_max']],
  ['single sign on|sso', ['openid connect']],
  ['social login', ['provider']],
  ['spa', ['single page application']],
  ['token lifetime|token expiry', ['access_token_ttl']],
  ['tv', ['device']],
  ['user', ['person', 'people']],
  ['user login', ['sign users in', 'signing users in']],
];

/** Frequent words, which the search ignores. */
const STOP_WORDS = new Set(
  'a an and are at be by can do does for from get how i in is it me my of on or our that the this to use we what when where which who why with without you your'.split(
    ' ',
  ),
);

const foldCase = (text: string) => text.normalize('NFKC').toLowerCase();
/** Converts a plural to its singular, because the index contains only singulars. */
const singular = (word: string) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);
const wordsOf = (text: string): string[] =>
  foldCase(text)
    .split(/[^\p{L}\p{N}_.-]+/u)
    .map((word) => word.replaceAll(/^[.-]+|[.-]+$/g, ''))
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
const queryWords = (text: string) => wordsOf(text.replaceAll('-', ' '));
/** `access_token_ttl` is indexed as one term and as its three parts. */
const termsOf = (text: string): string[] =>
  wordsOf(text).flatMap((word) =>
    /[_.-]/.test(word) ? [word, ...word.split(/[_.-]+/).filter(Boolean)] : [word],
  );

let index: Promise<MiniSearch<Entry>> | undefined;

/** Indexes in chunks, so that the process answers other requests in between. */
async function buildIndex(): Promise<MiniSearch<Entry>> {
  const built = new MiniSearch<Entry>({
    idField: 'href',
    fields: Object.keys(BOOST),
    storeFields: ['href', 'page', 'heading', 'text', 'weight'],
    tokenize: (text, field) => (field === 'defined' ? queryWords(text) : termsOf(text)),
    processTerm: singular,
    searchOptions: {
      tokenize: queryWords,
      combineWith: 'AND',
      boost: BOOST,
      // long tables keep most of their score, despite their length
      bm25: { k: 1.2, b: 0.4, d: 0.5 },
      prefix: (term) => term.length > 2,
      // `client` also finds client_id, client_secret_basic and, with a lower score, words that resemble it
      weights: { prefix: 0.15, fuzzy: 0.2 },
      boostDocument: (_, __, stored) => Number(stored?.['weight']),
    },
  });
  const entries = [
    ...guideGroups().flatMap(({ title, guides }) =>
      guides.flatMap((guide) => entriesOfGuide(guide, title === 'Reference' ? REFERENCE_WEIGHT : 1)),
    ),
    ...entriesOfEndpoints(),
    ...entriesOfResources(),
  ];
  await built.addAllAsync(entries, { chunkSize: CHUNK });
  return built;
}

/** Returns the results, the best first. Empty if the query contains no word. */
export async function search(query: string): Promise<Found[]> {
  const words = queryWords(query.slice(0, MAX_QUERY)).slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const wanted = withSynonyms(words);
  index ??= buildIndex().catch((error) => {
    index = undefined;
    throw error;
  });
  const ready = await index;
  const exact = ready.search(wanted);
  // the search corrects typing errors only if there is no exact match
  const results = exact.length > 0 ? exact : ready.search(wanted, TYPOS);
  return results.slice(0, MAX_FOUND).map(({ href, page, heading, text, terms }) => ({
    href,
    page,
    heading,
    excerpt: excerptOf(text, terms),
  }));
}

const TYPOS: SearchOptions = {
  fuzzy: (term) => (/^\p{L}{5,30}$/u.test(term) ? 0.2 : false),
  maxFuzzy: 2,
};

/** Phrases for which synonyms exist, the longest first. */
const PHRASES = SYNONYMS.flatMap(([readers, guides]) =>
  readers.split('|').map((phrase) => ({ phrase: phrase.split(' ').map(singular).join(' '), guides })),
).toSorted((synonym, other) => other.phrase.length - synonym.phrase.length);

/** Builds a query in which each word, or one of its synonyms, must match. */
function withSynonyms(words: readonly string[]): Query {
  const queries: Query[] = [];
  let rest = ` ${words.map(singular).join(' ')} `;
  for (const { phrase, guides } of PHRASES) {
    if (!rest.includes(` ${phrase} `)) continue;
    rest = rest.replaceAll(` ${phrase} `, '  ');
    const synonyms = guides.map((guide) => allWords(guide, 2));
    queries.push({ combineWith: 'OR', queries: [allWords(phrase, 1), ...synonyms] });
  }
  const others = wordsOf(rest);
  const meaningful = others.filter((word) => !STOP_WORDS.has(word));
  return {
    combineWith: 'AND',
    queries: [...queries, ...(queries.length + meaningful.length > 0 ? meaningful : others)],
  };
}
const allWords = (text: string, boost: number): Query => ({
  combineWith: 'AND',
  queries: [text],
  boostTerm: () => boost,
});

/** Returns the text around the first match, with all matches marked. */
function excerptOf(text: string, terms: readonly string[]): Found['excerpt'] {
  const longestFirst = terms.toSorted((term, other) => other.length - term.length);
  const starts = longestFirst.map((term) => term.replaceAll(/[.]/g, '\\.')).join('|');
  const match = new RegExp(`(?<![\\p{L}\\p{N}])(?:${starts})`, 'giu');
  const from = Math.max(0, (match.exec(text)?.index ?? 0) - AROUND);
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const end = start + 2 * AROUND >= text.length ? text.length : text.lastIndexOf(' ', start + 2 * AROUND);
  const part = text.slice(start, end);
  match.lastIndex = 0;
  const parts = [];
  let done = 0;
  for (const { 0: hit, index: at } of part.matchAll(match)) {
    parts.push({ text: part.slice(done, at), isMatch: false }, { text: hit, isMatch: true });
    done = at + hit.length;
  }
  return [
    { text: start > 0 ? '… ' : '', isMatch: false },
    ...parts,
    { text: `${part.slice(done)}${end < text.length ? ' …' : ''}`, isMatch: false },
  ].filter(({ text }) => text !== '');
}

function entriesOfGuide(guide: Guide, weight: number): Entry[] {
  const parts: Token[][] = [];
  for (const token of guide.tokens)
    if (token.type === 'heading') parts.push([]);
    else parts.at(-1)?.push(token);
  return guide.headings.map(({ depth, text: heading, id }, n) => ({
    href: depth === 1 ? guidePath(guide.id) : `${guidePath(guide.id)}#${id}`,
    page: guide.title,
    title: depth === 1 ? `${guide.title} ${guide.about}` : '',
    heading,
    defined: (parts[n] ?? []).map(namesIn).join(' '),
    text: (parts[n] ?? []).map(textOf).join(' ').replaceAll(/\s+/g, ' ').trim(),
    weight: ownValue(PAGE_WEIGHTS, guide.id) ?? weight,
  }));
}

/** Returns the names of settings, claims, errors and commands in the first cells of a table. */
const namesIn = (token: Token): string =>
  token.type === 'table'
    ? (token as Tokens.Table).rows
        .flatMap(([cell]) => cell?.tokens ?? [])
        .flatMap(({ type, raw }) => (type === 'codespan' ? [raw] : []))
        .join(' ')
    : '';

/** Returns a row of a table as text, with each cell as `header: cell`. */
function textOf(token: Token): string {
  if (token.type !== 'table') return plainText([token]);
  const { header, rows } = token as Tokens.Table;
  const names = header.map(({ tokens }) => plainText(tokens));
  return rows
    .map((row) => row.map(({ tokens }, n) => `${names[n]}: ${plainText(tokens)}`).join(', '))
    .join('; ');
}

const entriesOfEndpoints = (): Entry[] =>
  sections.flatMap(({ endpoints }) =>
    endpoints.map((endpoint) => ({
      href: endpointPath(endpoint.id),
      page: 'Endpoints',
      title: '',
      defined: '',
      heading: `${endpointTitle(endpoint)}: ${endpoint.summary}`,
      text: `${endpoint.method} ${endpoint.path} ${endpoint.description}`,
      weight: 1,
    })),
  );

const entriesOfResources = (): Entry[] =>
  listResources().flatMap(({ id: resource, title, operations }) =>
    operations.map(({ id, method, path, summary }) => ({
      href: `${resourcePath(resource)}#${id}`,
      page: `Management API: ${title}`,
      title: '',
      defined: '',
      heading: `${method} ${path}`,
      text: summary,
      weight: RESOURCE_WEIGHT,
    })),
  );
