// Code metrics that may only decrease. A change that raises one must merge files or rewrite comments, and a change
// that lowers one also lowers its budget. The last column contains the goals.
import { expect, test } from 'vitest';
import { shareOfFunctionWords } from './function-words.ts';
import { measure } from './measures.ts';

type Budget = { most: number; aim: number };
const BUDGETS: Readonly<Record<keyof ReturnType<typeof measure>, Budget>> = {
  'local names imported per 1,000 lines of lib and its packages': { most: 79, aim: 60 },
  'local names imported per 1,000 lines of app': { most: 109, aim: 80 },
  'percent of lines that are imports or re-exports': { most: 8, aim: 7 },
  'percent of imported files with one importer': { most: 20, aim: 15 },
  'files above 800 lines': { most: 0, aim: 0 },
  'functions named by a participle': { most: 0, aim: 0 },
  'vague locals per 10,000 lines': { most: 10, aim: 10 },
  'percent of comments with 65 % function words or more': { most: 3, aim: 3 },
  'percent of function words in the median comment': { most: 45, aim: 45 },
  'percent of test titles with 60 % function words or more': { most: 5, aim: 5 },
  'percent of function words in the median test title': { most: 42, aim: 42 },
};
/** If a measured number is lower than its budget by this amount, the budget must be lowered. */
const ROOM = 3;

const numbers = Object.entries(measure()).map(([name, value]) => ({
  name,
  value,
  ...BUDGETS[name as keyof typeof BUDGETS],
}));

test.each(numbers)(
  'the measured value of the code metric "$name" is not above its budget',
  ({ value, most }) => {
    expect(value).toBeLessThanOrEqual(most);
  },
);

test.each(numbers)(
  'if the measured number of $name falls, its budget must be lowered',
  ({ value, most, aim }) => {
    expect(Math.max(value, aim), `lower the budget to ${Math.ceil(value)}`).toBeGreaterThan(most - ROOM - 1);
  },
);

test('a text of nouns has a small share of function words, and code counts as a noun', () => {
  expect(shareOfFunctionWords('Round robin among workers with equal load.').share).toBeLessThan(0.4);
  expect(shareOfFunctionWords('of those that have as many the next one is another').share).toBeGreaterThan(
    0.8,
  );
  expect(shareOfFunctionWords('`the of to` fails').words).toBe(2);
});
