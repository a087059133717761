// The values of a room (a folder of lib/) that code outside of the room imports, for tests that check a whole room.
import path from 'node:path';
import { roomOf } from './rooms.ts';
import { importTarget, isTest, PROGRAMS, sourcesIn } from './sources.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Matches `const { a, b } = await import('…')` and `import('…').then(({ a }) => …)`. */
const AWAITED = /\{([^{}]*)\} = await import\('([^']+)'\)/g;
const CHAINED = /import\('([^']+)'\)\s*\.then\(\(\{([^{}]*)\}\)/g;
/** Matches an import that loads the file and uses none of its values. */
const LOADED = /^\s*await import\('([^']+)'\);$/gm;

/** Returns the values by name, in file order. */
export async function offeredBy(room: string): Promise<Record<string, unknown>> {
  const offered: Record<string, unknown> = {};
  for (const [file, names] of [...importedNames(room)].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const module = (await import(/* @vite-ignore */ path.join(root, file))) as Record<string, unknown>;
    for (const name of names) offered[name] = module[name];
  }
  return offered;
}

/**
 * Returns the names of values that other code imports, for each file of the room. Throws for imports without
 * names.
 */
function importedNames(room: string): Map<string, Set<string>> {
  const isInside = (file: string | null) => file?.startsWith('lib/') === true && roomOf(file) === room;
  const found = new Map<string, Set<string>>();
  const add = (from: string, specifier: string, names: readonly string[]) => {
    const target = importTarget(from, specifier);
    if (target !== null && isInside(target))
      found.set(target, new Set([...(found.get(target) ?? []), ...names]));
  };
  const places = ['lib', 'app', 'cli', ...PROGRAMS];
  for (const { file, text, module } of sourcesIn(...places)) {
    if (isTest(file) || isInside(file)) continue;
    const isOfRoom = (specifier: string) => isInside(importTarget(file, specifier));
    const nameless = (specifier: string) =>
      new Error(`${file} imports ${specifier} without names, so its values are unknown: name them`);
    for (const { moduleRequest, entries } of module.staticImports) {
      const values = entries.filter(({ isType }) => !isType).map(({ importName }) => importName.name);
      if (isOfRoom(moduleRequest.value) && values.includes(null)) throw nameless(moduleRequest.value);
      add(
        file,
        moduleRequest.value,
        values.filter((name) => name !== null),
      );
    }
    const dynamic = [
      ...[...text.matchAll(AWAITED)].map(([, names = '', specifier = '']) => ({ specifier, names })),
      ...[...text.matchAll(CHAINED)].map(([, specifier = '', names = '']) => ({ specifier, names })),
      ...[...text.matchAll(LOADED)].map(([, specifier = '']) => ({ specifier, names: '' })),
    ];
    for (const { specifier, names } of dynamic) add(file, specifier, split(names));
    const unread = dynamic.map(({ specifier }) => specifier);
    for (const { moduleRequest } of module.dynamicImports) {
      const specifier = text.slice(moduleRequest.start + 1, moduleRequest.end - 1);
      const at = unread.indexOf(specifier);
      if (at !== -1) unread.splice(at, 1);
      else if (isOfRoom(specifier)) throw nameless(specifier);
    }
  }
  return found;
}

const split = (names: string) =>
  names
    .split(',')
    .map((one) => one.split(':')[0]?.trim() ?? '')
    .filter((one) => one !== '');
