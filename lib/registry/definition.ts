// Derived from a definition: the names of its fields in the file, in the columns and on the wire, the shape of a
// change, and the message for a wrong value.
import { z } from 'zod';
import { ownValue, snake } from '#lib/kit/wire.ts';
import { isDisplayText } from './display-text.ts';

/** What a new object starts with. */
export function defaultsOf(object: z.ZodObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object.shape).flatMap(([name, field]) =>
      field instanceof z.ZodDefault ? [[name, field.def.defaultValue]] : [],
    ),
  );
}

type Shape = z.core.$ZodLooseShape;

/** The name in the configuration file and of the column: lifetimes are seconds there, and do not say so. */
export const plainName = (name: string): string => snake(name).replace(/_seconds$/, '');

/** Without its default, which only a new object gets. */
export function withoutDefault(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodDefault ? field.unwrap() : field;
}

/** Some of the fields; what is undefined stays as it is. */
export type Change<Values> = { [Name in keyof Values]?: Values[Name] | undefined };

/** What came from outside, for an operation to check. */
export type Unchecked = Readonly<Record<string, unknown>>;

type ChangeShape<Of extends Shape> = { [Name in keyof Of]: z.ZodOptional<Of[Name]> };

/** What a change may say: any of the fields, and nothing of those that stay. */
export function changeOf<Of extends Shape>(object: z.ZodObject<Of>) {
  const fields = Object.entries(object.shape).map(([name, field]) => [
    name,
    z.optional(withoutDefault(field as z.core.$ZodType)),
  ]);
  return z.strictObject(Object.fromEntries(fields) as ChangeShape<Of>);
}

type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name;
type WireShape<Of extends Shape> = {
  [Name in keyof Of as Name extends string ? Snake<Name> : never]: Of[Name];
};

/** The object as JSON for others has it: names in snake_case, times as ISO 8601. */
export function wire<Of extends Shape>(object: z.ZodObject<Of>) {
  const fields = Object.entries(object.shape).map(([name, field]) => [
    snake(name),
    wireField(field as z.core.$ZodType),
  ]);
  return z.strictObject(Object.fromEntries(fields) as WireShape<Of>);
}

function wireField(field: z.core.$ZodType): z.core.$ZodType {
  if (field instanceof z.ZodObject) return wire(field);
  if (field instanceof z.ZodDate) return z.iso.datetime();
  if (field instanceof z.ZodArray) return z.array(wireField(field.element));
  if (field instanceof z.ZodNullable) return described(z.nullable(wireField(field.unwrap())), field);
  if (field instanceof z.ZodOptional) return described(z.optional(wireField(field.unwrap())), field);
  return field;
}

function described(made: z.ZodType, from: z.ZodType): z.ZodType {
  return from.description === undefined ? made : made.describe(from.description);
}

export type Fault = {
  /** as the code names it: `redirectUris.1` */
  field: string;
  /** begins with the name of the field, as the wire and the file have it */
  message: string;
  /** what is wrong, for programs and for the catalogue of pages */
  code: string;
  /** what its text is put together with */
  values?: Readonly<Record<string, string | number>>;
};

/** A schema's issues as faults of fields. The schema must have been run with `reportInput`. */
export function faultsOf(error: z.core.$ZodError, prefix = ''): Fault[] {
  return error.issues.map((issue) => {
    const field = issue.path.map(String).join('.');
    // a tag of a language below it has capitals of its own
    const [first = '', ...below] = field.split('.');
    const named = [snake(first), ...below].join('.');
    const message = `${named} ${issueInWords(issue)}`.trim();
    return { field: `${prefix}${field}`, message, code: codeOf(issue) };
  });
}

/** A refinement says its own in `params`. */
function codeOf(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return 'input.missing';
  const own: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  if (typeof own === 'string') return own;
  return issue.code === 'unrecognized_keys' ? 'input.unknown' : 'input.wrong';
}

const isMissing = ({ input, code }: z.core.$ZodIssue) =>
  input === undefined && /^invalid_(type|union)$/.test(code ?? '');

const TYPES: Record<string, string> = {
  boolean: 'true or false',
  array: 'a list',
  object: 'keys and values',
  record: 'keys and values',
  int: 'a whole number',
};

/** What is wrong, after the name of the field: `is missing`, `must be a string`. */
export function issueInWords(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return 'is missing';
  if (issue.code !== 'invalid_type') return issue.message;
  return issue.message.startsWith('must')
    ? issue.message
    : `must be ${ownValue(TYPES, issue.expected) ?? `a ${issue.expected}`}`;
}

// The form of an object: each field of its definition has the words, its schema the kind and the limit.

export type ChoiceWords = { label: string; note: string };

/** What a form says of a field. */
type FormWords = {
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
