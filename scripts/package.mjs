// `npm run package -- DIR`: builds what is not built yet, then writes the tarball. A running service is not disturbed:
// its build is in another folder.
import path from 'node:path';
import { environment, fail, run, step } from './running.mjs';
import { build, generatePrisma, install } from './steps.mjs';

const dir = process.argv[2];
if (dir === undefined || process.argv.length > 3) {
  process.stderr.write('usage: npm run package -- DIR\n');
  process.exit(2);
}
try {
  const GATEHOUSE_DIST_DIR = process.env.GATEHOUSE_DIST_DIR || '.next-test';
  await step('packages', install);
  await step('database client', generatePrisma);
  await step('pages', () => build(GATEHOUSE_DIST_DIR));
  const folder = path.resolve(process.env.INIT_CWD || '.', dir);
  const made = await step('package', async () =>
    (
      await run('node', ['delivery/package.ts', folder], { env: { ...environment, GATEHOUSE_DIST_DIR } })
    ).trim(),
  );
  process.stdout.write(`\n  npm install ${made}\n`);
} catch (error) {
  fail(error);
}
