import { expect, it } from 'vitest';
import { inWords } from './pieces.tsx';

it.each([
  [1, '1 second'],
  [90, '1 minute 30 seconds'],
  [3600, '1 hour'],
  [5400, '1 hour 30 minutes'],
  [86_401, '1 day 1 second'],
  [100_000, 'about 1 day 3 hours'],
  [2_592_000, '30 days'],
])('%i seconds are displayed as %s', (seconds, words) => {
  expect(inWords(seconds)).toBe(words);
});
