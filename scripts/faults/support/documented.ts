// What docs/operate/high-availability.md tells an operator to put into files, for servers of this machine.
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';

const DOCUMENT = 'docs/operate/high-availability.md';

/** Code block in this language with the file's name in its first line. `replaced`: values for its example values. */
export function documented(language: string, file: string, replaced: Record<string, string> = {}): string {
  const found = codeIn(DOCUMENT, language).find((code) => code.split('\n')[0]?.includes(file));
  if (found === undefined) throw new Error(`${DOCUMENT} has no ${file}`);
  return replaceIn(found, replaced);
}
