// Doctor findings and settings refer operators to pages of the service, never to repository files.
import { expect, test } from 'vitest';
import { findGuide } from '#app/documentation/_guides/guides.tsx';
import { sourcesOf } from './sources.ts';

const SERVICE = sourcesOf('management');

test('guides that doctor names are published and contain the named heading', () => {
  const places = SERVICE.flatMap(({ text }) =>
    [...text.matchAll(/guideAt\(([^)]*)\)/g)].flatMap(([, argument = '']) =>
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

test('doctor findings name no repository file', () => {
  const texts = SERVICE.flatMap(({ text }) =>
    text.split('\n').filter((line) => !/^\s*(?:\/\/|\*|\/\*\*)/.test(line)),
  );
  expect(texts.filter((line) => /docs\/[\w/-]+\.md/.test(line))).toEqual([]);
});
