// `npm run package -- DIR`, once the pages are built: the tarball that `npm install` makes runnable.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { archived } from './archive.ts';
import { PACKAGE_NAME, thisMachine, versionOf, writeTree } from './tree.ts';

const dir = process.argv[2];
if (dir === undefined) throw new Error('usage: npm run package -- DIR');
const work = mkdtempSync(path.join(tmpdir(), 'gatehouse-package-'));
try {
  const tree = path.join(work, 'tree');
  await writeTree(tree);
  const { platform, cpu } = thisMachine;
  const name = `${PACKAGE_NAME.replace('@', '').replace('/', '-')}-${versionOf().version}-${platform}-${cpu}.tgz`;
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, name);
  // whole, or not there
  writeFileSync(`${file}.part`, gzipSync(archived(tree, 'package'), { level: 9 }));
  renameSync(`${file}.part`, file);
  process.stdout.write(`${file}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
