// Image of this checkout for the test machine, using the tests' build.
import { createHash } from 'node:crypto';
import { about } from '../../../delivery/image/about.ts';
import { DebIsGone, sources } from '../../../delivery/image/fetched.ts';
import { LONG_AGO, partsOf, writeImage } from '../../../delivery/image/image.ts';
import { cpuOf, readRecord } from '../../../delivery/image/record.ts';
import { renew } from '../../../delivery/image/renew.ts';
import { tarOf } from '../../../delivery/image/tar.ts';
import { writeTree } from '../../../delivery/tree.ts';

/** Builds the image. `tree`: folder of the runnable tree for amd64. */
export async function madeImage(layout: string, tree: string) {
  const trees = new Map([['amd64', tree] as const]);
  const wanted = { trees, about: about(), from: sources(), root: process.cwd() };
  await writeImage(layout, { ...wanted, record: readRecord() }).catch((error: unknown) => {
    if (!(error instanceof DebIsGone)) throw error;
    // Debian's mirrors have newer versions than the recorded versions, so the newer versions are tested
    console.warn(`${error.message}; this test uses the versions of today`);
    return writeImage(layout, { ...wanted, record: renew(`${tree}.json`) });
  });
  return about();
}

/** Builds the image from a second tree in `folder`, and returns the digests of its layers. */
export async function madeAgain(folder: string): Promise<string[]> {
  await writeTree(folder, { platform: 'linux', cpu: cpuOf('amd64') });
  const { packages, code } = partsOf(folder);
  const digest = (parts: Iterable<Buffer>) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return `sha256:${hash.digest('hex')}`;
  };
  return [digest(tarOf(packages, LONG_AGO)), digest(tarOf(code, about().time))];
}
