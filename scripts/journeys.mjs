// `npm run journeys`: installs and builds missing parts, then performs typical tasks in a browser and counts their
// steps; scripts/journeys/run.ts does the work.
import { spawn } from 'node:child_process';
import { fail, root } from './running.mjs';
import { prepareToBrowse } from './steps.mjs';

try {
  const child = spawn('node', ['scripts/journeys/run.ts', ...process.argv.slice(2)], {
    cwd: root,
    env: await prepareToBrowse(),
    stdio: 'inherit',
  });
  child.on('close', (code) => process.exit(code ?? 1));
} catch (error) {
  fail(error);
}
