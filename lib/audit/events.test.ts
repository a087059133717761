// Statements of lib/store contain the names of events as text.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_NAMES } from '#lib/registry/audit-event.ts';

const store = path.join(import.meta.dirname, '../store');
const names: ReadonlySet<string> = new Set(EVENT_NAMES);

test('EVENT_NAMES contains every event that SQL statements write', () => {
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
