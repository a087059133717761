// Realm roles, client roles and group paths as groups: `/staff/editors` is staff-editors. Composite roles are resolved,
// since a group holds people only.
import type { Part } from '../reading/part.ts';
import type { Registry } from '../writing/registry-file.ts';
import { idOfName } from '../writing/values.ts';

/** Rights in Keycloak itself, and what every account has there. */
export const BUILT_IN_CLIENTS = new Set([
  ...['account', 'account-console', 'admin-cli', 'broker', 'realm-management', 'security-admin-console'],
]);
const BUILT_IN_ROLES = /^(?:offline_access|uma_authorization|default-roles-.*)$/;
const RESERVED = ['administrator', 'approver', 'developer'];

/** `name`, or `client/name`. */
type RoleKey = string;
export type ClientRoles = ReadonlyMap<string, { role: string; group: string }[]>;

export class GroupNames {
  readonly #registry: Registry;
  readonly #made = new Map<string, string>();
  readonly #ofRole = new Map<RoleKey, string>();
  readonly #composites = new Map<RoleKey, RoleKey[]>();
  /** of a path: the group, and the roles that it gives */
  readonly #ofPath = new Map<string, { group: string | null; roles: RoleKey[] }>();
  readonly clientRoles = new Map<string, { role: string; group: string }[]>();

  constructor(about: Part, registry: Registry) {
    this.#registry = registry;
    const roles = about.part('roles');
    for (const role of roles.parts('realm')) this.#readRole(role, null);
    const ofClients = roles.part('client');
    for (const client of ofClients.keys()) {
      if (BUILT_IN_CLIENTS.has(client)) ofClients.leaveOut(client, 'rights in Keycloak itself');
      else for (const role of ofClients.parts(client)) this.#readRole(role, client);
    }
    for (const group of about.parts('groups')) this.#readGroup(group, '', []);
    about.leaveOutAll(
      ['defaultRole', 'defaultRoles', 'defaultGroups'],
      'what new accounts get is not carried',
    );
  }

  /** The groups of a person: by path, by role, and by the roles of a path. */
  of(paths: readonly string[], roles: readonly RoleKey[]): string[] {
    const found = new Set<string>();
    const all = [...roles];
    for (const path of paths) {
      const known = this.#ofPath.get(path);
      if (known?.group) found.add(known.group);
      all.push(...(known?.roles ?? []));
    }
    for (const role of this.#resolved(all)) {
      const group = this.#ofRole.get(role);
      if (group !== undefined) found.add(group);
    }
    return [...found].sort((a, b) => (a < b ? -1 : 1));
  }

  #resolved(roles: readonly RoleKey[]): Set<RoleKey> {
    const found = new Set<RoleKey>();
    const left = [...roles];
    for (let role = left.pop(); role !== undefined; role = left.pop()) {
      if (found.has(role)) continue;
      found.add(role);
      left.push(...(this.#composites.get(role) ?? []));
    }
    return found;
  }

  #readRole(role: Part, client: string | null): void {
    const name = role.text('name') ?? '';
    const key = client === null ? name : `${client}/${name}`;
    role.ignoreAll(['id', 'containerId', 'clientRole', 'composite'], 'of Keycloak alone');
    const composites = role.part('composites');
    const inside = [...composites.texts('realm'), ...ofMap(composites.part('client'))];
    if (inside.length > 0) {
      this.#composites.set(key, inside);
      role.say('changed', 'composites', `resolved: who is in ${name} is in ${inside.join(', ')}, too`);
    }
    if (client === null && BUILT_IN_ROLES.test(name)) {
      role.leaveOut('name', 'every account has it in Keycloak');
      return;
    }
    const group = this.#make(role, client === null ? name : `${client}-${name}`, `role ${key}`);
    if (group === null) return;
    this.#ofRole.set(key, group);
    if (client === null) return;
    this.clientRoles.set(client, [...(this.clientRoles.get(client) ?? []), { role: name, group }]);
  }

  #readGroup(part: Part, above: string, rolesAbove: readonly RoleKey[]): void {
    const path = part.text('path') ?? `${above}/${part.text('name') ?? ''}`;
    part.ignoreAll(['id'], 'of Keycloak alone');
    const own = [...part.texts('realmRoles'), ...ofMap(part.part('clientRoles'))];
    const roles = [...rolesAbove, ...own];
    this.#ofPath.set(path, { group: this.#make(part, path, `group ${path}`), roles });
    for (const below of part.parts('subGroups')) this.#readGroup(below, path, roles);
  }

  /** Null: it has no group here. */
  #make(part: Part, name: string, origin: string): string | null {
    const proposed = idOfName(name);
    const taken = proposed === null ? undefined : this.#made.get(proposed);
    const isFree = proposed !== null && taken === undefined && !RESERVED.includes(proposed);
    const because =
      taken === undefined ? `${name} is no id of a group` : `the group ${proposed} is the ${taken}`;
    const id = isFree
      ? proposed
      : part.decide('name', `${because}: name another id`, (answer) =>
          typeof answer === 'string' && idOfName(answer) === answer && !this.#made.has(answer)
            ? answer
            : undefined,
        );
    if (id == null) return null;
    if (isFree && id !== part.text('name')) part.say('changed', 'name', `is the group ${id}`);
    this.#made.set(id, origin);
    this.#registry.groups.push({ id, name: part.text('description') ?? part.text('name') ?? id });
    return id;
  }
}

/** Of `{client: [roles]}`. */
export const ofMap = (map: Part): RoleKey[] =>
  map.keys().flatMap((client) => map.texts(client).map((role) => `${client}/${role}`));
