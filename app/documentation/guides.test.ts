import { expect, test } from 'vitest';
import { sections } from '#lib/reference/index.ts';
import { guidesFor } from './guides.ts';

test('every anchor of the documentation page is there once', () => {
  const anchors = [
    ...guidesFor('https://gatehouse.example', 'https://auth.example').map(({ id }) => id),
    ...sections.map(({ id }) => id),
    ...sections.flatMap(({ endpoints }) => endpoints.map(({ id }) => `endpoint-${id}`)),
    'combinations',
  ];
  expect(new Set(anchors).size).toBe(anchors.length);
});
