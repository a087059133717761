// `npm run dev`: same service under `next dev`, with quickstart's database.
import { spawn } from 'node:child_process';
import { environment, fail, requirePort, root, step } from './running.mjs';
import { buildPackages, generatePrisma, install } from './steps.mjs';

try {
  await requirePort('npm run dev');
  await step('packages', install);
  await step('database client', generatePrisma);
  await step('served packages', buildPackages);
  const child = spawn('node', ['scripts/next.ts', 'dev'], { cwd: root, env: environment, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => process.exit(code ?? 0));
} catch (error) {
  fail(error);
}
