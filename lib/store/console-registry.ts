// APIs and authentication methods as the console's lists and pages show them. Writing them is registry-methods.ts.
import { type Db, ownConnection } from './registry-db.ts';

/** The API that this service itself is: it stands in the registry, and neither the file nor the pages name it. */
export const BUILT_IN_API = 'management';

export type ApiRow = {
  id: string;
  name: string;
  description: string;
  url: string;
  authMethods: string[];
  scopes: { name: string; description: string }[];
  accessTokenTtlSeconds: number;
  accessTokenFormat: string;
  signingAlg: string;
  refreshTokenTtlSeconds: number;
  refreshFamilyTtlSeconds: number;
  requireRedirectUri: boolean;
  requireScope: boolean;
  requireApproval: boolean;
  approvers: string[];
  hasIntrospectionSecret: boolean;
  subscriptions: number;
  pending: number;
  managed: boolean;
  createdAt: Date;
  updatedAt: Date;
  version: number;
};

const API_COLUMNS = `a.id, a.name, a.description, a.url,
  array(select c.auth_method_id from combinations c where c.api_id = a.id order by c.position, c.auth_method_id)
    as "authMethods",
  coalesce((select json_agg(json_build_object('name', s.name, 'description', s.description) order by s.position, s.name)
    from api_scopes s where s.api_id = a.id), '[]') as scopes,
  a.access_token_ttl as "accessTokenTtlSeconds", a.access_token_format as "accessTokenFormat", a.signing_alg as "signingAlg",
  a.refresh_token_ttl as "refreshTokenTtlSeconds", a.refresh_family_ttl as "refreshFamilyTtlSeconds",
  a.require_redirect_uri as "requireRedirectUri", a.require_scope as "requireScope",
  a.require_approval as "requireApproval", a.approvers,
  a.introspection_secret_hash is not null as "hasIntrospectionSecret",
  (select count(*)::int from subscriptions s where s.api_id = a.id) as subscriptions,
  (select count(*)::int from subscriptions s where s.api_id = a.id and s.state = 'pending') as pending,
  a.managed, a.created_at as "createdAt", a.updated_at as "updatedAt", a.version`;

type Asked = { search: string | null; after: string | null; limit: number };

/** By id. */
export async function selectApis(asked: Asked): Promise<ApiRow[]> {
  return ownConnection.query<ApiRow>({
    text: `select ${API_COLUMNS} from apis a
      where ($1::text is null or position($1 in a.id) > 0 or position($1 in lower(a.name)) > 0)
        and ($2::text is null or a.id > $2) order by a.id limit $3`,
    values: [asked.search, asked.after, asked.limit],
  });
}

export async function findApi(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<ApiRow | null> {
  const [row] = await db.query<ApiRow>({
    text: `select ${API_COLUMNS} from apis a where a.id = $1 ${lock === 'lock' ? 'for update' : ''}`,
    values: [id],
  });
  return row ?? null;
}

/** Is this address another API's already? */
export async function isApiUrlTaken(db: Db, url: string, exceptId: string): Promise<boolean> {
  return (await db.orm((client) => client.api.count({ where: { url, id: { not: exceptId } } }))) > 0;
}

export type MethodView = {
  id: string;
  type: 'local' | 'external' | 'broker';
  name: string;
  config: Record<string, unknown>;
  hasSecret: boolean;
  apis: string[];
  sessions: number;
  managed: boolean;
  createdAt: Date;
  updatedAt: Date;
  version: number;
};

const METHOD_COLUMNS = `m.id, m.type, m.name, m.config, m.sealed_secret is not null as "hasSecret",
  array(select c.api_id from combinations c where c.auth_method_id = m.id order by c.api_id) as apis,
  (select count(*)::int from sessions s where s.auth_method_id = m.id and s.ended_at is null and s.expires_at > now())
    as sessions,
  m.managed, m.created_at as "createdAt", m.updated_at as "updatedAt", m.version`;

/** By id. */
export async function selectMethods(asked: Asked): Promise<MethodView[]> {
  return ownConnection.query<MethodView>({
    text: `select ${METHOD_COLUMNS} from auth_methods m
      where ($1::text is null or position($1 in m.id) > 0 or position($1 in lower(m.name)) > 0)
        and ($2::text is null or m.id > $2) order by m.id limit $3`,
    values: [asked.search, asked.after, asked.limit],
  });
}

export async function findMethod(
  db: Db,
  id: string,
  lock: 'lock' | 'look' = 'look',
): Promise<MethodView | null> {
  const [row] = await db.query<MethodView>({
    text: `select ${METHOD_COLUMNS} from auth_methods m where m.id = $1 ${lock === 'lock' ? 'for update' : ''}`,
    values: [id],
  });
  return row ?? null;
}

/** Is there a local method besides this one? */
export async function hasOtherLocalMethod(db: Db, id: string): Promise<boolean> {
  const where = { type: 'local', id: { not: id } };
  return (await db.orm((client) => client.authMethod.count({ where }))) > 0;
}

export type CatalogueRow = Pick<
  ApiRow,
  'id' | 'name' | 'description' | 'url' | 'scopes' | 'requireApproval'
> & {
  methods: { id: string; name: string; type: string }[];
  /** of the client that was asked about */
  subscription: {
    state: string;
    trusted: boolean;
    scopes: string[];
    reason: string | null;
    version: number;
  } | null;
};

/** The APIs that an application may ask for, in their order, each with what the client has of it. */
export async function selectCatalogue(asked: {
  clientId: string | null;
  search: string | null;
}): Promise<CatalogueRow[]> {
  return ownConnection.query<CatalogueRow>({
    text: `select a.id, a.name, a.description, a.url, a.require_approval as "requireApproval",
        coalesce((select json_agg(json_build_object('name', s.name, 'description', s.description)
          order by s.position, s.name) from api_scopes s where s.api_id = a.id), '[]') as scopes,
        coalesce((select json_agg(json_build_object('id', m.id, 'name', m.name, 'type', m.type) order by c.position, m.id)
          from combinations c join auth_methods m on m.id = c.auth_method_id where c.api_id = a.id), '[]') as methods,
        (select json_build_object('state', s.state, 'trusted', s.trusted, 'scopes', s.scopes, 'reason', s.reason,
          'version', s.version) from subscriptions s where s.api_id = a.id and s.client_id = $1) as subscription
      from apis a
      where $2::text is null or position($2 in a.id) > 0 or position($2 in lower(a.name)) > 0
        or position($2 in lower(a.description)) > 0
      order by a.position, a.id limit 1000`,
    values: [asked.clientId, asked.search],
  });
}

/** Every local method signs people in for this API. Touches nothing where it is so. */
export async function upsertLocalCombinations(db: Db, api: string): Promise<void> {
  const missing = await db.query<{ id: string }>({
    text: `select id from auth_methods m where type = 'local'
      and not exists (select 1 from combinations where api_id = $1 and auth_method_id = m.id)`,
    values: [api],
  });
  if (missing.length === 0) return;
  await db.query({
    text: `insert into combinations (auth_method_id, api_id)
      select id, $1 from auth_methods where type = 'local' on conflict do nothing`,
    values: [api],
  });
}
