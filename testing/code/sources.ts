// The repository's own sources as syntax trees, for tests that check rules of the code.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParseResult, parseSync, Visitor } from 'oxc-parser';
import { roomOf } from './rooms.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Matches generated or installed files, in any build folder. */
const GENERATED = /(?:^|\/)(?:generated|node_modules|\.next[^/]*)\//;

/** Programs at the top level that contain served code. */
export const PROGRAMS = [
  'server.ts',
  'core-map.ts',
  'start.ts',
  'serve.ts',
  'proxy.ts',
  'instrumentation.ts',
];

export type Source = { file: string; text: string } & Pick<ParseResult, 'program' | 'module'>;

export function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/**
 * Returns every source file of these files and folders, without generated files. Paths are relative to the
 * repository.
 */
export function sourcesIn(...places: string[]): Source[] {
  return places
    .flatMap(filesUnder)
    .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !GENERATED.test(file))
    .map((file) => sourceOf(file, textOf(file)));
}

/** Returns source files of a room without tests: its folder, and files of its kind in lib/catalogue. */
export function sourcesOf(room: string): Source[] {
  return sourcesIn(`lib/${room}`, 'lib/catalogue').filter(
    ({ file }) => !isTest(file) && roomOf(file) === room,
  );
}

export function sourceOf(file: string, text: string): Source {
  const { program, module } = parseSync(file, text);
  return { file, text, program, module };
}

function filesUnder(place: string): string[] {
  const full = path.join(root, place);
  if (statSync(full).isFile()) return [place];
  return readdirSync(full, { recursive: true, encoding: 'utf8' }).map((file) => `${place}/${file}`);
}

/** True if the file is a test. */
export function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

/** Returns every module that a file imports, re-exports or names in a type, spelled as in the file. */
export function importsOf({ program, module, text }: Source): string[] {
  const named = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
    // literal specifiers only: computed names have no quotes
    ...module.dynamicImports.map(
      ({ moduleRequest: { start, end } }) => /^['"](.*)['"]$/.exec(text.slice(start, end))?.[1],
    ),
  ];
  new Visitor({
    TSImportType({ source }) {
      named.push(source.value);
    },
  }).visit(program);
  return [...new Set(named)].filter((name) => name !== undefined);
}

/** Returns the file of the repository that an import names. `null`: the import names a package. */
export function importTarget(from: string, specifier: string): string | null {
  const inPackage = /^#(verify|moving-in|doctor-mcp)\/(.*)$/.exec(specifier);
  if (inPackage) return `packages/${inPackage[1]}/src/${inPackage[2]}`;
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : null;
}

/** Returns the modules from which a file imports only types, spelled as in the file. */
export function typeImportsOf({ module }: Source): Set<string> {
  const isValue = (entries: readonly { isType: boolean }[]) =>
    entries.length === 0 || entries.some(({ isType }) => !isType);
  const values = new Set(
    module.staticImports.filter(({ entries }) => isValue(entries)).map((one) => one.moduleRequest.value),
  );
  const named = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  return new Set(named.filter((name) => !values.has(name)));
}

/** Returns the names that a file exports, but another file of the repository declares. */
export function passedOnBy({ module }: Source): string[] {
  const isOurs = (name: string | undefined) => name !== undefined && /^[#.]/.test(name);
  const imported = new Set(
    module.staticImports
      .filter(({ moduleRequest }) => isOurs(moduleRequest.value))
      .flatMap(({ entries }) => entries.map(({ localName }) => localName.value)),
  );
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .filter(
      ({ moduleRequest, localName }) =>
        isOurs(moduleRequest?.value) || (moduleRequest === null && imported.has(localName.name ?? '')),
    )
    .map(({ exportName }) => exportName.name ?? '*');
}

/**
 * Names that a file declares and exports. A re-export of another file's name does not count, unless it is renamed.
 */
export function exportsOf({ module }: Source): Set<string> {
  const names = module.staticExports
    .flatMap(({ entries }) => entries)
    .filter((entry) => entry.moduleRequest === null || entry.importName.name !== entry.exportName.name)
    .map(({ exportName }) => exportName.name);
  return new Set(names.filter((name) => name !== null));
}
