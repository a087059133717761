// `npm run quickstart`: from a fresh clone to a token. Runs on Node 20 without installed packages; Ctrl-C stops all
// processes.
import { serveDemo } from './demonstrate.mjs';
import { fail, requirePort, step } from './running.mjs';
import { build, generatePrisma, install } from './steps.mjs';

try {
  const port = await requirePort('npm run quickstart');
  process.stdout.write('\nGatehouse quickstart\n\n');
  await step('packages', install, 'up to two minutes the first time');
  await step('database client', generatePrisma);
  await step('pages', () => build(), 'one or two minutes the first time');
  await step('service', () => serveDemo(port));
} catch (error) {
  fail(error);
}
