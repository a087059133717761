// Every code block in the documents has valid syntax. e2e/protocol/clients/snippets.spec.ts runs the blocks
// that can run.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Language, syntaxFault } from './code-syntax.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LANGUAGES: Record<string, Language> = {
  js: 'javascript',
  tsx: 'tsx',
  sh: 'shell',
  python: 'python',
  go: 'go',
  java: 'java',
  json: 'json',
  yaml: 'yaml',
  php: 'php',
};
/**
 * Languages that this test skips, because other tests run their code, their code is too short to check, or Debian has
 * no program for them (.NET).
 */
const ELSEWHERE = new Set([
  'csharp',
  'nginx',
  'caddyfile',
  'haproxy',
  'lua',
  'apache',
  'ini',
  'sql',
  'html',
  'text',
]);

const documents = globSync(['*.md', 'docs/**/*.md', 'lib/*/README.md', 'app/**/README.md', 'e2e/*.md'], {
  cwd: root,
});
const blocks = documents.flatMap((document) => {
  const text = readFileSync(path.join(root, document), 'utf8');
  return [...text.matchAll(/^( *)```(\S*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', code = ''], n) => ({
      name: `${document}, block ${n + 1} (${language})`,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
});

it('the search finds code blocks in README.md and other documents', () => {
  expect(documents).toContain('README.md');
  expect(blocks.length).toBeGreaterThan(30);
});

describe('every code block in the documents has valid syntax', () => {
  it.for(blocks.filter(({ language }) => !ELSEWHERE.has(language)))(
    'the code block $name has valid syntax',
    ({ language, code }, { skip }) => {
      const known = LANGUAGES[language];
      if (known === undefined)
        throw new Error(`a block is in ${language || 'no language'}, which nothing checks`);
      const fault = syntaxFault(known, code);
      if (fault === 'no tool') skip(`there is no tool for ${known} on this machine`);
      expect(fault).toBeNull();
    },
  );
});
