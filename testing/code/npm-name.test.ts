// The npm package `gatehouse` is another project's. No text of ours may tell a reader to run or install it.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { textOf } from './sources.ts';

const FOREIGN =
  /\b(?:npx|npm (?:exec|x|create|init)|pnpm dlx|yarn dlx|bunx|npm (?:i|install|add))(?: -{1,2}[\w=-]+)* gatehouse(?![\w/.-])/;

test('no text runs or installs the npm package of that name', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.(?:md|mjs|ts|tsx|json|yaml|css|sql|sh|txt)$/.test(file))
    .filter((file) => file !== 'testing/code/npm-name.test.ts');
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.filter((file) => FOREIGN.test(textOf(file)))).toEqual([]);
});

test('the rule sees the name however it is called, and not our own', () => {
  for (const text of [
    'npx gatehouse',
    'npx --yes gatehouse start',
    'npm install -g gatehouse',
    'bunx gatehouse',
  ])
    expect(text).toMatch(FOREIGN);
  for (const text of [
    'npx ./gatehouse.tgz',
    'npm install gatehouse-auth-server-0.3.0.tgz',
    'npm run -s gatehouse',
  ])
    expect(text).not.toMatch(FOREIGN);
});
