// The forms about APIs: create, change, delete, a new introspection secret.
import { mustConfirm } from '#app/(console)/_forms/confirm.ts';
import type { Fields } from '#app/(console)/_forms/fields.ts';
import { done, type Forms, path } from '#app/(console)/_forms/form.ts';
import {
  type ApiInput,
  changeApi,
  createApi,
  deleteApi,
  previewApiChange,
  previewApiDeletion,
  renewIntrospectionSecret,
} from '#lib/management/index.ts';
import { plainly } from '../submit/plain-faults.ts';

export const apiPath = (id: string, ...more: string[]) => path('admin', 'apis', id, ...more);
const page =
  (...more: string[]) =>
  (fields: Fields) =>
    apiPath(fields.one('id'), ...more);

/** The rows that say something; name and description stand beside each other. */
export function scopesOf(fields: Fields): { name: string; description: string }[] {
  const descriptions = fields.all('scopeDescription');
  return fields
    .all('scopeName')
    .map((name, at) => ({ name: name.trim(), description: (descriptions[at] ?? '').trim() }))
    .filter(({ name, description }) => name !== '' || description !== '');
}

export function apiValues(fields: Fields): ApiInput {
  return {
    id: fields.one('id').trim(),
    name: fields.one('name'),
    description: fields.one('description').trim(),
    url: fields.one('url').trim(),
    authMethods: fields.list('authMethods'),
    scopes: scopesOf(fields),
    accessTokenTtlSeconds: fields.number('accessTokenTtlSeconds'),
    accessTokenFormat: fields.one('accessTokenFormat') as 'jwt',
    signingAlg: fields.one('signingAlg') as 'ES256',
    refreshTokenTtlSeconds: fields.number('refreshTokenTtlSeconds'),
    refreshFamilyTtlSeconds: fields.number('refreshFamilyTtlSeconds'),
    requireRedirectUri: fields.has('requireRedirectUri'),
    requireScope: fields.has('requireScope'),
    requireApproval: fields.has('requireApproval'),
    approvers: fields.list('approvers'),
  };
}

export const apiForms: Forms = {
  'api-create': plainly({
    page: () => '/admin/apis/new',
    run: async (actor, fields) => {
      const { id } = await createApi(actor, apiValues(fields));
      return done(apiPath(id), 'api-created');
    },
  }),
  'api-change': plainly({
    page: page('edit'),
    run: async (actor, fields) => {
      const values = apiValues(fields);
      if (mustConfirm(await previewApiChange(actor, values), fields)) return { kind: 'confirm' };
      await changeApi(actor, { ...values, version: fields.number('version') });
      return done(apiPath(values.id), 'api-changed');
    },
  }),
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
      const values: [string, string][] = [
        ['Name', id],
        ['Secret', secret],
      ];
      const next = { href: `${apiPath(id)}#introspection`, label: 'I have kept it' };
      const message =
        'The API sends both by HTTP Basic. Keep it now: it is shown this once, and nobody can look it up later.';
      return { kind: 'shown', shown: { heading: 'A new introspection secret', message, values, next } };
    },
  },
};
