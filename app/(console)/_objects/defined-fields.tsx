// The fields of an object's form, made of its definition: a new setting has a field, and what is wrong finds its own.

import type { ReactNode } from 'react';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import type { FormField } from '#lib/registry/fields/form-fields.ts';
import { typedText } from '../_forms/texts.ts';
import { lasts } from '../_texts/lasts.ts';
import { say } from '../_texts/say.tsx';
import { Check, Checks, Choice, type Option } from '../_ui/choices.tsx';
import { TextArea, TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import { DefinedPairs } from './defined-pairs.tsx';
import { TextsField } from './texts-field.tsx';

type DefinedFieldsProps = {
  fields: readonly FormField[];
  typed: FormValues;
  /** by name; what is not there starts empty */
  stored: Readonly<Record<string, unknown>>;
  isNew?: boolean;
  /** before each name in the form */
  prefix?: string;
  /** what a list may hold, where only the database knows */
  options?: Readonly<Record<string, readonly Option[]>>;
  /** what the browser offers for a line of a list */
  suggestions?: Readonly<Record<string, readonly string[]>> | undefined;
  /** of a list: the address that checks each line, and the field that goes along */
  checks?: Readonly<Record<string, { href: string; along: string }>>;
};

/** In the definition's order; numbers side by side, and checkboxes of a group together. */
export function DefinedFields({ fields, isNew = false, ...props }: DefinedFieldsProps) {
  const shown = fields.filter(({ only }) => only === undefined || only === (isNew ? 'new' : 'change'));
  const isBelow = ({ under }: FormField) => shown.some(({ name }) => name === under?.of);
  const top = shown.filter((field) => !isBelow(field));
  const groups = Map.groupBy(top, ({ kind, name, group }) => (kind === 'number' ? kind : (group ?? name)));
  return [...groups].map(([key, group]) => {
    const entries = group.map((field) => (
      <Entry
        key={field.name}
        {...{ field, below: belowEach(field, shown, { isNew, ...props }), isNew }}
        {...props}
      />
    ));
    if (group[0]?.group !== undefined)
      return (
        <fieldset key={key} className="group">
          <legend>{say(key)}</legend>
          {entries}
        </fieldset>
      );
    if (entries.length === 1) return entries;
    return (
      <div key={key} className="columns">
        {entries}
      </div>
    );
  });
}

/** By its values: the fields that a choice asks for where that one is chosen. */
function belowEach(
  { name, kind }: FormField,
  shown: readonly FormField[],
  props: Omit<DefinedFieldsProps, 'fields'>,
): Readonly<Record<string, ReactNode>> {
  if (kind !== 'choice') return {};
  const below = Map.groupBy(
    shown.filter(({ under }) => under?.of === name),
    ({ under }) => under?.is ?? '',
  );
  const within = (fields: FormField[]) =>
    // the fields below one of these fields belong to the same choice
    [...fields, ...shown.filter(({ under }) => fields.some((one) => one.name === under?.of))];
  return Object.fromEntries(
    [...below].map(([value, fields]) => [
      value,
      <DefinedFields key={value} fields={within(fields)} {...props} />,
    ]),
  );
}

/** The words of a field in the reader's language. */
function said(field: FormField): FormField {
  const { label, hint, note, others, each, whenNew, choices, strengths } = field;
  const texts = Object.entries({ hint, note, others, each, whenNew });
  return {
    ...field,
    label: say(label),
    ...Object.fromEntries(texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, say(text)]]))),
    ...(choices && { choices: saidChoices(choices) }),
    ...(strengths && { strengths: saidChoices(strengths) }),
  };
}

const saidChoices = (choices: NonNullable<FormField['choices']>): NonNullable<FormField['choices']> =>
  Object.fromEntries(
    Object.entries(choices).map(([value, { label, note }]) => [
      value,
      { label: say(label), note: note && say(note) },
    ]),
  );

type EntryProps = Omit<DefinedFieldsProps, 'fields'> & {
  field: FormField;
  below: Readonly<Record<string, ReactNode>>;
};

function Entry({ field: english, below, typed, stored, isNew, prefix = '', ...props }: EntryProps) {
  const { options, suggestions, checks } = props;
  const field = said(english);
  const { kind, label, each = '', placeholder = '', optional, note } = field;
  const name = `${prefix}${field.name}`;
  const value = stored[field.name];
  const choices = options?.[field.name] ?? optionsOf(field);
  const hint = isNew && field.whenNew ? `${field.hint} ${field.whenNew}` : field.hint;
  if (kind === 'checkbox')
    return <Check {...{ name, label, note }} checked={typed.checked(name, value === true)} />;
  if (kind === 'choice') {
    const chosen = typed.one(name, String(value ?? ''));
    // one of them is required, also where the group is hidden: a value that is not offered would keep the form from
    // being sent
    const isOffered = choices.some((one) => one.value === chosen);
    return (
      <Choice
        {...{ name, label, hint }}
        options={choices.map((one) => ({ ...one, below: below[one.value] }))}
        value={isOffered ? chosen : optional ? '' : undefined}
      />
    );
  }
  if (field.as === 'groups' || (kind === 'pairs' && field.as !== 'json'))
    return <DefinedPairs {...{ field, name, value, typed }} />;
  if (kind === 'list' && field.as !== 'words') {
    const values = (value ?? []) as string[];
    if (choices.length > 0)
      return <Checks {...{ name, label, hint }} options={choices} values={typed.list(name, values)} />;
    return (
      <ListField
        {...{ name, label, hint, each, placeholder, check: checks?.[field.name] }}
        suggestions={suggestions?.[field.name]}
        values={typed.list(name, values)}
        meanwhile={typed.meanwhile(name, values.join('\n'))}
      />
    );
  }
  if (field.isText) return <Texts {...{ field, name, typed }} value={(value ?? '') as DisplayText} />;
  const text = field.as === 'json' ? jsonText(value) : [value ?? ''].flat().join(' ');
  const entry = {
    name,
    label,
    hint,
    optional,
    value: typed.one(name, text),
    meanwhile: typed.meanwhile(name, text),
  };
  const limit = field.maxLength === null ? {} : { maxLength: field.maxLength };
  if (kind === 'number') {
    const length =
      name.endsWith('Seconds') && value !== undefined
        ? say('{seconds} is {time}.', { seconds: String(value), time: lasts(Number(value)) })
        : hint;
    const least = field.least === null ? {} : { min: field.least };
    return <TextField {...entry} {...least} type="number" hint={length} />;
  }
  switch (field.as) {
    case 'json':
      return <TextArea {...entry} {...{ placeholder }} code rows={6} />;
    case 'lines':
      return <TextArea {...entry} {...limit} />;
    case 'password':
      return <TextField {...{ name, label, hint, optional }} type="password" autoComplete="new-password" />;
    case 'code':
    case 'words':
      return <TextField {...entry} {...limit} code />;
    default:
      return <TextField {...entry} {...limit} type={field.as ?? 'text'} autoComplete="off" />;
  }
}

function Texts({
  field,
  name,
  typed,
  value,
}: Pick<EntryProps, 'field' | 'typed'> & { name: string; value: DisplayText }) {
  const { label, hint, optional, others = '', as, maxLength } = field;
  const { first, language, lines } = typedText(value);
  return (
    <TextsField
      {...{ name, label, hint, optional, others }}
      {...(maxLength === null ? {} : { maxLength })}
      long={as === 'lines'}
      value={{
        first: typed.one(name, first),
        language: typed.one(`${name}.language`, language),
        lines: typed.one(`${name}.texts`, lines),
      }}
      meanwhile={{ first: typed.meanwhile(name, first), lines: typed.meanwhile(`${name}.texts`, lines) }}
    />
  );
}

/** Nothing, and an empty list, is an empty field. */
function jsonText(value: unknown): string {
  const isNothing = !value || (Array.isArray(value) && value.length === 0);
  return isNothing ? '' : JSON.stringify(value, null, 2);
}

function optionsOf({ choices = {} }: FormField): Option[] {
  return Object.entries(choices).map(([value, words]) => ({ value, ...words }));
}
