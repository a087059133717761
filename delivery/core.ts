// Compiles `lib` into the package `gatehouse-lib` below node_modules. The Node server and Next's pages load this one
// copy: Next does not bundle packages of `serverExternalPackages`. Runs in `npm run build`.
import { globSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { CORE_SOURCES, fingerprint, readCoreFingerprint } from '../scripts/core-sources.mjs';
import { servingProcess } from '../scripts/served.mjs';
import { compileFile, staticImportsIn } from './compile.ts';

export const CORE_PACKAGE = 'gatehouse-lib';

/** Programs that code starts by their file name. The modules of their folders are in no chunk. */
const ENTRY_PROGRAMS = ['lib/pictures/drawing-process.ts', 'lib/kit/kept-hashes/digest-worker.ts'];

/**
 * Chunks of the package, each with the files from which it is made: these files, and what they import, except the
 * modules of an earlier chunk. A supervisor loads only `base`, the server answers `/health` after `listen`, and a token
 * request of Next loads no `management`. All other modules are separate files, which load on first use.
 */
const CHUNKS: readonly [name: string, files: readonly string[]][] = [
  ['base', ['start.ts']],
  ['listen', ['serve.ts']],
  ['core', ['lib/oauth/endpoints.ts', 'lib/oauth/back-channel.ts', 'lib/observability/metrics.ts']],
  ['management', ['lib/management-api/management-api.ts', 'lib/management/maintenance.ts']],
];

/** Compiles `file` of the repository. */
export function compileSource(root: string, file: string): string {
  return renamePrograms(compileFile(file, readFileSync(path.join(root, file), 'utf8')));
}

const renamePrograms = (text: string) =>
  ENTRY_PROGRAMS.reduce((result, file) => {
    const name = path.basename(file);
    return result.replaceAll(name, name.replace(/ts$/, 'js'));
  }, text);

/**
 * Writes the package into `dir`: one file for each module of `lib`, which exports what its chunk contains. `product`:
 * version and commit that the code reports. `maps`: writes source maps too, for `--enable-source-maps`.
 */
export async function writeCore(
  root: string,
  dir: string,
  product: { version: string; commit?: string },
  { maps = true } = {},
): Promise<void> {
  const files = readdirSync(path.join(root, 'lib'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(files.map((name) => [name.replace(/\.ts$/, ''), path.join(root, 'lib', name)])),
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    // otherwise, Rolldown removes calls whose result is unused, such as `decodeURIComponent` in a check for its error
    treeshake: false,
    external: (id) => !/^(?:[./]|#lib\/)/.test(id),
    plugins: [
      {
        name: 'gatehouse',
        load: (id) =>
          id === path.join(root, 'package.json')
            ? { code: JSON.stringify(product), moduleType: 'json' }
            : { code: renamePrograms(readFileSync(id, 'utf8')) },
      },
    ],
  });
  const groups = CHUNKS.map(([name, roots], index) => {
    const members = membersOf(root, roots);
    return {
      name,
      priority: CHUNKS.length - index,
      includeDependenciesRecursively: false,
      test: (id: string) => members.has(path.relative(root, id)),
    };
  });
  await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    minify: false,
    // Node finds a map by the comment that this option writes
    sourcemap: true,
    codeSplitting: { groups },
  });
  if (!maps) for (const map of globSync('**/*.map', { cwd: dir })) rmSync(path.join(dir, map));
  const manifest = {
    name: CORE_PACKAGE,
    ...product,
    private: true,
    type: 'module',
    exports: { './*.ts': './*.js', './*': './*' },
  };
  writeFileSync(path.join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Returns the modules of `lib` that load together with `roots`. */
function membersOf(root: string, roots: readonly string[]): Set<string> {
  const excludedFolders = ENTRY_PROGRAMS.map((file) => path.dirname(file));
  const members = new Set(roots);
  // the loop also visits elements that are added to the set during the loop
  for (const file of members) {
    for (const imported of staticImportsIn(root, file)) members.add(imported);
  }
  return new Set([...members].filter((file) => !excludedFolders.includes(path.dirname(file))));
}

/**
 * Writes the package into node_modules, unless it was made from these sources. Throws while a service runs in the
 * folder, because the service loads files of the package on first use.
 */
async function buildCore(root: string): Promise<void> {
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
    await writeCore(root, work, { version });
    writeFileSync(path.join(work, '.fingerprint'), current);
    rmSync(dir, { recursive: true, force: true });
    renameSync(work, dir);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildCore(path.resolve(import.meta.dirname, '..'));
  } catch (error) {
    process.stderr.write(`gatehouse: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
