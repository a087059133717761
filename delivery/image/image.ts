// Builds the image from a runnable tree: layers that rarely change come first, and layers that change with each
// commit come last.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { debianEntries, nodeEntries } from './base.ts';
import { billOf } from './bill.ts';
import { type About, HOME } from './config.ts';
import type { Sources } from './fetched.ts';
import { type Layer, writeLayer } from './layer.ts';
import { type Image, writeLayout } from './layout.ts';
import type { Architecture, BaseRecord } from './record.ts';
import type { Entry } from './tar.ts';

/** `trees`: the runnable tree for each requested architecture. `root`: folder of the repository. */
export type Wanted = {
  trees: ReadonlyMap<Architecture, string>;
  about: About;
  record: BaseRecord;
  from: Sources;
  root: string;
};

/** Writes the layout to `dir`, with a bill of materials for each architecture and the checksums of all files. */
export async function writeImage(dir: string, { trees, about, record, from, root }: Wanted) {
  const images: Image[] = [];
  for (const [architecture, tree] of trees) {
    const layers = await layersOf(path.join(dir, 'blobs'), { architecture, tree, about, record, from });
    images.push({ architecture, layers });
    const bill = billOf(tree, { architecture, record, about, root });
    writeFileSync(path.join(dir, `gatehouse-${architecture}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
  }
  const digest = writeLayout(dir, images, about);
  writeFileSync(path.join(dir, 'SHA256SUMS'), sumsOf(dir));
  return { digest, images };
}

type OneWanted = Omit<Wanted, 'trees' | 'root'> & { architecture: Architecture; tree: string };

async function layersOf(
  blobs: string,
  { architecture, tree, about, record, from }: OneWanted,
): Promise<Layer[]> {
  mkdirSync(blobs, { recursive: true });
  const layer = (madeBy: string, entries: Entry[]) =>
    writeLayer(blobs, entries, { time: about.time, madeBy });
  const { packages, code } = partsOf(tree);
  // the timestamps are fixed, so that the next commit reuses these layers
  const lasting = (madeBy: string, entries: Entry[]) =>
    writeLayer(blobs, entries, { time: LONG_AGO, madeBy });
  return [
    await lasting(`Debian ${record.suite}`, await debianEntries(architecture, record, from)),
    await lasting(`Node ${record.node.version}`, nodeEntries(architecture, record, from)),
    await lasting('npm packages', packages),
    await layer(`Gatehouse ${about.version}`, code),
  ];
}

/** Splits a tree into npm packages and code, and adds the entry point of the image. */
export function partsOf(tree: string): { packages: Entry[]; code: Entry[] } {
  const files = [...entriesIn(tree, HOME), PROGRAM];
  const isPackage = ({ path: name }: Entry) => name.startsWith(`${HOME}/node_modules/`);
  return { packages: files.filter(isPackage), code: files.filter((entry) => !isPackage(entry)) };
}

const PROGRAM: Entry = {
  path: `${HOME}/bin/container.mjs`,
  kind: 'file',
  mode: 0o644,
  data: readFileSync(path.join(import.meta.dirname, 'container.mjs')),
};

/** Time of every file: 1980, the first year that every archive format can represent. */
export const LONG_AGO = 315_532_800;

/** Returns the files of a folder, as entries of the image below the path `at`. */
function entriesIn(folder: string, at: string): Entry[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name): Entry => {
    const file = path.join(folder, name);
    const entry = { path: `${at}/${name.split(path.sep).join('/')}` };
    const state = lstatSync(file);
    if (state.isDirectory()) return { ...entry, kind: 'folder', mode: 0o755 };
    if (state.isSymbolicLink()) return { ...entry, kind: 'link', target: readlinkSync(file) };
    return { ...entry, kind: 'file', mode: state.mode & 0o111 ? 0o755 : 0o644, data: readFileSync(file) };
  });
}

/** Returns checksums in the format of `sha256sum --check`. */
function sumsOf(dir: string): string {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => lstatSync(path.join(dir, name)).isFile() && name !== 'SHA256SUMS')
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(dir, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}
