// Converts the configuration of wicked and its PostgreSQL data: APIs, applications and sign-in methods become a
// configuration file.

import { createDecipheriv, hash } from 'node:crypto';
import { apiScopeName } from '../../../lib/catalogue/apis/definition.ts';
import { isPrivateUse, redirectUriFault } from '../../../lib/catalogue/clients/definition.ts';
import { linesOf, SourceFault, type SourceFile } from '../../../lib/kit/source-file.ts';
import { ownValue } from '../../../lib/kit/wire.ts';
import { clientId, secretText } from '../../../lib/registry/values.ts';
import { type Notes, Part } from './notes.ts';
import { addFormerIssuer, formerHost, formerUntil, idOfName, type Registry } from './output.ts';
import { valueOfLine, wholeText } from './source.ts';

// Rows of wicked's PostgreSQL database (schema `wicked`), one per line. A few values have a column; `data` contains
// all others.

type Values = Readonly<Record<string, unknown>>;

/** Columns whose name differs from the member in the JSON file. All other columns have the name of the member. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  users: { custom_id: 'customId' },
  subscriptions: { applications_id: 'application', plan_id: 'plan', api_id: 'api', client_id: 'clientId' },
  grants: { users_id: 'userId', api_id: 'apiId', application_id: 'applicationId' },
  registrations: { users_id: 'userId', pool_id: 'poolId' },
};

const isRows = ({ name }: SourceFile): boolean => name.endsWith('.jsonl');

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/**
 * Converts a row to the form of the JSON file; the rows of subscriptions become a list. A value that is not a row
 * stays unchanged.
 */
function ofRow(kind: string, row: unknown): { name: string; value: unknown } {
  if (!isValues(row)) return { name: '', value: row };
  const { data, ...columns } = row;
  const names = ownValue(NAMES, kind) ?? {};
  const entries = Object.entries(columns)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => [ownValue(names, column) ?? column, value]);
  const value = {
    ...(isValues(data) ? data : data === undefined || data === null ? {} : { data }),
    ...Object.fromEntries(entries),
  };
  return { name: String(columns['id'] ?? ''), value: kind === 'subscriptions' ? [value] : value };
}

// Values that wicked encrypted: AES-256-CTR with 40 characters of noise first, key and IV from a password by
// EVP_BytesToKey (MD5, no salt, one round), like `openssl enc -aes-256-ctr -md md5 -nosalt`.

const NOISE = 40;

/** Decrypts a secret. Returns null if another key encrypted it. */
function decryptSecret(hex: string, password: string): string | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex)) return null;
  const derived = [0, 1, 2].reduce<Buffer[]>((blocks) => {
    const before = blocks.at(-1) ?? Buffer.alloc(0);
    return [...blocks, hash('md5', Buffer.concat([before, Buffer.from(password, 'utf8')]), 'buffer')];
  }, []);
  const bytes = Buffer.concat(derived);
  const decipher = createDecipheriv('aes-256-ctr', bytes.subarray(0, 32), bytes.subarray(32, 48));
  const plain = Buffer.concat([decipher.update(Buffer.from(hex, 'hex')), decipher.final()]);
  const text = plain.toString('utf8');
  return Buffer.from(text, 'utf8').equals(plain) && /^[0-9a-f]{40}/i.test(text) ? text.slice(NOISE) : null;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Kind =
  | 'globals'
  | 'apis'
  | 'groups'
  | 'auth-servers'
  | 'api-config'
  | 'users'
  | 'applications'
  | 'subscriptions'
  | 'grants'
  | 'registrations'
  | 'oauth2_credentials'
  | 'oauth2_tokens';

/**
 * The files in the data folder come first, because an application can have the name `globals` and an API the name
 * `users`.
 */
const KINDS: [RegExp, Kind | 'env' | 'no'][] = [
  [
    /(?:^|\/)(?<!(?:^|\/)apis\/)(?:users|applications|subscriptions|grants|registrations)\/(?:.*\/)?_index\.json$/,
    'no',
  ],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)users\/(?:.*\/)?([^/]+)\.json$/, 'users'],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)applications\/(?:.*\/)?([^/]+)\.json$/, 'applications'],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)subscriptions\/(?:.*\/)?([^/]+)\.json$/, 'subscriptions'],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)grants\/(?:.*\/)?([^/]+)\.json$/, 'grants'],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)registrations\/(?:.*\/)?([^/]+)\.json$/, 'registrations'],
  // exported rows of wicked's database
  [/(?:^|\/)(users)\.jsonl$/, 'users'],
  [/(?:^|\/)(applications)\.jsonl$/, 'applications'],
  [/(?:^|\/)(subscriptions)\.jsonl$/, 'subscriptions'],
  [/(?:^|\/)(grants)\.jsonl$/, 'grants'],
  [/(?:^|\/)(registrations)\.jsonl$/, 'registrations'],
  // exported tables of Kong, the gateway of wicked
  [/(?:^|\/)(oauth2_credentials)\.jsonl$/, 'oauth2_credentials'],
  [/(?:^|\/)(oauth2_tokens)\.jsonl$/, 'oauth2_tokens'],
  [/(?:^|\/)env\/([^/]+)\.json$/, 'env'],
  [/(?:^|\/)globals\.json$/, 'globals'],
  [/(?:^|\/)apis\/apis\.json$/, 'apis'],
  [/(?:^|\/)apis\/([^/]+)\/config\.json$/, 'api-config'],
  [/(?:^|\/)groups\/groups\.json$/, 'groups'],
  [/(?:^|\/)auth-servers\/([^/]+)\.json$/, 'auth-servers'],
];

/** Files that the operator wrote. */
const STATIC: ReadonlySet<Kind> = new Set(['globals', 'apis', 'groups', 'auth-servers', 'api-config']);

export class WickedFiles {
  readonly #notes: Notes;
  readonly #env: Environment;
  readonly #files: { kind: Kind; name: string; file: SourceFile }[] = [];
  /** variables of the files, with the most specific file first */
  readonly #variables: Part[] = [];
  readonly #tried = new Map<string, string | null>();

  constructor(notes: Notes, env: Environment) {
    this.#notes = notes;
    this.#env = env;
  }

  async sort(files: readonly SourceFile[]): Promise<void> {
    const environments = new Map<string, SourceFile>();
    for (const file of files) {
      const [kind, name] = kindOf(file.name);
      if (kind === 'env') environments.set(name, file);
      else if (kind === 'no') this.#notes.add('left out', file.name, 'is only an index');
      else if (kind === null) this.#notes.add('not looked at', file.name, '');
      else this.#files.push({ kind, name, file });
    }
    await this.#readEnvironments(environments);
  }

  has(kind: Kind): boolean {
    return this.#files.some((entry) => entry.kind === kind);
  }

  async *of(kind: Kind): AsyncGenerator<{ name: string; part: Part }> {
    let at = 0;
    for (const { name, file } of this.#files.filter((entry) => entry.kind === kind)) {
      for await (const { name: row, value } of isRows(file)
        ? this.#rows(kind, file)
        : this.#whole(kind, name, file)) {
        yield { name: row, part: new Part(value, this.#path(kind, name, at), this.#notes) };
        at += 1;
      }
    }
  }

  async *#whole(kind: Kind, name: string, file: SourceFile) {
    const content = await jsonOf(file);
    yield { name, value: STATIC.has(kind) ? this.#resolved(content) : content };
  }

  async *#rows(kind: Kind, file: SourceFile) {
    for await (const line of linesOf(file)) yield ofRow(kind, valueOfLine(file, line));
  }

  /** Returns the part of this kind; it is empty if the file is missing. */
  async one(kind: Kind): Promise<Part> {
    for await (const { part } of this.of(kind)) return part;
    return new Part({}, '', this.#notes);
  }

  /**
   * Decrypts the secret of a subscription, if it starts with `!`. The rest of the text consists of hexadecimal
   * digits.
   */
  secret(text: string): string | null {
    if (!text.startsWith('!')) return text;
    const key = this.#variable('PORTAL_API_AESKEY');
    return key === null ? null : decryptSecret(text.slice(1), key);
  }

  note(): void {
    for (const part of this.#variables) part.note();
  }

  #path(kind: Kind, name: string, at: number): string {
    if (kind === 'apis' || kind === 'groups') return '';
    if (kind === 'globals') return kind;
    return kind === 'auth-servers' || kind === 'api-config' ? `${kind}.${name}` : `${kind}[${at}]`;
  }

  async #readEnvironments(files: ReadonlyMap<string, SourceFile>): Promise<void> {
    const others = [...files.keys()].filter((name) => name !== 'default');
    const chosen =
      others.length === 0
        ? null
        : this.#notes.decide(
            'env',
            `choose the environment to use in addition to default: ${others.join(', ')}`,
            (answer) => others.find((name) => name === answer),
          );
    for (const name of [chosen, 'default']) {
      const file = name == null ? undefined : files.get(name);
      if (file) this.#variables.push(new Part(await jsonOf(file), `env.${name}`, this.#notes));
    }
    for (const name of others)
      if (name !== chosen) this.#notes.add('left out', `env.${name}`, 'another environment');
  }

  #resolved(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value, 0);
    if (Array.isArray(value)) return value.map((item) => this.#resolved(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#resolved(one)]));
  }

  #text(text: string, depth: number): string {
    if (depth > 10 || !text.includes('$')) return text;
    const whole = /^\$([A-Za-z_]\w*)$/.exec(text)?.[1];
    const replaced =
      whole === undefined
        ? text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (raw, name: string) => this.#variable(name) ?? raw)
        : (this.#variable(whole) ?? text);
    return replaced === text ? text : this.#text(replaced, depth + 1);
  }

  /**
   * Reads a variable from the files, or a variable of wicked from this process. Variables of Gatehouse are never
   * read. `null`: the variable is missing or cannot be decrypted.
   */
  #variable(name: string): string | null {
    const cachedValue = this.#tried.get(name);
    if (cachedValue !== undefined) return cachedValue;
    this.#tried.set(name, null);
    const holder = this.#variables.find((part) => part.has(name));
    const entry = holder?.part(name);
    const value = entry?.text('value');
    const isSealed = entry?.flag('encrypted') === true;
    const ofProcess = name.startsWith('PORTAL_') ? this.#env[name] : undefined;
    const plainValue = value === undefined ? (ofProcess ?? null) : isSealed ? this.#open(name, value) : value;
    this.#tried.set(name, plainValue);
    return plainValue;
  }

  #open(name: string, value: string): string | null {
    const key = this.#env['PORTAL_CONFIG_KEY'];
    const plaintext = key === undefined ? null : decryptSecret(value, key);
    if (plaintext === null) {
      const because =
        key === undefined
          ? 'is encrypted: set PORTAL_CONFIG_KEY in the environment'
          : 'is encrypted with another PORTAL_CONFIG_KEY';
      this.#notes.decide(`env.${name}`, because, () => undefined);
    }
    return plaintext;
  }
}

function kindOf(file: string): [Kind | 'env' | 'no' | null, string] {
  for (const [pattern, kind] of KINDS) {
    const match = pattern.exec(file);
    if (match) return [kind, match[1] ?? ''];
  }
  return [null, ''];
}

async function jsonOf(file: SourceFile): Promise<unknown> {
  try {
    return JSON.parse(await wholeText(file));
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    throw new SourceFault(`${file.name}: is not JSON`);
  }
}

// Sign-in methods of wicked's authorization servers. For known providers, users have the same subject in wicked and
// in Gatehouse.

/** A sign-in method. `path`: path of the authorization server, such as /auth. */
type Method = { id: string; groupField: string | null; path: string | null };
/** Methods, keyed by `server:method`, the form in which APIs name a method. */
export type Methods = Map<string, Method>;

/** Returns the methods with this name, which comes from the `customId` of a user. Each server has at most one. */
export const methodsCalled = (methods: Methods, name: string): Method[] =>
  [...methods].flatMap(([key, method]) => (key.slice(key.indexOf(':') + 1) === name ? [method] : []));

const OF_OAUTH = [
  'errorLink',
  'errorLinkDescription',
  'doesNotSupportPrompt',
  'forwardState',
  'firstNameField',
  'lastNameField',
];

export async function readMethods(files: WickedFiles, registry: Registry): Promise<Methods> {
  const methods: Methods = new Map();
  for await (const { name: server, part } of files.of('auth-servers')) {
    const uri = part.part('config').part('api').part('uris').text('0');
    const path = uri === undefined ? null : uri.replace(/\/$/, '');
    part.ignoreAll(['id', 'name', 'desc', 'config'], 'used by its gateway only');
    for (const method of part.parts('authMethods')) {
      const name = method.text('name') ?? '';
      const newMethod = methodOf(method, name, server, registry);
      if (newMethod === null) continue;
      registry.auth_methods.push(newMethod.entry);
      methods.set(`${server}:${name}`, {
        ...{ id: String(newMethod.entry['id']), groupField: newMethod.groupField },
        path,
      });
    }
    part.note();
  }
  return methods;
}

function methodOf(method: Part, name: string, server: string, registry: Registry) {
  const taken = registry.auth_methods.map((entry) => entry['id']);
  const id = [name, `${server}-${name}`]
    .map(idOfName)
    .find((candidate) => candidate !== null && !taken.includes(candidate));
  const type = method.text('type') ?? name;
  if (method.flag('enabled') === false) method.sayOfAll('left out', `${name} is disabled`);
  else if (id == null) method.sayOfAll('left out', `${name} cannot be the id of a method`);
  else {
    const config = method.part('config');
    const settings = settingsOf(method, config, type);
    if (settings !== null) {
      method.leaveOutAll(['friendlyLong', 'protected'], 'Gatehouse does not show it');
      if (settings['type'] === 'broker')
        method.say('changed', 'name', `register /auth/callback/${id} at the provider before the migration`);
      return {
        entry: { id, name: method.text('friendlyShort') ?? name, ...settings },
        groupField: config.text('groupField') ?? null,
      };
    }
  }
  return null;
}

/** Returns the settings of the method; null if the method is not imported. */
function settingsOf(method: Part, config: Part, type: string): Entry | null {
  if (type === 'local') {
    config.leaveOutAll(['disableSignup', 'trustUsers'], 'set registration of the method');
    return { type: 'local' };
  }
  if (type === 'external') {
    const verify = config.text('validateUserPassUrl');
    config.leaveOutAll(
      ['allowRefreshUrl', 'forgotPasswordUrl', 'usernamePrompt', 'passwordPrompt'],
      'Gatehouse does not use it',
    );
    if (verify !== undefined && /^https:\/\//.test(verify)) return { type: 'external', verify_url: verify };
    const chosen = config.decide('validateUserPassUrl', 'must be an https address', (answer) =>
      typeof answer === 'string' && /^https:\/\/\S+$/.test(answer) ? answer : undefined,
    );
    return chosen == null ? null : { type: 'external', verify_url: chosen };
  }
  const isX = type === 'twitter';
  const [client, secret] = isX ? registeredAtX(config) : [config.text('clientId'), methodSecret(config)];
  const isOpen = isX && (client === undefined || secret === undefined);
  const entry = isOpen ? undefined : client === undefined ? null : endsOf(config, type);
  if (entry === null) {
    method.sayOfAll('left out', `write the method for ${type} by hand (docs/how-to/brokers.md)`);
    return null;
  }
  return entry === undefined
    ? null
    : {
        type: 'broker',
        ...entry,
        client_id: client,
        ...(secret !== undefined && { client_secret: secret }),
        ...(config.flag('trustUsers') === true && { trust_email: true }),
      };
}

/**
 * Returns the credentials of a new registration at X, which the operator enters: wicked used OAuth 1.0a, so its keys
 * cannot be used. The ids of users stay the same.
 */
function registeredAtX(config: Part): (string | undefined)[] {
  return Object.entries({ consumerKey: 'client id', consumerSecret: 'client secret' }).map(([key, what]) => {
    const question = `X requires a new registration for OAuth 2.0: enter its ${what}`;
    const read = (answer: unknown) => (typeof answer === 'string' && answer !== '' ? answer : undefined);
    return config.decide(key, question, read) ?? undefined;
  });
}

/**
 * Returns the secret of a method. If it names a variable that is not defined, the operator must enter it; until then
 * undefined.
 */
function methodSecret(config: Part): string | undefined {
  const secret = config.text('clientSecret');
  if (secret === undefined || !/^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})$/.test(secret)) return secret;
  const question = `${secret} is neither in a file of env nor a PORTAL_ variable of the environment: enter its value`;
  return (
    config.decide('clientSecret', question, (answer) =>
      typeof answer === 'string' && answer !== '' ? answer : undefined,
    ) ?? undefined
  );
}

/**
 * Returns the endpoints of a method; undefined if the operator has not chosen yet, and null if the type is unknown.
 */
function endsOf(config: Part, type: string): Entry | null | undefined {
  if (type === 'google' || type === 'github' || type === 'facebook') return { preset: type };
  if (type === 'twitter') return { preset: 'x' };
  if (type !== 'oauth2' && type !== 'adfs') return null;
  config.leaveOutAll(OF_OAUTH, 'Gatehouse does not use it');
  config.leaveOutAll(
    ['certificate', 'publicCert', 'resource'],
    'Gatehouse does not read tokens of the provider',
  );
  const subject = config.text('customIdField') ?? 'upn';
  const ends = config.part('endpoints');
  const scopes = ends.text('authorizeScope')?.split(/[\s,]+/) ?? [];
  const [authorize, token, profile] = ['authorizeEndpoint', 'tokenEndpoint', 'profileEndpoint'].map((key) =>
    ends.text(key),
  );
  if (type === 'oauth2' && config.flag('retrieveProfile') === true && authorize && token && profile)
    return {
      authorization_endpoint: authorize,
      token_endpoint: token,
      userinfo_endpoint: profile,
      subject_claim: subject,
      scopes,
    };
  const server = type === 'adfs' ? adfsServerOf([authorize, token]) : null;
  if (server !== null) {
    config.say('changed', 'endpoints', 'AD FS of Windows Server 2016 or later is used with OpenID Connect');
    ends.leaveOut('authorizeScope', 'the preset requests openid, email and profile');
    return { preset: 'adfs', base_url: server, subject_claim: subject };
  }
  const issuer = config.decide(
    'retrieveProfile',
    'the profile was read from the access token, which Gatehouse does not do: enter its OpenID Connect issuer',
    (answer) => (typeof answer === 'string' && /^https:\/\/\S+$/.test(answer) ? answer : undefined),
  );
  return issuer == null ? undefined : { issuer, subject_claim: subject };
}

/** Returns the origin of the AD FS server that these addresses share. `null`: not AD FS, or several servers. */
function adfsServerOf(addresses: readonly (string | undefined)[]): string | null {
  const origins = addresses.map((address) =>
    address !== undefined && /^https:\/\/[^/]+\/adfs\//.test(address)
      ? URL.parse(address)?.origin
      : undefined,
  );
  const [origin = null, ...others] = [...new Set(origins)];
  return others.length === 0 ? origin : null;
}

// The APIs of wicked that use OAuth, and the groups of wicked.

type Entry = Record<string, unknown>;
type Role = 'administrator' | 'approver';
/** Groups, keyed by their id in wicked: the group in Gatehouse, and the console role that the group grants. */
export type Groups = Map<string, { id: string; role: Role | null }>;
export type Apis = Map<string, { entry: Entry; machines: boolean }>;

const RESERVED = ['administrator', 'approver', 'developer'];

export async function readGroups(files: WickedFiles, methods: Methods, registry: Registry): Promise<Groups> {
  const groups: Groups = new Map();
  const part = await files.one('groups');
  for (const group of part.parts('groups')) {
    const name = group.text('id') ?? '';
    const plain = idOfName(name) ?? 'group';
    const id = RESERVED.includes(plain) ? `${plain}-group` : plain;
    if (id !== name) group.say('changed', 'id', `becomes the group ${id}`);
    const values = group.texts('alt_ids');
    const from = [...new Set(methods.values())].flatMap(({ id: auth_method, groupField }) =>
      groupField !== null && values.length > 0 ? [{ auth_method, claim: groupField, values }] : [],
    );
    registry.groups.push({ id, name: group.text('name') ?? id, ...(from.length > 0 && { from }) });
    const [isAdmin, isApprover] = [group.flag('adminGroup'), group.flag('approverGroup')];
    groups.set(name, { id, role: isAdmin ? 'administrator' : isApprover ? 'approver' : null });
  }
  part.note();
  return groups;
}

export async function readApis(
  files: WickedFiles,
  methods: Methods,
  groups: Groups,
  registry: Registry,
): Promise<Apis> {
  const globals = await files.one('globals');
  globals.leaveOut('initialUsers', 'accounts of the first start, with passwords in clear text');
  const network = globals.part('network');
  const origin = `${network.text('schema') ?? 'https'}://${network.text('apiHost') ?? ''}`;
  globals.note();
  const addresses = new Map<string, string>();
  for await (const { name, part } of files.of('api-config')) {
    const api = part.part('api');
    const uri = api.part('uris').text('0');
    const address = `${origin}${uri ?? ''}`;
    if (uri !== undefined && isAddress(address)) addresses.set(name, address);
    api.ignoreAll(
      [
        'upstream_url',
        'name',
        'strip_uri',
        'preserve_host',
        'id',
        'host',
        'https_only',
        'http_if_terminated',
      ],
      'used by its gateway only',
    );
    part.leaveOut('plugins', 'plug-ins of Kong are not imported');
    part.note();
  }
  const apis: Apis = new Map();
  const part = await files.one('apis');
  for (const api of part.parts('apis')) {
    const newApi = apiOf(api, addresses, methods, groups);
    if (newApi === null) continue;
    registry.apis.push(newApi.entry);
    apis.set(api.text('id') ?? '', newApi);
  }
  part.leaveOut('_links', 'used by the API of wicked only');
  part.note();
  return apis;
}

function apiOf(api: Part, addresses: ReadonlyMap<string, string>, methods: Methods, groups: Groups) {
  const [name = '', kind = 'none'] = [api.text('id'), api.text('auth')];
  const id = idOfName(name);
  if (!kind.startsWith('oauth2') || id === null) {
    api.sayOfAll(
      'left out',
      id === null ? `${name} cannot be the id of an API` : `${kind}: an API without OAuth`,
    );
    return null;
  }
  const url =
    addresses.get(name) ??
    api.decide('id', `${name}: choose its https address, the aud of its tokens`, (answer) =>
      isAddress(answer) ? answer : undefined,
    );
  if (url == null) return null;
  const settings = api.part('settings');
  const entry: Entry = {
    id,
    name: api.text('name') ?? name,
    url,
    auth_methods: methodsOf(api, methods),
    scopes: scopesOf(settings),
  };
  const about = api.text('desc');
  if (about !== undefined) entry['description'] = about.slice(0, 2000);
  for (const [ours, theirs] of [
    ['access_token_ttl', 'token_expiration'],
    ['refresh_token_ttl', 'refresh_token_ttl'],
  ] as const) {
    const seconds = settings.number(theirs);
    if (seconds !== undefined && Number.isInteger(seconds) && seconds > 0) entry[ours] = seconds;
  }
  if (settings.flag('mandatory_scope') === true) entry['require_scope'] = true;
  const group = api.text('requiredGroup');
  if (group !== undefined) entry['groups'] = [groups.get(group)?.id ?? idOfName(group) ?? group];
  settings.leaveOut('enable_implicit_grant', 'Gatehouse has no implicit grant');
  settings.leaveOut('enable_password_grant', 'the password grant requires a trusted subscription');
  settings.ignoreAll(
    ['enable_authorization_code', 'accept_http_if_terminated', 'internal', 'tags', 'plans'],
    'used by wicked only',
  );
  api.leaveOutAll(
    ['tags', 'bundle', 'hide_credentials', 'deprecated', 'partner'],
    'Gatehouse does not show it',
  );
  api.leaveOut('plans', 'plans and their Kong plug-ins are not imported');
  api.leaveOut('registrationPool', 'the registration pool is not imported');
  api.leaveOutAll(
    ['passthroughUsers', 'passthroughScopeUrl'],
    'in Gatehouse another service cannot decide about scopes',
  );
  return { entry, machines: settings.flag('enable_client_credentials') === true };
}

function methodsOf(api: Part, methods: Methods): string[] {
  const list = api.part('authMethods');
  const methodIds = list.keys().flatMap((at) => {
    const named = list.text(at) ?? '';
    const [method, another] = methodsCalled(methods, named.replace(/^.*:/, ''));
    const meant = methods.get(named) ?? (another ? undefined : method);
    if (meant) return [meant.id];
    list.leaveOut(at, `${named} is not a method in Gatehouse`);
    return [];
  });
  return [...new Set(methodIds)];
}

function scopesOf(settings: Part): Entry[] {
  const scopes = settings.part('scopes');
  return scopes.keys().flatMap((name) => {
    const description = scopes.part(name).text('description') ?? name;
    if (apiScopeName.safeParse(name).success)
      return [{ name, description: description.replaceAll(/\s+/g, ' ') }];
    scopes.leaveOut(name, 'is not a valid scope in Gatehouse');
    return [];
  });
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[^\s#@$/][^\s#@$]*$/i.test(value) && URL.canParse(value);
}

// Creates one client for each OAuth subscription of an application, because in wicked each subscription had its own
// id and secret.

type ApplicationType = 'web' | 'browser' | 'native';
/** Data of an application in wicked that all of its clients in Gatehouse share. */
type About = { name: string; type: ApplicationType; uris: string[] };
/** Clients, keyed by `application api`: the id of the client, and its API. */
export type Clients = Map<string, { clientId: string; api: string }>;

export async function readClients(files: WickedFiles, apis: Apis, registry: Registry): Promise<Clients> {
  const abouts = new Map<string, About>();
  for await (const { name, part } of files.of('applications')) {
    abouts.set(part.text('id') ?? name, aboutOf(part, name));
    part.note();
  }
  const clients: Clients = new Map();
  for await (const { part } of files.of('subscriptions')) {
    for (const at of part.keys()) {
      const subscription = part.part(at);
      const [owner = '', api = ''] = [subscription.text('application'), subscription.text('api')];
      const registration = clientIn(subscription, abouts.get(owner), apis.get(api)?.entry['id'], files);
      if (registration === null) continue;
      const isMachine = apis.get(api)?.machines === true && registration.client['confidential'] === true;
      registry.clients.push(registration.client);
      registry.subscriptions.push({ ...registration.subscription, ...(isMachine && { machine: true }) });
      clients.set(`${owner} ${api}`, {
        clientId: String(registration.client['client_id']),
        api: String(registration.subscription['api']),
      });
    }
    part.note();
  }
  return clients;
}

function aboutOf(part: Part, id: string): About {
  const kind =
    part.text('clientType') ?? (part.flag('confidential') === true ? 'confidential' : 'public_spa');
  const type = kind === 'confidential' ? 'web' : kind === 'public_native' ? 'native' : 'browser';
  part.flag('confidential');
  part.leaveOutAll(['ownerList', '_links', 'description', 'mainUrl'], 'set an owner in the console');
  const list = part.part('redirectUris');
  const single = part.text('redirectUri');
  const uris = list.keys().flatMap((at) => exact(list, at, type));
  if (single !== undefined && !uris.includes(single)) uris.push(...exact(part, 'redirectUri', type));
  return { name: part.text('name') ?? id, type, uris };
}

function exact(part: Part, key: string, type: ApplicationType): string[] {
  const uri = part.text(key);
  if (uri === undefined) return [];
  const fault = redirectUriFault(uri, type, true);
  if (fault === null) return [uri];
  const isExact = (value: unknown): value is string =>
    typeof value === 'string' && redirectUriFault(value, type, true) === null;
  const chosen = part.decide(key, `${uri} ${fault.message}: list the exact addresses`, (answer) => {
    const all: unknown[] = Array.isArray(answer) ? answer : [answer];
    const good = all.filter(isExact);
    return good.length > 0 && good.length === all.length ? good : undefined;
  });
  return chosen ?? [];
}

function clientIn(subscription: Part, about: About | undefined, api: unknown, files: WickedFiles) {
  const id = subscription.text('clientId');
  const kind = subscription.text('auth');
  if (kind !== 'oauth2' || typeof api !== 'string') {
    subscription.sayOfAll('left out', kind === 'oauth2' ? 'its API is not imported' : `${kind}: not OAuth`);
    return null;
  }
  if (!about || !clientId.safeParse(id).success) {
    subscription.sayOfAll(
      'left out',
      about ? 'it has no client_id, because it waits for approval' : 'its application is missing',
    );
    return null;
  }
  subscription.leaveOut('plan', 'plans are not imported');
  subscription.ignoreAll(['id', 'changedBy', 'changedDate', '_links', 'apikey'], 'used by wicked only');
  const scopes = ceilingOf(subscription);
  if (scopes === null) return null;
  const isTrusted = subscription.flag('trusted') === true;
  if (isTrusted) subscription.say('changed', 'trusted', 'it requires approval in Gatehouse');
  if (subscription.flag('approved') === false)
    subscription.say('changed', 'approved', 'it was not approved yet: check require_approval');
  const client: Entry = { client_id: id, client_name: about.name, redirect_uris: about.uris };
  const secret = subscription.text('clientSecret');
  if (about.type !== 'web') {
    client['application_type'] = about.type;
    subscription.leaveOut('clientSecret', 'a public client has none');
  } else {
    client['confidential'] = true;
    if (about.uris.some(isPrivateUse)) client['private_use_schemes'] = true;
    if (secret !== undefined) Object.assign(client, clientSecret(subscription, secret, files));
  }
  const terms = { ...(scopes.length > 0 && { scopes }), ...(isTrusted && { trusted: true }) };
  return { client, subscription: { client_id: id, api, ...terms } };
}

function clientSecret(subscription: Part, secret: string, files: WickedFiles): Entry {
  const plain = files.secret(secret);
  if (plain !== null && secretText.safeParse(plain).success) {
    if (plain !== secret) subscription.say('changed', 'clientSecret', 'decrypted with PORTAL_API_AESKEY');
    return { client_secret: plain };
  }
  subscription.decide(
    'clientSecret',
    'is encrypted, and PORTAL_API_AESKEY is missing or wrong',
    () => undefined,
  );
  return {};
}

/**
 * Returns the permitted scopes. The value `none` must not become an empty list, because an empty list permits all
 * scopes.
 */
function ceilingOf(subscription: Part): string[] | null {
  const mode = subscription.text('allowedScopesMode') ?? 'all';
  const listed = subscription.texts('allowedScopes');
  if (mode === 'all') return [];
  if (mode === 'select' && listed.length > 0) return listed;
  const question =
    'the subscription allows no scope, but in Gatehouse a subscription without scopes has all of them: list its scopes';
  return (
    subscription.decide('allowedScopesMode', question, (answer) =>
      Array.isArray(answer) && answer.length > 0 ? answer.map(String) : undefined,
    ) ?? null
  );
}

// Adds the former issuers: one for each method of an API, with its address in wicked.

export async function addFormerIssuers(
  files: WickedFiles,
  notes: Notes,
  { methods, apis }: { methods: Methods; apis: Apis },
): Promise<void> {
  const until = formerUntil(notes);
  if (until === null) return;
  const network = (await files.one('globals')).part('network');
  const host = formerHost(notes, `${network.text('schema') ?? 'https'}://${network.text('apiHost') ?? ''}`);
  if (host === null) return;
  for (const [name, { entry }] of apis) {
    const used = entry['auth_methods'] as string[];
    for (const [key, { id, path }] of methods) {
      if (!used.includes(id)) continue;
      if (path === null) {
        notes.add('left out', 'former_issuers', `${key}: its server has no address (config.api.uris)`);
        continue;
      }
      const issuer = `${host}${path}/${key.slice(key.indexOf(':') + 1)}/api/${name}`;
      addFormerIssuer(notes, entry, { issuer, auth_method: id, layout: 'wicked' }, until);
    }
  }
}
