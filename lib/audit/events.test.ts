// Statements of the store and database functions contain event names as text.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENT_NAMES } from '#lib/registry/audit-event.ts';
import { sourcesOf } from '#testing/code/sources.ts';

const functions = 'prisma/functions';
const names: ReadonlySet<string> = new Set(EVENT_NAMES);

test('EVENT_NAMES contains every event that SQL statements write', () => {
  const texts = [
    ...sourcesOf('store').map(({ text }) => text),
    ...readdirSync(functions).map((file) => readFileSync(`${functions}/${file}`, 'utf8')),
  ];
  const written = texts.flatMap((text) =>
    [...text.matchAll(/insert into "?audit_events"?[^)]*\)\s*(?:select|values \()\s*'([^']+)'/gi)].map(
      ([, name]) => name as string,
    ),
  );
  expect(written).toContain('person.groups_changed');
  expect(written.length).toBeGreaterThan(10);
  expect(written.filter((name) => !names.has(name))).toEqual([]);
});
