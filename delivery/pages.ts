// The pages that Next built, without values that differ between builds: id, keys, folder, and links to packages. The
// build cache, traces and source maps are omitted.
import { createHash } from 'node:crypto';
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const AT_THE_TOP = /^(?:BUILD_ID|package\.json|required-server-files\.js(?:on)?|[\w-]+-manifest\.json)$/;
const TEXT = /\.(?:js|mjs|json|html|rsc|meta|body|txt|css|svg)$|BUILD_ID$/;

/** Copies the build in `root/distDir` to `dir/.next`. `seed`: must be equal for equal sources. */
export function writePages(root: string, distDir: string, dir: string, seed: string): void {
  const from = path.join(root, distDir);
  const to = path.join(dir, '.next');
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (!AT_THE_TOP.test(name) && name !== 'server' && name !== 'static') continue;
    cpSync(path.join(from, name), path.join(to, name), { recursive: true, filter: isServed });
  }
  const changes = new Map(changesOf(root, distDir, seed));
  const old = new RegExp([...changes.keys()].map((text) => RegExp.escape(text)).join('|'), 'g');
  for (const file of filesIn(to).filter((each) => TEXT.test(each))) {
    const text = readFileSync(file, 'utf8');
    const changed = text.replace(old, (found) => changes.get(found) ?? found);
    if (changed !== text) writeFileSync(file, changed);
  }
  const buildId = readFileSync(path.join(from, 'BUILD_ID'), 'utf8');
  renameSync(path.join(to, 'static', buildId), path.join(to, 'static', hexOf(seed, 'id').slice(0, 20)));
}

/**
 * Returns the files in the traces of pages, which the pages need at runtime besides their own code. Paths are
 * relative to the repository.
 */
export function tracedFiles(root: string, distDir: string): string[] {
  const from = path.join(root, distDir);
  const traces = filesIn(from).filter(
    (file) => file.endsWith('.nft.json') && !file.includes('next-minimal-server'),
  );
  const files = traces.flatMap((trace) => {
    const { files: named } = JSON.parse(readFileSync(trace, 'utf8')) as { files: string[] };
    return named.map((file) => path.relative(root, path.resolve(path.dirname(trace), file)));
  });
  return [...new Set(files)].filter((file) => !file.startsWith('..')).sort();
}

const isServed = (file: string) => !/\.(?:map|nft\.json)$/.test(file);

function changesOf(root: string, distDir: string, seed: string): [old: string, next: string][] {
  const read = (name: string) => readFileSync(path.join(root, distDir, name), 'utf8');
  const { preview } = JSON.parse(read('prerender-manifest.json')) as { preview: Record<string, string> };
  const { encryptionKey } = JSON.parse(read('server/server-reference-manifest.json')) as {
    encryptionKey: string;
  };
  const key = Buffer.from(hexOf(seed, 'actions'), 'hex').toString('base64');
  return [
    [read('BUILD_ID'), hexOf(seed, 'id').slice(0, 20)],
    // Next's random keys for draft mode and server actions, which Gatehouse does not use, are replaced with values
    // derived from `seed`
    ...Object.entries(preview).map(([name, old]): [string, string] => [
      old,
      hexOf(seed, name).slice(0, old.length),
    ]),
    [encryptionKey, key],
    ...linkedPackages(path.join(root, distDir, 'node_modules')),
    [`"${root}"`, '"."'],
    [`distDir:"${distDir}"`, 'distDir:".next"'],
    [`"${distDir}"`, '".next"'],
    [`"${distDir}/`, '".next/'],
  ];
}

/** Next links packages under unique names. The plain name is sufficient if the package exists only once. */
function linkedPackages(folder: string): [link: string, name: string][] {
  return filesIn(folder).map((file) => {
    const link = path.relative(folder, file);
    return [link, link.replace(/-[0-9a-f]{16}$/, '')];
  });
}

const hexOf = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('hex');

/** Returns all files in the folder; a link is listed as a file. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((file) => path.join(folder, file))
    .filter((file) => !lstatSync(file).isDirectory());
}
