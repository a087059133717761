// The forms about sign-in methods.
import {
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
  readAuthMethod,
} from '#lib/management/index.ts';
import { mustConfirm } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { done, type Forms, path } from '../_forms/form.ts';
import { METHOD_TYPES, type MethodType } from './method-fields.tsx';
import { configOf } from './read-method.ts';

const page =
  (...below: string[]) =>
  (fields: Fields) =>
    path('admin', 'auth-methods', fields.one('id'), ...below);
const readFrom = (fields: Fields) => ({
  one: (name: string) => fields.one(name),
  all: (name: string) => fields.all(name),
});

export const methodForms: Forms = {
  'method-create': {
    page: (fields) => `/admin/auth-methods/new?${new URLSearchParams({ type: fields.one('type') })}`,
    run: async (actor, fields) => {
      const type = fields.one('type') as MethodType;
      const config = Object.hasOwn(METHOD_TYPES, type) ? configOf(type, readFrom(fields)) : {};
      const secret = fields.given('secret');
      const { id } = await createAuthMethod(actor, {
        id: fields.one('id').trim(),
        type,
        name: fields.one('name'),
        config,
        secret,
      });
      return done(path('admin', 'auth-methods', id), 'method-created');
    },
  },
  'method-change': {
    page: page('edit'),
    run: async (actor, fields) => {
      const id = fields.one('id');
      const { type } = await readAuthMethod(actor, { id });
      const change = { id, name: fields.one('name'), config: configOf(type, readFrom(fields)) };
      if (mustConfirm(await previewAuthMethodChange(actor, change), fields)) return { kind: 'confirm' };
      const secret = fields.given('secret');
      await changeAuthMethod(actor, { ...change, secret, version: fields.number('version') });
      return done(page()(fields), 'method-changed');
    },
  },
  'method-delete': {
    page: page('delete'),
    run: async (actor, fields) => {
      const id = fields.one('id');
      if (mustConfirm(await previewAuthMethodDeletion(actor, { id }), fields)) return { kind: 'confirm' };
      await deleteAuthMethod(actor, { id, version: fields.number('version') });
      return done('/admin/auth-methods', 'method-deleted');
    },
  },
};
