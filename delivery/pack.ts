// The tarball of the runnable tree. `npm install` installs it on another machine.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { archiveFolder } from './archive.ts';
import { PACKAGE_NAME, thisMachine, versionOf } from './tree.ts';

/** Writes the tarball into `dir` and returns its file name. `level`: compression level of gzip. */
export function writePackage(tree: string, dir: string, level = 9): string {
  const { platform, cpu } = thisMachine;
  const name = `${PACKAGE_NAME}-${versionOf().version}-${platform}-${cpu}.tgz`;
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, name);
  // written under another name first, so that the file is either complete or missing
  writeFileSync(`${file}.part`, gzipSync(archiveFolder(tree, 'package'), { level }));
  renameSync(`${file}.part`, file);
  return file;
}
