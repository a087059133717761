// The search over guides and endpoints. Every word of the query must be in a section.
import type { Token } from 'marked';
import { sections } from '#lib/reference/described.ts';
import { guidePath } from './addresses.ts';
import { type Guide, guideGroups, plainText } from './guides.ts';

export type Found = {
  href: string;
  /** of the guide, or `Endpoints` */
  page: string;
  heading: string;
  /** around the first word that was found */
  excerpt: string;
};

export const MAX_QUERY = 200;
const MAX_WORDS = 10;
const MAX_FOUND = 30;
const AROUND = 90;

/** Reference pages are long lists, so they count less. */
const REFERENCE_WEIGHT = 0.5;

type Entry = Omit<Found, 'excerpt'> & { text: string; searched: string; weight: number };

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

let entries: readonly Entry[] | undefined;

/** The best first; none without a word to search for. */
export function search(query: string): Found[] {
  const words = folded(query.slice(0, MAX_QUERY))
    .split(/[^\p{L}\p{N}_.-]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  entries ??= [
    ...guideGroups().flatMap(({ title, guides }) =>
      guides.flatMap((guide) => sectionsOf(guide, title === 'Reference' ? REFERENCE_WEIGHT : 1)),
    ),
    ...endpointEntries(),
  ];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_FOUND)
    .map(({ entry: { href, page, heading, text } }) => ({
      href,
      page,
      heading,
      excerpt: around(text, words),
    }));
}

/** A heading counts more than a text, and a title more than a heading. */
function scoreOf({ page, heading, searched, weight }: Entry, words: readonly string[]): number {
  const [title, above] = [folded(page), folded(heading)];
  let score = 0;
  for (const word of words) {
    const times = searched.split(word).length - 1;
    if (times === 0) return 0;
    score += Math.min(times, 5) + (above.includes(word) ? 20 : 0) + (title.includes(word) ? 10 : 0);
  }
  return (score + (words.length > 1 && searched.includes(words.join(' ')) ? 15 : 0)) * weight;
}

function around(text: string, words: readonly string[]): string {
  const low = folded(text);
  const places = words.map((word) => low.indexOf(word)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - AROUND);
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const part = text.slice(start, start + 2 * AROUND);
  return `${start > 0 ? '… ' : ''}${part.trim()}${start + part.length < text.length ? ' …' : ''}`;
}

function sectionsOf(guide: Guide, weight: number): Entry[] {
  const parts: { at: number; tokens: Token[] }[] = [];
  for (const token of guide.tokens)
    if (token.type === 'heading') parts.push({ at: parts.length, tokens: [] });
    else parts.at(-1)?.tokens.push(token);
  return parts.flatMap(({ at, tokens }) => {
    const heading = guide.headings[at];
    if (!heading) return [];
    const text = tokens
      .map((token) => plainText([token]))
      .join(' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const href = heading.depth === 1 ? guidePath(guide.id) : `${guidePath(guide.id)}#${heading.id}`;
    return [entryOf({ href, page: guide.title, heading: heading.text, text, weight })];
  });
}

const endpointEntries = (): Entry[] =>
  sections.flatMap(({ endpoints }) =>
    endpoints.map(({ id, method, path, summary, description }) =>
      entryOf({
        href: `/documentation#endpoint-${id}`,
        page: 'Endpoints',
        heading: summary,
        text: `${method} ${path} ${description}`,
        weight: 1,
      }),
    ),
  );

const entryOf = (entry: Omit<Entry, 'searched'>): Entry => ({
  ...entry,
  searched: folded(`${entry.page} ${entry.heading} ${entry.text}`),
});
