// Texts of faults in the definitions of objects, as pages translate them.
import { Visitor } from 'oxc-parser';
import { isTest, sourcesIn } from './sources.ts';

/** Files whose texts in the form of a fault are faults. */
const PLACES = [
  'lib/registry',
  'lib/kit/text.ts',
  'lib/management/clients.ts',
  'lib/management/delegations.ts',
];
/** Files whose definitions have no form: they describe lines of a file that the command line reads. */
const WITHOUT_FORM = new Set(['lib/registry/person-line.ts']);

const isFault = (text: string) =>
  /^(?:must|is|has|begins|ends|holds|contains|requires|cannot|needs) [a-z]/.test(text);

/** Unique templates, and faults that contain their values in place of placeholders. */
export function faultTexts(): { templates: string[]; withValues: string[] } {
  const templates: string[] = [];
  const withValues: string[] = [];
  for (const { file, program } of PLACES.flatMap((place) => sourcesIn(place)))
    if (!isTest(file) && !WITHOUT_FORM.has(file))
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
export function englishInValues(): string[] {
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

/** Two words with a space between them. An example in a notation, such as `{en: Orders}`, is no prose. */
export const isProse = (text: unknown): text is string =>
  typeof text === 'string' && !text.startsWith('{') && /\p{L}{2}.* |^ .*\p{L}{2}/u.test(text);
