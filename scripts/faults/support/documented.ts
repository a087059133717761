// Files that docs/operate/failover.md and database.md tell an operator to write, for servers of this machine.
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';

const DOCUMENTS = ['docs/operate/failover.md', 'docs/operate/database.md'];

/**
 * Returns the code block in this language with the file's name in its first line. `replaced`: values for its
 * example values.
 */
export function documentedBlock(
  language: string,
  file: string,
  replaced: Record<string, string> = {},
): string {
  const found = DOCUMENTS.flatMap((document) => codeIn(document, language)).find((code) =>
    code.split('\n')[0]?.includes(file),
  );
  if (found === undefined) throw new Error(`${DOCUMENTS.join(', ')}: no ${file}`);
  return replaceIn(found, replaced);
}
