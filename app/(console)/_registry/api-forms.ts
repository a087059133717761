// The forms about APIs.
import {
  changeApi,
  createApi,
  deleteApi,
  previewApiChange,
  previewApiDeletion,
  renewIntrospectionSecret,
} from '#lib/management/index.ts';
import { mustConfirm } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { done, type Forms, path } from '../_forms/form.ts';
import { apiOfForm } from './read-api.ts';

const page =
  (...below: string[]) =>
  (fields: Fields) =>
    path('admin', 'apis', fields.one('id'), ...below);

const readFrom = (fields: Fields) => ({
  one: (name: string) => fields.one(name),
  all: (name: string) => fields.all(name),
});

export const apiForms: Forms = {
  'api-create': {
    page: () => '/admin/apis/new',
    run: async (actor, fields) => {
      const { id } = await createApi(actor, apiOfForm(readFrom(fields)));
      return done(path('admin', 'apis', id), 'api-created');
    },
  },
  'api-change': {
    page: page('edit'),
    run: async (actor, fields) => {
      const change = apiOfForm(readFrom(fields));
      if (mustConfirm(await previewApiChange(actor, change), fields)) return { kind: 'confirm' };
      await changeApi(actor, { ...change, version: fields.number('version') });
      return done(page()(fields), 'api-changed');
    },
  },
  'api-delete': {
    page: page('delete'),
    run: async (actor, fields) => {
      const id = fields.one('id');
      if (mustConfirm(await previewApiDeletion(actor, { id }), fields)) return { kind: 'confirm' };
      await deleteApi(actor, { id, version: fields.number('version') });
      return done('/admin/apis', 'api-deleted');
    },
  },
  'api-secret': {
    page: page(),
    run: async (actor, fields) => {
      const id = fields.one('id');
      const { secret } = await renewIntrospectionSecret(actor, { id });
      const message =
        'Keep it somewhere safe now: it is shown this once. The one before it has ended. The API sends it with HTTP Basic, its id as the name.';
      const values: [string, string][] = [
        ['Name', id],
        ['Secret', secret],
      ];
      const next = { href: page()(fields), label: 'I have kept it' };
      return { kind: 'shown', shown: { heading: 'A new credential', message, values, next } };
    },
  },
};
