// What the doctor and the settings tell an operator to read is a page of the service, not a file of the repository.
import { expect, test } from 'vitest';
import { findGuide } from '#app/documentation/_guides/guides.tsx';
import { isTest, sourcesIn } from './sources.ts';

const SERVICE = sourcesIn('lib/management').filter(({ file }) => !isTest(file));

test('each guide that doctor names is a published one, with the heading that it names', () => {
  const places = SERVICE.flatMap(({ text }) =>
    [...text.matchAll(/guideAt\(\s*(.*?)\)/g)].flatMap(([, argument = '']) =>
      [...argument.matchAll(/'([a-z][\w-]*(?:#[\w-]+)?)'/g)].map(([, place = '']) => place),
    ),
  );
  expect(places.length).toBeGreaterThan(8);
  for (const place of places) {
    const [id = '', heading] = place.split('#');
    const guide = findGuide(id);
    expect(guide, place).toBeDefined();
    if (heading !== undefined)
      expect(
        guide?.headings.map((one) => one.id),
        place,
      ).toContain(heading);
  }
});

test('no finding of doctor names a file of the repository', () => {
  const texts = SERVICE.flatMap(({ text }) =>
    text.split('\n').filter((line) => !/^\s*(?:\/\/|\*|\/\*\*)/.test(line)),
  );
  expect(texts.filter((line) => /docs\/[\w/-]+\.md/.test(line))).toEqual([]);
});
