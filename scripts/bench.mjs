// `npm run bench`: installs and builds what is missing, then measures. `npm run bench -- --help` lists the flags.
import { spawn } from 'node:child_process';
import path from 'node:path';
import {
  bin,
  build,
  environment,
  fail,
  generatePrisma,
  install,
  onceFor,
  root,
  run,
  step,
} from './steps.mjs';

const FLOOR = 'scripts/bench/next-floor';

try {
  await step('packages', install);
  await step('database client', generatePrisma);
  await step('pages', () => build());
  await step('floor of the Next door', () =>
    onceFor(
      path.join(root, FLOOR, '.next', 'sources'),
      [`${FLOOR}/app`, `${FLOOR}/next.config.mjs`, 'scripts/bench/least.ts', 'package-lock.json'],
      () => run(bin('node'), [bin('next'), 'build'], { cwd: path.join(root, FLOOR) }),
    ),
  );
  const child = spawn(bin('node'), ['scripts/bench/main.ts', ...process.argv.slice(2)], {
    cwd: root,
    env: environment,
    stdio: 'inherit',
  });
  child.once('exit', (code) => process.exit(code ?? 1));
} catch (error) {
  fail(error);
}
