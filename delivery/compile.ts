// Compiles TypeScript to JavaScript, file by file. Types become spaces, so lines and columns in a stack trace match
// the source. This is necessary because Node runs no TypeScript below node_modules.
import { stripTypeScriptTypes } from 'node:module';
import { parseSync } from 'oxc-parser';

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

type Span = { start: number; end: number };

function requestsIn(file: string, text: string): Span[] {
  const { module, errors } = parseSync(file.replace(/\.ts$/, '.js'), text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest ?? [])),
    ...module.dynamicImports.map(({ moduleRequest }) => moduleRequest),
  ];
}

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
