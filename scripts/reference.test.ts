import { expect, test } from 'vitest';
import { pages } from './reference.ts';

test.each(pages())(
  'the tables of docs/$file are generated from the code: otherwise run `npm run reference`',
  ({ is, shouldBe }) => {
    expect(is).toBe(shouldBe);
  },
);
