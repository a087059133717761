// The guides: docs/*.md, in the order and under the headings of docs/README.md. Read once; the files come with the
// build (outputFileTracingIncludes in next.config.mjs).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';

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
