// The form of an object: each field of its definition has the words, its schema the kind and the limit.
import { z } from 'zod';
import { withoutDefault } from './definition.ts';
import { isDisplayText } from './display-text.ts';

export type ChoiceWords = { label: string; note: string };

/** What a form says of a field. */
export type FormWords = {
  label: string;
  hint?: string;
  /** beside a checkbox */
  note?: string;
  placeholder?: string;
  /**
   * how a text is typed; `words`: a list as one text with spaces between; `json`: any value; `groups`: names, each with
   * ids of groups
   */
  as?: 'url' | 'email' | 'code' | 'lines' | 'password' | 'words' | 'json' | 'groups';
  /** of a text that may be in several languages: the label of those below it */
  others?: string;
  /** one of a list: `redirect address` */
  each?: string;
  /** of an enum: each value */
  choices?: Readonly<Record<string, ChoiceWords>>;
  /** of pairs: the values of a third field of each row */
  strengths?: Readonly<Record<string, ChoiceWords>>;
  /** of pairs: each row has ids of groups too */
  inGroups?: boolean;
  /** the heading over checkboxes that belong together */
  group?: string;
  /** asked for only where the choice `of` is `is`, and shown below that one */
  under?: { of: string; is: string };
  /** asked for only when the object is made, or only afterwards */
  only?: 'new' | 'change';
  /** follows the hint while the object is made */
  whenNew?: string;
};
const formWords = z.registry<FormWords>();

/** A field of a definition with the words of its form. */
export function field<Schema extends z.ZodType>(
  schema: Schema,
  label: string,
  more: Omit<FormWords, 'label'> = {},
): Schema {
  const own = schema.clone();
  formWords.add(own, { label, ...more });
  return own;
}

export type FormField<Name extends string = string> = FormWords & {
  name: Name;
  kind: 'text' | 'number' | 'checkbox' | 'choice' | 'list' | 'pairs';
  /** may be left empty */
  optional: boolean;
  /** an empty text or number is null */
  isNullable: boolean;
  /** in characters; null: none, or no text */
  maxLength: number | null;
  /** the least number; null: none, or no number */
  least: number | null;
  /** it may be there in several languages */
  isText: boolean;
};

/** The fields that a form has words for, in their order. */
export function formFields<Of extends z.core.$ZodLooseShape>(
  object: z.ZodObject<Of>,
): FormField<keyof Of & string>[] {
  return Object.entries(object.shape).flatMap(([name, field]) => {
    const words = formWords.get(field);
    if (!words) return [];
    const inner = valueIn(field);
    const kind = kindOf(inner);
    const isNullable = withoutDefault(field) instanceof z.ZodNullable;
    // the field of a number shows its default
    const optional =
      isNullable ||
      (kind === 'number' ? field instanceof z.ZodOptional : z.safeParse(field, undefined).success);
    return [
      {
        ...words,
        ...{ name, kind, optional, isNullable },
        maxLength: inner instanceof z.ZodString ? inner.maxLength : null,
        least: inner instanceof z.ZodNumber ? inner.minValue : null,
        isText: isDisplayText(withoutDefault(field)),
      },
    ];
  });
}

/** Without default, null and the empty text that stands for nothing; before it is transformed. */
function valueIn(field: z.core.$ZodType): z.core.$ZodType {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional || field instanceof z.ZodNullable)
    return valueIn(field.unwrap());
  if (field instanceof z.ZodUnion) return valueIn(field.options.at(-1) ?? field);
  return field instanceof z.ZodPipe ? valueIn(field.in) : field;
}

function kindOf(field: z.core.$ZodType): FormField['kind'] {
  if (field instanceof z.ZodNumber) return 'number';
  if (field instanceof z.ZodBoolean) return 'checkbox';
  if (field instanceof z.ZodEnum) return 'choice';
  if (!(field instanceof z.ZodArray)) return 'text';
  return field.element instanceof z.ZodObject ? 'pairs' : 'list';
}
