// The guides: docs/*.md, in the order and under the headings of docs/README.md, as React elements, so that no markup of a
// document reaches the page as such; and the search over guides and endpoints. Read once; the files come with the build
// (outputFileTracingIncludes in next.config.mjs).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import { createElement, Fragment, type ReactNode } from 'react';
import { CodeBlock } from '#app/_components/copy.tsx';
import { ownValue } from '#lib/kit/wire.ts';
import { sections } from '#lib/reference/described.ts';
import { settings } from '#lib/settings/settings.ts';
import { guidePath, withServedPackages } from './addresses.ts';

export type Guide = {
  /** the name of its file, and of its page */
  id: string;
  title: string;
  /** what it is for, from docs/README.md */
  about: string;
  tokens: Token[];
  headings: Heading[];
};
export type Heading = { depth: number; text: string; id: string };
export type GuideGroup = { title: string; guides: Guide[] };

/** Without folders above them, so that no name leads out of docs/. */
const FOLDER = path.resolve('docs');
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');

let groups: readonly GuideGroup[] | undefined;

/** Every guide that is published, by group. */
export function guideGroups(): readonly GuideGroup[] {
  groups ??= groupsOf(lexer(read('README.md')));
  return groups;
}

export const allGuides = (): Guide[] => guideGroups().flatMap(({ guides }) => guides);
export const findGuide = (id: string): Guide | undefined => allGuides().find((guide) => guide.id === id);

function groupsOf(tokens: Token[]): GuideGroup[] {
  const found: GuideGroup[] = [];
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth === 2)
      found.push({ title: plainText(token.tokens), guides: [] });
    if (token.type === 'table') found.at(-1)?.guides.push(...(token as Tokens.Table).rows.flatMap(guideOf));
  }
  return found.filter(({ guides }) => guides.length > 0);
}

/** A row of docs/README.md: a link to the file, and what it is for. */
function guideOf([link, about]: Tokens.TableCell[]): Guide[] {
  const target = link?.tokens.find((token): token is Tokens.Link => token.type === 'link')?.href;
  const id = /^([\w-]+)\.md$/.exec(target ?? '')?.[1];
  if (id === undefined) return [];
  const tokens = lexer(read(`${id}.md`));
  const headings = headingsOf(tokens);
  return [{ id, title: headings[0]?.text ?? id, about: plainText(about?.tokens), tokens, headings }];
}

/** With the anchors that GitHub gives them, so that one link leads to both. */
export function headingsOf(tokens: readonly Token[]): Heading[] {
  const known = new Map<string, number>();
  return tokens.flatMap((token) => {
    if (token.type !== 'heading') return [];
    const text = plainText(token.tokens);
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const before = known.get(slug) ?? 0;
    known.set(slug, before + 1);
    return [{ depth: token.depth, text, id: before === 0 ? slug : `${slug}-${before}` }];
  });
}

/** The text of tokens, without their marks. */
function plainText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ');
      }
      if (token.type === 'list')
        return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ');
      if (token.type === 'html' || token.type === 'image') return '';
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      if (token.type === 'space') return ' ';
      return 'text' in token ? String(token.text) : '';
    })
    .join('');
}

// The search over guides and endpoints. Every word of the query must be in a section.

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

// The tokens of a guide as React elements: no markup of a document reaches the page as such.

/** Everything below the title. */
export function GuideText({ guide }: { guide: Guide }) {
  const ids = guide.headings.map(({ id }) => id);
  const blocks = guide.tokens.map((token): [Token, string | undefined] => [
    token,
    token.type === 'heading' ? ids.shift() : undefined,
  ]);
  return row(
    blocks
      .filter(([token]) => !(token.type === 'heading' && token.depth === 1))
      .map(([token, id]) => block(token, id)),
  );
}

const ownCode = (code: string) => withServedPackages(code, settings().baseUrl);

/** The parts never change their order, so none needs a key. */
const row = (parts: readonly ReactNode[]): ReactNode => createElement(Fragment, null, ...parts);
const blocks = (tokens: readonly Token[] = []) => row(tokens.map((token) => block(token)));
const spans = (tokens: readonly Token[] = []) => row(tokens.map(span));

function block(token: Token, id?: string): ReactNode {
  switch (token.type) {
    case 'heading':
      return createElement(`h${Math.min(token.depth, 4)}`, { id }, spans(token.tokens));
    case 'paragraph':
      return <p>{spans(token.tokens)}</p>;
    case 'text':
      return spans(token.tokens ?? [token]);
    case 'code':
      return <CodeBlock label={languageOf(token.lang) ?? 'Text'} code={ownCode(token.text)} />;
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case 'hr':
      return <hr />;
    default:
      // a comment, or a gap between blocks
      return null;
  }
}

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  python: 'Python',
  go: 'Go',
  java: 'Java',
  csharp: 'C#',
  php: 'PHP',
  yaml: 'YAML',
  sql: 'SQL',
  html: 'HTML',
  apache: 'Apache',
  lua: 'Lua',
  nginx: 'nginx',
  caddyfile: 'Caddyfile',
  haproxy: 'HAProxy',
  ini: 'File',
  text: 'Text',
};
export const languageOf = (lang = ''): string | undefined => ownValue(LANGUAGES, lang);

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = row(items.map(listItem));
  return ordered ? <ol start={Number(start) || 1}>{rows}</ol> : <ul>{rows}</ul>;
}

const listItem = ({ tokens }: Tokens.ListItem) => <li>{blocks(tokens)}</li>;

function table({ header, rows }: Tokens.Table): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <div className="guide-table" tabIndex={0}>
      <table>
        <thead>
          <tr>{row(header.map(headCell))}</tr>
        </thead>
        <tbody>{row(rows.map(tableRow))}</tbody>
      </table>
    </div>
  );
}

const headCell = ({ tokens }: Tokens.TableCell) => <th scope="col">{spans(tokens)}</th>;
const tableCell = ({ tokens }: Tokens.TableCell) => <td>{spans(tokens)}</td>;
const tableRow = (cells: Tokens.TableCell[]) => <tr>{row(cells.map(tableCell))}</tr>;

function span(token: Token): ReactNode {
  switch (token.type) {
    case 'codespan':
      return <code>{ownCode(token.text)}</code>;
    case 'strong':
      return <strong>{spans(token.tokens)}</strong>;
    case 'em':
      return <em>{spans(token.tokens)}</em>;
    case 'link': {
      const href = addressOf(token.href);
      return href === null ? spans(token.tokens) : <a href={href}>{linkText(token as Tokens.Link)}</a>;
    }
    case 'br':
      return <br />;
    case 'text':
      return token.tokens ? spans(token.tokens) : token.text;
    case 'escape':
      return token.text;
    default:
      return null;
  }
}

/** A link that only names a file has the title of its guide. */
function linkText({ text, href, tokens }: Tokens.Link): ReactNode {
  const id = /^([\w-]+)\.md$/.exec(text)?.[1];
  const title = id !== undefined && href.startsWith(text) ? findGuide(id)?.title : undefined;
  return title ?? spans(tokens);
}

/** Null: a file of the repository, which the service does not have. */
function addressOf(href: string): string | null {
  if (href.startsWith('#') || /^https?:\/\//.test(href)) return href;
  const [, id, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return id !== undefined && findGuide(id) ? `${guidePath(id)}${anchor}` : null;
}
