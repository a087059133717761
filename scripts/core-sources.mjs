// Fingerprints of source files, which show whether a build is current. Runs on Node 20.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Generated folders are not sources. */
const MADE = new Set(['generated', 'dist', 'node_modules', path.join('public', 'packages')]);

/** Returns a digest of the files and folders `names`, without tests. */
export function fingerprint(root, names) {
  const hash = createHash('sha256');
  for (const file of sourceFiles(root, names)) hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** True if a file of `names` was changed after `time`, in milliseconds since 1970. */
const isChangedSince = (root, names, time) =>
  sourceFiles(root, names).some((file) => statSync(path.join(root, file)).mtimeMs > time);

function sourceFiles(root, names) {
  return names.flatMap((name) => {
    const file = path.join(root, name);
    if (!existsSync(file)) return [];
    if (!statSync(file).isDirectory()) return name.endsWith('.test.ts') ? [] : [name];
    const inside = readdirSync(file)
      .sort()
      .filter((entry) => !MADE.has(entry) && !MADE.has(path.join(name, entry)));
    return sourceFiles(
      root,
      inside.map((entry) => path.join(name, entry)),
    );
  });
}

/** Sources of the compiled core, `node_modules/gatehouse-lib` (delivery/core.ts). */
export const CORE_SOURCES = [
  'lib',
  'prisma/schema.prisma',
  'package.json',
  'delivery/core.ts',
  'delivery/compile.ts',
];

const corePath = (root) => path.join(root, 'node_modules', 'gatehouse-lib', '.fingerprint');

/** Returns the fingerprint of the sources from which the compiled core was made. Null: there is no core. */
export const readCoreFingerprint = (root) =>
  existsSync(corePath(root)) ? readFileSync(corePath(root), 'utf8') : null;

export const OUTDATED_CORE = 'the build is older than its sources in lib: run `npm run build` first';

/** True if the compiled core exists and is not older than its sources. The fingerprint is computed only if a source is newer. */
export function isCoreCurrent(root) {
  const made = readCoreFingerprint(root);
  if (made === null) return false;
  return (
    !isChangedSince(root, CORE_SOURCES, statSync(corePath(root)).mtimeMs) ||
    made === fingerprint(root, CORE_SOURCES)
  );
}
