// The registry as a snapshot: methods, APIs, combinations, clients with their secrets' hashes, subscriptions, keys.
import { followClock } from '#lib/kit/index.ts';
import { query } from './pool.ts';

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
  introspectionSecretHash: Buffer | null;
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
  secrets: { hash: Buffer; expiresAt: Date | null }[];
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
};

const LOAD = `
select (select version::text from directory_version where id = 1) as version,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as "clock",
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
  /** milliseconds since 1970 */
  clock: number;
  methods: DirectoryMethod[];
  apis: (Omit<DirectoryApi, 'introspectionSecretHash'> & { introspectionSecretHash: string | null })[];
  clients: (Omit<DirectoryClient, 'secrets'> & { secrets: { hash: string; expiresAt: string | null }[] })[];
  subscriptions: DirectorySubscription[];
  keys: DirectoryKey[];
};

/** Reads all of it, in one statement. */
export async function loadDirectory(): Promise<Directory> {
  const [row] = await query<Loaded>({ name: 'directory-load', text: LOAD, values: [] });
  if (!row) throw new Error('the registry could not be read');
  followClock(row.clock);
  return {
    version: row.version,
    methods: new Map(row.methods.map((method) => [method.id, method])),
    apis: new Map(row.apis.map((api) => [api.id, readApi(api)])),
    clients: new Map(row.clients.map((client) => [client.clientId, readClient(client)])),
    subscriptions: new Map(row.subscriptions.map((one) => [`${one.clientId} ${one.apiId}`, one])),
    keys: row.keys,
  };
}

function readApi(api: Loaded['apis'][number]): DirectoryApi {
  const hash = api.introspectionSecretHash;
  return { ...api, introspectionSecretHash: hash === null ? null : Buffer.from(hash, 'hex') };
}

function readClient(client: Loaded['clients'][number]): DirectoryClient {
  const secrets = client.secrets.map(({ hash, expiresAt }) => ({
    hash: Buffer.from(hash, 'hex'),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  }));
  return { ...client, secrets };
}
