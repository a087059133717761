// The configuration of a sign-in method as its form has it.
import { type AuthMethodType, type FormField, formFields, methodKind } from '#lib/registry/index.ts';
import { TEST } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { readForm } from '../_forms/read-form.ts';
import { say } from '../_texts/say.tsx';
import { claimsOfForm } from './claim-fields.tsx';

const IS_CHOICE = {
  kind: 'choice',
  optional: false,
  isNullable: false,
  maxLength: null,
  least: null,
  isText: false,
} as const;

export function configFields(type: AuthMethodType): FormField[] {
  const { choice, config } = methodKind(type);
  return [...(choice ? [{ ...IS_CHOICE, ...choice.field }] : []), ...formFields(config)];
}

/** The second button of its form, where there is a service behind it. */
export const testFirst = (type: AuthMethodType) =>
  methodKind(type).probes && { intent: TEST, label: say('Test without saving') };

export const hasClaims = (type: AuthMethodType): boolean => 'claims' in methodKind(type).config.shape;

/** The configuration file's keys, without what was left empty. */
export function configOf(type: AuthMethodType, typed: Fields): Record<string, unknown> {
  const { config: definition, unsaid = {} } = methodKind(type);
  const read: Record<string, unknown> = readForm(definition, typed, 'config.');
  const config = Object.fromEntries(
    Object.entries(read).filter(([key, value]) => value !== '' && value !== null && value !== unsaid[key]),
  );
  return hasClaims(type) ? { ...config, claims: claimsOfForm(typed) } : config;
}
