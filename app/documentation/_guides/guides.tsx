// The guides: the Markdown files in the folders of docs, in the order and under the headings of docs/README.md. They
// are rendered as React elements, so markup in a document never reaches the page as HTML. Pages for contributors have
// an address, but menu and search omit them. Each file is read once. The build includes the files
// (outputFileTracingIncludes in next.config.mjs).

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, type Token, type Tokens, walkTokens } from 'marked';
import { createElement, Fragment, type ReactNode } from 'react';
import { CodeBlock } from '#app/_components/copy.tsx';
import { highlight } from '#app/_components/highlight.tsx';
import { markBreaks } from '#app/_components/pieces.tsx';
import { ownValue } from '#lib/kit/wire.ts';
import { settings } from '#lib/settings/settings.ts';
import { FILES, filePath, guidePath, SERVED, withAddresses } from './addresses.ts';

export type Guide = {
  /** the file name without folder, which is also the name of the page */
  id: string;
  /** path of the file below docs/ */
  file: string;
  title: string;
  /** the summary in docs/README.md */
  about: string;
  tokens: Token[];
  headings: Heading[];
};
export type Heading = { depth: number; text: string; id: string };
/** A section of a page. */
export type Section = Pick<Heading, 'id' | 'text'>;
export type GuideGroup = { title: string; guides: Guide[] };

const FOLDER = path.resolve('docs');
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');

/** The heading in docs/README.md above the pages for contributors. */
const PROJECT = 'Project';
const DECISIONS = 'project/decisions';
const UNLISTED = ['../CHANGELOG.md', '../CONTRIBUTING.md'];

type Pages = {
  listed: GuideGroup[];
  byId: Map<string, Guide>;
  /** guides, keyed by their path in the repository */
  byFile: Map<string, Guide>;
};
let pages: Pages | undefined;

function readPages(): Pages {
  if (pages) return pages;
  const groups = groupsOf(lexer(read('README.md')));
  const decisions = readdirSync(path.join(FOLDER, DECISIONS)).filter((name) => name.endsWith('.md'));
  const all = [
    ...groups.flatMap(({ guides }) => guides),
    ...decisions.toSorted().map((name) => readGuide(`${DECISIONS}/${name}`, '')),
    ...UNLISTED.map((file) => readGuide(file, '')),
  ];
  pages = {
    listed: groups.filter(({ title }) => title !== PROJECT),
    byId: new Map(all.map((guide) => [guide.id, guide])),
    byFile: new Map(all.map((guide) => [path.posix.join('docs', guide.file), guide])),
  };
  return pages;
}

/** The guides in the menu, by group. */
export const guideGroups = (): readonly GuideGroup[] => readPages().listed;
/** All guides in the menu. */
export const allGuides = (): Guide[] => guideGroups().flatMap(({ guides }) => guides);
/** Every page, including those for contributors. */
export const everyPage = (): Guide[] => [...readPages().byId.values()];
export const findGuide = (id: string): Guide | undefined => readPages().byId.get(id);

function groupsOf(tokens: Token[]): GuideGroup[] {
  const groups: GuideGroup[] = [];
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth === 2)
      groups.push({ title: plainText(token.tokens), guides: [] });
    if (token.type === 'table') groups.at(-1)?.guides.push(...(token as Tokens.Table).rows.flatMap(guideOf));
  }
  return groups.filter(({ guides }) => guides.length > 0);
}

/** Returns the guide that a row of docs/README.md describes: a link to a file, and its summary. */
function guideOf([link, about]: Tokens.TableCell[]): Guide[] {
  const file = link?.tokens.find((token): token is Tokens.Link => token.type === 'link')?.href ?? '';
  return file.endsWith('.md') ? [readGuide(file, plainText(about?.tokens))] : [];
}

function readGuide(file: string, about: string): Guide {
  const tokens = lexer(shortenText(read(file)));
  walkTokens(tokens, (token) => {
    fileOf.set(token, file);
  });
  const headings = headingsOf(tokens);
  const id = file === `${DECISIONS}/README.md` ? 'decisions' : path.basename(file, '.md').toLowerCase();
  return { id, file, title: headings[0]?.text ?? id, about, tokens, headings };
}

/**
 * Maximum number of characters of the changelog on a page. A page has at most 60 kB, so only the newest
 * entries are shown.
 */
const MAX_CHARACTERS = 42_000;
const shortenText = (text: string): string =>
  text.startsWith('# Changelog') && text.length > MAX_CHARACTERS
    ? `${text.slice(0, text.lastIndexOf('\n- ', MAX_CHARACTERS))}\n\nThe rest is in the [Markdown file](${guidePath('changelog')}.md).\n`
    : text;

/** Maps each token to the file that contains it, because relative links are relative to that file. */
const fileOf = new WeakMap<object, string>();

const codeOf = (token: Token): string =>
  withAddresses('text' in token ? String(token.text) : '', fileOf.get(token) ?? '', settings());

/** Returns the headings with their anchors. Anchors are the same as on GitHub, so a link works on both sites. */
export function headingsOf(tokens: readonly Token[]): Heading[] {
  const slugCounts = new Map<string, number>();
  return tokens.flatMap((token) => {
    if (token.type !== 'heading') return [];
    const text = plainText(token.tokens);
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const before = slugCounts.get(slug) ?? 0;
    slugCounts.set(slug, before + 1);
    return [{ depth: token.depth, text, id: before === 0 ? slug : `${slug}-${before}` }];
  });
}

/** Returns the text of tokens without Markdown syntax. */
export function plainText(tokens: readonly Token[] = []): string {
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

// Renders the tokens of a guide as React elements. Markup in a document never reaches the page as HTML.

/** The text of a guide, without its title. */
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

/** Long identifiers can break after underscores and dots. */
const markBreaksInCode = (code: string): ReactNode =>
  code.length > 21 && /^[\w.]+$/.test(code) ? markBreaks(code, /(?<=[_.])/) : code;

/** Elements never change order, so React needs no keys. */
const row = (parts: readonly ReactNode[]): ReactNode => createElement(Fragment, null, ...parts);
const blocks = (tokens: readonly Token[] = []) => row(tokens.map((token) => block(token)));
const spans = (tokens: readonly Token[] = []) => row(tokens.map(span));

function block(token: Token, id?: string): ReactNode {
  switch (token.type) {
    case 'heading':
      return createElement(`h${Math.min(token.depth, 4)}`, { id }, headingText(token as Tokens.Heading, id));
    case 'paragraph':
      return <p>{spans(token.tokens)}</p>;
    case 'text':
      return spans(token.tokens ?? [token]);
    case 'code':
      return (
        <CodeBlock label={languageOf(token.lang) ?? 'Text'} code={highlight(codeOf(token), token.lang)} />
      );
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case 'hr':
      return <hr />;
    default:
      // renders nothing for a comment, or for space between blocks
      return null;
  }
}

/** Links the text of a heading to the heading itself, unless the text already contains a link. */
function headingText({ tokens }: Tokens.Heading, id: string | undefined): ReactNode {
  const text = spans(tokens);
  if (id === undefined || tokens.some(({ type }) => type === 'link')) return text;
  return (
    <a className="anchor" href={`#${id}`}>
      {text}
    </a>
  );
}

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  json: 'JSON',
  tsx: 'TypeScript',
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard (WCAG 2.1.1)
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
      return <code>{markBreaksInCode(codeOf(token))}</code>;
    case 'strong':
      return <strong>{spans(token.tokens)}</strong>;
    case 'em':
      return <em>{spans(token.tokens)}</em>;
    case 'link': {
      const href = addressOf(token as Tokens.Link);
      return href === null ? spans(token.tokens) : <a href={href}>{linkText(token as Tokens.Link)}</a>;
    }
    case 'image':
      return <img src={addressOf(token as Tokens.Image) ?? undefined} alt={token.text} />;
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

/** Returns the text of a link. If the text is only a file name, the title of the page replaces it. */
function linkText(link: Tokens.Link): ReactNode {
  const title = /^[\w./-]+\.md$/.test(link.text) ? pageOf(link)?.title : undefined;
  return title ?? spans(link.tokens);
}

/** Returns the repository path of the file that the link names. */
const targetOf = (file: string, href: string): string =>
  path.posix.join('docs', path.posix.dirname(file), href.replace(/#.*/, ''));

const pageOf = (link: Tokens.Link): Guide | undefined =>
  readPages().byFile.get(targetOf(fileOf.get(link) ?? '', link.href));

/** Returns the address of a link. Null: the link names a file of the repository that the service does not serve. */
export const addressOf = (link: Tokens.Link | Tokens.Image): string | null =>
  addressIn(fileOf.get(link) ?? '', link.href);

function addressIn(file: string, href: string): string | null {
  if (/^(?:#|\/|https?:|mailto:)/.test(href)) return href;
  const target = targetOf(file, href);
  const page = readPages().byFile.get(target);
  if (page) return `${guidePath(page.id)}${/#.*/.exec(href)?.[0] ?? ''}`;
  const name = path.posix.basename(target);
  return ownValue(FILES, name) === target ? filePath(name) : (ownValue(SERVED, target) ?? null);
}

/** Returns the Markdown of a guide, with this service's addresses and links. */
export function markdownOf({ file }: Guide): string {
  const { baseUrl } = settings();
  return withAddresses(read(file), file, settings()).replaceAll(/\]\(([^)\s]+)\)/g, (link, href: string) => {
    const address = addressIn(file, href);
    if (address === null || !address.startsWith('/')) return link;
    return `](${baseUrl}${address.replace(/^(\/documentation\/guides\/[\w-]+)/, '$1.md')})`;
  });
}
