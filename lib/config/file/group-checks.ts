// Where the file names groups: each must be one of the file, and a rule must name a method that says something.
import { claimFaultAt } from '#lib/management/core/claim-faults.ts';
import { type ClaimFault, claimFault, requiredClaimFaultAt } from '#lib/registry/methods/claim-authority.ts';
import { METHOD_TYPES, methodCan } from '#lib/registry/methods/questions.ts';
import { namedGroups } from '#lib/registry/objects/api-groups.ts';
import { type Found, isObject, objects, type PathPart, type Raw, strings, text } from './raw.ts';

export function checkGroups(document: Raw, found: Found): void {
  const known = new Set(objects(document.groups).map(([, group]) => group.id));
  const methods = new Map(objects(document.auth_methods).map(([, method]) => [method.id, method]));
  for (const [index, group] of objects(document.groups)) {
    for (const [place, rule] of objects(group.from)) {
      const method = methods.get(rule.auth_method);
      const fault = ruleFault(method, String(rule.auth_method));
      if (typeof rule.auth_method === 'string' && fault !== null)
        found(['groups', index, 'from', place, 'auth_method'], fault);
      else if (method)
        findWeakRule(method, rule, (path, message) =>
          found(['groups', index, 'from', place, ...path], message),
        );
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

/** A rule on a claim that anyone can arrange. */
function findWeakRule(method: Raw, { claim, values }: Raw, found: Found): void {
  const known = methodIn(method);
  const rule = { claim: text(claim) ?? '', values: texts(values) };
  const fault = known && claimFault(known, rule);
  if (fault) tell(fault, String(method.id), { claim: ['claim'], values: ['values'] }, found);
}

/** `required_claim` of a subscription to an API with these methods. */
export function findWeakClaim(methods: readonly Raw[], required: unknown, found: Found): void {
  if (!isObject(required)) return;
  const asked = { name: text(required.name) ?? '', values: texts(required.values) };
  for (const method of methods) {
    const known = methodIn(method);
    const fault = known && requiredClaimFaultAt(known, asked);
    const at = (key: string) => ['required_claim', key];
    if (!fault) continue;
    tell(fault, String(method.id), { claim: at('name'), values: at('values') }, found);
    return;
  }
}

function tell(
  fault: ClaimFault,
  method: string,
  path: { claim: PathPart[]; values: PathPart[] },
  found: Found,
): void {
  const { message } = claimFaultAt(method, fault, { claim: '', values: '' });
  found(fault.kind === 'personal' ? path.claim : [...path.values, fault.at], message);
}

function methodIn({ type, ...config }: Raw) {
  const known = METHOD_TYPES.find((one) => one === type);
  return known && { type: known, config };
}
