// Before a script of package.json that uses packages: without them it would end in a stack trace. Runs on Node 20 with
// nothing installed, as a program or by `node --import`.
import { existsSync } from 'node:fs';
import path from 'node:path';

const node = path.resolve(import.meta.dirname, '..', 'node_modules', '.bin', 'node');
if (!existsSync(node)) {
  process.stderr.write('the packages are not installed: run npm install first\n');
  process.exit(1);
}
