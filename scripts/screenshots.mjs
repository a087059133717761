// `npm run screenshots -- OUTDIR`: screenshots of every page, desktop and phone, light and dark; hosted pages also in
// every language. Browser tests create them, so a broken page fails the command.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fail, root } from './running.mjs';
import { bin, prepareToBrowse } from './steps.mjs';

const SPECS = ['pages/pages', 'pages/page-languages', 'console/console-axe'].map(
  (name) => `e2e/browser/${name}.spec.ts`,
);
const [folder] = process.argv.slice(2);

try {
  if (!folder) throw new Error('usage: npm run screenshots -- OUTDIR');
  mkdirSync(folder, { recursive: true });
  const environment = await prepareToBrowse();
  const child = spawn('node', [bin('playwright'), 'test', '--no-deps', '--reporter=dot', ...SPECS], {
    cwd: root,
    env: { ...environment, E2E_SCREENSHOTS: path.resolve(folder) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.on('close', (code) => process.exit(code ?? 1));
} catch (error) {
  fail(error);
}
