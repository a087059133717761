// What groups are for at an API: who may have anything there, who may have a scope, and what its tokens tell of them.
import { z } from 'zod';
import { field } from '../fields/form-fields.ts';
import { atMost, groupIdText, groupPattern } from '../fields/values.ts';

const MOST_NAMED = 100;
const MOST_ROLES = 100;

const groupIds = atMost(MOST_NAMED, groupIdText);

/** Of a scope; left out: everybody may have it. */
export const scopeGroups = groupIds.min(1, 'must be at least one').optional();

/** A record forgets `__proto__`. */
const ROLE = /^(?!__proto__$)[\x21-\x7e]{1,100}$/;
const roleMap = z
  .record(
    z.string().regex(ROLE, 'must be 1 to 100 visible ASCII characters'),
    groupIds,
    'must be keys and values',
  )
  .refine((roles) => Object.keys(roles).length <= MOST_ROLES, `must not be more than ${MOST_ROLES}`);

export const groupFields = {
  groups: field(
    groupIds
      .default([])
      .describe('Ids of groups: only people of one of them may have anything here; none: everybody may'),
    'Groups',
    {
      hint: 'Only people of one of these may have anything here. With none, everybody may.',
      each: 'group',
      placeholder: 'staff-editors',
    },
  ),
  roles: field(
    z
      .union([z.literal('').transform(() => null), roleMap.nullable()], 'must be keys and values')
      .default(null)
      .describe(
        'A map of roles to ids of groups, such as {editor: [staff-editors]}: what the claim roles tells this API of a person',
      ),
    'Roles',
    {
      hint: 'Names that the API knows, each with the ids of its groups. Access tokens tell them where the claims in them name roles.',
      each: 'role',
      as: 'groups',
      placeholder: 'editor',
    },
  ),
  groupsClaim: field(
    atMost(MOST_NAMED, groupPattern)
      .default([])
      .describe(
        'Which groups its tokens tell, such as [shop-*]; left out: those that groups and scopes of the API name',
      ),
    'Groups in tokens',
    {
      hint: 'Which groups the API is told: ids, or how ids begin and *. With none, those that it and its scopes name.',
      each: 'group',
      placeholder: 'shop-*',
    },
  ),
};

type Asking = {
  groups: readonly string[];
  scopes: readonly { name: string; groups?: readonly string[] | undefined }[];
  roles: Readonly<Record<string, readonly string[]>> | null;
  groupsClaim: readonly string[];
};

/** Where an API names groups, each with its place in the API's fields. */
export const namedGroups = (api: Asking): { path: (string | number)[]; id: string }[] => [
  ...api.groups.map((id, at) => ({ path: ['groups', at], id })),
  ...api.scopes.flatMap(({ groups = [] }, nth) =>
    groups.map((id, at) => ({ path: ['scopes', nth, 'groups', at], id })),
  ),
  ...Object.entries(api.roles ?? {}).flatMap(([role, ids]) =>
    ids.map((id, at) => ({ path: ['roles', role, at], id })),
  ),
];

/** Does it name groups that decide what people may have there? */
export const asksGroups = ({ groups, scopes }: Pick<Asking, 'groups' | 'scopes'>): boolean =>
  groups.length > 0 || scopes.some((scope) => (scope.groups ?? []).length > 0);

/** Are its `groups` and `roles` claims about the groups of this service? */
export const tellsGroups = (api: Asking): boolean => asksGroups(api) || api.groupsClaim.length > 0;

/** Of a person's groups, those that the API is told. */
export function groupsTold(api: Asking, groups: readonly string[]): string[] {
  if (api.groupsClaim.length > 0)
    return groups.filter((id) =>
      api.groupsClaim.some((one) => (one.endsWith('*') ? id.startsWith(one.slice(0, -1)) : id === one)),
    );
  const named = new Set([...api.groups, ...api.scopes.flatMap((scope) => scope.groups ?? [])]);
  return groups.filter((id) => named.has(id));
}

/** The roles that groups give at the API. */
export const rolesOf = ({ roles }: Pick<Asking, 'roles'>, groups: readonly string[]): string[] =>
  Object.entries(roles ?? {})
    .filter(([, ids]) => ids.some((id) => groups.includes(id)))
    .map(([role]) => role);
