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
