// The configuration of a sign-in method as its form has it.
import { type FormField, formFields } from '#lib/registry/fields/form-fields.ts';
import { PRESET_KEYS, presetOf } from '#lib/registry/methods/broker/presets.ts';
import type { TriedPerson } from '#lib/registry/methods/kind.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { asksElsewhere, methodKind } from '#lib/registry/methods/questions.ts';
import { TEST } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { readForm } from '../_forms/read-form.ts';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { claimsOfForm } from './claim-fields.tsx';

const IS_CHOICE = {
  kind: 'choice',
  optional: false,
  isNullable: false,
  maxLength: null,
  least: null,
  isText: false,
} as const;

/** Every field that a form of the type may have. */
export function everyField(type: AuthMethodType): FormField[] {
  const { choice, config } = methodKind(type);
  return [...(choice ? [{ ...IS_CHOICE, ...choice.field }] : []), ...formFields(config)];
}

type Config = Readonly<Record<string, unknown>>;

/** What a form asks for: a preset knows the rest. */
export function configFields(type: AuthMethodType, config: Config = {}): FormField[] {
  const preset = presetOf(config);
  if (!preset) return everyField(type).filter(({ name }) => !PRESET_KEYS.includes(name));
  const asked = ['client_id', ...preset.own, 'trust_email'];
  const needs: readonly string[] = preset.needs ?? [];
  return everyField(type)
    .filter(({ name }) => asked.includes(name))
    .map((field) =>
      field.name === 'base_url' && needs.includes(field.name) ? { ...field, ...NO_PUBLIC_SERVER } : field,
    );
}

/** The address of a server of your own is needed then. */
const NO_PUBLIC_SERVER = { optional: false, hint: toSay('Such as https://fs.example.') };

/** The second button of its form, where there is a service behind it. */
export const testFirst = (type: AuthMethodType) =>
  asksElsewhere(type) ? { intent: TEST, label: say('Test without saving') } : undefined;

/** Does its test take a person? */
export const triesPeople = (type: AuthMethodType): boolean => methodKind(type).trial !== undefined;

/** Whose sign-in a test tries; null: no one's. */
export function triedPerson(typed: Fields): TriedPerson | null {
  const name = typed.given('tried_name');
  return name === undefined ? null : { name, password: typed.one('password') || null };
}

export const hasClaims = (type: AuthMethodType): boolean => 'claims' in methodKind(type).config.shape;

/** The configuration file's keys, without what was left empty. `before`: what is stored. */
export function configOf(type: AuthMethodType, typed: Fields, before: Config = {}): Record<string, unknown> {
  const { config: definition, unsaid = {} } = methodKind(type);
  const read: Record<string, unknown> = readForm(definition, typed, 'config.');
  const config = Object.fromEntries(
    Object.entries(read).filter(([key, value]) => value !== '' && value !== null && value !== unsaid[key]),
  );
  const preset = before['preset'] ?? typed.given('config.preset');
  if (preset === undefined) return hasClaims(type) ? { ...config, claims: claimsOfForm(typed) } : config;
  const asked = configFields(type, { preset }).map(({ name }) => name);
  const isAsked = ([key]: [string, unknown]) => asked.includes(key);
  const kept = Object.entries(before).filter((entry) => !isAsked(entry));
  return Object.fromEntries(
    [...kept, ['preset', preset], ...Object.entries(config).filter(isAsked)].map(anyOf),
  );
}

/** The word for every one of them is typed where a list is. */
const anyOf = ([key, value]: (string | unknown)[]) =>
  Array.isArray(value) && value.length === 1 && value[0] === 'any' ? [key, 'any'] : [key, value];
