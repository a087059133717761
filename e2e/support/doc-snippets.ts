// The code of docs/protect-an-api.md as an API would have it, with this run's addresses in the place of the example's.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const DOC = readFileSync('docs/protect-an-api.md', 'utf8');

/** The block whose first line names the file. */
function blockOf(file: string): string {
  const found = [...DOC.matchAll(/^```\w+\n((?:\/\/|#) (\S+)\n[\s\S]*?)^```$/gm)].find(
    ([, , name]) => name === file,
  );
  if (!found?.[1]) throw new Error(`docs/protect-an-api.md has no ${file}`);
  return found[1];
}

/** Writes it into a folder where it finds this repository's packages; gives its path. */
export function writeSnippet(file: string, authUrl: string, replaced: Record<string, string> = {}): string {
  let text = blockOf(file);
  const all = { 'https://auth.example': authUrl, ...replaced };
  for (const [example, value] of Object.entries(all)) {
    if (!text.includes(example)) throw new Error(`${file} has no ${example}`);
    text = text.replaceAll(example, value);
  }
  mkdirSync('test-results', { recursive: true });
  const target = path.resolve(mkdtempSync(path.join('test-results', 'doc-')), file);
  writeFileSync(target, text);
  return target;
}
