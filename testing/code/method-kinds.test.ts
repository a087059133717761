// Texts that list the kinds of sign-in methods must list every kind that the text concerns.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';

/** Patterns for the names of the kinds in texts. */
const NAMES: Record<string, RegExp> = {
  local: /\blocal\b|our own|of our own/i,
  external: /\bexternal\b|checks passwords/i,
  ldap: /\bldap\b|\bdirectory\b/i,
  broker: /\bbrokers?\b/i,
};
const types = METHOD_KINDS.map(({ type }) => type);
const withPasswords = METHOD_KINDS.filter(({ capabilities }) => capabilities.asksPassword).map(
  ({ type }) => type,
);

/** Returns the text of a file between two marks. */
function part(file: string, from: string, to: string): string {
  const text = readFileSync(file, 'utf8');
  const start = text.indexOf(from);
  expect(start, `${file}: ${from}`).toBeGreaterThan(-1);
  return text.slice(start, text.indexOf(to, start + from.length));
}

test.each([
  ['the column of the type', 'prisma/schema.prisma', '/// `local`', '\n', types],
  ['the claims of people', 'docs/how-to/openid-connect.md', '## Claims of people', '\n\n`preferred', types],
  ['amr', 'docs/how-to/openid-connect.md', '| `amr`', '\n', types],
  ['second factors', 'docs/how-to/second-factors.md', '## Second factor policy', '## Trusted', types],
  ['the password grant', 'docs/endpoints/token.md', 'checks passwords (', '.', withPasswords],
  ['its refusal', 'lib/oauth/token.ts', 'and the method is not', ',\n', withPasswords],
])('%s: the document names every kind of method', (_, file, from, to, kinds) => {
  const text = part(file, from, to);
  expect(kinds.filter((kind) => !NAMES[kind]?.test(text))).toEqual([]);
});

test('a sentence that names local and external methods also names LDAP', () => {
  const files = [
    ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => `docs/${file}`),
    ...['lib/oauth/token.ts', 'GLOSSARY.md', 'README.md'],
  ];
  const both =
    /[^.|\n]*\b(?:local[`,]* (?:or|and|nor) [`]?external|external[`,]* (?:or|and|nor) [`]?local)\b[^.|\n]*/gi;
  const lacking = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(both)]
      .filter(([sentence]) => !/ldap|directory/i.test(sentence))
      .map(([sentence]) => `${file}: ${sentence.trim()}`),
  );
  expect(lacking).toEqual([]);
});
