// `npm run release-test`: runs third-party clients in other languages, unmodified, against a running service. Prints
// one summary line; lists languages without toolchain as skipped.
import { spawn } from 'node:child_process';
import { environment, fail, root, step } from './running.mjs';
import { build, generatePrisma, install } from './steps.mjs';

const DIST = '.next-test';
try {
  await step('packages', install);
  await step('database client', generatePrisma);
  await step('pages', () => build(DIST));
} catch (error) {
  process.stdout.write('\n0 passed, 1 failed\n');
  fail(error);
}
const child = spawn('node', ['scripts/release/main.ts', ...process.argv.slice(2)], {
  cwd: root,
  env: { ...environment, GATEHOUSE_DIST_DIR: DIST },
  stdio: 'inherit',
});
child.on('close', (code) => process.exit(code ?? 1));
