// A person of Keycloak as a line of people.jsonl.
import { claimName } from '#lib/registry/fields/claims.ts';
import type { PersonLine } from '../people/person-line.ts';
import type { Part } from '../reading/part.ts';
import { momentOf, UNKEPT } from '../writing/values.ts';
import { credentialsOf } from './credentials.ts';
import { type GroupNames, ofMap } from './group-names.ts';

/** What the rest of the export says, that a person refers to. */
export type Known = {
  groups: GroupNames;
  /** the alias of a provider, and the method here */
  methods: ReadonlyMap<string, string>;
  /** the id of a federated directory, and its name as a method */
  directories: ReadonlyMap<string, string>;
  /** of each client: the APIs, and which scopes of them it may have */
  subscriptions: ReadonlyMap<string, { clientId: string; api: string; scopes: readonly string[] }[]>;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PROFILE = ['locale', 'zoneinfo', 'picture'] as const;
const OWN = ['totp', 'access', 'origin', 'self', 'notBefore', 'disableableCredentialTypes'];

/** Null: the account of a client. */
export function personOf(person: Part, known: Known): PersonLine | null {
  if (person.has('serviceAccountClientId')) {
    person.sayOfAll('left out', 'the account of a client, which is a machine here');
    return null;
  }
  const line: PersonLine = { ...named(person), ...profileOf(person), ...credentialsOf(person) };
  if (person.flag('enabled') === false) line.disabled = true;
  const created = momentOf(person, 'createdTimestamp');
  if (created) line.created_at = created;
  readActions(person, line);
  const roles = [...person.texts('realmRoles'), ...ofMap(person.part('clientRoles'))];
  const groups = known.groups.of(person.texts('groups'), roles);
  if (groups.length > 0) line.groups = groups;
  const identities = identitiesOf(person, known);
  if (identities.length > 0) line.identities = identities;
  else tellUnkept(person);
  const consents = person.parts('clientConsents').flatMap((consent) => consentsOf(consent, known));
  if (consents.length > 0) line.consents = consents;
  person.ignoreAll(OWN, 'of Keycloak alone');
  return line;
}

function named(person: Part): PersonLine {
  const [id, email, username] = [person.text('id'), person.text('email'), person.text('username')];
  const line: PersonLine = {};
  if (id !== undefined && UUID.test(id)) line.id = id;
  else if (id !== undefined) {
    line.subject = id;
    person.say('changed', 'id', 'is no UUID: it is the subject');
  }
  if (email !== undefined) line.email = email;
  const verified = person.flag('emailVerified');
  if (email !== undefined && verified !== undefined) line.email_verified = verified;
  if (username === undefined) return line;
  if (!username.includes('@')) line.username = username;
  else if (username.toLowerCase() === email?.toLowerCase())
    person.say('changed', 'username', 'is the address');
  else if (email === undefined) {
    line.email = username;
    line.email_verified = false;
    person.say('changed', 'username', 'is the address, which nothing has proved');
  } else person.leaveOut('username', 'a name with @ is none here: they sign in by their address');
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
    const own = PROFILE.find((one) => one === key);
    if (own !== undefined && values.length === 1) line[own] = values[0];
    else if (!claimName.safeParse(key).success) attributes.leaveOut(key, `no claim may be called ${key}`);
    else if (key !== 'LDAP_ID') claims[key] = values.length === 1 ? (values[0] ?? '') : values;
  }
  if (Object.keys(claims).length > 0) line.claims = claims;
  return line;
}

/** An account with a password alone keeps a name, and no further claims. */
function tellUnkept(person: Part): void {
  for (const key of ['firstName', 'lastName']) person.say('changed', key, 'is part of the name');
  const attributes = person.part('attributes');
  for (const key of attributes.keys())
    if (!PROFILE.some((one) => one === key)) attributes.leaveOut(key, UNKEPT);
}

function readActions(person: Part, line: PersonLine): void {
  const actions = person.part('requiredActions');
  for (const at of actions.keys()) {
    const action = actions.text(at);
    if (action === 'UPDATE_PASSWORD') {
      line.must_change_password = true;
      actions.say('changed', at, 'is must_change_password: the next sign-in asks for a new one');
    } else actions.leaveOut(at, `${action} is not asked for here`);
  }
  const isTemporary = person.parts('credentials').some((credential) => credential.flag('temporary') === true);
  if (isTemporary) line.must_change_password = true;
}

function identitiesOf(person: Part, known: Known) {
  const federated = person.parts('federatedIdentities').flatMap((identity) => {
    const alias = identity.text('identityProvider') ?? '';
    const [subject, name] = [identity.text('userId'), identity.text('userName')];
    const auth_method = known.methods.get(alias);
    if (auth_method !== undefined && subject !== undefined)
      return [{ auth_method, subject, ...(name && { name }) }];
    identity.sayOfAll('left out', `${alias} is no method here`);
    return [];
  });
  const link = person.text('federationLink');
  if (link === undefined) return federated;
  const subject = person.part('attributes').part('LDAP_ID').text('0');
  const auth_method = known.directories.get(link);
  if (auth_method !== undefined && subject !== undefined) {
    person.say('changed', 'federationLink', `an identity of the method ${auth_method}`);
    return [...federated, { auth_method, subject }];
  }
  person.leaveOut('federationLink', 'no directory of this export is meant, or LDAP_ID is missing');
  return federated;
}

function consentsOf(consent: Part, known: Known) {
  const client = consent.text('clientId') ?? '';
  const granted = consent.texts('grantedClientScopes');
  const given = momentOf(consent, 'createdDate');
  consent.leaveOut('lastUpdatedDate', 'the first time counts');
  const subscriptions = known.subscriptions.get(client) ?? [];
  if (subscriptions.length === 0) consent.sayOfAll('left out', `${client} has no API here`);
  return subscriptions.map(({ clientId, api, scopes }) => ({
    client_id: clientId,
    api,
    scopes: granted.filter((scope) => scopes.includes(scope)),
    ...(given && { given_at: given }),
  }));
}
