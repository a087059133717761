// Derives from a definition: names of fields in the file, in columns and at the interface, the schema of a change,
// and validation messages.
import { z } from 'zod';
import type { FaultParams } from '#lib/kit/fault.ts';
import { ownValue, snake } from '#lib/kit/wire.ts';
import { isDisplayText } from './display-text.ts';

/** Default values of a new object. */
export function defaultsOf(object: z.ZodObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object.shape).flatMap(([name, field]) =>
      field instanceof z.ZodDefault ? [[name, field.def.defaultValue]] : [],
    ),
  );
}

type Shape = z.core.$ZodLooseShape;

/**
 * Name of a field in the configuration file and as database column. Lifetimes are in seconds, and their names omit the
 * suffix `_seconds`.
 */
export const plainName = (name: string): string => snake(name).replace(/_seconds$/, '');

/** Removes the default, which applies only to new objects. */
export function withoutDefault(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodDefault ? field.unwrap() : field;
}

/** A change of some fields. An undefined field stays unchanged. */
export type Change<Values> = { [Name in keyof Values]?: Values[Name] | undefined };

/** Input for an operation from outside, before validation. */
export type Unchecked = Readonly<Record<string, unknown>>;

type ChangeShape<Of extends Shape> = { [Name in keyof Of]: z.ZodOptional<Of[Name]> };

/** Schema of a change. It contains every field that can change. */
export function changeOf<Of extends Shape>(object: z.ZodObject<Of>) {
  const fields = Object.entries(object.shape).map(([name, field]) => [
    name,
    z.optional(withoutDefault(field as z.core.$ZodType)),
  ]);
  return z.strictObject(Object.fromEntries(fields) as ChangeShape<Of>);
}

export type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name;
type WireShape<Of extends Shape> = {
  [Name in keyof Of as Name extends string ? Snake<Name> : never]: Of[Name];
};

/** JSON schema of the object at the interface: names in snake_case, times in ISO 8601. */
export function wire<Of extends Shape>(object: z.ZodObject<Of>) {
  const fields = Object.entries(object.shape).map(([name, field]) => [
    snake(name),
    wireField(field as z.core.$ZodType),
  ]);
  return z.strictObject(Object.fromEntries(fields) as WireShape<Of>);
}

const describedLists = new WeakSet<z.core.$ZodType>();

/** A list in a response, whose description `wire` keeps. */
export function describedList<Schema extends z.ZodType>(element: Schema, description: string) {
  const list = z.array(element).describe(description);
  describedLists.add(list);
  return list;
}

function wireField(field: z.core.$ZodType): z.core.$ZodType {
  // the names in a loose object are data
  if (field instanceof z.ZodObject) return field.def.catchall instanceof z.ZodUnknown ? field : wire(field);
  if (field instanceof z.ZodDate) return copyDescription(z.iso.datetime(), field);
  if (field instanceof z.ZodArray) {
    const list = z.array(wireField(field.element));
    return describedLists.has(field) ? copyDescription(list, field) : list;
  }
  if (field instanceof z.ZodNullable) return copyDescription(z.nullable(wireField(field.unwrap())), field);
  if (field instanceof z.ZodOptional) return copyDescription(z.optional(wireField(field.unwrap())), field);
  return field;
}

function copyDescription(target: z.ZodType, from: z.ZodType): z.ZodType {
  return from.description === undefined ? target : target.describe(from.description);
}

export type Fault = {
  /** name in the code: `redirectUris.1` */
  field: string;
  /** starts with the name of the field at the interface and in the file */
  message: string;
  /** code of the fault, for programs and for the catalogue of pages */
  code: string;
  /** template of the message without the name of the field; missing: the catalogue of pages contains the code */
  text?: string;
  /** values for the placeholders in the text */
  values?: FaultParams['values'];
};

/** Converts the issues of a schema to faults of fields. The schema must have been run with `reportInput`. */
export function faultsOf(error: z.core.$ZodError, prefix = ''): Fault[] {
  return error.issues.map((issue) => {
    const field = issue.path.map(String).join('.');
    // only the first part is renamed, because language tags in the other parts contain capital letters
    const [first = '', ...below] = field.split('.');
    const named = [snake(first), ...below].join('.');
    const words = issueInWords(issue);
    const { params }: { params?: { code?: string } & Partial<FaultParams> } = issue as object;
    return {
      field: `${prefix}${field}`,
      message: `${named} ${words}`.trim(),
      code: codeOf(issue, params?.code),
      text: params?.text ?? words,
      ...(params?.values && { values: params.values }),
    };
  });
}

/** Code of an issue. Refinements set it in `params`. */
function codeOf(issue: z.core.$ZodIssue, code: string | undefined): string {
  if (isMissing(issue)) return 'input.missing';
  if (code !== undefined) return code;
  return issue.code === 'unrecognized_keys' ? 'input.unknown' : 'input.wrong';
}

const isMissing = ({ input, code }: z.core.$ZodIssue) =>
  input === undefined && /^invalid_(type|union)$/.test(code ?? '');

const TYPES: Record<string, string> = {
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be keys and values',
  record: 'must be keys and values',
  int: 'must be a whole number',
  number: 'must be a number',
  string: 'must be a string',
  date: 'must be a date',
};

/** Text of the fault, which follows the name of the field: `is missing`, `must be a string`. */
export function issueInWords(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return 'is missing';
  if (issue.code !== 'invalid_type') return issue.message;
  return issue.message.startsWith('must')
    ? issue.message
    : (ownValue(TYPES, issue.expected) ?? `must be a ${issue.expected}`);
}

// Form of an object: the definition of a field contains its label and hint, and its schema determines the kind of
// input and its limit.

export type ChoiceWords = { label: string; note: string };

/** Texts of a field in a form. */
type FormWords = {
  label: string;
  hint?: string;
  /** text next to a checkbox */
  note?: string;
  placeholder?: string;
  /**
   * format of a text. `words`: a list as one text, separated by spaces. `json`: any value. `groups`: names, each with
   * ids of groups
   */
  as?: 'url' | 'email' | 'code' | 'lines' | 'password' | 'words' | 'json' | 'groups';
  /** for a text in several languages: label of the additional languages */
  others?: string;
  /** for a list: name of one item, such as `redirect address` */
  each?: string;
  /** for an enum: label and note of each value */
  choices?: Readonly<Record<string, ChoiceWords>>;
  /** for pairs: values of a third field in each row */
  strengths?: Readonly<Record<string, ChoiceWords>>;
  /** for pairs: each row also has ids of groups */
  inGroups?: boolean;
  /** heading above checkboxes that belong together */
  group?: string;
  /** the field is shown below the choice `of`, only if that choice equals `is` */
  under?: { of: string; is: string };
  /** the field is shown only when the object is created (`new`), or only later (`change`) */
  only?: 'new' | 'change';
  /** text after the hint when the object is created */
  whenNew?: string;
  /**
   * on the page of the object: `false`: never shown; an object: shown with any value, under `label`, and `empty`
   * stands for a missing value; undefined: shown if the value differs from the default
   */
  shown?: false | { label?: string; empty?: string };
};
const formWords = z.registry<FormWords>();

/** Adds form texts to a field definition. */
export function field<Schema extends z.ZodType>(
  schema: Schema,
  label: string,
  more: Omit<FormWords, 'label'> = {},
): Schema {
  const fieldSchema = schema.clone();
  formWords.add(fieldSchema, { label, ...more });
  return fieldSchema;
}

export type FormField<Name extends string = string> = FormWords & {
  name: Name;
  kind: 'text' | 'number' | 'checkbox' | 'choice' | 'list' | 'pairs';
  /** true: the field can be left empty */
  optional: boolean;
  /** true: an empty text or number becomes null */
  isNullable: boolean;
  /** maximum number of characters; null: no limit, or not a text */
  maxLength: number | null;
  /** smallest number; null: no limit, or not a number */
  least: number | null;
  /** true: the text can have several languages */
  isText: boolean;
};

/** Fields that have texts for forms, in their order. */
export function formFields<Of extends z.core.$ZodLooseShape>(
  object: z.ZodObject<Of>,
): FormField<keyof Of & string>[] {
  return Object.entries(object.shape).flatMap(([name, field]) => {
    const words = formWords.get(field);
    if (!words) return [];
    const inner = valueIn(field);
    const kind = kindOf(inner);
    const isNullable = withoutDefault(field) instanceof z.ZodNullable;
    // a number is not optional if it has a default, because its field shows the default
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

/** Returns the schema inside a default, null, a union with the empty text, or a transform. */
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
