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

export const METHOD_TYPE_NAMES = Object.keys(METHOD_TYPES) as MethodType[];

const definitionOf = (type: MethodType): ZodObject => authMethodConfig[type];

/** The choice of the form that its other fields stand below; `config` says the same by the keys that it has. */
const SPEAKS: FormField = {
  ...{ name: 'speaks', kind: 'choice', label: 'What the provider speaks' },
  ...{ optional: false, maxLength: null, isText: false },
  choices: {
    openid: { label: 'OpenID Connect', note: 'It has an issuer, and says the rest itself.' },
    oauth: { label: 'Plain OAuth 2.0', note: 'Its addresses are typed here, such as those of GitHub.' },
  },
};

/** What SPEAKS starts with. */
export const spokenBy = (config: Readonly<Record<string, unknown>>): string =>
  'token_endpoint' in config ? 'oauth' : 'openid';

export const configFields = (type: MethodType): FormField[] => [
  ...(type === 'broker' ? [SPEAKS] : []),
  ...formFields(definitionOf(type)),
];

/** The configuration file's keys, without what was left empty. */
export function configOf(type: MethodType, typed: Fields): Record<string, unknown> {
  const read: Record<string, unknown> = readForm(definitionOf(type), typed, 'config.');
  const config = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== ''));
  return type === 'local' ? config : { ...config, claims: claimsOfForm(typed) };
}
