// The repository's own sources as syntax trees, for tests that check rules of the code.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BindingPattern, type ParamPattern, type ParseResult, parseSync, Visitor } from 'oxc-parser';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What is generated or installed, wherever a build has left it. */
const GENERATED = /(?:^|\/)(?:generated|node_modules|\.next[^/]*)\//;

export type Source = { file: string; text: string } & Pick<ParseResult, 'program' | 'module'>;

export function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** Every source file of these files and folders, without generated ones. Paths are relative to the repository. */
export function sourcesIn(...places: string[]): Source[] {
  return places
    .flatMap(filesUnder)
    .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !GENERATED.test(file))
    .map((file) => sourceOf(file, textOf(file)));
}

export function sourceOf(file: string, text: string): Source {
  const { program, module } = parseSync(file, text);
  return { file, text, program, module };
}

/** `width`: of its line of the source. */
export type Comment = { file: string; line: number; text: string; width: number };

/** Every line of the comments of these files and folders, SQL files included. */
export function commentsIn(...places: string[]): Comment[] {
  return places
    .flatMap(filesUnder)
    .filter((file) => /\.(?:ts|tsx|mjs|sql)$/.test(file) && !GENERATED.test(file))
    .flatMap((file) => {
      const text = textOf(file);
      if (file.endsWith('.sql'))
        return text.split('\n').flatMap((line, at) => {
          const said = /^\s*--(.*)/.exec(line)?.[1];
          return said === undefined ? [] : [{ file, line: at + 1, text: said, width: line.length }];
        });
      const lines = text.split('\n');
      return parseSync(file, text).comments.flatMap(({ value, start }) => {
        const first = text.slice(0, start).split('\n').length;
        return value.split('\n').map((said, at) => {
          const line = first + at;
          return { file, line, text: said, width: lines[line - 1]?.length ?? 0 };
        });
      });
    });
}

function filesUnder(place: string): string[] {
  const full = path.join(root, place);
  if (statSync(full).isFile()) return [place];
  return readdirSync(full, { recursive: true, encoding: 'utf8' }).map((file) => `${place}/${file}`);
}

/** Whether it is a test file. */
export function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

/** Every module that a file imports, re-exports or names in a type, as written. */
export function importsOf({ program, module, text }: Source): string[] {
  const named = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
    // only where it is written as text: a computed name has no quotes
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

/**
 * What a file itself declares and exports. Passing on what another file declares does not count, unless it is renamed.
 */
export function exportsOf({ module }: Source): Set<string> {
  const names = module.staticExports
    .flatMap(({ entries }) => entries)
    .filter((entry) => entry.moduleRequest === null || entry.importName.name !== entry.exportName.name)
    .map(({ exportName }) => exportName.name);
  return new Set(names.filter((name) => name !== null));
}

/** What a file names: variables, parameters, functions, classes, types and their members; not the keys of objects. */
export function declaredNamesOf({ program }: Source): Set<string> {
  const names = new Set<string>();
  const bind = (pattern: ParamPattern | BindingPattern): void => {
    for (const name of boundNames(pattern)) names.add(name);
  };
  const declare = ({ id, params = [] }: { id: { name: string } | null; params?: ParamPattern[] }): void => {
    if (id) names.add(id.name);
    params.forEach(bind);
  };
  const member = ({ key, computed }: { key: { type: string; name?: unknown }; computed: boolean }): void => {
    if (!computed && key.type === 'Identifier') names.add(String(key.name));
  };
  new Visitor({
    VariableDeclarator({ id }) {
      bind(id);
    },
    FunctionDeclaration: declare,
    FunctionExpression: declare,
    ArrowFunctionExpression({ params }) {
      params.forEach(bind);
    },
    ClassDeclaration: declare,
    TSTypeAliasDeclaration: declare,
    TSInterfaceDeclaration: declare,
    TSPropertySignature: member,
    TSMethodSignature: member,
    PropertyDefinition: member,
    MethodDefinition: member,
  }).visit(program);
  return names;
}

function boundNames(pattern: ParamPattern | BindingPattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    case 'RestElement':
      return boundNames(pattern.argument);
    case 'TSParameterProperty':
      return boundNames(pattern.parameter);
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : boundNames(element)));
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        boundNames(property.type === 'RestElement' ? property : property.value),
      );
  }
}
