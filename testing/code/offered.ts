// The values of a room of lib/ that code outside of the room imports, for tests that check a whole room.
import path from 'node:path';
import { importTarget, isTest, sourcesIn } from './sources.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** `const { a, b } = await import('…')` and `import('…').then(({ a }) => …)` */
const AWAITED = /\{([^{}]*)\} = await import\('([^']+)'\)/g;
const CHAINED = /import\('([^']+)'\)\s*\.then\(\(\{([^{}]*)\}\)/g;

/** By name, in the order of the files. */
export async function offeredBy(room: string): Promise<Record<string, unknown>> {
  const offered: Record<string, unknown> = {};
  for (const [file, names] of [...importedNames(room)].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const module = (await import(/* @vite-ignore */ path.join(root, file))) as Record<string, unknown>;
    for (const name of names) offered[name] = module[name];
  }
  return offered;
}

/** The names that other code imports from each file of the room; of types none. */
function importedNames(room: string): Map<string, Set<string>> {
  const inside = `lib/${room}/`;
  const found = new Map<string, Set<string>>();
  const add = (from: string, specifier: string, names: readonly string[]) => {
    const target = importTarget(from, specifier);
    if (target?.startsWith(inside)) found.set(target, new Set([...(found.get(target) ?? []), ...names]));
  };
  const places = ['lib', 'app', 'cli', 'server.ts', 'serve.ts', 'proxy.ts', 'instrumentation.ts'];
  for (const { file, text, module } of sourcesIn(...places)) {
    if (isTest(file) || file.startsWith(inside)) continue;
    for (const { moduleRequest, entries } of module.staticImports)
      add(
        file,
        moduleRequest.value,
        entries.flatMap(({ isType, importName: { name } }) => (isType || name === null ? [] : [name])),
      );
    for (const [, names = '', specifier = ''] of text.matchAll(AWAITED)) add(file, specifier, split(names));
    for (const [, specifier = '', names = ''] of text.matchAll(CHAINED)) add(file, specifier, split(names));
  }
  return found;
}

const split = (names: string) =>
  names
    .split(',')
    .map((one) => one.split(':')[0]?.trim() ?? '')
    .filter((one) => one !== '');
