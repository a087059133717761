// `npm run debian -- DIR`, after the pages were built: writes one Debian package per architecture, and their
// checksums.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { debianAbout } from '../image/about.ts';
import { sources } from '../image/fetched.ts';
import { ARCHITECTURES, type Architecture, cpuOf, readRecord } from '../image/record.ts';
import { writeTree } from '../tree.ts';
import { controlOf, filesOf, sizeOf } from './contents.ts';
import { writeDeb } from './deb.ts';

async function make(dir: string, architectures: readonly Architecture[]): Promise<void> {
  mkdirSync(dir, { recursive: true });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-debian-'));
  const wanted = { about: debianAbout(), record: readRecord(), from: sources() };
  const sums: string[] = [];
  try {
    for (const architecture of architectures) {
      const tree = path.join(folder, architecture);
      await writeTree(tree, { platform: 'linux', cpu: cpuOf(architecture) });
      const name = `gatehouse_${wanted.about.version}_${architecture}.deb`;
      const file = path.join(dir, name);
      const files = filesOf({ architecture, tree, ...wanted });
      const control = controlOf(files, { architecture, about: wanted.about });
      await writeDeb(file, { control, files, time: wanted.about.time });
      sums.push(`${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${name}\n`);
      const [packed, installed] = [statSync(file).size, sizeOf(files)].map(
        (size) => `${(size / 1e6).toFixed(0)} MB`,
      );
      process.stdout.write(`  ${file}: ${packed} packed, ${installed} installed\n`);
    }
    writeFileSync(path.join(dir, 'SHA256SUMS'), sums.join(''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [dir = '', ...names] = process.argv.slice(2);
try {
  await make(
    dir,
    ARCHITECTURES.filter((one) => names.length === 0 || names.includes(one)),
  );
} catch (error) {
  process.stderr.write(`gatehouse: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
