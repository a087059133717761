// `npm test`: installs missing parts, and runs every check and every test. Ends with the slowest tests, the names of
// all failures, and one summary line. It has its own build folder, ports and database, so a running quickstart is not
// disturbed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { environment, root, run, step } from './running.mjs';
import { bin, build, findBrowser, findHeadlessShell, generatePrisma, install } from './steps.mjs';

const DIST = '.next-test';
const RESULTS = path.join(root, 'test-results');
let passed = 0;
/** the names of all failures */
const failed = [];
const SLOWEST = 20;
/** { name: string, ms: number } of each test */
const times = [];

/** A static check counts as one test. */
async function check(title, program, args) {
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
 * Runs a test runner that writes `{ passed: number, failed: string[], times?: { name: string, ms: number }[] }` to a
 * file. Streams its output.
 */
async function suite(title, args, file, env = {}) {
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
  times.push(...(results?.times ?? []));
  if (results === null) failed.push(`${title}: ended with code ${code} and left no results`);
  // a crashed runner without failed tests counts as failure
  else if (code !== 0 && results.failed.length === 0)
    failed.push(`${title}: ended with code ${code} though no test failed`);
}

try {
  await step('packages', install);
  await step('database client', generatePrisma);
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });

  await check('format and lint', bin('biome'), ['ci', '--reporter=summary', '.']);
  await check('types', bin('tsc'), ['--noEmit']);
  await check('dead code', 'node', [bin('knip')]);

  await suite(
    'Unit and integration tests',
    [bin('vitest'), 'run', '--reporter=default', '--reporter=./testing/run/vitest-reporter.ts'],
    'vitest.json',
  );

  const browser = await step('browser', findBrowser);
  await step('pages', () => build(DIST));
  await suite('End-to-end tests', [bin('playwright'), 'test'], 'playwright.json', {
    GATEHOUSE_CHROMIUM: browser,
    GATEHOUSE_HEADLESS_SHELL: findHeadlessShell() || browser,
    GATEHOUSE_DIST_DIR: DIST,
  });
  await suite(
    'Faults, the short version',
    ['scripts/faults/run.ts', '--quick', '--results', path.join(RESULTS, 'faults.json')],
    'faults.json',
    { GATEHOUSE_DIST_DIR: DIST },
  );
} catch (error) {
  process.stdout.write(`${error?.output ?? ''}\n${error?.stack ?? error}\n`);
  failed.push(String(error?.message ?? error).split('\n')[0]);
}
const slowest = times.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST);
process.stdout.write(
  `\nThe slowest tests\n${slowest.map(({ name, ms }) => `  ${(ms / 1000).toFixed(1)} s  ${name}\n`).join('')}`,
);
if (failed.length > 0) process.stdout.write(`\n${failed.map((name) => `✗ ${name}\n`).join('')}`);
process.stdout.write(`\n${passed} passed, ${failed.length} failed\n`);
process.exit(failed.length === 0 ? 0 : 1);
