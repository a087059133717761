// The values of an API's form, as the operation takes them.
import type { ApiInput } from '#lib/management/index.ts';
import type { Fields } from '../_forms/fields.ts';

type Format = NonNullable<ApiInput['accessTokenFormat']>;
type Algorithm = NonNullable<ApiInput['signingAlg']>;

export function apiValues(
  one: (name: string) => string,
  all: (name: string) => readonly string[],
): Omit<ApiInput, 'id'> {
  const list = (name: string) =>
    all(name)
      .map((value) => value.trim())
      .filter((value) => value !== '');
  const number = (name: string) => (/^\d{1,15}$/.test(one(name).trim()) ? Number(one(name)) : Number.NaN);
  const descriptions = all('scopeDescription');
  return {
    name: one('name'),
    description: one('description').trim(),
    url: one('url').trim(),
    authMethods: list('authMethods'),
    scopes: all('scopeName')
      .map((name, at) => ({ name: name.trim(), description: (descriptions[at] ?? '').trim() }))
      .filter(({ name, description }) => name !== '' || description !== ''),
    accessTokenTtlSeconds: number('accessTokenTtlSeconds'),
    accessTokenFormat: one('accessTokenFormat') as Format,
    signingAlg: one('signingAlg') as Algorithm,
    refreshTokenTtlSeconds: number('refreshTokenTtlSeconds'),
    refreshFamilyTtlSeconds: number('refreshFamilyTtlSeconds'),
    requireRedirectUri: all('requireRedirectUri').length > 0,
    requireScope: all('requireScope').length > 0,
    requireApproval: all('requireApproval').length > 0,
    approvers: list('approvers'),
  };
}

export const apiOfForm = (fields: Fields) =>
  apiValues(
    (name) => fields.one(name),
    (name) => fields.all(name),
  );
