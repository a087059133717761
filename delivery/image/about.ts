// Metadata of the image: version, commit, time, and flags of Node.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { debianVersionOf, versionOf } from '../tree.ts';
import type { About } from './config.ts';

export const root = path.resolve(import.meta.dirname, '../..');

/** Returns the commit, its time, and the flags of Node in `npm start`. */
export function about(): About {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { version, commit, time } = versionOf();
  const epoch = Number(process.env['SOURCE_DATE_EPOCH'] || time);
  const flags = (manifest.scripts.start as string).match(/--[\w-]+=\d+/g) ?? [];
  return {
    version,
    commit,
    time: epoch,
    description: manifest.description,
    license: manifest.license,
    flags,
  };
}

/** Returns the same data, with a version that dpkg sorts correctly. */
export function debianAbout(): About {
  const all = about();
  return { ...all, version: debianVersionOf(all) };
}
