// `npm run faults`, `npm run upgrade-test`: installs and builds missing parts, then runs the named script with its
// arguments.
import { spawn } from 'node:child_process';
import { environment, fail, root, step } from './running.mjs';
import { build, generatePrisma, install } from './steps.mjs';

const DIST = '.next-test';
try {
  await step('packages', install);
  await step('database client', generatePrisma);
  await step('pages', () => build(DIST));
} catch (error) {
  fail(error);
}
const child = spawn('node', process.argv.slice(2), {
  cwd: root,
  env: { ...environment, GATEHOUSE_DIST_DIR: DIST },
  stdio: 'inherit',
});
child.on('close', (code) => process.exit(code ?? 1));
