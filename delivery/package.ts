// `npm run package -- DIR`, after the pages were built: writes the tarball that `npm install` can install.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writePackage } from './pack.ts';
import { writeTree } from './tree.ts';

const dir = process.argv[2];
if (dir === undefined) throw new Error('usage: npm run package -- DIR');
const work = mkdtempSync(path.join(tmpdir(), 'gatehouse-package-'));
try {
  const tree = path.join(work, 'tree');
  await writeTree(tree);
  process.stdout.write(`\n  npm install ${writePackage(tree, dir)}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
