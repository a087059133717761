import { expect, test } from 'vitest';
import { faultTexts } from './fault-texts.ts';

test('faults of definitions have placeholders for values, so that pages can translate them', () => {
  const { templates, withValues } = faultTexts();
  // no form contains other types of zod, or names of members
  expect(withValues).toEqual([
    'lib/registry/definition.ts: must be a …',
    'lib/kit/text.ts: has a name that …',
  ]);
  expect(templates.length).toBeGreaterThan(80);
});
