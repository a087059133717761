// The types of sign-in methods in words, and the configuration of one as its form has it.
import type { ZodObject } from 'zod';
import type { AuthMethodView } from '#lib/management/index.ts';
import { authMethodConfig, type ChoiceWords, type FormField, formFields } from '#lib/registry/index.ts';
import type { Fields } from '../_forms/fields.ts';
import { readForm } from '../_forms/read-form.ts';
import { claimsOfForm } from './claim-fields.tsx';

export type MethodType = AuthMethodView['type'];

export const METHOD_TYPES: Record<MethodType, ChoiceWords> = {
  local: { label: 'Local', note: 'E-mail and password of this service’s own people.' },
  external: { label: 'External', note: 'We ask another service whether a username and password are right.' },
  broker: { label: 'Broker', note: 'People sign in at an OpenID Connect or OAuth 2.0 provider.' },
};

const definitionOf = (type: MethodType): ZodObject => authMethodConfig[type];

export const configFields = (type: MethodType): FormField[] => formFields(definitionOf(type));

/** The configuration file's keys, without what was left empty. */
export function configOf(type: MethodType, typed: Fields): Record<string, unknown> {
  const read: Record<string, unknown> = readForm(definitionOf(type), typed, 'config.');
  const config = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== ''));
  return type === 'local' ? config : { ...config, claims: claimsOfForm(typed) };
}
