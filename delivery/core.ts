// Compiles `lib` into the package `gatehouse-lib` below node_modules. The Node server and Next's pages load this one
// copy: Next does not bundle packages of `serverExternalPackages`. Runs in `npm run build`.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CORE_SOURCES, fingerprint, readCoreFingerprint } from '../scripts/core-sources.mjs';
import { servingProcess } from '../scripts/served.mjs';
import { compileFile } from './compile.ts';

export const CORE_PACKAGE = 'gatehouse-lib';

/** Programs that code starts by their file name (lib/pictures/draw.ts), with their names after compilation. */
const STARTED: readonly [source: string, compiled: string][] = [
  ['drawing-process.ts', 'drawing-process.js'],
  ['digest-worker.ts', 'digest-worker.js'],
];

/** Compiles `file` of the repository. */
export function compileSource(root: string, file: string): string {
  const text = compileFile(file, readFileSync(path.join(root, file), 'utf8'));
  return STARTED.reduce((result, [source, compiled]) => result.replaceAll(source, compiled), text);
}

/** Writes the package into `dir`. `product`: version and commit that the code reports. */
export function writeCore(root: string, dir: string, product: { version: string; commit?: string }): void {
  for (const name of readdirSync(path.join(root, 'lib'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const target = path.join(dir, name.replace(/\.ts$/, '.js'));
    mkdirSync(path.dirname(target), { recursive: true });
    // lib/kit/version.ts reads the manifest that is written below
    const text = compileSource(root, path.join('lib', name)).replace(
      "'../../package.json'",
      "'../package.json'",
    );
    writeFileSync(target, text);
  }
  const manifest = {
    name: CORE_PACKAGE,
    ...product,
    private: true,
    type: 'module',
    imports: { '#lib/*': './*' },
    exports: { './*.ts': './*.js', './*': './*' },
  };
  writeFileSync(path.join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Writes the package into node_modules, unless it was made from these sources. Throws while a service runs in the
 * folder, because the service loads files of the package on first use.
 */
function buildCore(root: string): void {
  const current = fingerprint(root, CORE_SOURCES);
  if (readCoreFingerprint(root) === current) return;
  const pid = servingProcess(root, null);
  if (pid !== null)
    throw new Error(
      `process ${pid} runs the code in ${root}: stop it first, or build the new version in another folder`,
    );
  const dir = path.join(root, 'node_modules', CORE_PACKAGE);
  const work = `${dir}-${process.pid}`;
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  try {
    writeCore(root, work, { version });
    writeFileSync(path.join(work, '.fingerprint'), current);
    rmSync(dir, { recursive: true, force: true });
    renameSync(work, dir);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    buildCore(path.resolve(import.meta.dirname, '..'));
  } catch (error) {
    process.stderr.write(`gatehouse: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
