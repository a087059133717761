// The forms about APIs.
import { changeApi, createApi, readApi } from '#lib/management/registry/apis.ts';
import { previewApiChange } from '#lib/management/registry/registry-preview.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { api } from '#lib/registry/objects/api.ts';
import { BRAND_LABELS, brandPartOf, LOOK } from '../_forms/brand-part.ts';
import { confirmedForm } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { done, type Forms, path } from '../_forms/form.ts';
import { labelsOf } from '../_forms/labels.ts';
import { formsOf } from '../_forms/questions.ts';
import { readForm } from '../_forms/read-form.ts';
import { languageIn, TEXTS_LABELS, textsTyped } from '../_objects/texts-part.ts';
import { withQuery } from '../_ui/with-query.ts';

const idOf = (fields: Fields) => ({ id: fields.one('id') });
const page =
  (...below: string[]) =>
  (fields: Fields) =>
    path('admin', 'apis', fields.one('id'), ...below);

const labels = labelsOf(formFields(api));

const textsPage = (fields: Fields) => withQuery(page('texts')(fields), { in: languageIn(fields) });

export const apiForms: Forms = {
  'api-create': {
    labels,
    page: () => '/admin/apis/new',
    run: async (actor, fields) => {
      const { id } = await createApi(actor, readForm(api, fields));
      return done(path('admin', 'apis', id), 'api-created');
    },
  },
  'api-change': confirmedForm({
    page: page('edit'),
    labels,
    read: (fields) => ({ ...readForm(api, fields), ...idOf(fields) }),
    preview: previewApiChange,
    run: changeApi,
    to: page(),
    notice: 'api-changed',
  }),
  'api-brand': {
    takesFile: true,
    page: page(),
    labels: BRAND_LABELS,
    run: async (actor, fields) => {
      if (fields.has('preview')) return LOOK;
      await changeApi(actor, {
        ...idOf(fields),
        version: fields.number('version'),
        brandPart: brandPartOf(fields),
      });
      return done(page()(fields), 'brand-saved');
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
      return done(textsPage(fields), 'texts-saved');
    },
  },
  ...formsOf('api-delete', 'api-secret'),
};
