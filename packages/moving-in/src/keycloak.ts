// Converts a Keycloak export to a configuration file: realm, clients, brokers and audiences.

import { apiScopeName } from '../../../lib/catalogue/apis/definition.ts';
import { isPrivateUse, originFault, redirectUriFault } from '../../../lib/catalogue/clients/definition.ts';
import { SourceFault, type SourceFile } from '../../../lib/kit/source-file.ts';
import { ownValue } from '../../../lib/kit/wire.ts';
import { clientId, secretText } from '../../../lib/registry/values.ts';
import { BUILT_IN_CLIENTS, GroupNames, personOf } from './keycloak-people.ts';
import { type Notes, Part } from './notes.ts';
import {
  addFormerIssuer,
  type Conversion,
  formerHost,
  formerUntil,
  idOfName,
  oneOf,
  type Registry,
} from './output.ts';
import { aroundItems, itemsOf } from './source.ts';

// Files of `kc.sh export`: the realm, and files with users if `--users different_files` was set.

type KeycloakExport = { about: Part; people: () => AsyncGenerator<Part> };

const NO_PEOPLE =
  'was exported by the console: a partial export contains no people, and ********** instead of secrets. Use kc.sh export --users different_files';

async function readExport(files: readonly SourceFile[], notes: Notes): Promise<KeycloakExport> {
  const read = files.filter(({ name }) => name.endsWith('.json'));
  for (const { name } of files)
    if (!name.endsWith('.json')) notes.add('not looked at', name, 'is not a .json file');
  let about: { part: Part; name: string; value: unknown } | null = null;
  for (const [at, file] of read.entries()) {
    const value = await aroundItems(file, 'users');
    const part = new Part(value, `files[${at}]`, notes);
    if (!part.has('clients')) {
      part.text('realm');
      part.part('users');
      part.note();
      continue;
    }
    if (about)
      throw new SourceFault(
        `${file.name}: contains another realm than ${about.name}, import one realm at a time`,
      );
    about = { part: new Part(value, '', notes), name: file.name, value };
  }
  if (!about) throw new SourceFault('no file is the export of a realm with clients');
  if (hidesSecrets(about.value)) throw new SourceFault(`${about.name}: ${NO_PEOPLE}`);
  about.part.part('users');
  return { about: about.part, people: () => peopleIn(read, notes) };
}

async function* peopleIn(files: readonly SourceFile[], notes: Notes): AsyncGenerator<Part> {
  let count = 0;
  for (const file of files) {
    for await (const { value } of itemsOf(file, 'users')) {
      yield new Part(value, `users[${count}]`, notes);
      count += 1;
    }
  }
}

/**
 * True if secrets are hidden: a partial export contains asterisks instead of the secrets of clients and providers.
 */
const hidesSecrets = (value: unknown) => JSON.stringify(value).includes('ecret":"**********"');

// The APIs of a realm: its bearer-only clients, and the audiences in the mappers of clients and client scopes.

const ADDRESS = 'choose its https address, which is the aud of its tokens';
/** Names of scopes that OpenID Connect or Keycloak defines. */
const BUILT_IN_SCOPES = new Set([
  ...['profile', 'email', 'address', 'phone', 'offline_access', 'roles', 'web-origins', 'microprofile-jwt'],
  ...['acr', 'basic', 'service_account', 'role_list', 'organization', 'openid'],
]);

type Entry = Record<string, unknown>;
type Api = { id: string; entry: Entry; scopes: Map<string, Entry> };
type ClientScope = { part: Part; name: string; description: string; audiences: string[] };

class Audiences {
  readonly #clients: ReadonlyMap<string, Part>;
  readonly #clientScopes: ClientScope[];
  readonly #registry: Registry;
  readonly #settings: Entry;
  readonly #groups: GroupNames;
  /** APIs, keyed by the audience of their tokens; `null`: the API is left out, or the operator has not decided */
  readonly #apis = new Map<string, Api | null>();

  constructor(about: Part, clients: ReadonlyMap<string, Part>, groups: GroupNames, registry: Registry) {
    this.#clients = clients;
    this.#registry = registry;
    this.#groups = groups;
    this.#settings = lifetimesOf(about);
    this.#clientScopes = about.parts('clientScopes').flatMap((part) => this.#readScope(part) ?? []);
    for (const [id, client] of clients) if (client.flag('bearerOnly')) this.#api(id, client);
  }

  /** Returns the APIs of a client, each with the permitted scopes. */
  of(client: Part): { api: string; scopes: string[] }[] {
    const assigned = [...client.texts('defaultClientScopes'), ...client.texts('optionalClientScopes')];
    const scopes = this.#clientScopes.filter(({ name }) => assigned.includes(name));
    const named = [...this.audiencesIn(client), ...scopes.flatMap(({ audiences }) => audiences)];
    const apis = [...new Set(named)].flatMap(
      (audience) => this.#api(audience, this.#clients.get(audience)) ?? [],
    );
    return apis.map((api) => {
      const apiScopes = scopes.filter(
        ({ audiences }) =>
          audiences.length === 0 || audiences.some((audience) => this.#apis.get(audience) === api),
      );
      return { api: api.id, scopes: apiScopes.flatMap((scope) => scopeAt(api, scope) ?? []) };
    });
  }

  hasScopes(id: string): boolean {
    return this.#registry.apis.some((api) => api['id'] === id && (api['scopes'] as unknown[]).length > 0);
  }

  /** Returns the API for tokens of clients that have no audience. */
  rest(about: Part): string | null {
    const name = about.text('realm') ?? 'api';
    const apiIds = () => this.#registry.apis.map(({ id }) => id);
    const answer = about.decide(
      'realm',
      'some clients name no audience: choose the API of their tokens, by the id of an API above or by the https address of a new API',
      (apiId) => (apiIds().includes(apiId) || isAddress(apiId) ? String(apiId) : undefined),
    );
    if (answer == null) return null;
    return apiIds().includes(answer) ? answer : this.#add(name, idOfName(name) ?? 'api', answer).id;
  }

  /** Returns the audiences in the mappers of a client or client scope. */
  audiencesIn(part: Part): string[] {
    return part.parts('protocolMappers').flatMap((mapper) => {
      const type = mapper.text('protocolMapper') ?? '';
      if (type !== 'oidc-audience-mapper') {
        const because = type.includes('pairwise')
          ? 'pairwise subjects are not imported'
          : 'set claims in the claim map of a method';
        mapper.sayOfAll('left out', `the mapper ${mapper.text('name')}: ${because}`);
        return [];
      }
      mapper.ignoreAll(['id', 'name', 'protocol', 'consentRequired'], 'used by Keycloak only');
      const config = mapper.part('config');
      const named = [config.text('included.client.audience'), config.text('included.custom.audience')];
      config.ignoreAll(
        ['id.token.claim', 'access.token.claim', 'introspection.token.claim'],
        'used by Keycloak only',
      );
      return named.flatMap((audience) => audience ?? []);
    });
  }

  #api(audience: string, client: Part | undefined): Api | null {
    const cachedApi = this.#apis.get(audience);
    if (cachedApi !== undefined) return cachedApi;
    const url = isAddress(audience) ? audience : client && this.#addressOf(client, audience);
    const id = idOfName(isAddress(audience) ? new URL(audience).host + new URL(audience).pathname : audience);
    const isClient = client && !client.flag('bearerOnly') && id === audience;
    const newApi =
      url && id ? this.#add(client?.text('name') ?? audience, isClient ? `${id}-api` : id, url) : null;
    this.#apis.set(audience, newApi);
    if (!newApi) return null;
    const roles = this.#groups.clientRoles.get(audience) ?? [];
    if (roles.length > 0)
      newApi.entry['roles'] = Object.fromEntries(roles.map(({ role, group }) => [role, [group]]));
    const secret = client?.flag('bearerOnly') ? client.text('secret') : undefined;
    if (secret !== undefined) newApi.entry['introspection_secret'] = secret;
    return newApi;
  }

  #addressOf(client: Part, audience: string): string | null | undefined {
    const clientAddress = ['rootUrl', 'adminUrl', 'baseUrl'].map((key) => client.text(key)).find(isAddress);
    if (client.flag('bearerOnly') && clientAddress !== undefined) return clientAddress;
    return client.decide('clientId', `${audience} is an API: ${ADDRESS}`, (answer) =>
      isAddress(answer) ? answer : undefined,
    );
  }

  #add(name: string, id: string, url: string): Api {
    const methods = this.#registry.auth_methods.map((method) => method['id']);
    const entry: Entry = { id, name, url, auth_methods: methods, ...this.#settings, scopes: [] };
    this.#registry.apis.push(entry);
    return { id, entry, scopes: new Map() };
  }

  #readScope(part: Part): ClientScope | null {
    const name = part.text('name') ?? '';
    if (BUILT_IN_SCOPES.has(name))
      part.sayOfAll('left out', 'a scope of OpenID Connect, or of Keycloak itself');
    else if (part.text('protocol') === 'saml') part.sayOfAll('left out', 'a scope of SAML');
    if (BUILT_IN_SCOPES.has(name) || part.text('protocol') === 'saml') return null;
    part.ignoreAll(['id'], 'used by Keycloak only');
    const attributes = part.part('attributes');
    const consentText = attributes.text('consent.screen.text')?.replace(/^\$\{.*\}$/, '');
    attributes.leaveOutAll(
      ['display.on.consent.screen', 'include.in.token.scope', 'gui.order'],
      'Gatehouse shows every scope at consent and in tokens',
    );
    const written = apiScopeName.safeParse(name).success
      ? name
      : part.decide(
          'name',
          'is not a valid scope in Gatehouse: choose another name',
          (answer) => apiScopeName.safeParse(answer).data,
        );
    if (written == null) return null;
    const description = consentText || part.text('description') || written;
    return { part, name, description, audiences: this.audiencesIn(part) };
  }
}

function scopeAt(api: Api, { name, description }: ClientScope): string {
  if (!api.scopes.has(name)) {
    const scope = { name, description };
    api.scopes.set(name, scope);
    (api.entry['scopes'] as Entry[]).push(scope);
  }
  return name;
}

function lifetimesOf(about: Part): Entry {
  const from = {
    access_token_ttl: 'accessTokenLifespan',
    refresh_token_ttl: 'ssoSessionIdleTimeout',
    refresh_family_ttl: 'ssoSessionMaxLifespan',
  };
  return Object.fromEntries(
    Object.entries(from).flatMap(([ours, theirs]) => {
      const seconds = about.number(theirs);
      return seconds === undefined || seconds < 1 ? [] : [[ours, seconds]];
    }),
  );
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[^\s#@]+$/i.test(value) && URL.canParse(value);
}

// The first sign-in with a provider: Gatehouse creates an account for every user of the provider. If Keycloak
// did not, the operator must decide.

type Step = Readonly<Record<string, unknown>>;
const DEFAULT_ALIAS = 'first broker login';
const MAKES_ACCOUNTS = 'idp-create-user-if-unique';

class FirstSignIns {
  readonly #byAlias = new Map<unknown, Step[]>();

  constructor(about: Part) {
    const listed = about.value('authenticationFlows');
    about.leaveOut('authenticationFlows', 'the API decides how people sign in');
    for (const { alias, authenticationExecutions: steps } of Array.isArray(listed) ? listed.map(Object) : [])
      this.#byAlias.set(alias, Array.isArray(steps) ? steps.map(Object) : []);
  }

  /** Returns false if the operator has not decided, or if the provider is left out. */
  agreesToAccounts(broker: Part): boolean {
    const alias = broker.text('firstBrokerLoginFlowAlias');
    const key =
      broker.flag('linkOnly') === true
        ? 'linkOnly'
        : this.#makesAccounts(alias ?? DEFAULT_ALIAS)
          ? null
          : 'firstBrokerLoginFlowAlias';
    if (key !== 'linkOnly') broker.leaveOut('linkOnly', 'the API decides how people sign in');
    if (key !== 'firstBrokerLoginFlowAlias')
      broker.leaveOut('firstBrokerLoginFlowAlias', 'the API decides how people sign in');
    if (key === null) return true;
    const question =
      'Keycloak creates no accounts for this provider, but Gatehouse creates one for each of its users: choose open to allow this';
    return broker.decide(key, question, (answer) => (answer === 'open' ? answer : undefined)) === 'open';
  }

  /**
   * True if the flow creates accounts. A flow that the export lacks is a built-in flow, which its name identifies.
   */
  #makesAccounts(alias: unknown, seen: readonly unknown[] = []): boolean {
    const steps = this.#byAlias.get(alias);
    if (!steps) return alias === DEFAULT_ALIAS;
    return steps.some((step) => {
      const inner = step['flowAlias'];
      if (step['requirement'] === 'DISABLED') return false;
      if (step['authenticator'] === MAKES_ACCOUNTS) return true;
      return inner != null && !seen.includes(inner) && this.#makesAccounts(inner, [...seen, alias]);
    });
  }
}

// Providers that Gatehouse has a preset for. At the same server, a user has the same subject for Keycloak and for
// Gatehouse.

/** Provider of a preset, with its origin. `hasOwnServers`: the provider also exists as self-hosted server. */
const KNOWN: Record<string, { origin: string; hasOwnServers: boolean }> = {
  google: { origin: 'https://accounts.google.com', hasOwnServers: false },
  gitlab: { origin: 'https://gitlab.com', hasOwnServers: true },
  github: { origin: 'https://github.com', hasOwnServers: true },
};
const ADDRESSES = [
  ...['baseUrl', 'apiUrl', 'issuer', 'authorizationUrl', 'tokenUrl', 'userInfoUrl', 'jwksUrl'],
  ...['metadataDescriptorUrl', 'emailUrl'],
];
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

const isPresetKind = (kind: string): boolean => ownValue(KNOWN, kind) !== undefined;

/**
 * Returns the method for a preset. Returns null if the value is not decided, or is left out. The same id at
 * different servers belongs to different users.
 */
function presetMeant(config: Part, kind: string): Entry | null {
  const preset = ownValue(KNOWN, kind);
  if (!preset) return null;
  const [moved, ...others] = ADDRESSES.filter((key) => config.text(key) !== undefined);
  const server = moved === undefined ? preset.origin : serverOf(config, moved, preset);
  config.leaveOutAll(others, 'the preset has the addresses of its server');
  if (server === null) return null;
  const entry: Entry = { preset: kind, ...(server !== preset.origin && { base_url: server }) };
  if (kind !== 'google' || config.text('hostedDomain') === undefined) return entry;
  const hosts = hostsOf(config);
  return hosts === null ? null : { ...entry, domains: hosts };
}

function serverOf(
  config: Part,
  key: string,
  { origin, hasOwnServers }: { origin: string; hasOwnServers: boolean },
) {
  const choice = hasOwnServers ? `its origin, or ${origin}` : `${origin}, if this is the server`;
  const question = `may be another server, where people have other ids: choose ${choice}`;
  const isServer = (answer: unknown): answer is string =>
    typeof answer === 'string' &&
    (answer === origin ||
      (hasOwnServers && /^https:/.test(answer) && URL.canParse(answer) && new URL(answer).origin === answer));
  return config.decide(key, question, (answer) => (isServer(answer) ? answer : undefined)) ?? null;
}

/** Returns the domains of Google Workspace. Without domains, the method would admit every Google user. */
function hostsOf(config: Part): string[] | null {
  const listOf = (value: unknown) => {
    const texts = (Array.isArray(value) ? value : String(value).split(/[\s,]+/))
      .map(String)
      .filter((host) => host !== '');
    return texts.length > 0 && texts.every((text) => HOST.test(text)) ? texts : undefined;
  };
  const hosts = listOf(config.text('hostedDomain'));
  const question = 'list the Workspace domains that can sign in';
  return hosts ?? config.decide('hostedDomain', question, listOf) ?? null;
}

// The identity providers and directories of a realm become methods. The operator must write the settings of a
// directory by hand.

const OWN = ['internalId', 'updateProfileFirstLoginMode', 'storeToken', 'addReadTokenRoleOnCreate'];
const SIGN_IN_STEPS = ['authenticateByDefault', 'postBrokerLoginFlowAlias'];
const SAME_REGISTRATION =
  'keep the same registration at the provider, because its user ids depend on the application';

/** Imports the providers. Returns the methods, keyed by the alias of the provider. */
function readBrokers(about: Part, registry: Registry): Map<string, string> {
  const methods = new Map<string, string>();
  const firsts = new FirstSignIns(about);
  for (const broker of about.parts('identityProviders')) {
    const [alias = '', kind = ''] = [broker.text('alias'), broker.text('providerId')];
    const id = idOfName(alias);
    if (broker.flag('enabled') === false) broker.sayOfAll('left out', `${alias} is disabled`);
    else if (id === null || registry.auth_methods.some((method) => method['id'] === id))
      broker.sayOfAll('left out', `${alias} cannot be the id of a method`);
    else {
      const entry = entryOf(broker, kind, firsts);
      if (entry === null) continue;
      const name = broker.text('displayName') ?? alias;
      registry.auth_methods.push({ id, type: 'broker', name, ...entry });
      methods.set(alias, id);
    }
  }
  for (const mapper of about.parts('identityProviderMappers'))
    mapper.sayOfAll('left out', 'set claims of a method in its claim map');
  return methods;
}

function entryOf(broker: Part, kind: string, firsts: FirstSignIns): Entry | null {
  const config = broker.part('config');
  const isOpenId = kind === 'oidc' || kind === 'keycloak-oidc';
  const [issuer, client, secret] = [
    config.text('issuer'),
    config.text('clientId'),
    config.text('clientSecret'),
  ];
  const isKnown = isPresetKind(kind);
  if ((!isKnown && !isOpenId) || client === undefined) {
    broker.sayOfAll('left out', `write the method for ${kind} by hand (docs/how-to/brokers.md)`);
    return null;
  }
  broker.ignoreAll(OWN, 'used by Keycloak only');
  broker.leaveOutAll(SIGN_IN_STEPS, 'the API decides how people sign in');
  if (kind === 'facebook' || kind === 'linkedin' || kind === 'apple')
    config.say('changed', 'clientId', SAME_REGISTRATION);
  if (!firsts.agreesToAccounts(broker)) return null;
  const entry = isKnown ? presetMeant(config, kind) : null;
  if (isKnown && entry === null) return null;
  const ends = entry ?? (issuer === undefined ? endpointsOf(config) : { issuer });
  if (ends === null) {
    broker.sayOfAll('left out', 'it contains neither its issuer nor its addresses');
    return null;
  }
  const scopes = config
    .text('defaultScope')
    ?.split(/[\s,]+/)
    .filter((scope) => scope !== '');
  return {
    ...ends,
    ...(scopes && scopes.length > 0 && { scopes: isOpenId ? [...new Set(['openid', ...scopes])] : scopes }),
    client_id: client,
    ...(secret !== undefined && { client_secret: secret }),
    ...(broker.flag('trustEmail') === true && { trust_email: true }),
  };
}

function endpointsOf(config: Part): Entry | null {
  const ends = [config.text('authorizationUrl'), config.text('tokenUrl'), config.text('userInfoUrl')];
  if (ends.some((end) => end === undefined)) return null;
  const [authorization_endpoint, token_endpoint, userinfo_endpoint] = ends;
  return { authorization_endpoint, token_endpoint, userinfo_endpoint, subject_claim: 'sub', scopes: [] };
}

const DIRECTORIES = 'org.keycloak.storage.UserStorageProvider';

/** Returns the names of the methods, keyed by the id of the directory. */
function readDirectories(about: Part): Map<string, string> {
  const components = about.part('components');
  const methods = new Map<string, string>();
  for (const kind of components.keys()) {
    if (kind !== DIRECTORIES) {
      const isKey = kind.includes('.keys.');
      components.leaveOut(kind, isKey ? 'private keys are never read' : 'used by Keycloak only');
      continue;
    }
    for (const directory of components.parts(kind)) {
      const [id, name = ''] = [directory.text('id'), directory.text('name')];
      const method = idOfName(name);
      directory.sayOfAll(
        'left out',
        `write the method for the directory ${name} by hand with the id ${method}: identities of its people refer to this id`,
      );
      if (id !== undefined && method !== null) methods.set(id, method);
    }
  }
  return methods;
}

// Converts the clients of Keycloak. Redirect URIs with * are never imported; the operator must choose exact URIs.

type ApplicationType = 'web' | 'browser' | 'native';

const LEFT_OUT = {
  'used by Keycloak only': [
    ...[
      'id',
      'surrogateAuthRequired',
      'alwaysDisplayInConsole',
      'notBefore',
      'frontchannelLogout',
      'nodeReRegistrationTimeout',
    ],
    ...[
      'protocol',
      'access',
      'authorizationServicesEnabled',
      'authorizationSettings',
      'registeredNodes',
      'type',
    ],
  ],
  'every client requests the scopes that it needs': ['fullScopeAllowed'],
  'Gatehouse has no implicit grant': ['implicitFlowEnabled'],
  'the password grant requires a trusted subscription: decide whether to trust the client': [
    'directAccessGrantsEnabled',
  ],
  'people must consent, unless the subscription is trusted': ['consentRequired'],
  'the API decides how people sign in': ['authenticationFlowBindingOverrides', 'defaultRoles'],
  'Gatehouse does not show it': ['description', 'adminUrl'],
};

/** Converts a client. Returns null if the client is not imported. */
function keycloakClient(client: Part, apiIds: () => unknown[]): Entry | null {
  for (const [reason, keys] of Object.entries(LEFT_OUT)) client.leaveOutAll(keys, reason);
  const id = idOf(client, apiIds);
  if (id === null) return null;
  const isPublic = client.flag('publicClient') === true;
  const uris = client.texts('redirectUris');
  const type = !isPublic ? 'web' : uris.some((uri) => !/^https?:|^\/|^\*$/i.test(uri)) ? 'native' : 'browser';
  const name = client.text('name');
  const entry: Entry = { client_id: id, client_name: name && !/^\$\{/.test(name) ? name : id };
  if (isPublic) entry['application_type'] = type;
  else entry['confidential'] = true;
  if (isPublic)
    client.say('changed', 'publicClient', `becomes a ${type} client, because of its redirect addresses`);
  if (client.flag('enabled') === false) entry['disabled'] = true;
  const hasCode = client.flag('standardFlowEnabled') !== false;
  const addresses = client.part('redirectUris');
  entry['redirect_uris'] = hasCode ? addressesOf(addresses, client.text('rootUrl'), type) : [];
  if (!hasCode) {
    client.say(
      'changed',
      'standardFlowEnabled',
      'people did not sign in through this client: it gets no redirect addresses',
    );
    client.leaveOutAll(['redirectUris', 'rootUrl'], 'standardFlowEnabled is false');
  }
  readAuthentication(client, entry, isPublic);
  readOrigins(client, entry, type);
  readAttributes(client.part('attributes'), entry, type);
  client.leaveOut('baseUrl', 'Gatehouse does not show it');
  const all = ['redirect_uris', 'post_logout_redirect_uris'].flatMap((key) => (entry[key] as string[]) ?? []);
  if (!isPublic && all.some(isPrivateUse)) entry['private_use_schemes'] = true;
  return entry;
}

function idOf(client: Part, apiIds: () => unknown[]): string | null {
  const id = client.text('clientId');
  const isFree = (value: unknown): value is string =>
    clientId.safeParse(value).success && !apiIds().includes(value);
  if (isFree(id)) return id;
  return (
    client.decide('clientId', `${id} cannot be a client_id in Gatehouse: choose another`, (answer) =>
      isFree(answer) ? answer : undefined,
    ) ?? null
  );
}

function addressesOf(list: Part, root: string | undefined, type: ApplicationType): string[] {
  const addresses = list.keys().flatMap((at) => {
    const uri = list.text(at) ?? '';
    const whole = uri.startsWith('/') && root ? `${root.replace(/\/$/, '')}${uri}` : uri;
    const fault = redirectUriFault(whole, type, true);
    if (fault === null && whole !== uri) list.say('changed', at, `is ${whole}`);
    if (fault === null) return [whole];
    return (
      list.decide(at, `${uri} ${fault.message}: list the exact addresses`, (answer) =>
        exactUris(answer, type),
      ) ?? []
    );
  });
  return [...new Set(addresses)];
}

/** Parses the operator's choice: a single URI or a list. */
function exactUris(answer: unknown, type: ApplicationType): string[] | undefined {
  const all: unknown[] = Array.isArray(answer) ? answer : [answer];
  const texts = all.filter(
    (uri): uri is string => typeof uri === 'string' && redirectUriFault(uri, type, true) === null,
  );
  return texts.length === all.length && texts.length > 0 ? texts : undefined;
}

function readAuthentication(client: Part, entry: Entry, isPublic: boolean): void {
  const by = client.text('clientAuthenticatorType') ?? 'client-secret';
  const secret = client.text('secret');
  const attributes = client.part('attributes');
  const keys = attributes.text('jwks.url');
  if (isPublic) client.leaveOutAll(['secret', 'clientAuthenticatorType'], 'a public client has none');
  else if (by === 'client-jwt' && keys !== undefined) {
    entry['token_endpoint_auth_method'] = 'private_key_jwt';
    entry['jwks_uri'] = keys;
    client.leaveOut('secret', 'it authenticates with keys');
  } else if (by !== 'client-secret') {
    client.leaveOut(
      'clientAuthenticatorType',
      `${by} is not supported: set a secret or the keys of the client`,
    );
    client.leaveOut('secret', `it authenticated with ${by}`);
  } else if (secret !== undefined) {
    if (secretText.safeParse(secret).success) entry['client_secret'] = secret;
    else client.leaveOut('secret', 'cannot be a secret in Gatehouse: create a new one');
  }
}

function readOrigins(client: Part, entry: Entry, type: ApplicationType): void {
  const list = client.part('webOrigins');
  const origins = list.keys().flatMap((at) => {
    const origin = list.text(at) ?? '';
    if (origin === '+') list.leaveOut(at, 'the origins of the redirect addresses are always allowed');
    else if (type !== 'browser') list.leaveOut(at, 'only a browser client has origins');
    else if (originFault(origin) === null) return [origin];
    else list.leaveOut(at, `${origin} ${originFault(origin)?.message}`);
    return [];
  });
  if (origins.length > 0) entry['allowed_origins'] = origins;
}

function readAttributes(attributes: Part, entry: Entry, type: ApplicationType): void {
  const afterwards = attributes.text('post.logout.redirect.uris')?.split('##') ?? [];
  const uris = afterwards.flatMap((uri) => (uri === '+' ? (entry['redirect_uris'] as string[]) : [uri]));
  const exact = uris.filter((uri) => uri !== '-' && redirectUriFault(uri, type, true) === null);
  if (exact.length < uris.length)
    attributes.say('changed', 'post.logout.redirect.uris', 'only exact addresses are imported');
  if (exact.length > 0) entry['post_logout_redirect_uris'] = [...new Set(exact)];
  const logout = attributes.text('backchannel.logout.url');
  if (logout !== undefined && URL.canParse(logout) && /^https:/i.test(logout))
    entry['backchannel_logout_uri'] = logout;
  else attributes.leaveOut('backchannel.logout.url', 'must be https');
  for (const [key, theirs] of [
    ['logo_uri', 'logoUri'],
    ['tos_uri', 'tosUri'],
    ['policy_uri', 'policyUri'],
  ] as const) {
    const address = attributes.text(theirs);
    if (address !== undefined && /^https?:\/\/\S+$/.test(address) && URL.canParse(address))
      entry[key] = address;
    else attributes.leaveOut(theirs, 'is not an address');
  }
  if (attributes.text('require.pushed.authorization.requests') === 'true')
    entry['require_pushed_authorization_requests'] = true;
}

// The former issuer of the realm. Only one API with one method can continue it.

function readFormerIssuer(about: Part, registry: Registry, notes: Notes): void {
  const until = formerUntil(notes);
  if (until === null) return;
  const host = formerHost(notes, about.part('attributes').text('frontendUrl'));
  const ids = registry.apis.map(({ id }) => String(id));
  const api = oneOf(notes, 'former_issuers.api', 'choose the API for the address of the realm', ids);
  const entry = registry.apis.find(({ id }) => id === api);
  if (host === null || entry === undefined) return;
  const methods = entry['auth_methods'] as string[];
  const question = 'choose the sign-in method for the address of the realm';
  const method = oneOf(notes, 'former_issuers.auth_method', question, methods);
  const name = about.text('realm') ?? '';
  if (method !== undefined)
    addFormerIssuer(
      notes,
      entry,
      { issuer: `${host}/realms/${name}`, auth_method: method, layout: 'keycloak' },
      until,
    );
}

type Subscriptions = Map<string, { clientId: string; api: string; scopes: readonly string[] }[]>;

export async function convertKeycloak({ files, notes, registry, take }: Conversion): Promise<void> {
  const { about, people } = await readExport(files, notes);
  about.ignoreAll(['id'], 'used by Keycloak only');
  about.leaveOut('registrationAllowed', 'set registration of the method local');
  const name = about.text('displayName') ?? about.text('realm') ?? '';
  registry.auth_methods.push({ id: 'local', type: 'local', ...(name !== '' && { name }) });
  const methods = readBrokers(about, registry);
  const directories = readDirectories(about);
  const groups = new GroupNames(about, registry);
  const subscriptions = readClients(about, groups, registry);
  for (const client of about.parts('clients')) noteMappers(client);
  readFormerIssuer(about, registry, notes);
  about.note();
  for await (const person of people()) {
    const line = personOf(person, { groups, methods, directories, subscriptions });
    if (line === null) person.note();
    else await take(person, line);
  }
}

function readClients(about: Part, groups: GroupNames, registry: Registry): Subscriptions {
  const clientsById = new Map<string, Part>();
  for (const client of about.parts('clients')) {
    const id = client.text('clientId') ?? '';
    if (BUILT_IN_CLIENTS.has(id)) client.sayOfAll('left out', 'a client of Keycloak itself');
    else if (client.text('protocol') === 'saml')
      client.sayOfAll('left out', 'Gatehouse does not support SAML');
    else clientsById.set(id, client);
  }
  const audiences = new Audiences(about, clientsById, groups, registry);
  const callers = [...clientsById].filter(([, client]) => !client.flag('bearerOnly'));
  const apisOf = new Map(callers.map(([id, client]) => [id, audiences.of(client)]));
  const rest = [...apisOf.values()].some((apis) => apis.length === 0) ? audiences.rest(about) : null;
  const subscriptions: Subscriptions = new Map();
  for (const [id, client] of callers) {
    const entry = keycloakClient(client, () => registry.apis.map((api) => api['id']));
    if (entry === null) continue;
    registry.clients.push(entry);
    const named = apisOf.get(id) ?? [];
    const apis = named.length > 0 || rest === null ? named : [{ api: rest, scopes: [] }];
    const clientSubscriptions = apis.flatMap(({ api, scopes }) => {
      const ceiling = ceilingOf(client, api, scopes, audiences);
      return ceiling === null ? [] : [{ clientId: String(entry['client_id']), api, scopes: ceiling }];
    });
    const isMachine = client.flag('serviceAccountsEnabled') === true && entry['confidential'] === true;
    if (isMachine)
      client.say('changed', 'serviceAccountsEnabled', 'becomes a machine when its subscription is approved');
    for (const { clientId, api, scopes } of clientSubscriptions)
      registry.subscriptions.push({
        client_id: clientId,
        api,
        ...(scopes.length > 0 && { scopes }),
        ...(isMachine && { machine: true }),
      });
    subscriptions.set(id, clientSubscriptions);
  }
  return subscriptions;
}

/**
 * Returns the permitted scopes. A subscription without scopes permits all, so the operator must decide about a client
 * without scopes.
 */
function ceilingOf(client: Part, api: string, scopes: string[], audiences: Audiences): string[] | null {
  if (scopes.length > 0 || !audiences.hasScopes(api)) return scopes;
  const question = `the client has no scope of ${api}, but a subscription without scopes has all of them: list its scopes`;
  return (
    client.decide('defaultClientScopes', question, (answer) =>
      Array.isArray(answer) && answer.length > 0 ? answer.map(String) : undefined,
    ) ?? null
  );
}

/** Reports the mappers of a bearer-only client that the import has not used. */
function noteMappers(client: Part): void {
  if (!client.flag('bearerOnly')) return;
  client.leaveOutAll(['redirectUris', 'webOrigins', 'protocolMappers'], 'an API has none');
}
