// Compiles TypeScript to JavaScript, file by file. Types become spaces, so lines and columns in a stack trace match
// the source. This is necessary because Node runs no TypeScript below node_modules.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { type EcmaScriptModule, parseSync } from 'oxc-parser';

/** Imports of `.ts` files become imports of `.js` files. */
export function compileFile(file: string, source: string): string {
  const text = file.endsWith('.ts') ? withoutTypes(source) : source;
  const ends = [...new Set(requestsIn(file, text).map(({ end }) => end))].sort((one, other) => other - one);
  return ends.reduce((so, end) => {
    const isOurs = so.slice(end - 4, end - 1) === '.ts';
    return isOurs ? `${so.slice(0, end - 4)}.js${so.slice(end - 1)}` : so;
  }, text);
}

/** Module names in imports and exports, except names that are computed. */
export function importsIn(file: string, text: string): string[] {
  return requestsIn(file, text).flatMap(
    ({ start, end }) => /^['"](.*)['"]$/.exec(text.slice(start, end))?.[1] ?? [],
  );
}

/** Returns the modules of `lib` that `file` loads at once, as paths below `root`. */
export function staticImportsIn(root: string, file: string): string[] {
  const { module } = parseModule(file, readFileSync(path.join(root, file), 'utf8'));
  return staticRequests(module).flatMap(({ value }) => {
    if (value.startsWith('#lib/')) return value.replace('#lib/', 'lib/');
    const target = path.posix.join(path.posix.dirname(file), value);
    return value.startsWith('.') && target.startsWith('lib/') ? target : [];
  });
}

type Span = { start: number; end: number };

function requestsIn(file: string, text: string): Span[] {
  const { module } = parseModule(file, text);
  return [...staticRequests(module), ...module.dynamicImports.map(({ moduleRequest }) => moduleRequest)];
}

function parseModule(file: string, text: string) {
  const result = parseSync(file, text);
  if (result.errors.length > 0) throw new Error(`${file}: ${result.errors[0]?.message}`);
  return result;
}

/** Imports of types are no requests. */
const staticRequests = ({ staticImports, staticExports }: EcmaScriptModule) => [
  ...staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest),
  ...staticExports.flatMap(({ entries }) =>
    entries.flatMap((entry) => (entry.isType ? [] : (entry.moduleRequest ?? []))),
  ),
];

/** Removes the types, and suppresses Node's warning about an experimental feature. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
