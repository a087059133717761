// `npm run bench`: installs and builds what is missing, then measures. `npm run bench -- --help` lists the flags.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { environment, fail, root, run, step } from './running.mjs';
import { bin, build, generatePrisma, install, onceFor } from './steps.mjs';

const FLOOR = 'scripts/bench/next-floor';

const flags = process.argv.slice(2);

try {
  await step('packages', install);
  await step('database client', generatePrisma);
  // this benchmark calls the lists of the console directly, so no server is built
  if (flags.includes('--lists')) process.exit(await measure('scripts/bench/lists.ts', flags));
  const refused = await measure('scripts/bench/options.ts', flags);
  if (refused || flags.includes('--help')) process.exit(refused);
  const verifies = flags.includes('--verify');
  const peers = flags.some((flag) => flag.split('=')[0] === '--peers');
  // token verification in an API needs no service
  const checked = verifies ? await measure('scripts/bench/verify/jwt.ts', flags) : 0;
  await step('pages', () => build());
  if (verifies) process.exit((await measure('scripts/bench/main.ts', flags)) || checked);
  // the comparison with other products measures the Node door only
  if (peers) process.exit(await measure('scripts/bench/main.ts', flags));
  await step('floor of the Next door', () =>
    onceFor(
      path.join(root, FLOOR, '.next', 'sources'),
      [`${FLOOR}/app`, `${FLOOR}/next.config.mjs`, 'scripts/bench/least.ts', 'package-lock.json'],
      () => run(bin('node'), [bin('next'), 'build'], { cwd: path.join(root, FLOOR) }),
    ),
  );
  process.exit(await measure('scripts/bench/main.ts', flags));
} catch (error) {
  fail(error);
}

/** Runs a benchmark. Resolves to its exit code. */
function measure(script, args) {
  const child = spawn(bin('node'), [script, ...args], { cwd: root, env: environment, stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
