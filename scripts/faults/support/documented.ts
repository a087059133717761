// Reads files that docs/operate/failover.md and database.md tell operators to write, and adapts them to servers of
// this machine.
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';

const DOCUMENTS = ['docs/operate/failover.md', 'docs/operate/database.md'];

/**
 * Returns the code block in this language whose first line contains the name of the file. `replaced`: values that
 * replace example values.
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
