// Prepared statements and Prisma's client are kept apart, by folder.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const store = path.resolve(import.meta.dirname, '..');
const files = readdirSync(store, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^generated\//.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(store, file), 'utf8') }));
const textsOf = (...folders: string[]) => files.filter(({ file }) => folders.includes(path.dirname(file)));

test('nothing that a sign-in or a token request runs loads Prisma, and nothing else of people goes past it', () => {
  const hot = textsOf('tokens', 'sign-in');
  const cold = textsOf('people');
  expect(hot.length).toBeGreaterThan(20);
  expect(cold.length).toBeGreaterThan(10);
  for (const { file, text } of hot)
    expect(text, file).not.toMatch(/\bdatabase\(\)|\binTransaction\b|\bDb\b|\$(?:query|execute)Raw/);
  for (const { file, text } of cold) expect(text, file).not.toMatch(/\b(?:query|queryLane|batched)\s*[(<]/);
});

test('each statement of a sign-in and of a token request has a name, and none has the name of another', () => {
  for (const { file, text } of textsOf('tokens', 'sign-in'))
    for (const [call] of text.matchAll(/\b(?:query|batched)(?:<[^;]*?>)?\(\s*(?:\{\s*)?\S+/g))
      expect(call, file).toMatch(/\{\s*name:$/);
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(/\bname: '([a-z-]+)',\s*(?:\/\/.*\s*)*text:/g)].map(([, name]) => name),
  );
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
