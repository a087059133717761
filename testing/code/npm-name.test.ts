// Unowned names on a public registry can be registered by anyone. Texts must never tell readers to run or install one:
// packages are installed from a service URL (delivery/packages.ts) or a file.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { textOf } from './sources.ts';

const COMMAND =
  /\b(?:npx|npm (?:exec|x|create|init|i|install|add|ci)|pnpm (?:dlx|add|install)|yarn (?:dlx|add)|bunx|bun add|pip3? install|pipx (?:run|install)|uvx?|go (?:get|install)|composer require|cargo add|gem install)(?: -{1,2}[\w=-]+)* +["'`]?(@?gatehouse[\w@/.-]*)/g;
/** True if the name is a path, a URL, or a file that a command of the repository creates. */
const isOwn = (name: string) => name.endsWith('.tgz') || /[\\/]\w+\.(?:tgz|whl|zip)$/.test(name);
const foreignIn = (text: string) =>
  [...text.matchAll(COMMAND)].map(([, name = '']) => name).filter((name) => !isOwn(name));
/** npm scope not owned by the project. */
const SCOPE = new RegExp(`@gatehouse${'-auth'}/`);

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => /\.(?:md|mjs|js|ts|tsx|json|yaml|css|sql|sh|txt|py|go|php)$/.test(file))
  .filter((file) => file !== 'testing/code/npm-name.test.ts');

test('contract 10: no document, page or snippet installs a registry package by a name that Gatehouse does not own', () => {
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((file) => foreignIn(textOf(file)).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
  expect(files.filter((file) => SCOPE.test(textOf(file)))).toEqual([]);
});

test('the rule finds a package name in every kind of install command, and allows addresses and files', () => {
  for (const text of [
    'npx gatehouse',
    'npx --yes gatehouse start',
    'npm install -g gatehouse',
    'npm install gatehouse-verify',
    'npm i gatehouse-verify@latest',
    'pip install gatehouse_verify',
    'bunx gatehouse',
  ])
    expect(foreignIn(text)).toHaveLength(1);
  for (const text of [
    'npx ./gatehouse.tgz',
    'npm install gatehouse-server-0.2.0.tgz',
    'npm install https://auth.example/packages/gatehouse-verify.tgz',
    'npm run -s gatehouse',
  ])
    expect(foreignIn(text)).toEqual([]);
});
