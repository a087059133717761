// Forms for APIs, sign-in methods, and connection tests.

import { api } from '#lib/catalogue/apis/definition.ts';
import { changeApi, createApi, previewApiChange, readApi } from '#lib/catalogue/apis/operations.ts';
import { type AuthMethodInput, authMethod } from '#lib/catalogue/methods/definition.ts';
import type { AuthMethodType } from '#lib/catalogue/methods/kinds.ts';
import {
  changeAuthMethod,
  createAuthMethod,
  previewAuthMethodChange,
  readAuthMethod,
} from '#lib/catalogue/methods/operations.ts';
import { METHOD_TYPES } from '#lib/catalogue/methods/questions.ts';
import type { ConnectionTest } from '#lib/management/connection-steps.ts';
import {
  testAuditWebhook,
  testAuthMethod,
  testAuthMethodInput,
  testMail,
} from '#lib/management/connections.ts';
import { formFields } from '#lib/registry/definition.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import {
  type ConsoleForm,
  confirmedForm,
  type Forms,
  isTest,
  path,
  redirectAfter,
} from '../_kit/console-form.ts';
import { type Labels, labelsOf } from '../_kit/in-words.ts';
import { type Fields, readForm } from '../_kit/posted.ts';
import { formsOf } from '../_kit/questions.ts';
import { storeResult } from '../_kit/test-result.ts';
import { withQuery } from '../_kit/with-query.ts';
import { BRAND_LABELS, brandPartOf, LOOK, languageIn, TEXTS_LABELS, textsTyped } from './brand-form.ts';
import { CLAIMS_LABEL, configOf, everyField, triedPerson } from './methods.tsx';

const idOf = (fields: Fields) => ({ id: fields.one('id') });
const pageOfApi =
  (...below: string[]) =>
  (fields: Fields) =>
    path('admin', 'apis', fields.one('id'), ...below);

const labelsOfApi = labelsOf(formFields(api));

const textsPage = (fields: Fields) => withQuery(pageOfApi('texts')(fields), { in: languageIn(fields) });

export const apiForms: Forms = {
  'api-create': {
    labels: labelsOfApi,
    page: () => '/admin/apis/new',
    run: async (actor, fields) => {
      const { id } = await createApi(actor, readForm(api, fields));
      return redirectAfter(path('admin', 'apis', id), 'api-created');
    },
  },
  'api-change': confirmedForm({
    page: pageOfApi('edit'),
    labels: labelsOfApi,
    read: (fields) => ({ ...readForm(api, fields), ...idOf(fields) }),
    preview: previewApiChange,
    run: changeApi,
    to: pageOfApi(),
    notice: 'api-changed',
  }),
  'api-brand': {
    takesFile: true,
    page: pageOfApi('brand'),
    labels: BRAND_LABELS,
    run: async (actor, fields) => {
      if (fields.has('preview')) return LOOK;
      await changeApi(actor, {
        ...idOf(fields),
        version: fields.number('version'),
        brandPart: brandPartOf(fields),
      });
      return redirectAfter(pageOfApi('brand')(fields), 'brand-saved');
    },
  },
  'api-texts': {
    page: textsPage,
    labels: TEXTS_LABELS,
    run: async (actor, fields) => {
      if (fields.has('preview')) return LOOK;
      const { texts } = await readApi(actor, idOf(fields));
      const version = fields.number('version');
      await changeApi(actor, { ...idOf(fields), version, texts: textsTyped(fields, texts) });
      return redirectAfter(textsPage(fields), 'texts-saved');
    },
  },
  ...formsOf('api-delete', 'api-secret'),
};

// The forms for sign-in methods.

const pageOfMethod =
  (...below: string[]) =>
  (fields: Fields) =>
    path('admin', 'auth-methods', fields.one('id'), ...below);

/** Labels of all types in one object, because a key has the same label in every type. */
const labelsOfMethod: Labels = {
  ...labelsOf(formFields(authMethod)),
  ...Object.assign({}, ...METHOD_TYPES.map((type) => labelsOf(everyField(type), 'config.'))),
  'config.claims': { label: CLAIMS_LABEL },
};

const test = (actor: ConsoleActor, input: AuthMethodInput, fields: Fields) =>
  testAuthMethodInput(actor, { ...input, person: triedPerson(fields) });

export const methodForms: Forms = {
  'method-create': {
    labels: labelsOfMethod,
    page: (fields) => {
      const preset = fields.text('config.preset');
      const chosen = { type: fields.one('type'), ...(preset !== undefined && { preset }) };
      return `/admin/auth-methods/new?${new URLSearchParams(chosen)}`;
    },
    run: async (actor, fields) => {
      const type = fields.one('type') as AuthMethodType;
      const config = METHOD_TYPES.includes(type) ? configOf(type, fields) : {};
      const input = { ...readForm(authMethod, fields), type, config, secret: fields.text('secret') };
      if (isTest(fields)) return { kind: 'tested', test: await test(actor, input, fields) };
      const { id } = await createAuthMethod(actor, input);
      return redirectAfter(path('admin', 'auth-methods', id), 'method-created');
    },
  },
  'method-change': confirmedForm({
    page: pageOfMethod('edit'),
    labels: labelsOfMethod,
    read: async (fields, actor) => {
      const { type, config: before } = await readAuthMethod(actor, idOf(fields));
      const config = configOf(type, fields, before);
      const secret = fields.text('secret');
      return { ...readForm(authMethod, fields), ...idOf(fields), type, config, secret };
    },
    test,
    preview: previewAuthMethodChange,
    run: changeAuthMethod,
    to: pageOfMethod(),
    notice: 'method-changed',
  }),
  ...formsOf('method-delete'),
};

// Forms that test connections. Each returns to its page, which shows the result.

export const CONNECTIONS = '/admin/connections';
export const testPath = (methodId: string) => path('admin', 'auth-methods', methodId, 'test');

function testForm(
  page: (fields: Fields) => string,
  of: (fields: Fields) => string,
  run: (actor: ConsoleActor, fields: Fields) => Promise<ConnectionTest>,
): ConsoleForm {
  return {
    page,
    run: async (actor, fields) => {
      const [to, part] = [page(fields), of(fields)];
      const result = await storeResult(`${to}#${part}`, await run(actor, fields), actor);
      return redirectAfter(`${withQuery(to, { result: result ?? '' })}#${part}`);
    },
  };
}

export const testForms: Forms = {
  'mail-test': testForm(
    () => CONNECTIONS,
    () => 'mail',
    (actor) => testMail(actor),
  ),
  'webhook-test': testForm(
    () => CONNECTIONS,
    () => 'webhook',
    (actor) => testAuditWebhook(actor),
  ),
  'method-test': testForm(
    (fields) => testPath(fields.one('id')),
    () => 'result',
    (actor, fields) => testAuthMethod(actor, { id: fields.one('id'), person: triedPerson(fields) }),
  ),
};
