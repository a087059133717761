// Code of lib/store may not import lib/audit, so its statements contain the names of events as text.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const store = path.join(import.meta.dirname, '../store');
const catalogue = readFileSync(path.join(import.meta.dirname, 'events.ts'), 'utf8');
const names = new Set([...catalogue.matchAll(/^ {2}'([a-z_.]+)':/gm)].map(([, name]) => name));

test('the catalogue lists every event that SQL statements write', () => {
  const written = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(path.join(store, file), 'utf8');
      const events = text.matchAll(/insert into audit_events[^)]*\)\s*(?:select|values \()\s*'([^']+)'/g);
      return [...events].map(([, name]) => name as string);
    });
  expect(written.length).toBeGreaterThan(10);
  expect(written.filter((name) => !names.has(name))).toEqual([]);
});
