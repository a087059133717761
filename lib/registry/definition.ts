// Derives from a definition: field names in file, columns and wire format, the change schema, and validation messages.
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

/** Name of a field in the configuration file and as a column. Lifetimes are in seconds, without a suffix. */
export const plainName = (name: string): string => snake(name).replace(/_seconds$/, '');

/** Removes the default, which applies only to new objects. */
export function withoutDefault(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodDefault ? field.unwrap() : field;
}

/** Partial fields; undefined means unchanged. */
export type Change<Values> = { [Name in keyof Values]?: Values[Name] | undefined };

/** Unvalidated external input for an operation. */
export type Unchecked = Readonly<Record<string, unknown>>;

type ChangeShape<Of extends Shape> = { [Name in keyof Of]: z.ZodOptional<Of[Name]> };

/** Schema of a change. It contains every mutable field and no immutable field. */
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

/** Public JSON schema of the object: snake_case names, ISO 8601 times. */
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
  if (field instanceof z.ZodNullable) return copyDescription(z.nullable(wireField(field.unwrap())), field);
  if (field instanceof z.ZodOptional) return copyDescription(z.optional(wireField(field.unwrap())), field);
  return field;
}

function copyDescription(made: z.ZodType, from: z.ZodType): z.ZodType {
  return from.description === undefined ? made : made.describe(from.description);
}

export type Fault = {
  /** as the code names it: `redirectUris.1` */
  field: string;
  /** starts with the field's name on the wire and in the file */
  message: string;
  /** fault code for programs and the page catalogue */
  code: string;
  /** values for the message placeholders */
  values?: Readonly<Record<string, string | number>>;
};

/** Converts schema issues to field faults. Requires a schema run with `reportInput`. */
export function faultsOf(error: z.core.$ZodError, prefix = ''): Fault[] {
  return error.issues.map((issue) => {
    const field = issue.path.map(String).join('.');
    // language tags below it contain capitals
    const [first = '', ...below] = field.split('.');
    const named = [snake(first), ...below].join('.');
    const message = `${named} ${issueInWords(issue)}`.trim();
    return { field: `${prefix}${field}`, message, code: codeOf(issue) };
  });
}

/** Refinements set their code in `params`. */
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

/** Fault text after the field name: `is missing`, `must be a string`. */
export function issueInWords(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return 'is missing';
  if (issue.code !== 'invalid_type') return issue.message;
  return issue.message.startsWith('must')
    ? issue.message
    : `must be ${ownValue(TYPES, issue.expected) ?? `a ${issue.expected}`}`;
}

// Form of an object: each field definition has label and hint; its schema determines kind and limit.

export type ChoiceWords = { label: string; note: string };

/** Form texts of a field. */
type FormWords = {
  label: string;
  hint?: string;
  /** beside a checkbox */
  note?: string;
  placeholder?: string;
  /**
   * input format of a text. `words`: a list as one text, separated by spaces. `json`: any value. `groups`: names,
   * each with ids of groups
   */
  as?: 'url' | 'email' | 'code' | 'lines' | 'password' | 'words' | 'json' | 'groups';
  /** multilingual text: label of the additional languages */
  others?: string;
  /** one of a list: `redirect address` */
  each?: string;
  /** of an enum: each value */
  choices?: Readonly<Record<string, ChoiceWords>>;
  /** pairs: values of a third field per row */
  strengths?: Readonly<Record<string, ChoiceWords>>;
  /** pairs: each row also has group ids */
  inGroups?: boolean;
  /** the heading over checkboxes that belong together */
  group?: string;
  /** shown only if choice `of` equals `is`, below that choice */
  under?: { of: string; is: string };
  /** limits the field to creation (`new`), or to later changes (`change`) */
  only?: 'new' | 'change';
  /** follows the hint while the object is made */
  whenNew?: string;
};
const formWords = z.registry<FormWords>();

/** Adds form texts to a field definition. */
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
  /** in characters; null: unlimited, or no text */
  maxLength: number | null;
  /** minimum number; null: none, or no number */
  least: number | null;
  /** the text accepts several languages */
  isText: boolean;
};

/** Fields with form texts, in order. */
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

/** Unwraps default, null, empty-text union and transform. */
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
