// The guides: docs/*/*.md, in the order and under the headings of docs/README.md, as React elements, so that no markup of a
// document reaches the page as such. Read once; the files come with the build (outputFileTracingIncludes in
// next.config.mjs).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import { createElement, Fragment, type ReactNode } from 'react';
import { CodeBlock } from '#app/_components/copy.tsx';
import { ownValue } from '#lib/kit/wire.ts';
import { settings } from '#lib/settings/settings.ts';
import { guidePath, withServedPackages } from './addresses.ts';

export type Guide = {
  /** file name without its folder, also the page name */
  id: string;
  /** path below docs/ */
  file: string;
  title: string;
  /** summary from docs/README.md */
  about: string;
  tokens: Token[];
  headings: Heading[];
};
export type Heading = { depth: number; text: string; id: string };
export type GuideGroup = { title: string; guides: Guide[] };

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

/** Relative link to a guide: page name, anchor. */
const GUIDE_LINK = /^(?:[\w.-]+\/)*([\w-]+)\.md(#.*)?$/;

/** Row of docs/README.md: file link and summary. */
function guideOf([link, about]: Tokens.TableCell[]): Guide[] {
  const target = link?.tokens.find((token): token is Tokens.Link => token.type === 'link')?.href;
  const [file = '', id] = GUIDE_LINK.exec(target ?? '') ?? [];
  if (id === undefined) return [];
  const tokens = lexer(read(file));
  const headings = headingsOf(tokens);
  return [{ id, file, title: headings[0]?.text ?? id, about: plainText(about?.tokens), tokens, headings }];
}

/** Uses GitHub's heading anchors: the same link works on both sites. */
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

/** Plain text of tokens, without Markdown syntax. */
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

// Renders guide tokens as React elements. Markup in a document never reaches the page as HTML.

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
      // comment, or space between blocks
      return null;
  }
}

/** The text links to its heading, unless a link is part of it. */
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

/** Link text: the guide's title if the text is only a file name. */
function linkText({ text, href, tokens }: Tokens.Link): ReactNode {
  const id = /^([\w-]+)\.md$/.exec(text)?.[1];
  const title = id !== undefined && GUIDE_LINK.exec(href)?.[1] === id ? findGuide(id)?.title : undefined;
  return title ?? spans(tokens);
}

/** `null`: repository file that the service does not serve. */
function addressOf(href: string): string | null {
  if (href.startsWith('#') || /^https?:\/\//.test(href)) return href;
  const [, id, anchor = ''] = GUIDE_LINK.exec(href) ?? [];
  return id !== undefined && findGuide(id) ? `${guidePath(id)}${anchor}` : null;
}
