// Builds missing parts, then the delivery: `npm run image -- DIR`, `npm run debian -- DIR` or `npm run package -- DIR`
// (npm package). The build uses a separate folder, so a running service continues undisturbed.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { environment, fail, run, step } from './running.mjs';
import { build, generatePrisma, install } from './steps.mjs';

const [kind, ...words] = process.argv.slice(2);
const USAGE = {
  image: `usage: npm run image -- DIR [--arch amd64|arm64]
       npm run image -- --renew     records the present versions of Debian's packages and of Node
`,
  debian: 'usage: npm run debian -- DIR [--arch amd64|arm64]\n',
  package: 'usage: npm run package -- DIR\n',
};
const MADE_BY = {
  image: 'delivery/image/main.ts',
  debian: 'delivery/debian/main.ts',
  package: 'delivery/package.ts',
};

function asked() {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        ...(kind !== 'package' && { arch: { type: 'string' } }),
        ...(kind === 'image' && { renew: { type: 'boolean' } }),
      },
    });
    const knownArch = values.arch === undefined || ['amd64', 'arm64'].includes(values.arch);
    if (!knownArch || positionals.length !== (values.renew ? 0 : 1)) return null;
    return { dir: positionals[0], ...values };
  } catch {
    return null;
  }
}

const given = asked();
if (given === null) {
  process.stderr.write(USAGE[kind]);
  process.exit(2);
}
try {
  const env = { ...environment, GATEHOUSE_DIST_DIR: process.env.GATEHOUSE_DIST_DIR || '.next-test' };
  await step('packages', install);
  if (!given.renew) {
    await step('database client', generatePrisma);
    await step('pages', () => build(env.GATEHOUSE_DIST_DIR));
    // built again, because the packages that the service serves contain the name of the commit
    await step('served packages', () => run('node', [path.join('delivery', 'packages.ts')]));
  }
  const args = given.renew
    ? ['--renew']
    : [path.resolve(process.env.INIT_CWD || '.', given.dir), ...(given.arch ? [given.arch] : [])];
  const { status } = spawnSync('node', [MADE_BY[kind], ...args], { env, stdio: 'inherit' });
  process.exit(status ?? 1);
} catch (error) {
  fail(error);
}
