// The forms about sign-in methods.
import { testAuthMethodInput } from '#lib/management/connections/methods.ts';
import { changeAuthMethod, createAuthMethod, readAuthMethod } from '#lib/management/registry/methods.ts';
import { previewAuthMethodChange } from '#lib/management/registry/registry-preview.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { METHOD_TYPES } from '#lib/registry/methods/questions.ts';
import { type AuthMethodInput, authMethod } from '#lib/registry/objects/auth-method.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { confirmedForm, isTest } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { done, type Forms, path } from '../_forms/form.ts';
import { type Labels, labelsOf } from '../_forms/labels.ts';
import { formsOf } from '../_forms/questions.ts';
import { readForm } from '../_forms/read-form.ts';
import { CLAIMS_LABEL } from './claim-fields.tsx';
import { configOf, everyField, triedPerson } from './methods.ts';

const idOf = (fields: Fields) => ({ id: fields.one('id') });
const page =
  (...below: string[]) =>
  (fields: Fields) =>
    path('admin', 'auth-methods', fields.one('id'), ...below);

/** Of every type: a key has one label in all of them. */
const labels: Labels = {
  ...labelsOf(formFields(authMethod)),
  ...Object.assign({}, ...METHOD_TYPES.map((type) => labelsOf(everyField(type), 'config.'))),
  'config.claims': { label: CLAIMS_LABEL },
};

const test = (actor: ConsoleActor, input: AuthMethodInput, fields: Fields) =>
  testAuthMethodInput(actor, { ...input, person: triedPerson(fields) });

export const methodForms: Forms = {
  'method-create': {
    labels,
    page: (fields) => {
      const preset = fields.given('config.preset');
      const chosen = { type: fields.one('type'), ...(preset !== undefined && { preset }) };
      return `/admin/auth-methods/new?${new URLSearchParams(chosen)}`;
    },
    run: async (actor, fields) => {
      const type = fields.one('type') as AuthMethodType;
      const config = METHOD_TYPES.includes(type) ? configOf(type, fields) : {};
      const input = { ...readForm(authMethod, fields), type, config, secret: fields.given('secret') };
      if (isTest(fields)) return { kind: 'tested', test: await test(actor, input, fields) };
      const { id } = await createAuthMethod(actor, input);
      return done(path('admin', 'auth-methods', id), 'method-created');
    },
  },
  'method-change': confirmedForm({
    page: page('edit'),
    labels,
    read: async (fields, actor) => {
      const { type, config: before } = await readAuthMethod(actor, idOf(fields));
      const config = configOf(type, fields, before);
      const secret = fields.given('secret');
      return { ...readForm(authMethod, fields), ...idOf(fields), type, config, secret };
    },
    test,
    preview: previewAuthMethodChange,
    run: changeAuthMethod,
    to: page(),
    notice: 'method-changed',
  }),
  ...formsOf('method-delete'),
};
