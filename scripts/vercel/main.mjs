// `npm run vercel -- DIR [--test]`: Vercel's build of the last commit, written into DIR. With `--test` its functions
// run from that folder, behind PgBouncer, and are tested with sign-in, tokens, console and cron.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { environment } from '../running.mjs';
import { bin, prepareToBrowse } from '../steps.mjs';
import { buildFunctions } from './build.ts';
import { readOutput, reportOf } from './read.ts';

/** Browser tests of hosted pages and console. */
const WALKS = [
  ...['authorize/area-a', 'authorize/consent', 'token/refresh', 'token/apis', 'token/password'],
  ...['brokers/broker.spec', 'openid/openid-sign-in', 'management/management-api', 'operations/maintenance'],
  ...['sign-in/sign-in', 'sign-in/consent', 'console/console-story'],
];

const { values, positionals } = readArguments();
const output = path.resolve(positionals[0] ?? '');
// checked before the build, which takes minutes: a fresh clone has no pages for the Node server that the tests also
// start
const browsing = values.test ? await prepareToBrowse() : environment;
await buildFunctions(output);
const made = readOutput(output);
process.stdout.write(`${reportOf(made)}\n`);
if (made.faults.length > 0) process.exitCode = 1;
else if (values.test) process.exitCode = await walk();

function readArguments() {
  const args = process.argv.slice(2);
  const positionals = args.filter((one) => !one.startsWith('--'));
  if (positionals.length === 1 && args.every((one) => !one.startsWith('--') || one === '--test'))
    return { values: { test: args.includes('--test') }, positionals };
  process.stderr.write('npm run vercel -- DIR [--test]\n');
  process.exit(2);
}

/** Tests of the Node server, and of an answer that Next gives in functions. */
const SKIPPED_TESTS = 'node door|AA-04: a malformed escape';

async function walk() {
  const { status } = spawnSync(
    'node',
    [bin('playwright'), 'test', ...WALKS, '--grep-invert', SKIPPED_TESTS, '--project', 'all', '--no-deps'],
    {
      env: { ...browsing, GATEHOUSE_FUNCTIONS: output },
      stdio: 'inherit',
    },
  );
  return status ?? 1;
}
