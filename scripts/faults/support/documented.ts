// What docs/high-availability.md tells an operator to put into files, for servers of this machine.
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';

const DOCUMENT = 'docs/high-availability.md';

/** The block in this language whose first line names this file, with other values for those that it has as examples. */
export function documented(language: string, file: string, replaced: Record<string, string> = {}): string {
  const found = codeIn(DOCUMENT, language).find((code) => code.split('\n')[0]?.includes(file));
  if (found === undefined) throw new Error(`${DOCUMENT} has no ${file}`);
  return replaceIn(found, replaced);
}
