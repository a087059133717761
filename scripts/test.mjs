// `npm test`: installs what is missing, runs every check and every test, ends with one line over all of them. Has its own
// build folder, ports and database: a running quickstart is not disturbed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { bin, build, environment, findBrowser, generatePrisma, install, root, run, step } from './steps.mjs';

const DIST = '.next-test';
const RESULTS = `${root}/test-results`;
let passed = 0;
let failed = 0;

/** A static check counts as one test. */
async function check(title, program, args) {
  await step(title, () => run(program, args)).then(
    () => (passed += 1),
    (error) => {
      failed += 1;
      process.stdout.write(
        `\n${String(error.output ?? error)
          .trim()
          .slice(-6_000)}\n✗ ${title}\n`,
      );
    },
  );
}

/** A test runner that writes its counts to a file; its own output is shown as it comes. */
async function suite(title, program, args, env, count) {
  process.stdout.write(`\n${title}\n`);
  const code = await new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...environment, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', () => resolve(1));
    child.on('close', resolve);
  });
  const counted = count();
  passed += counted.passed;
  failed += counted.failed;
  // a runner that broke without naming a test has failed all the same
  if (code !== 0 && counted.failed === 0) failed += 1;
}

function readResults(file, count) {
  return () => (existsSync(file) ? count(JSON.parse(readFileSync(file, 'utf8'))) : { passed: 0, failed: 1 });
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
    'node',
    [
      bin('vitest'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${RESULTS}/vitest.json`,
    ],
    {},
    readResults(`${RESULTS}/vitest.json`, (results) => ({
      passed: results.numPassedTests,
      failed: results.numFailedTests,
    })),
  );

  const browser = await step('browser', findBrowser);
  await step('pages', () => build(DIST));
  await suite(
    'End-to-end tests',
    'node',
    [bin('playwright'), 'test'],
    { GATEHOUSE_CHROMIUM: browser, GATEHOUSE_DIST_DIR: DIST },
    readResults(`${RESULTS}/results.json`, ({ stats }) => ({
      passed: stats.expected,
      failed: stats.unexpected + stats.flaky,
    })),
  );
  await suite(
    'Faults, the short version',
    'node',
    ['scripts/faults/run.ts', '--quick', '--results', `${RESULTS}/faults.json`],
    { GATEHOUSE_DIST_DIR: DIST },
    readResults(`${RESULTS}/faults.json`, (results) => results),
  );
} catch (error) {
  failed += 1;
  process.stdout.write(`${error?.output ?? ''}\n${error?.message ?? error}\n`);
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
