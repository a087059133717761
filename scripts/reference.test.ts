import { expect, test } from 'vitest';
import { pages } from './reference.ts';

test.each(pages())(
  'the tables of docs/$file follow from the code: if not, run `npm run reference`',
  ({ is, shouldBe }) => {
    expect(is).toBe(shouldBe);
  },
);
