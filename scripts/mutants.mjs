// `npm run mutants`: mutation testing of the pure decisions. Each mutant changes one expression, and a unit test of the
// file must fail. Prints the survivors and the score of each file. Exits 1 if a score is below 85 %.
import fs from 'node:fs';
import path from 'node:path';
import { parseSync, visitorKeys } from 'oxc-parser';
import { createVitest } from 'vitest/node';

const REQUIRED = 85;

/** Files to test. `within`: first and last declaration to change, if the file also contains other code. */
const TARGETS = [
  { file: 'lib/management/policy.ts', tests: ['policy'] },
  { file: 'lib/oauth/rules.ts', tests: ['pkce', 'prompt', 'redirect-uri', 'rules', 'scope'] },
  { file: 'lib/oauth/authorize/request.ts', within: ['signedInHere', 'isTooOld'], tests: ['decide'] },
];

const OPERATORS = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '-': ['+'],
  '*': ['/'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
};
const METHODS = { some: 'every', every: 'some', max: 'min', min: 'max' };
/** Method calls that a mutant removes. */
const SKIPPED = ['filter', 'slice', 'sort', 'toLowerCase'];

const nameOf = (statement) => {
  const declared = statement.declaration ?? statement;
  return (declared.declarations?.[0] ?? declared).id?.name;
};

const changed = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end);

/** Returns the mutants of one file, as `{ start, end, text }`, in the order of the file. */
function mutantsOf({ file, within }, source) {
  const { program } = parseSync(file, source);
  const names = program.body.map(nameOf);
  const [from, to] = within?.map((name) => names.indexOf(name)) ?? [0, names.length];
  const mutants = program.body.slice(from, to + 1).flatMap((statement) => changesIn(statement, source));
  const isCode = (mutant) => parseSync(file, changed(source, mutant)).errors.length === 0;
  return mutants.filter(isCode);
}

function changesIn(node, source) {
  if (/^(TSTypeAlias|TSInterface|Import|TSTypeAnnotation|TSTypeParameter)/.test(node.type)) return [];
  const own = changesOf(node, source).map((change) => ({ start: node.start, end: node.end, ...change }));
  const isKey = (key) => key === 'key' || (key === 'typeAnnotation' && node.type.startsWith('TS'));
  const children = visitorKeys[node.type].filter((key) => !isKey(key)).flatMap((key) => node[key] ?? []);
  return [...own, ...children.flatMap((child) => changesIn(child, source))];
}

/**
 * Returns the changes of this expression or statement. Without `start` and `end`, the text replaces the whole node.
 */
function changesOf(node, source) {
  const textOf = ({ start, end }) => source.slice(start, end);
  const replaced = (at, ...texts) => texts.map((text) => ({ start: at.start, end: at.end, text }));
  switch (node.type) {
    case 'LogicalExpression':
    case 'BinaryExpression':
      return (OPERATORS[node.operator] ?? []).map((operator) => ({
        text: `(${textOf(node.left)} ${operator} ${textOf(node.right)})`,
      }));
    case 'IfStatement':
    case 'ConditionalExpression':
      return replaced(node.test, 'true', 'false');
    case 'UnaryExpression':
      return node.operator === '!' ? [{ text: textOf(node.argument) }] : [];
    case 'ReturnStatement':
      return node.argument ? [{ text: 'return undefined;' }] : [{ text: ';' }];
    case 'ThrowStatement':
      return [{ text: ';' }];
    case 'ArrowFunctionExpression':
      return node.expression ? replaced(node.body, 'undefined') : [];
    case 'FunctionDeclaration':
      return replaced(node.body, '{}');
    case 'ArrayExpression':
      return [{ text: node.elements.length > 0 ? '[]' : "['mutant']" }];
    case 'ObjectExpression':
      return node.properties.length > 0 ? [{ text: '({})' }] : [];
    case 'TemplateLiteral':
      return [{ text: "''" }];
    case 'ChainExpression':
      return [{ text: textOf(node).replaceAll('?.', '.') }];
    case 'CallExpression':
      return changesOfCall(node, textOf);
    case 'Literal':
      return changesOfLiteral(node);
    default:
      return [];
  }
}

function changesOfCall({ callee }, textOf) {
  if (callee.type !== 'MemberExpression') return [];
  const { object, property } = callee;
  const other = METHODS[property.name];
  if (other) return [{ start: property.start, end: property.end, text: other }];
  return SKIPPED.includes(property.name) ? [{ text: textOf(object) }] : [];
}

function changesOfLiteral({ value, regex }) {
  if (regex) {
    const { pattern, flags } = regex;
    const open = [
      pattern.replace(/^\^/, ''),
      pattern.replace(/\$$/, ''),
      pattern.replace(/(?<=\])[*+?]/, ''),
    ];
    const texts = [...open.map((text) => `/${text}/${flags}`), `/${pattern}/`];
    return texts.filter((text) => text !== `/${pattern}/${flags}`).map((text) => ({ text }));
  }
  if (typeof value === 'boolean') return [{ text: String(!value) }];
  if (typeof value === 'number') return [{ text: String(value + 1) }];
  return typeof value === 'string' ? [{ text: value === '' ? "'mutant'" : "''" }] : [];
}

/**
 * Creates a folder for each mutant, with the changed file and copies of its tests. All other modules are loaded once,
 * from the repository: the folder has no other files, so `besideOriginal` finds them.
 */
function writeMutant(folder, { file, tests }, source, mutant) {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, path.basename(file)), changed(source, mutant));
  const names = tests.map((name) => `${name}.test.ts`);
  for (const name of names) fs.copyFileSync(path.join(path.dirname(file), name), path.join(folder, name));
  return names.map((name) => path.join(folder, name));
}

const besideOriginal = (root, place) => ({
  name: 'beside-original',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id.startsWith('.') &&
    importer?.startsWith(root) &&
    !fs.existsSync(path.resolve(path.dirname(importer), id))
      ? path.resolve(place, id)
      : null,
});

/** Returns the mutants that no test detects. */
async function survivorsOf(target, source, mutants) {
  const root = fs.mkdtempSync(path.resolve('node_modules/.mutants-'));
  const options = {
    config: false,
    watch: false,
    include: [`${root}/**/*.test.ts`],
    exclude: [],
    maxWorkers: 1,
    isolate: false,
    env: { BASE_URL: 'http://localhost:3000' },
    reporters: [{}],
  };
  const plugins = [besideOriginal(root, path.dirname(path.resolve(target.file)))];
  const vitest = await createVitest('test', options, { plugins });
  try {
    const unchanged = { start: 0, end: 0, text: '' };
    const files = [...mutants, unchanged].map((mutant, n) =>
      writeMutant(path.join(root, String(n)), target, source, mutant),
    );
    const project = vitest.getRootProject();
    const specifications = files.flat().map((file) => project.createSpecification(file));
    const { testModules } = await vitest.runTestSpecifications(specifications);
    const failed = new Set(testModules.filter((one) => !one.ok()).map((one) => path.dirname(one.moduleId)));
    const isDetected = (n) => failed.has(path.join(root, String(n)));
    if (isDetected(mutants.length)) throw new Error(`the tests of ${target.file} fail without a mutant`);
    return mutants.filter((_, n) => !isDetected(n));
  } finally {
    await vitest.close();
    fs.rmSync(root, { recursive: true });
  }
}

const inOneLine = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 100);

const chosen = process.argv.slice(2);
const targets = TARGETS.filter(({ file }) => chosen.length === 0 || chosen.includes(file));
if (targets.length === 0) {
  console.error(`Usage: npm run mutants -- [FILE …]\nFiles: ${TARGETS.map(({ file }) => file).join(', ')}`);
  process.exit(2);
}
let enough = true;
for (const target of targets) {
  const source = fs.readFileSync(target.file, 'utf8');
  const mutants = mutantsOf(target, source);
  const survivors = await survivorsOf(target, source, mutants);
  for (const { start, end, text } of survivors) {
    const line = source.slice(0, start).split('\n').length;
    console.log(`${target.file}:${line}: ${inOneLine(source.slice(start, end))} → ${inOneLine(text)}`);
  }
  const score = 100 * (1 - survivors.length / mutants.length);
  console.log(`${target.file}: ${mutants.length} mutants, ${score.toFixed(1)} % detected`);
  enough &&= score >= REQUIRED;
}
process.exit(enough ? 0 : 1);
