// Creates lib/accounts/known-passwords-list.ts from the passwords in @zxcvbn-ts/language-common: for each password of
// 8 or more characters, the first four bytes of its SHA-256, in order. Run it after that package changed: `node
// scripts/known-passwords.ts`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const source = path.join(root, 'node_modules/@zxcvbn-ts/language-common/src/passwords.json');

export const LIST_FILE = path.join(root, 'lib/accounts/known-passwords-list.ts');

/** Passwords, the most used first. */
export function sourcePasswords(): string[] {
  const all: string[] = JSON.parse(readFileSync(source, 'utf8'));
  return all.filter((password) => [...password].length >= 8);
}

export function makeKnownPasswords(): string {
  const prefixes = sourcePasswords().map((password) =>
    createHash('sha256').update(password.normalize('NFKC').toLowerCase()).digest().readUInt32BE(),
  );
  const sorted = [...new Set(prefixes)].toSorted((a, b) => a - b);
  const bytes = Buffer.alloc(sorted.length * 4);
  for (const [n, prefix] of sorted.entries()) bytes.writeUInt32BE(prefix, n * 4);
  return `// Made by scripts/known-passwords.ts of @zxcvbn-ts/language-common, (c) MrWook and Dropbox, MIT License.

/** Base64 of ${sorted.length.toLocaleString('en')} numbers of four bytes, in rising order. */
export const PREFIXES =
  '${bytes.toString('base64')}';
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = makeKnownPasswords();
  writeFileSync(LIST_FILE, text);
  process.stdout.write(`${text.length} bytes\n`);
}
