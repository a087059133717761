// Runs before package.json scripts that need packages: prints an error instead of a stack trace. Needs only Node 20, as
// a program or with `node --import`.
import { existsSync } from 'node:fs';
import path from 'node:path';

const node = path.resolve(import.meta.dirname, '..', 'node_modules', '.bin', 'node');
if (!existsSync(node)) {
  process.stderr.write('the packages are not installed: run npm install first\n');
  process.exit(1);
}
