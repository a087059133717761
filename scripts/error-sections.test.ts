import { globSync, readFileSync } from 'node:fs';
import { lexer } from 'marked';
import { expect, test } from 'vitest';
import { headingsOf } from '#app/documentation/_guides/guides.tsx';
import { REFUSAL_REASONS } from '#lib/management/inspector.ts';
import { declaredCodes, ERROR_SECTIONS, reasonsOf } from './error-sections.ts';

/** Codes of the error classes and of literal responses. */
const returned = globSync('lib/{oauth,http}/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(
      /(?:static override readonly code = |json\(\d+, \{ error: |code: )'([a-z]+_[a-z_]+)'/g,
    ),
  ])
  .map(([, code = '']) => code);

test('each error code of the source has a section in docs/reference/errors.md, and each section belongs to a code', () => {
  const codes = new Set([...returned, ...declaredCodes]);
  expect(codes.size).toBeGreaterThan(25);
  expect(Object.keys(ERROR_SECTIONS)).toEqual([...codes].sort());
});

test('the anchor of a section in errors.md is its error code', () => {
  const headings = headingsOf(lexer(readFileSync('docs/reference/errors.md', 'utf8')));
  expect(headings.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(ERROR_SECTIONS)));
});

test('each reason of the inspector belongs to a section of errors.md, and each section names existing reasons', () => {
  const listed = Object.keys(ERROR_SECTIONS).flatMap(reasonsOf);
  expect([...new Set(listed)].sort()).toEqual(Object.keys(REFUSAL_REASONS).sort());
  for (const [code, { reasons = [] }] of Object.entries(ERROR_SECTIONS))
    for (const pattern of reasons)
      expect(
        reasonsOf(code).some((reason) => reason.startsWith(pattern.replace('*', ''))),
        `${code}: ${pattern}`,
      ).toBe(true);
});

test('each section of errors.md has a remedy', () => {
  for (const [code, { causes }] of Object.entries(ERROR_SECTIONS))
    expect(causes.length + reasonsOf(code).length, code).toBeGreaterThan(0);
});
