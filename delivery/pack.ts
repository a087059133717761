// The tarball of a runnable tree, which `npm install` makes runnable elsewhere.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { archiveFolder } from './archive.ts';
import { PACKAGE_NAME, thisMachine, versionOf } from './tree.ts';

/** Writes it into `dir`; returns its file. `level`: of gzip. */
export function writePackage(tree: string, dir: string, level = 9): string {
  const { platform, cpu } = thisMachine;
  const name = `${PACKAGE_NAME}-${versionOf().version}-${platform}-${cpu}.tgz`;
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, name);
  // whole, or not there
  writeFileSync(`${file}.part`, gzipSync(archiveFolder(tree, 'package'), { level }));
  renameSync(`${file}.part`, file);
  return file;
}
