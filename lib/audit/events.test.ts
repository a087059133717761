// Statements of lib/store and functions of the database contain the names of events as text.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_NAMES } from '#lib/registry/audit-event.ts';

const folders = ['lib/store', 'prisma/functions'];
const names: ReadonlySet<string> = new Set(EVENT_NAMES);

test('EVENT_NAMES contains every event that SQL statements write', () => {
  const written = folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
    )
    .filter((file) => /(?<!\.test)\.ts$|\.sql$/.test(file))
    .flatMap((file) => {
      const events = readFileSync(file, 'utf8').matchAll(
        /insert into "?audit_events"?[^)]*\)\s*(?:select|values \()\s*'([^']+)'/gi,
      );
      return [...events].map(([, name]) => name as string);
    });
  expect(written).toContain('person.groups_changed');
  expect(written.length).toBeGreaterThan(10);
  expect(written.filter((name) => !names.has(name))).toEqual([]);
});
