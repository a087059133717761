import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { JOURNEYS } from './journeys.ts';
import { WAYS } from './walk.ts';

const document = readFileSync('docs/project/journeys.md', 'utf8');

test('docs/project/journeys.md contains figures for exactly the journeys of the code, for every device', () => {
  const sections = document.split(/^### /m).slice(1);
  expect(sections.map((text) => text.split('\n')[0])).toEqual(JOURNEYS.map(({ title }) => title));
  for (const section of sections)
    expect(section.match(/^\| (?:desktop|phone), with(?:out)? a script \|/gm)).toHaveLength(WAYS.length);
});

test('journey names are unique', () => {
  const names = JOURNEYS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
