import { expect, it } from 'vitest';
import { inWords } from '#app/_components/pieces.tsx';
import { lasts } from './say.tsx';

it('the functions lasts and inWords return the same English text for a duration', () => {
  for (const seconds of [0, 1, 60, 90, 3600, 5400, 86_401, 100_000, 2_592_000, 315_360_000])
    expect(lasts(seconds)).toBe(inWords(seconds));
});
