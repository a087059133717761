// Gatehouse's own code as delivered: the files that the programs import, compiled, without sources, tests and pages
// (Next built the pages). `lib` is the package `gatehouse-lib`, which programs and pages share.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { importsIn } from './compile.ts';
import { CORE_PACKAGE, compileSource } from './core.ts';

/** The programs that are delivered. All other delivered files are imported by them. */
const PROGRAMS = [
  'server.ts',
  'cli/main.ts',
  'scripts/demonstrate.mjs',
  'demo/applications.ts',
  'demo/broker.ts',
  'demo/verifier.ts',
];

/** `imports` in package.json: alias to folder, both with an asterisk. */
type Manifest = { imports: Record<string, string> };

/** The npm packages that the programs import, and the entries of `imports` that they use. */
type Needs = { packages: string[]; imports: Manifest['imports'] };

/** Writes the programs and all files that they import into `dir`. */
export function writeProgram(root: string, dir: string): Needs {
  const { imports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
  const packages = new Set<string>();
  const aliases = new Set<string>();
  const files = new Set(PROGRAMS);
  // the loop also visits elements that are added to the set during the loop
  for (const file of files) {
    const text = compileSource(root, file);
    for (const specifier of importsIn(file, text)) {
      const target = targetOf(file, specifier, imports);
      if (target === null) packages.add(packageOf(specifier));
      else if (/\.(?:ts|mjs)$/.test(target) && !target.startsWith('app/')) {
        files.add(target);
        aliases.add(specifier.replace(/\/.*$/, '/*'));
      }
    }
    if (file.startsWith('lib/')) continue;
    // packages name files of lib by path
    const delivered = text.replaceAll(/(['"])(?:\.\.\/)+lib\//g, `$1${CORE_PACKAGE}/`);
    write(path.join(dir, file.replace(/\.ts$/, '.js')), delivered);
  }
  packages.delete('');
  const used = Object.entries({ ...imports, '#lib/*': `${CORE_PACKAGE}/*` });
  return {
    packages: [...packages].sort(),
    imports: Object.fromEntries(used.filter(([alias]) => aliases.has(alias))),
  };
}

/** Returns the source file that an import in a compiled file refers to; null: the import names a package. */
function targetOf(file: string, specifier: string, imports: Manifest['imports']): string | null {
  const source = specifier.replace(/\.js$/, '.ts');
  const [alias = ''] = source.split('/', 1);
  const folder = imports[`${alias}/*`];
  if (folder) return path.posix.join(folder.slice(0, -1), source.slice(alias.length));
  return source.startsWith('.') ? path.posix.join(path.posix.dirname(file), source) : null;
}

/** Returns the name of the imported package; empty for modules that are part of Node. */
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return '';
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
