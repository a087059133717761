// Form fields generated from the definition of an object: a new setting gets a field automatically, and each fault is
// shown at its field. Includes the fields of APIs and sign-in methods.
import type { ReactNode } from 'react';
import { api } from '#lib/catalogue/apis/definition.ts';
import { presetOf } from '#lib/catalogue/methods/broker/presets.ts';
import { type AuthMethodView, authMethod } from '#lib/catalogue/methods/definition.ts';
import type { AuthMethodType } from '#lib/catalogue/methods/kinds.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { defaultsOf, type FormField, formFields } from '#lib/registry/definition.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { Check, Checks, Choice, type Option } from '../_kit/choices.tsx';
import type { FormValues } from '../_kit/draft.ts';
import { TextArea, TextField } from '../_kit/fields.tsx';
import { ListField } from '../_kit/list-field.tsx';
import { PairsField, TextsField } from '../_kit/pairs-field.tsx';
import type { Pair } from '../_kit/posted.ts';
import { typedText } from '../_kit/typed-texts.ts';
import { lasts, say } from '../_texts/say.tsx';
import { ClaimFields, configFields, hasClaims, triesPeople } from './methods.tsx';

// Fields with rows from a definition: scopes, and names with ids of groups.

/** `field`: in the reader's language */
type DefinedPairsProps = { field: FormField; name: string; value: unknown; typed: FormValues };

function DefinedPairs({ field, name, value, typed }: DefinedPairsProps) {
  const { label, hint, each = '', placeholder = '', strengths, inGroups } = field;
  const isMap = field.as === 'groups';
  const pairs = isMap
    ? Object.entries((value ?? {}) as Readonly<Record<string, string[]>>).map(([one, ids]) => ({
        name: one,
        description: ids.join(' '),
      }))
    : ((value ?? []) as Scope[]).map(rowOf);
  const rows = { values: typed.pairs(name, pairs), meanwhile: typed.meanwhilePairs(name, pairs) };
  if (isMap)
    return (
      <PairsField
        {...{ name, label, hint, each, ...rows }}
        placeholders={{ name: placeholder, description: 'staff-editors' }}
        byName
      />
    );
  return (
    <PairsField
      {...{ name, label, hint, each, inGroups, ...rows }}
      placeholders={{ name: 'orders:read', description: say('See your orders') }}
      {...(strengths ? { strengths } : {})}
      inLanguages
    />
  );
}

type Scope = Omit<Pair, 'description' | 'language' | 'texts' | 'groups'> & {
  description: DisplayText;
  groups?: readonly string[];
};

function rowOf({ description, groups, ...rest }: Scope): Pair {
  const { first, language, lines } = typedText(description);
  const more = { ...(language && { language }), ...(lines && { texts: lines }) };
  return { ...rest, description: first, ...more, ...(groups && { groups: groups.join(' ') }) };
}

type DefinedFieldsProps = {
  fields: readonly FormField[];
  typed: FormValues;
  /** stored values by name; missing values start empty */
  stored: Readonly<Record<string, unknown>>;
  isNew?: boolean;
  /** prefix of each name in the form */
  prefix?: string;
  /** options of lists that the database contains */
  options?: Readonly<Record<string, readonly Option[]>>;
  /** suggestions of the browser for lines of a list */
  suggestions?: Readonly<Record<string, readonly string[]>> | undefined;
  /** for lists: the address that checks each line, and the name of the field that the request includes */
  checks?: Readonly<Record<string, { href: string; along: string }>>;
};

/** Fields in the order of the definition. Numbers are side by side, and the checkboxes of a group are together. */
export function DefinedFields({ fields, isNew = false, ...props }: DefinedFieldsProps) {
  const visibleFields = fields.filter(
    ({ only }) => only === undefined || only === (isNew ? 'new' : 'change'),
  );
  const isBelow = ({ under }: FormField) => visibleFields.some(({ name }) => name === under?.of);
  const top = visibleFields.filter((field) => !isBelow(field));
  const groups = Map.groupBy(top, ({ kind, name, group }) => (kind === 'number' ? kind : (group ?? name)));
  return [...groups].map(([key, group]) => {
    const entries = group.map((field) => (
      <Entry
        key={field.name}
        {...{ field, below: belowEach(field, visibleFields, { isNew, ...props }), isNew }}
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

/** For each value of a choice, the fields that are visible only if this value is selected. */
function belowEach(
  { name, kind }: FormField,
  visibleFields: readonly FormField[],
  props: Omit<DefinedFieldsProps, 'fields'>,
): Readonly<Record<string, ReactNode>> {
  if (kind !== 'choice') return {};
  const below = Map.groupBy(
    visibleFields.filter(({ under }) => under?.of === name),
    ({ under }) => under?.is ?? '',
  );
  const within = (fields: FormField[]) =>
    // fields nested in one of `fields` are included, because they are visible for the same value of the choice
    [...fields, ...visibleFields.filter(({ under }) => fields.some((field) => field.name === under?.of))];
  return Object.fromEntries(
    [...below].map(([value, fields]) => [
      value,
      <DefinedFields key={value} fields={within(fields)} {...props} />,
    ]),
  );
}

/** Translates the texts of a field. */
function translateField(field: FormField): FormField {
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
  const field = translateField(english);
  const { kind, label, each = '', placeholder = '', optional, note } = field;
  const name = `${prefix}${field.name}`;
  const value = stored[field.name];
  const choices = options?.[field.name] ?? optionsOf(field);
  const hint = isNew && field.whenNew ? `${field.hint} ${field.whenNew}` : field.hint;
  if (kind === 'checkbox')
    return <Check {...{ name, label, note }} checked={typed.isTicked(name, value === true)} />;
  if (kind === 'choice') {
    const chosen = typed.one(name, String(value ?? ''));
    // some option must be selected even in a hidden group, because the browser blocks a form whose required choice is
    // empty
    const isOffered = choices.some((choice) => choice.value === chosen);
    return (
      <Choice
        {...{ name, label, hint }}
        options={choices.map((option) => ({ ...option, below: below[option.value] }))}
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

/** A missing value or an empty list is shown as an empty field. */
function jsonText(value: unknown): string {
  const isNothing = !value || (Array.isArray(value) && value.length === 0);
  return isNothing ? '' : JSON.stringify(value, null, 2);
}

function optionsOf({ choices = {} }: FormField): Option[] {
  return Object.entries(choices).map(([value, words]) => ({ value, ...words }));
}

// Fields of an API, for creation and editing.

type ApiFieldsProps = {
  typed: FormValues;
  stored: Readonly<Record<string, unknown>>;
  methods: AuthMethodView[];
  groups: readonly { id: string; name: string }[];
  isNew: boolean;
};

/**
 * Maximum number of checkboxes for groups. With more groups, users type their names and the browser offers
 * suggestions.
 */
const MOST_CHECKS = 20;

export function ApiFields({ typed, stored, methods, groups: all, isNew }: ApiFieldsProps) {
  const authMethods = methods.map(({ id, name, type }) => ({
    value: id,
    label: plainText(name),
    note: <code>{`${id}, ${type}`}</code>,
  }));
  const groups = all.map(({ id, name }) => ({
    value: id,
    label: <bdi>{name}</bdi>,
    note: <code>{id}</code>,
  }));
  const isShort = groups.length <= MOST_CHECKS;
  return (
    <DefinedFields
      fields={formFields(api)}
      {...{ typed, stored, isNew }}
      options={isShort ? { authMethods, groups } : { authMethods }}
      suggestions={isShort ? undefined : { groups: all.map(({ id }) => id) }}
    />
  );
}

// Fields of a sign-in method, by type. Fields that start with `config.` are keys of the configuration file.

type MethodFieldsProps = {
  type: AuthMethodType;
  typed: FormValues;
  stored: Pick<AuthMethodView, 'name' | 'config' | 'hasSecret'> & { id?: string };
  isNew: boolean;
};

export function MethodFields({ type, typed, stored, isNew }: MethodFieldsProps) {
  const { choice, config: definition, secret, unsaid } = methodKind(type);
  const [texts, checkboxes] = [false, true].map((checked) =>
    configFields(type, stored.config).filter(({ kind }) => (kind === 'checkbox') === checked),
  );
  const config = {
    ...{ typed, isNew, prefix: 'config.' },
    stored: {
      ...defaultsOf(definition),
      ...unsaid,
      ...stored.config,
      ...(choice && { [choice.field.name]: choice.chosen(stored.config) }),
    },
  };
  return (
    <>
      <DefinedFields fields={formFields(authMethod)} {...{ typed, stored, isNew }} />
      <DefinedFields fields={texts ?? []} {...config} />
      {secret && (
        <TextField
          name="secret"
          label={say(secret.label)}
          type="password"
          autoComplete="off"
          optional={!isNew || secret.within !== undefined || secret.isOptional === true}
          hint={secretHint(typed.kept, stored.hasSecret)}
        />
      )}
      {hasClaims(type) && !presetOf(stored.config) && <ClaimFields typed={typed} config={stored.config} />}
      <DefinedFields fields={checkboxes ?? []} {...config} />
      {triesPeople(type) && <TriedFields name={typed.one('tried_name')} />}
    </>
  );
}

/** The user whose sign-in is tested; never saved. */
export function TriedFields({ name }: { name: string }) {
  return (
    <fieldset className="group">
      <legend>{say('Only for the test')}</legend>
      <TextField
        name="tried_name"
        label={say('Name of a person')}
        value={name}
        autoComplete="off"
        optional
        hint={say('The test looks up this person and shows the data that it would receive.')}
      />
      <TextField
        name="password"
        label={say('Password of the person')}
        type="password"
        autoComplete="off"
        optional
        hint={say('If set, the test performs a complete sign-in. The test does not store the password.')}
      />
    </fieldset>
  );
}

function secretHint(typedBefore: boolean, stored: boolean): string {
  if (typedBefore) return say('The value was not kept. If you had entered a value, enter it again.');
  if (stored) return say('A value is set. Leave the field empty to keep it; it is never shown.');
  return say('Stored encrypted and never shown.');
}
