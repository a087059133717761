// Imports the registry and the users of wicked, and the refresh tokens of its gateway Kong.

import { hash } from 'node:crypto';
import { methodCan } from '../../../lib/catalogue/methods/questions.ts';
import type { PersonLine, TokenLine } from '../../../lib/catalogue/people/person-line.ts';
import { now } from '../../../lib/kit/clock.ts';
import { SourceFault } from '../../../lib/kit/source-file.ts';
import type { Notes, Part } from './notes.ts';
import {
  type Conversion,
  momentOf,
  passwordOf,
  type Registry,
  type TakePerson,
  type TakeToken,
} from './output.ts';
import {
  addFormerIssuers,
  type Clients,
  type Groups,
  type Methods,
  methodsCalled,
  readApis,
  readClients,
  readGroups,
  readMethods,
  WickedFiles,
} from './wicked-registry.ts';

// Users of wicked: the id of 40 digits becomes the subject, `customId` becomes an identity, and a group may grant a
// console role.

type Consents = NonNullable<PersonLine['consents']>;
type KnownObjects = {
  methods: Methods;
  groups: Groups;
  consents: ReadonlyMap<string, Consents>;
  names: ReadonlyMap<string, string>;
  isHexBefore: boolean;
};

const PASSWORDS = 'users[].password';

async function readPeople(
  files: WickedFiles,
  notes: Notes,
  lookups: { methods: Methods; groups: Groups; clients: Clients },
  take: TakePerson,
): Promise<void> {
  const consents = await consentsIn(files, lookups.clients);
  const names = await namesIn(files);
  // users who came from Meteor have such hashes, but no file identifies these users
  const isHexBefore = notes.choice(PASSWORDS) === 'bcrypt-sha256hex';
  for await (const { name, part } of files.of('users'))
    await take(part, personLine(part, name, { ...lookups, consents, names, isHexBefore }));
}

/** Returns the user names in the registrations of the portal's user pool. */
async function namesIn(files: WickedFiles): Promise<Map<string, string>> {
  const namesByPerson = new Map<string, string>();
  for await (const { part } of files.of('registrations')) {
    const all = part.has('userId') ? [part] : part.keys().map((at) => part.part(at));
    for (const registration of all) {
      const [person = '', name] = [registration.text('userId'), registration.text('name')];
      const knownKeys = ['userId', 'name', 'poolId', 'namespace', 'id'];
      registration.ignoreAll(['poolId', 'namespace', 'id', '_links'], 'used by wicked only');
      registration.leaveOutAll(
        registration.keys().filter((key) => !knownKeys.includes(key)),
        'registration data is not imported',
      );
      if (name === undefined) continue;
      if (namesByPerson.has(person))
        registration.leaveOut('name', 'another registration of the person has a name');
      else namesByPerson.set(person, name);
    }
    part.note();
  }
  return namesByPerson;
}

async function consentsIn(files: WickedFiles, clients: Clients): Promise<Map<string, Consents>> {
  const consentsByPerson = new Map<string, Consents>();
  for await (const { part } of files.of('grants')) {
    const all = part.has('grants') ? [part] : part.keys().map((at) => part.part(at));
    for (const consent of all) {
      const [person = '', owner, api] = ['userId', 'applicationId', 'apiId'].map((key) => consent.text(key));
      const client = clients.get(`${owner} ${api}`);
      if (!client) {
        consent.sayOfAll('left out', 'its subscription is not imported');
        continue;
      }
      const grants = consent.parts('grants');
      const scopes = grants.flatMap((grant) => grant.text('scope') ?? []);
      const [given] = grants.flatMap((grant) => momentOf(grant, 'grantedDate') ?? []);
      const newConsent = {
        client_id: client.clientId,
        api: client.api,
        scopes,
        ...(given && { given_at: given }),
      };
      consentsByPerson.set(person, [...(consentsByPerson.get(person) ?? []), newConsent]);
    }
    part.note();
  }
  return consentsByPerson;
}

function personLine(
  person: Part,
  file: string,
  { methods, groups, consents, names, isHexBefore }: KnownObjects,
): PersonLine {
  const id = person.text('id') ?? file;
  const line: PersonLine = { subject: id };
  const email = person.text('email');
  if (email !== undefined) line.email = email;
  const isValidated = person.flag('validated');
  if (email !== undefined && isValidated !== undefined) line.email_verified = isValidated;
  const [given, family] = [person.text('firstName'), person.text('lastName')];
  const written =
    person.text('name') ?? [given, family].filter((namePart) => namePart !== undefined).join(' ');
  const name = written === '' ? (names.get(id) ?? '') : written;
  if (name !== '') line.name = name;
  if (given !== undefined) line.given_name = given;
  if (family !== undefined) line.family_name = family;
  const hash = person.text('password');
  const password = passwordOf(person, 'password', hash && isHexBefore ? `$bcrypt-sha256hex${hash}` : hash);
  if (password) line.password = password;
  if (person.flag('mustChangePassword') === true) line.must_change_password = true;
  readGroupsOf(person, line, groups);
  readIdentity(person, line, methods);
  if (line.identities === undefined)
    for (const key of ['firstName', 'lastName']) person.say('changed', key, 'is part of the name');
  const given_consents = consents.get(id);
  if (given_consents) line.consents = given_consents;
  person.ignoreAll(
    ['applications', '_links', 'meteor', 'clientId', 'clientSecret', 'passwordIsHashed'],
    'used by wicked only',
  );
  return line;
}

/**
 * Adds an identity. Several servers can have a method with the same name, and equal subjects at these servers are
 * different users.
 */
function readIdentity(person: Part, line: PersonLine, methods: Methods): void {
  const [, name = '', subject = ''] = /^([^:]+):(.+)$/s.exec(person.text('customId') ?? '') ?? [];
  const ids = methodsCalled(methods, name).map(({ id }) => id);
  const question = `several servers have a method ${name}: choose one: ${ids.join(', ')}`;
  const id =
    ids.length < 2
      ? ids[0]
      : person.decide('customId', question, (answer) => ids.find((methodId) => methodId === answer));
  if (id) line.identities = [{ auth_method: id, subject }];
  else if (ids.length === 0) person.leaveOut('customId', 'its method is not imported');
}

function readGroupsOf(person: Part, line: PersonLine, groups: Groups): void {
  const list = person.part('groups');
  const matchedGroups = list.keys().flatMap((at) => {
    const group = groups.get(list.text(at) ?? '');
    if (!group) list.leaveOut(at, 'there is no such group');
    else if (group.role !== null)
      list.say('changed', at, `also grants the role ${group.role} of the console`);
    return group ?? [];
  });
  const roles = [...new Set(matchedGroups.flatMap(({ role }) => role ?? []))];
  if (matchedGroups.length > 0) line.groups = [...new Set(matchedGroups.map(({ id }) => id))];
  if (roles.length > 0) line.roles = roles;
}

// Refresh tokens of Kong, stored in clear text: PostgreSQL rows of oauth2_tokens and oauth2_credentials. The import
// writes only SHA-256 digests of the tokens, and the report contains no token.

type Api = { id: string; methods: readonly string[]; scopes: readonly string[]; seconds: number | null };
type KnownClients = { registry: Registry; clients: Clients; people: PeopleKnown };

/** The sign-in methods of each imported user, by subject. */
class PeopleKnown {
  readonly #isWanted: boolean;
  readonly #local: readonly string[];
  readonly #methods = new Map<string, readonly string[]>();

  /** `isWanted`: true if the source contains tokens, so users must be remembered. */
  constructor(isWanted: boolean, { auth_methods: methods }: Registry) {
    this.#isWanted = isWanted;
    this.#local = methods
      .filter(({ type }) => methodCan({ type: String(type) }, 'hasAccounts'))
      .map(({ id }) => String(id));
  }

  noting(take: TakePerson): TakePerson {
    return async (part, line) => {
      const came = await take(part, line);
      const ways = [
        ...(line.identities ?? []).map(({ auth_method }) => auth_method),
        ...(line.password ? this.#local : []),
      ];
      if (came && this.#isWanted) this.#methods.set(line.subject ?? '', ways);
      return came;
    };
  }

  methodsOf(subject: string): readonly string[] | undefined {
    return this.#methods.get(subject);
  }
}

async function readTokens(files: WickedFiles, lookups: KnownClients, take: TakeToken): Promise<void> {
  const credentials = await credentialsIn(files);
  const apis = new Map(lookups.registry.apis.map((entry) => [String(entry['id']), apiOf(entry)]));
  const apiOfClient = new Map(
    [...lookups.clients.values()].map(({ clientId, api }) => [clientId, apis.get(api)]),
  );
  for await (const { part } of files.of('oauth2_tokens')) {
    const client = credentials.get(part.text('credential_id') ?? '') ?? '';
    const line = tokenLine(part, client, apiOfClient.get(client), lookups.people);
    if (line === null) part.note();
    else await take(part, line);
  }
}

/** Returns client ids, keyed by the id of the credential that a token contains. */
async function credentialsIn(files: WickedFiles): Promise<Map<string, string>> {
  const clientIds = new Map<string, string>();
  for await (const { part } of files.of('oauth2_credentials')) {
    clientIds.set(part.text('id') ?? '', part.text('client_id') ?? '');
    part.leaveOutAll(
      part.keys().filter((key) => COLUMNS_OF_CREDENTIALS.has(key)),
      'the client is created from its subscription',
    );
    part.note();
  }
  return clientIds;
}

const COLUMNS_OF_CREDENTIALS = new Set([
  ...['name', 'consumer_id', 'client_secret', 'hash_secret', 'redirect_uri', 'redirect_uris', 'client_type'],
  ...['created_at', 'tags', 'ws_id', 'cache_key'],
]);
const COLUMNS_OF_TOKENS = [
  ...['id', 'service_id', 'api_id', 'token_type', 'expires_in', 'ws_id', 'cache_key'],
];

function apiOf(entry: Readonly<Record<string, unknown>>): Api {
  const seconds = entry['refresh_token_ttl'];
  return {
    id: String(entry['id']),
    methods: entry['auth_methods'] as string[],
    scopes: (entry['scopes'] as { name: string }[]).map(({ name }) => name),
    seconds: typeof seconds === 'number' ? seconds : null,
  };
}

/** Returns the line for a token; null if the token is not imported. */
function tokenLine(part: Part, client: string, api: Api | undefined, people: PeopleKnown): TokenLine | null {
  const leftOut = (because: string) => {
    part.sayOfAll('left out', because);
    return null;
  };
  const [token, named] = [part.text('refresh_token'), part.text('authenticated_userid')];
  if (token === undefined) return leftOut('it has no refresh token');
  if (named === undefined) return leftOut('a machine token: the machine requests a new one');
  if (api === undefined) return leftOut('its client is not imported');
  if (api.methods.length === 0) return leftOut('its API has no sign-in method');
  // format of the text if the user pool has namespaces: sub=ID;namespaces=A,B
  const subject = /^sub=([^;]*);namespaces=/.exec(named)?.[1] ?? named;
  const personMethods = people.methodsOf(subject);
  if (personMethods === undefined) return leftOut('its person is not imported');
  const written = part.text('scope')?.split(/\s+/) ?? [];
  const scopes = written.filter((scope) => api.scopes.includes(scope));
  if (scopes.length === 0) return leftOut('it has no scope of its API, and Gatehouse requires one');
  const end = endOf(part, api);
  if (end != null && Date.parse(end) <= now().getTime()) return leftOut('it has expired');
  const method = end == null ? end : methodOf(part, api, personMethods);
  if (method === null) return leftOut('left out as chosen');
  part.say('changed', 'refresh_token', 'only its SHA-256 is written');
  part.leaveOut('access_token', 'access tokens are valid only at Kong');
  part.ignoreAll(COLUMNS_OF_TOKENS, 'used by its gateway only');
  if (subject !== named) part.say('changed', 'authenticated_userid', 'namespaces are not imported');
  if (scopes.length < written.length)
    part.say('changed', 'scope', 'without scopes that the API does not have');
  if (end == null || method === undefined) return null;
  const sha256 = hash('sha256', token, 'hex');
  return { sha256, client_id: client, api: api.id, auth_method: method, subject, scopes, expires_at: end };
}

/** Returns the expiry; undefined if the operator has not decided yet, and null if the token is left out. */
function endOf(part: Part, { seconds }: Api): string | null | undefined {
  const [given, made] = [momentOf(part, 'ttl'), momentOf(part, 'created_at')];
  if (given !== undefined) return given;
  if (seconds !== null && made !== undefined)
    return new Date(Date.parse(made) + seconds * 1000).toISOString();
  const question =
    'the token never expires at Kong: choose its expiry in Gatehouse, such as 2027-06-30T00:00:00Z';
  return part.decide('ttl', question, (answer) => {
    const moment = /^\d{4}-\d\d-\d\d/.test(String(answer)) ? new Date(String(answer)) : null;
    return moment === null || Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
  });
}

/** Returns the sign-in method of a token, which Kong does not store. `undefined`: not decided. `null`: left out. */
function methodOf(part: Part, { methods }: Api, personMethods: readonly string[]): string | null | undefined {
  const both = methods.filter((id) => personMethods.includes(id));
  const [only, ...others] = both.length > 0 ? both : methods;
  if (others.length === 0) return only ?? null;
  const all = [only, ...others];
  const question = `Kong does not store the sign-in method of the person, choose one: ${all.join(', ')}`;
  return part.decide('authenticated_userid', question, (answer) => all.find((id) => id === answer));
}

export async function convertWicked(conversion: Conversion): Promise<void> {
  const { files: given, notes, registry, take, env } = conversion;
  if (!given.some(({ name }) => /(?:^|\/)apis\/apis\.json$/.test(name)))
    throw new SourceFault('apis/apis.json is missing: pass the folder of the configuration');
  const files = new WickedFiles(notes, env);
  await files.sort(given);
  const methods = await readMethods(files, registry);
  const groups = await readGroups(files, methods, registry);
  const apis = await readApis(files, methods, groups, registry);
  await addFormerIssuers(files, notes, { methods, apis });
  const clients = await readClients(files, apis, registry);
  const people = new PeopleKnown(files.has('oauth2_tokens'), registry);
  await readPeople(files, notes, { methods, groups, clients }, people.noting(take));
  await readTokens(files, { registry, clients, people }, conversion.takeToken);
  files.note();
}
