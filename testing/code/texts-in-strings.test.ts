// `${name}` and `names.join()` compile for a name in several languages, and result in `[object Object]`. The test
// finds each such place with the compiler's types; JSX already rejects a localized text.
import path from 'node:path';
import { type Expression, type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isBinaryExpression,
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isTemplateSpan,
} from 'typescript/unstable/ast/is';
import { API, type Project } from 'typescript/unstable/sync';
import { afterAll, expect, test } from 'vitest';
import type { DisplayText } from '#lib/registry/display-text.ts';
import { isTest } from './sources.ts';

const root = path.resolve(import.meta.dirname, '../..');
const api = new API({ cwd: root });
afterAll(() => api.close());

const LOCALIZED = /\b(?:DisplayText|Texts)\b|Record<string, string>/;

/** Returns the expressions that this node converts to strings. */
function stringified(node: Node): readonly Expression[] {
  if (isTemplateSpan(node)) return [node.expression];
  if (isBinaryExpression(node))
    return node.operatorToken.kind === SyntaxKind.PlusToken ? [node.left, node.right] : [];
  if (!isCallExpression(node)) return [];
  const { expression: called } = node;
  if (isIdentifier(called)) return called.text === 'String' ? node.arguments : [];
  return isPropertyAccessExpression(called) && ['join', 'toString', 'concat'].includes(called.name.text)
    ? [called.expression]
    : [];
}

function localizedIn({ program, checker }: Project, name: string): string[] {
  const file = program.getSourceFile(name);
  if (!file) throw new Error(`${name} is not in the program`);
  const found: Expression[] = [];
  const walk = (node: Node): void => {
    found.push(...stringified(node));
    node.forEachChild(walk);
  };
  walk(file);
  if (found.length === 0) return [];
  return checker.getTypeAtLocation(found).flatMap((type, at) => {
    const isLocalized = type !== undefined && LOCALIZED.test(checker.typeToString(type));
    return isLocalized ? [`${path.relative(root, name)}: ${found[at]?.getText(file)}`] : [];
  });
}

/** Example code with the mistakes that the test must report. */
const WRONG = (text: DisplayText, of: { name: DisplayText }[]) => [
  `${text}`,
  String(text),
  of.map(({ name }) => name).join(),
];

test('no template string, sum, join or String() converts a text in several languages', () => {
  const [project] = api.updateSnapshot({ openProjects: [path.join(root, 'tsconfig.json')] }).getProjects();
  if (!project) throw new Error('the compiler opens no project');
  const files = project.program
    .getSourceFileNames()
    .filter((name) => /^(?:app|lib|cli)\//.test(path.relative(root, name)))
    .filter((name) => !isTest(name) && !name.includes('/generated/'));
  expect(files.length).toBeGreaterThan(600);
  expect(files.flatMap((name) => localizedIn(project, name))).toEqual([]);
  expect(localizedIn(project, import.meta.filename)).toHaveLength(WRONG({}, []).length);
});
