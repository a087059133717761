// Where the file names groups: each must be one of the file, and a rule must name a method that says something.
import { methodCan, namedGroups } from '#lib/registry/index.ts';
import { type Found, isObject, objects, type Raw, strings } from './raw.ts';

export function checkGroups(document: Raw, found: Found): void {
  const known = new Set(objects(document.groups).map(([, group]) => group.id));
  const methods = new Map(objects(document.auth_methods).map(([, method]) => [method.id, method]));
  for (const [index, group] of objects(document.groups)) {
    for (const [place, rule] of objects(group.from)) {
      const method = methods.get(rule.auth_method);
      const fault = ruleFault(method, String(rule.auth_method));
      if (typeof rule.auth_method === 'string' && fault !== null)
        found(['groups', index, 'from', place, 'auth_method'], fault);
    }
  }
  for (const [index, api] of objects(document.apis)) {
    for (const { path, id } of namedGroups(askedIn(api))) {
      if (!known.has(id)) found(['apis', index, ...path], `there is no group ${id} in this file`);
    }
  }
  for (const [index, person] of objects(document.users)) {
    for (const [place, id] of strings(person.groups)) {
      if (!known.has(id)) found(['users', index, 'groups', place], `there is no group ${id} in this file`);
    }
  }
}

function ruleFault(method: Raw | undefined, id: string): string | null {
  if (!method) return `there is no authentication method ${id} in this file`;
  const isOurs = typeof method.type === 'string' && methodCan({ type: method.type }, 'hasAccounts');
  return isOurs ? `${id} says nothing of its people: name them by users[].groups` : null;
}

const texts = (value: unknown): string[] => strings(value).map(([, one]) => one);

/** Of any shape. */
const askedIn = (api: Raw) => ({
  groups: texts(api.groups),
  groupsClaim: [],
  scopes: Array.isArray(api.scopes)
    ? api.scopes.map((scope: unknown) => ({ name: '', groups: isObject(scope) ? texts(scope.groups) : [] }))
    : [],
  roles: isObject(api.roles)
    ? Object.fromEntries(Object.entries(api.roles).map(([role, ids]) => [role, texts(ids)]))
    : null,
});
