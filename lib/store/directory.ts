// The registry in memory: methods, APIs, combinations, clients with their secrets' hashes, subscriptions, keys.
// Triggers bump directory_version on every change; each request compares it and reloads when it moved. With the
// database away the last snapshot still says where errors may be sent; whatever acts asks the database itself.
import { clockShift, now } from '#lib/kit/index.ts';
import { DatabaseUnavailable, query } from './pool.ts';

export type DirectoryMethod = {
  id: string;
  type: 'local' | 'external' | 'broker';
  name: string;
  config: Record<string, unknown>;
  sealedSecret: string | null;
};
export type DirectoryApi = {
  id: string;
  name: string;
  description: string;
  url: string;
  scopes: { name: string; description: string }[];
  methods: string[];
  accessTokenTtlSeconds: number;
  accessTokenFormat: 'jwt' | 'opaque';
  signingAlg: 'ES256' | 'RS256';
  refreshTokenTtlSeconds: number;
  refreshFamilyTtlSeconds: number;
  introspectionSecretHash: string | null;
  requireRedirectUri: boolean;
  requireScope: boolean;
  requireApproval: boolean;
};
export type DirectoryClient = {
  clientId: string;
  name: string;
  confidential: boolean;
  applicationType: 'web' | 'browser' | 'native';
  redirectUris: string[];
  allowedOrigins: string[];
  logoUri: string | null;
  disabled: boolean;
  secrets: { hash: string; expiresAt: string | null }[];
};
export type DirectorySubscription = {
  clientId: string;
  apiId: string;
  state: string;
  trusted: boolean;
  scopes: string[];
};
export type DirectoryKey = {
  kid: string;
  alg: 'ES256' | 'RS256';
  publicJwk: Record<string, unknown>;
  sealedPrivate: string;
  signsFrom: string;
  retiresAt: string | null;
  retiredAt: string | null;
};
export type Directory = {
  version: string;
  methods: ReadonlyMap<string, DirectoryMethod>;
  apis: ReadonlyMap<string, DirectoryApi>;
  clients: ReadonlyMap<string, DirectoryClient>;
  /** key: client_id, a space, API id */
  subscriptions: ReadonlyMap<string, DirectorySubscription>;
  keys: readonly DirectoryKey[];
  /** the database's clock, which all instances share: this machine's own may be wrong */
  now: () => Date;
  /** when it was read, by this machine's clock */
  readAt: number;
};

const SLOT = Symbol.for('gatehouse.directory');
const slot = globalThis as unknown as { [SLOT]?: Directory };

/** The current registry; with the database away the last one known, or DatabaseUnavailable. */
export async function directory(): Promise<Directory> {
  const known = slot[SLOT];
  try {
    const rows = await query<{ version: string }>({ name: 'directory-version', text: VERSION, values: [] });
    if (known && rows[0]?.version === known.version && isFresh(known)) return known;
    return await load();
  } catch (error) {
    if (known && error instanceof DatabaseUnavailable) return known;
    throw error;
  }
}

/** Read again each minute, and where this machine's clock was moved: `now()` must follow the database's. */
function isFresh({ readAt }: Directory): boolean {
  const age = now().getTime() - readAt;
  return age >= 0 && age < 60_000;
}

const VERSION = 'select version::text from directory_version where id = 1';

const LOAD = `
select (select version::text from directory_version where id = 1) as version,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as "loadedAt",
  (select coalesce(json_agg(json_build_object('id', id, 'type', type, 'name', name, 'config', config,
     'sealedSecret', sealed_secret) order by position, id), '[]') from auth_methods) as methods,
  (select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'description', a.description, 'url', a.url,
     'scopes', (select coalesce(json_agg(json_build_object('name', s.name, 'description', s.description)
        order by s.position, s.name), '[]') from api_scopes s where s.api_id = a.id),
     'methods', (select coalesce(json_agg(c.auth_method_id order by c.position, c.auth_method_id), '[]')
        from combinations c where c.api_id = a.id),
     'accessTokenTtlSeconds', access_token_ttl, 'accessTokenFormat', access_token_format, 'signingAlg', signing_alg,
     'refreshTokenTtlSeconds', refresh_token_ttl, 'refreshFamilyTtlSeconds', refresh_family_ttl,
     'introspectionSecretHash', encode(introspection_secret_hash, 'hex'),
     'requireRedirectUri', require_redirect_uri, 'requireScope', require_scope, 'requireApproval', require_approval)
     order by position, id), '[]') from apis a) as apis,
  (select coalesce(json_agg(json_build_object('clientId', c.client_id, 'name', c.name, 'confidential', c.confidential,
     'applicationType', application_type, 'redirectUris', redirect_uris, 'allowedOrigins', allowed_origins,
     'logoUri', logo_uri, 'disabled', disabled_at is not null,
     'secrets', (select coalesce(json_agg(json_build_object('hash', encode(s.secret_hash, 'hex'),
        'expiresAt', s.expires_at)), '[]') from client_secrets s where s.client_id = c.client_id))), '[]')
     from clients c) as clients,
  (select coalesce(json_agg(json_build_object('clientId', client_id, 'apiId', api_id, 'state', state,
     'trusted', trusted, 'scopes', scopes)), '[]') from subscriptions) as subscriptions,
  (select coalesce(json_agg(json_build_object('kid', kid, 'alg', alg, 'publicJwk', public_jwk,
     'sealedPrivate', sealed_private, 'signsFrom', signs_from, 'retiresAt', retires_at, 'retiredAt', retired_at)
     order by signs_from), '[]') from signing_keys) as keys`;

type Loaded = {
  version: string;
  loadedAt: number;
  methods: DirectoryMethod[];
  apis: DirectoryApi[];
  clients: DirectoryClient[];
  subscriptions: DirectorySubscription[];
  keys: DirectoryKey[];
};

async function load(): Promise<Directory> {
  const [row] = await query<Loaded>({ name: 'directory-load', text: LOAD, values: [] });
  if (!row) throw new Error('the registry could not be read');
  const ahead = row.loadedAt - now().getTime() + clockShift();
  const loaded: Directory = {
    version: row.version,
    methods: new Map(row.methods.map((method) => [method.id, method])),
    apis: new Map(row.apis.map((api) => [api.id, api])),
    clients: new Map(row.clients.map((client) => [client.clientId, client])),
    subscriptions: new Map(row.subscriptions.map((one) => [`${one.clientId} ${one.apiId}`, one])),
    keys: row.keys,
    now: () => new Date(now().getTime() + ahead),
    readAt: now().getTime(),
  };
  slot[SLOT] = loaded;
  return loaded;
}
