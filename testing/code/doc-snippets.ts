// Code of docs/ with this test run's URLs.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the code block of the document whose first line contains the name of the file. */
function blockOf(file: string, document: string): string {
  const doc = readFileSync(document, 'utf8');
  const found = [...doc.matchAll(/^```\w+\n((?:\/\/|#) (\S+)\n[\s\S]*?)^```$/gm)].find(
    ([, , name]) => name === file,
  );
  if (!found?.[1]) throw new Error(`${document} has no ${file}`);
  return found[1];
}

/** Returns the code blocks of a document, filtered by language, in order. */
export function codeIn(document: string, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...readFileSync(document, 'utf8').matchAll(pattern)].map(([, code = '']) => code);
}

/** Returns the only block of this language in the document. */
export function blockIn(document: string, language: string): string {
  const [found, ...more] = codeIn(document, language);
  if (!found || more.length > 0) throw new Error(`${document} has not one block of ${language}`);
  return found;
}

export function replaceIn(text: string, replaced: Record<string, string>): string {
  let result = text;
  for (const [example, value] of Object.entries(replaced)) {
    if (!result.includes(example)) throw new Error(`there is no ${example} to replace`);
    result = result.replaceAll(example, value);
  }
  return result;
}

/**
 * Writes the snippet to `folder`, or to a new folder with this repository's packages. Returns its path. `authUrl` null:
 * the snippet contains no service URL.
 */
export function writeSnippet(
  file: string,
  authUrl: string | null,
  replaced: Record<string, string> = {},
  folder?: string,
  document = 'docs/how-to/protect-an-api.md',
): string {
  const all = { ...(authUrl === null ? {} : { 'https://auth.example': authUrl }), ...replaced };
  const text = replaceIn(blockOf(file, document), all);
  mkdirSync('test-results', { recursive: true });
  const target = path.resolve(folder ?? mkdtempSync(path.join('test-results', 'doc-')), file);
  writeFileSync(target, text);
  return target;
}
