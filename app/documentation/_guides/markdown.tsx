// The tokens of a guide as React elements: no markup of a document reaches the page as such.
import type { Token, Tokens } from 'marked';
import { createElement, Fragment, type ReactNode } from 'react';
import { CodeBlock } from '#app/_components/code-block.tsx';
import { ownValue } from '#lib/kit/own-value.ts';
import { settings } from '#lib/settings/settings.ts';
import { guidePath, withServedPackages } from './addresses.ts';
import { findGuide, type Guide } from './guides.ts';

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
