// `npm run image -- DIR`, after the pages were built: writes the image of this commit as an OCI layout. With --renew,
// it instead records the present versions of Debian and npm packages.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeTree } from '../tree.ts';
import { about, root } from './about.ts';
import { sources } from './fetched.ts';
import { writeImage } from './image.ts';
import { ARCHITECTURES, type Architecture, cpuOf, readRecord } from './record.ts';
import { renew } from './renew.ts';

async function make(dir: string, architectures: readonly Architecture[]): Promise<void> {
  if (existsSync(dir) && readdirSync(dir).length > 0) throw new Error(`${dir} is not empty`);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-image-'));
  try {
    const trees = new Map<Architecture, string>();
    for (const architecture of architectures) {
      const tree = path.join(folder, architecture);
      await writeTree(tree, { platform: 'linux', cpu: cpuOf(architecture) });
      trees.set(architecture, tree);
    }
    const made = await writeImage(dir, {
      trees,
      about: about(),
      record: readRecord(),
      from: sources(),
      root,
    });
    for (const { architecture, layers } of made.images) {
      const megabytes = (sizes: number[]) =>
        `${(sizes.reduce((sum, size) => sum + size) / 1e6).toFixed(0)} MB`;
      process.stdout.write(
        `  linux/${architecture}: ${megabytes(layers.map(({ size }) => size))} packed, ` +
          `${megabytes(layers.map(({ unpacked }) => unpacked))} unpacked\n`,
      );
    }
    process.stdout.write(`${made.digest}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function record(): void {
  const { debs, at, node } = renew();
  process.stdout.write(`${debs.length} packages of ${at}, Node ${node.version}: delivery/image/base.json\n`);
}

const [dir = '', ...names] = process.argv.slice(2);
try {
  if (dir === '--renew') record();
  else {
    const architectures = ARCHITECTURES.filter((one) => names.length === 0 || names.includes(one));
    await make(dir, architectures);
  }
} catch (error) {
  process.stderr.write(`gatehouse: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
