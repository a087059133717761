// Converts the users and groups in a Keycloak export, with their password hashes and second factors.

import { pbkdf2Sync, randomBytes } from 'node:crypto';
import type { PersonLine } from '../../../lib/catalogue/people/person-line.ts';
import { PROFILE_KEYS } from '../../../lib/catalogue/people/profile.ts';
import { claimName } from '../../../lib/registry/claims.ts';
import type { Part } from './notes.ts';
import { idOfName, momentOf, passwordOf, type Registry, UNKEPT } from './output.ts';

// The credentials of a Keycloak user: the hash of the newest password, and an authenticator app.

type Credentials = Pick<PersonLine, 'password' | 'totp'>;

const PBKDF2: ReadonlyMap<string, string> = new Map([
  ['pbkdf2', 'sha1'],
  ['pbkdf2-sha256', 'sha256'],
  ['pbkdf2-sha512', 'sha512'],
]);
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['recovery-authn-codes', 'recovery codes must be created again: notify the person'],
  ['webauthn', 'the passkey must be registered again: notify the person'],
  ['webauthn-passwordless', 'the passkey must be registered again: notify the person'],
  ['password-history', 'former passwords are not imported'],
  ['hotp', 'Gatehouse does not support counter-based apps (HOTP)'],
]);
const ABOUT = [
  'config',
  'id',
  'userLabel',
  'createdDate',
  'priority',
  'temporary',
  'device',
  'digits',
  'counter',
  'period',
];

function credentialsOf(person: Part): Credentials {
  const credentials: Credentials = {};
  for (const credential of person.parts('credentials')) {
    const type = credential.text('type') ?? '';
    const other = OTHERS.get(type);
    if (other !== undefined) credential.sayOfAll('left out', other);
    else if (type === 'password' && credentials.password)
      credential.sayOfAll('left out', 'a second password');
    else if (type === 'password') readPassword(credential, credentials);
    else if (type !== 'otp' && type !== 'totp')
      credential.sayOfAll('left out', `${type} is not a factor in Gatehouse`);
    else if (credentials.totp) credential.sayOfAll('left out', 'a second app: only one is imported');
    else readTotp(credential, credentials);
  }
  return credentials;
}

/**
 * Returns the parts of a credential: `credentialData` and `secretData`. Before Keycloak 8, the credential itself
 * contained both.
 */
function layoutOf(credential: Part): {
  data: Part;
  secret: Part;
  key: 'secretData' | 'hashedSaltedValue' | 'value';
} {
  if (credential.has('credentialData') || credential.has('secretData'))
    return {
      data: credential.json('credentialData'),
      secret: credential.json('secretData'),
      key: 'secretData',
    };
  const key = credential.has('hashedSaltedValue') ? 'hashedSaltedValue' : 'value';
  return { data: credential, secret: credential, key };
}

function readPassword(credential: Part, credentials: Credentials): void {
  const { data, secret, key } = layoutOf(credential);
  credential.ignoreAll(
    ABOUT.filter((aboutKey) => aboutKey !== 'temporary'),
    'used by Keycloak only',
  );
  credential.flag('temporary');
  if (key === 'value' && credential.has('value')) {
    // a file written by hand contains the password itself
    credentials.password = { hash: hashClearText(credential.text('value') ?? '') };
    credential.say('changed', 'value', 'a password in clear text: it is imported as a hash');
    return;
  }
  const isOld = key === 'hashedSaltedValue';
  // older Keycloak versions used PBKDF2 with SHA-1 and did not store the name of the algorithm
  const algorithm = data.text('algorithm') ?? (isOld ? 'pbkdf2' : 'pbkdf2-sha256');
  const [value, salt] = [secret.text(isOld ? key : 'value'), secret.text('salt') ?? ''];
  if (!isOld) secret.ignoreAll(['additionalParameters'], 'used by Keycloak only');
  if (value === undefined) {
    credential.sayOfAll('left out', LOST);
    return;
  }
  const password = passwordOf(credential, key, hashOf(data, algorithm, salt, value));
  if (password) credentials.password = password;
}

const LOST = 'its layout is unknown, so the secret is lost: notify the person';
const CLEAR_TEXT_ROUNDS = 310_000;

function hashClearText(text: string): string {
  const salt = randomBytes(16);
  const key = pbkdf2Sync(text, salt, CLEAR_TEXT_ROUNDS, 32, 'sha256');
  return `$pbkdf2-sha256$i=${CLEAR_TEXT_ROUNDS}$${bare(salt.toString('base64'))}$${bare(key.toString('base64'))}`;
}

function hashOf(data: Part, algorithm: string, salt: string, key: string): string {
  const more = data.part('additionalParameters');
  const parameter = (name: string) => more.part(name).text('0') ?? more.text(name) ?? '';
  const rounds = data.number('hashIterations') ?? 0;
  const digest = PBKDF2.get(algorithm);
  if (digest !== undefined) return `$pbkdf2-${digest}$i=${rounds}$${bare(salt)}$${bare(key)}`;
  if (algorithm.startsWith('argon2')) {
    const version = parameter('version') === '1.0' ? 16 : 19;
    more.leaveOut('hashLength', 'the hash has this length');
    const costs = `m=${parameter('memory')},t=${rounds},p=${parameter('parallelism')}`;
    return `$argon2${parameter('type') || 'id'}$v=${version}$${costs}$${bare(salt)}$${bare(key)}`;
  }
  // an extension of Keycloak stores bcrypt hashes as text
  return key.startsWith('$2') ? key : `{${algorithm}}`;
}

const bare = (base64: string) => base64.replace(/={1,2}$/, '');

function readTotp(credential: Part, credentials: Credentials): void {
  const { data, secret, key } = layoutOf(credential);
  const isOld = data === credential;
  credential.ignoreAll(
    ABOUT.filter((aboutKey) => !isOld || !['digits', 'period'].includes(aboutKey)),
    'used by Keycloak only',
  );
  const text = secret.text(key === 'secretData' ? 'value' : key) ?? '';
  if (text === '') {
    credential.sayOfAll('left out', LOST);
    return;
  }
  if (isOld) credential.ignoreAll(['hashIterations', 'salt'], 'used by Keycloak only');
  const isUsual =
    (data.text('subType') ?? 'totp') === 'totp' &&
    (data.number('digits') ?? 6) === 6 &&
    (data.number('period') ?? 30) === 30 &&
    (data.text('algorithm') ?? 'HmacSHA1') === 'HmacSHA1';
  data.ignoreAll(['counter'], 'used by HOTP only');
  if (!isUsual) {
    credential.sayOfAll('left out', 'only apps with SHA-1, 6 digits and 30 seconds are supported');
    return;
  }
  const isBase32 = data.text('secretEncoding') === 'BASE32';
  credentials.totp = {
    secret: isBase32 ? text.replaceAll(/[\s=]/g, '').toUpperCase() : base32(Buffer.from(text, 'utf8')),
  };
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes as Base32 without padding (RFC 4648 §6). */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

// Realm roles, client roles and group paths become groups: `/staff/editors` becomes staff-editors. Composite roles
// are replaced by their roles, because a group can contain only people.

/**
 * Keycloak's own clients, whose roles are permissions in Keycloak itself, and roles that every account has by
 * default.
 */
export const BUILT_IN_CLIENTS = new Set([
  ...['account', 'account-console', 'admin-cli', 'broker', 'realm-management', 'security-admin-console'],
]);
const BUILT_IN_ROLES = /^(?:offline_access|uma_authorization|default-roles-.*)$/;
const RESERVED = ['administrator', 'approver', 'developer'];

/** A role: `name`, or `client/name`. */
type RoleKey = string;
type ClientRoles = ReadonlyMap<string, { role: string; group: string }[]>;

export class GroupNames {
  readonly #registry: Registry;
  readonly #made = new Map<string, string>();
  readonly #ofRole = new Map<RoleKey, string>();
  readonly #composites = new Map<RoleKey, RoleKey[]>();
  /** for each path of a Keycloak group: the group in Gatehouse, and the roles that the path grants */
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
      'defaults for new accounts are not imported',
    );
  }

  /** Returns the groups of a user: those of the paths, those of the roles, and those of the paths' roles. */
  of(paths: readonly string[], roles: readonly RoleKey[]): string[] {
    const groupIds = new Set<string>();
    const all = [...roles];
    for (const path of paths) {
      const pathGroup = this.#ofPath.get(path);
      if (pathGroup?.group) groupIds.add(pathGroup.group);
      all.push(...(pathGroup?.roles ?? []));
    }
    for (const role of this.#resolved(all)) {
      const group = this.#ofRole.get(role);
      if (group !== undefined) groupIds.add(group);
    }
    return [...groupIds].sort((a, b) => (a < b ? -1 : 1));
  }

  #resolved(roles: readonly RoleKey[]): Set<RoleKey> {
    const resolvedRoles = new Set<RoleKey>();
    const left = [...roles];
    for (let role = left.pop(); role !== undefined; role = left.pop()) {
      if (resolvedRoles.has(role)) continue;
      resolvedRoles.add(role);
      left.push(...(this.#composites.get(role) ?? []));
    }
    return resolvedRoles;
  }

  #readRole(role: Part, client: string | null): void {
    const name = role.text('name') ?? '';
    const key = client === null ? name : `${client}/${name}`;
    role.ignoreAll(['id', 'containerId', 'clientRole', 'composite'], 'used by Keycloak only');
    const composites = role.part('composites');
    const inside = [...composites.texts('realm'), ...ofMap(composites.part('client'))];
    if (inside.length > 0) {
      this.#composites.set(key, inside);
      role.say(
        'changed',
        'composites',
        `resolved: members of ${name} are also members of ${inside.join(', ')}`,
      );
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
    part.ignoreAll(['id'], 'used by Keycloak only');
    const groupRoles = [...part.texts('realmRoles'), ...ofMap(part.part('clientRoles'))];
    const roles = [...rolesAbove, ...groupRoles];
    this.#ofPath.set(path, { group: this.#make(part, path, `group ${path}`), roles });
    for (const below of part.parts('subGroups')) this.#readGroup(below, path, roles);
  }

  /** Creates a group and returns its id. `null`: no group is created in Gatehouse. */
  #make(part: Part, name: string, origin: string): string | null {
    const proposed = idOfName(name);
    const taken = proposed === null ? undefined : this.#made.get(proposed);
    const isFree = proposed !== null && taken === undefined && !RESERVED.includes(proposed);
    const because =
      taken === undefined
        ? `${name} cannot be the id of a group`
        : `the group ${proposed} already exists for the ${taken}`;
    const id = isFree
      ? proposed
      : part.decide('name', `${because}: choose another id`, (answer) =>
          typeof answer === 'string' && idOfName(answer) === answer && !this.#made.has(answer)
            ? answer
            : undefined,
        );
    if (id == null) return null;
    if (isFree && id !== part.text('name')) part.say('changed', 'name', `becomes the group ${id}`);
    this.#made.set(id, origin);
    this.#registry.groups.push({ id, name: part.text('description') ?? part.text('name') ?? id });
    return id;
  }
}

/** Returns the role keys of an object `{client: [roles]}`. */
const ofMap = (map: Part): RoleKey[] =>
  map.keys().flatMap((client) => map.texts(client).map((role) => `${client}/${role}`));

/** Objects of the export that users refer to. */
export type Known = {
  groups: GroupNames;
  /** method in Gatehouse, keyed by the alias of the provider in Keycloak */
  methods: ReadonlyMap<string, string>;
  /** method in Gatehouse, keyed by the id of the directory in Keycloak */
  directories: ReadonlyMap<string, string>;
  /** APIs and permitted scopes, keyed by the client */
  subscriptions: ReadonlyMap<string, { clientId: string; api: string; scopes: readonly string[] }[]>;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OWN = ['totp', 'access', 'origin', 'self', 'notBefore', 'disableableCredentialTypes'];

/** Converts a user. Returns null if the account belongs to a client. */
export function personOf(person: Part, lookups: Known): PersonLine | null {
  if (person.has('serviceAccountClientId')) {
    person.sayOfAll('left out', 'the account of a client: in Gatehouse the client is a machine');
    return null;
  }
  const line: PersonLine = { ...personLine(person), ...profileOf(person), ...credentialsOf(person) };
  if (person.flag('enabled') === false) line.disabled = true;
  const created = momentOf(person, 'createdTimestamp');
  if (created) line.created_at = created;
  readActions(person, line);
  const roles = [...person.texts('realmRoles'), ...ofMap(person.part('clientRoles'))];
  const groups = lookups.groups.of(person.texts('groups'), roles);
  if (groups.length > 0) line.groups = groups;
  const identities = identitiesOf(person, lookups);
  if (identities.length > 0) line.identities = identities;
  else tellUnkept(person);
  const consents = person.parts('clientConsents').flatMap((consent) => consentsOf(consent, lookups));
  if (consents.length > 0) line.consents = consents;
  person.ignoreAll(OWN, 'used by Keycloak only');
  return line;
}

function personLine(person: Part): PersonLine {
  const [id, email, username] = [person.text('id'), person.text('email'), person.text('username')];
  const line: PersonLine = {};
  if (id !== undefined && UUID.test(id)) line.id = id;
  else if (id !== undefined) {
    line.subject = id;
    person.say('changed', 'id', 'is not a UUID: it becomes the subject');
  }
  if (email !== undefined) line.email = email;
  const verified = person.flag('emailVerified');
  if (email !== undefined && verified !== undefined) line.email_verified = verified;
  if (username === undefined) return line;
  if (!username.includes('@')) line.username = username;
  else if (username.toLowerCase() === email?.toLowerCase())
    person.say('changed', 'username', 'equals the email address');
  else if (email === undefined) {
    line.email = username;
    line.email_verified = false;
    person.say('changed', 'username', 'becomes the email address, unverified');
  } else
    person.leaveOut('username', 'a user name cannot contain @: the person signs in with the email address');
  return line;
}

function profileOf(person: Part): PersonLine {
  const [given, family] = [person.text('firstName'), person.text('lastName')];
  const name = [given, family].filter((part) => part !== undefined).join(' ');
  const line: PersonLine = {};
  if (name !== '') line.name = name;
  if (given !== undefined) line.given_name = given;
  if (family !== undefined) line.family_name = family;
  const attributes = person.part('attributes');
  const claims: Record<string, string | string[]> = {};
  for (const key of attributes.keys()) {
    const values = attributes.texts(key);
    const profileKey = PROFILE_KEYS.find((name) => name === key);
    if (profileKey !== undefined && values.length === 1) line[profileKey] = values[0];
    else if (!claimName.safeParse(key).success)
      attributes.leaveOut(key, `a claim cannot have the name ${key}`);
    else if (key !== 'LDAP_ID') claims[key] = values.length === 1 ? (values[0] ?? '') : values;
  }
  if (Object.keys(claims).length > 0) line.claims = claims;
  return line;
}

/**
 * Reports values that are not imported: for an account with only a password, Gatehouse stores the name and no other
 * claims.
 */
function tellUnkept(person: Part): void {
  for (const key of ['firstName', 'lastName']) person.say('changed', key, 'is part of the name');
  const attributes = person.part('attributes');
  for (const key of attributes.keys())
    if (!PROFILE_KEYS.some((name) => name === key)) attributes.leaveOut(key, UNKEPT);
}

function readActions(person: Part, line: PersonLine): void {
  const actions = person.part('requiredActions');
  for (const at of actions.keys()) {
    const action = actions.text(at);
    if (action === 'UPDATE_PASSWORD') {
      line.must_change_password = true;
      actions.say('changed', at, 'becomes must_change_password: the next sign-in requires a new password');
    } else actions.leaveOut(at, `Gatehouse does not require ${action}`);
  }
  const isTemporary = person.parts('credentials').some((credential) => credential.flag('temporary') === true);
  if (isTemporary) line.must_change_password = true;
}

function identitiesOf(person: Part, lookups: Known) {
  const federated = person.parts('federatedIdentities').flatMap((identity) => {
    const alias = identity.text('identityProvider') ?? '';
    const [subject, name] = [identity.text('userId'), identity.text('userName')];
    const auth_method = lookups.methods.get(alias);
    if (auth_method !== undefined && subject !== undefined)
      return [{ auth_method, subject, ...(name && { name }) }];
    identity.sayOfAll('left out', `${alias} is not a method in Gatehouse`);
    return [];
  });
  const link = person.text('federationLink');
  if (link === undefined) return federated;
  const subject = person.part('attributes').part('LDAP_ID').text('0');
  const auth_method = lookups.directories.get(link);
  if (auth_method !== undefined && subject !== undefined) {
    person.say('changed', 'federationLink', `becomes an identity of the method ${auth_method}`);
    return [...federated, { auth_method, subject }];
  }
  person.leaveOut('federationLink', 'the export contains no such directory, or LDAP_ID is missing');
  return federated;
}

function consentsOf(consent: Part, lookups: Known) {
  const client = consent.text('clientId') ?? '';
  const granted = consent.texts('grantedClientScopes');
  const moment = momentOf(consent, 'createdDate');
  consent.leaveOut('lastUpdatedDate', 'only the time of the first consent is imported');
  const subscriptions = lookups.subscriptions.get(client) ?? [];
  if (subscriptions.length === 0) consent.sayOfAll('left out', `${client} has no API in Gatehouse`);
  return subscriptions.map(({ clientId, api, scopes }) => ({
    client_id: clientId,
    api,
    scopes: granted.filter((scope) => scopes.includes(scope)),
    ...(moment && { given_at: moment }),
  }));
}
