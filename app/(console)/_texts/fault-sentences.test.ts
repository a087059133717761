import { Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { isTest, sourcesIn } from '#testing/code/sources.ts';
import { FAULT_SENTENCES, faultSentenceOf } from './fault-sentences.ts';

/** Files whose definitions have no form: they describe lines of a file that the command line reads. */
const WITHOUT_FORM = new Set(['lib/registry/person-line.ts']);

/** Returns the faults that definitions of objects with forms can report; `\u2026` stands for a value. */
function faultsOfDefinitions(): string[] {
  const found: string[] = [];
  const add = (text: string) => {
    if (/^(?:must|is|has|holds|contains|requires|cannot|needs) [a-z]/.test(text)) found.push(text);
  };
  for (const { file, program } of sourcesIn('lib/registry'))
    if (!isTest(file) && !WITHOUT_FORM.has(file))
      new Visitor({
        Literal({ value }) {
          if (typeof value === 'string') add(value);
        },
        TemplateLiteral({ quasis }) {
          add(quasis.map(({ value }) => value.cooked ?? '').join('\u2026'));
        },
      }).visit(program);
  return found;
}

test('every definition fault has a translated sentence', () => {
  const faults = faultsOfDefinitions();
  expect(faults.length).toBeGreaterThan(80);
  // in forms, the message names the checkbox instead of the other field
  const inForm = (text: string) => text.replace(/ [a-z_]+ is true$/, ' “Allowed” is ticked');
  expect(faults.filter((text) => faultSentenceOf(inForm(text)) === null)).toEqual([]);
});

test('a fault text with values is mapped to its sentence with placeholders, and to its values', () => {
  expect(faultSentenceOf('must not be longer than 200 characters')).toEqual({
    text: 'must not be longer than {most} characters',
    values: { most: '200' },
  });
  expect(faultSentenceOf('must be a colour as #rrggbb')).toEqual({ text: 'must be a colour as #rrggbb' });
  expect(new Set(FAULT_SENTENCES).size).toBe(FAULT_SENTENCES.length);
});
