// Texts of faults in the definitions of objects, as pages translate them.
import { type Argument, type Node, type Program, Visitor } from 'oxc-parser';
import { FOR_OPERATORS } from '#lib/management/refused.ts';
import { isTest, sourcesIn, sourcesOf } from './sources.ts';

/** Further files: texts with the form of a fault are faults. */
const PLACES = [
  'lib/pictures',
  'lib/kit/text.ts',
  'lib/catalogue/clients/operations.ts',
  'lib/management/delegations.ts',
];
/** Files whose definitions have no form: they describe lines of a file that the command line reads. */
const WITHOUT_FORM = new Set(['lib/catalogue/people/person-line.ts']);

const isFault = (text: string) =>
  /^(?:must|is|has|begins|ends|holds|contains|requires|cannot|needs) [a-z]/.test(text);

/** Unique templates, and faults that contain their values in place of placeholders. */
export function faultTexts(): { templates: string[]; withValues: string[] } {
  const templates: string[] = [];
  const withValues: string[] = [];
  for (const { file, program } of [...sourcesOf('registry'), ...sourcesIn(...PLACES)])
    if (!WITHOUT_FORM.has(file) && !isTest(file))
      new Visitor({
        CallExpression({ callee, arguments: [first] }) {
          const isCall = callee.type === 'Identifier' && /^(?:fault|checkFault)$/.test(callee.name);
          if (isCall && first?.type === 'Literal') templates.push(String(first.value));
        },
        Literal({ value }) {
          if (typeof value === 'string' && isFault(value)) templates.push(value);
        },
        TemplateLiteral({ quasis, expressions }) {
          const text = quasis.map(({ value }) => value.cooked ?? '').join('…');
          if (expressions.length > 0 && isFault(text)) withValues.push(`${file}: ${text}`);
        },
      }).visit(program);
  return { templates: [...new Set(templates)], withValues };
}

/** Position of the values among the arguments of each function that creates a fault. */
const VALUES_AT: Readonly<Record<string, number>> = { fault: 1, checkFault: 1, faultAt: 2, wrongAt: 3 };

/** English texts inside the values of faults. Pages insert values without a translation. */
export function englishInFaults(): string[] {
  const found: string[] = [];
  for (const { file, program } of sourcesIn('lib'))
    if (!isTest(file))
      new Visitor({
        CallExpression({ callee, arguments: given }) {
          const at = callee.type === 'Identifier' ? VALUES_AT[callee.name] : undefined;
          const values = at === undefined ? undefined : given[at];
          if (values) found.push(...proseIn(values).map((text) => `${file}: ${text}`));
        },
      }).visit(program);
  return found;
}

/** Texts with a word and a space, at any depth of the expression. */
function proseIn(expression: object): string[] {
  if ('type' in expression && expression.type === 'Literal' && 'value' in expression)
    return isProse(expression.value) ? [expression.value] : [];
  if ('type' in expression && expression.type === 'TemplateElement' && 'value' in expression) {
    const { cooked } = expression.value as { cooked: unknown };
    return isProse(cooked) ? [cooked] : [];
  }
  return Object.values(expression).flatMap((part) =>
    typeof part === 'object' && part !== null ? proseIn(part) : [],
  );
}

/**
 * English words inside the values of rejections, outside of `select` arguments. Names of the same file are resolved,
 * and its functions are followed.
 */
export function englishInRefusals(): string[] {
  const found: string[] = [];
  for (const { file, program } of sourcesIn('lib', 'app', 'cli')) {
    if (isTest(file)) continue;
    const declared = declarationsIn(program);
    const check = (values: Argument | undefined, code: Argument | undefined) => {
      if (!values) return;
      const skipped = new Set([...NAMES, ...(code?.type === 'Literal' ? selectsOf(String(code.value)) : [])]);
      found.push(...wordsIn(values, declared, skipped).map((text) => `${file}: ${text}`));
    };
    new Visitor({
      CallExpression({ callee, arguments: [what] }) {
        if (callee.type === 'Identifier' && /^(?:stale|refuseStale)$/.test(callee.name))
          check(what, undefined);
      },
      NewExpression({ callee, arguments: [code, values] }) {
        if (callee.type === 'Identifier' && callee.name === 'Refused') check(values, code);
      },
    }).visit(program);
  }
  return found;
}

/** `actor`: on pages always a user. `role`: as typed. */
const NAMES = ['actor', 'role'];

/** Names of the `select` arguments in the text of a code. */
function selectsOf(code: string): string[] {
  const text = Object.hasOwn(FOR_OPERATORS, code) ? FOR_OPERATORS[code as keyof typeof FOR_OPERATORS][1] : '';
  return [...text.matchAll(/\{(\w+), select,/g)].map(([, name = '']) => name);
}

/** Variables of a file by name, and the results of its functions. */
function declarationsIn(program: Program): ReadonlyMap<string, readonly object[]> {
  const declared = new Map<string, readonly object[]>();
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== 'Identifier' || !init) return;
      const isFunction = init.type === 'ArrowFunctionExpression';
      declared.set(id.name, isFunction ? resultsOf(init.body) : [init]);
    },
    FunctionDeclaration({ id, body }) {
      if (id && body) declared.set(id.name, resultsOf(body));
    },
  }).visit(program);
  return declared;
}

/** The expressions that a function returns. */
function resultsOf(body: object): object[] {
  const node = body as Node;
  if (node.type !== 'BlockStatement') return [node];
  const results: object[] = [];
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    if ('type' in part && /Function/.test(String(part.type))) return;
    if ('type' in part && part.type === 'ReturnStatement' && 'argument' in part && part.argument)
      results.push(part.argument);
    else for (const child of Object.values(part)) walk(child);
  };
  walk(node.body);
  return results;
}

/**
 * English words that an expression can contain. `skipped`: names of properties. The word `message` stands for the
 * message of an error or fault.
 */
function wordsIn(
  expression: object,
  declared: ReadonlyMap<string, readonly object[]>,
  skipped: ReadonlySet<string>,
  seen = new Set<object>(),
): string[] {
  if (seen.has(expression)) return [];
  seen.add(expression);
  const inside = (...parts: (object | null)[]): string[] =>
    parts.flatMap((part) => (part === null ? [] : wordsIn(part, declared, skipped, seen)));
  const node = expression as Node;
  switch (node.type) {
    case 'Literal':
      return isWord(node.value) || isProse(node.value) ? [String(node.value)] : [];
    case 'TemplateLiteral':
      return [
        ...inside(...node.expressions),
        ...node.quasis.map(({ value }) => value.cooked ?? '').filter(isProse),
      ];
    case 'Identifier':
      return inside(...(declared.get(node.name) ?? []));
    case 'MemberExpression': {
      const { object, property, computed } = node;
      if (property.type === 'Identifier' && property.name === 'message') return ['message'];
      return computed ? inside(object) : [];
    }
    case 'CallExpression': {
      const { callee, arguments: given } = node;
      const joined = given.flatMap((one) =>
        one.type === 'Literal' && isProse(one.value) ? [one.value] : [],
      );
      return [...(callee.type === 'Identifier' ? inside(callee) : []), ...joined];
    }
    case 'BinaryExpression':
    case 'LogicalExpression':
      return inside(node.left, node.right);
    case 'ConditionalExpression':
      return inside(node.consequent, node.alternate);
    case 'ObjectExpression':
      return inside(...node.properties);
    case 'ArrayExpression':
      return inside(...node.elements);
    case 'Property':
      return node.key.type === 'Identifier' && skipped.has(node.key.name) ? [] : inside(node.value);
    case 'SpreadElement':
      return inside(node.argument);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'ParenthesizedExpression':
      return inside(node.expression);
    default:
      return [];
  }
}

const isWord = (text: unknown): text is string => typeof text === 'string' && /^\p{Ll}{2,}$/u.test(text);

/** Two words with a space between them. An example in a notation, such as `{en: Orders}`, is no prose. */
export const isProse = (text: unknown): text is string =>
  typeof text === 'string' && !text.startsWith('{') && /\p{L}{2}.* |^ .*\p{L}{2}/u.test(text);
