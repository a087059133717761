// Runs checks and test runners for `npm test` and `npm run release-test`, and prints the slowest files, the names of all
// failures, and one summary line.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { environment, root, run, step } from './running.mjs';
import { bin, build, findBrowser, findHeadlessShell, generatePrisma, install } from './steps.mjs';

/** Build folder of all tests. It is separate, so that a running quickstart keeps its build. */
export const DIST = '.next-test';
export const RESULTS = path.join(root, 'test-results');
let passed = 0;
/** names of all tests and checks that failed */
const failed = [];
const SLOWEST = 20;
/** { name: string, ms: number } of each test file */
const files = [];

/** A static check counts as one test. */
export async function check(title, program, args) {
  await step(title, () => run(program, args)).then(
    () => (passed += 1),
    (error) => {
      failed.push(title);
      process.stdout.write(
        `\n${String(error.output ?? error)
          .trim()
          .slice(-6_000)}\n✗ ${title}\n`,
      );
    },
  );
}

/**
 * Runs a test runner that writes `{ passed: number, failed: string[], files?: { name: string, ms: number }[] }` to a
 * file. Streams its output.
 */
export async function suite(title, args, file, env = {}) {
  process.stdout.write(`\n${title}\n`);
  const code = await new Promise((resolve) => {
    const child = spawn('node', args, {
      cwd: root,
      env: { ...environment, NODE_COMPILE_CACHE: path.join(RESULTS, 'compiled'), ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', () => resolve(1));
    child.on('close', (status, signal) => resolve(status ?? signal));
  });
  const left = path.join(RESULTS, file);
  const results = existsSync(left) ? JSON.parse(readFileSync(left, 'utf8')) : null;
  passed += results?.passed ?? 0;
  failed.push(...(results?.failed ?? []));
  files.push(...(results?.files ?? []));
  if (results === null) failed.push(`${title}: ended with code ${code} and left no results`);
  // a crashed runner without failed tests counts as failure
  else if (code !== 0 && results.failed.length === 0)
    failed.push(`${title}: ended with code ${code} though no test failed`);
}

/** Runs Vitest for these projects of vitest.config.ts. */
export const vitest = (title, ...projects) =>
  suite(
    title,
    [
      bin('vitest'),
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=./testing/run/vitest-reporter.ts',
    ],
    'vitest.json',
  );

/** Builds the pages for the browser tests. */
export const buildPages = () => step('pages', () => build(DIST));

/** Runs Playwright for these projects of playwright.config.ts. Finds the browser. Needs the built pages. */
export async function playwright(title, ...projects) {
  const browser = await step('browser', findBrowser);
  await suite(
    title,
    [bin('playwright'), 'test', ...projects.flatMap((project) => ['--project', project])],
    'playwright.json',
    {
      GATEHOUSE_CHROMIUM: browser,
      GATEHOUSE_HEADLESS_SHELL: findHeadlessShell() || browser,
      GATEHOUSE_DIST_DIR: DIST,
    },
  );
}

/** Installs missing parts, runs `work`, prints the summary, and exits with 1 if anything failed. */
export async function runSuites(work) {
  try {
    await step('packages', install);
    await step('database client', generatePrisma);
    rmSync(RESULTS, { recursive: true, force: true });
    mkdirSync(RESULTS, { recursive: true });
    await work();
  } catch (error) {
    process.stdout.write(`${error?.output ?? ''}\n${error?.stack ?? error}\n`);
    failed.push(String(error?.message ?? error).split('\n')[0]);
  }
  const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  process.stdout.write(
    `\nThe slowest files\n${slowest.map(({ name, ms }) => `  ${(ms / 1000).toFixed(1)} s  ${name}\n`).join('')}`,
  );
  if (failed.length > 0) process.stdout.write(`\n${failed.map((name) => `✗ ${name}\n`).join('')}`);
  process.stdout.write(`\n${passed} passed, ${failed.length} failed\n`);
  process.exit(failed.length === 0 ? 0 : 1);
}
