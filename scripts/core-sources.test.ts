// Whether the compiled core was made from the present sources.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CORE_SOURCES, fingerprint, isCoreCurrent } from './core-sources.mjs';

let root: string;
const write = (file: string, text: string) => {
  const full = path.join(root, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
};
/** Sets the time of the last change, in seconds from now. */
const touch = (file: string, seconds: number) => {
  const time = Date.now() / 1_000 + seconds;
  utimesSync(path.join(root, file), time, time);
};

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-core-'));
  write('lib/token.ts', 'export const lifetime = 1;');
  write('node_modules/gatehouse-lib/.fingerprint', fingerprint(root, CORE_SOURCES));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a core of the present sources is current, also if a file was written again with equal content', () => {
  expect(isCoreCurrent(root)).toBe(true);
  touch('lib/token.ts', 60);
  expect(isCoreCurrent(root)).toBe(true);
});

test('a changed and a new source make the core outdated, a test file does not', () => {
  write('lib/token.test.ts', 'changed');
  touch('lib/token.test.ts', 60);
  expect(isCoreCurrent(root)).toBe(true);
  write('lib/new.ts', '');
  touch('lib/new.ts', 60);
  expect(isCoreCurrent(root)).toBe(false);
  rmSync(path.join(root, 'lib/new.ts'));
  write('lib/token.ts', 'export const lifetime = 2;');
  touch('lib/token.ts', 60);
  expect(isCoreCurrent(root)).toBe(false);
});

test('a folder without a core counts as unbuilt', () => {
  rmSync(path.join(root, 'node_modules'), { recursive: true });
  expect(isCoreCurrent(root)).toBe(false);
});
