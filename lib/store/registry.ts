// The registry as the configuration file sees it: rows in the file's own words (snake_case), for plan and export.
import { type Db, ownConnection } from './registry-db.ts';

export type MethodRow = {
  id: string;
  type: string;
  name: string;
  config: Record<string, unknown>;
  sealed_secret: string | null;
  position: number;
  managed: boolean;
};
export type ApiRow = {
  id: string;
  name: string;
  description: string;
  url: string;
  auth_methods: string[];
  scopes: { name: string; description: string }[];
  access_token_ttl: number;
  access_token_format: string;
  signing_alg: string;
  refresh_token_ttl: number;
  refresh_family_ttl: number;
  introspection_secret_hash: string | null;
  require_redirect_uri: boolean;
  require_scope: boolean;
  require_approval: boolean;
  approvers: string[];
  position: number;
  managed: boolean;
};
export type ClientRow = {
  client_id: string;
  client_name: string;
  confidential: boolean;
  application_type: string;
  redirect_uris: string[];
  allowed_origins: string[];
  logo_uri: string | null;
  disabled: boolean;
  config_secret_hash: string | null;
  managed: boolean;
};
export type SubscriptionRow = {
  client_id: string;
  api: string;
  state: string;
  trusted: boolean;
  scopes: string[];
  requested_by: string | null;
  decided_by: string | null;
  decided: boolean;
  version: number;
  managed: boolean;
};
export type PersonRow = {
  id: string;
  email: string;
  name: string;
  roles: string[];
  disabled: boolean;
  config_password: string | null;
  managed: boolean;
};
export type Registry = {
  methods: MethodRow[];
  apis: ApiRow[];
  clients: ClientRow[];
  subscriptions: SubscriptionRow[];
  people: PersonRow[];
};

const METHODS = `select id, type, name, config, sealed_secret, position, managed from auth_methods order by position, id`;
const APIS = `select a.id, a.name, a.description, a.url, a.access_token_ttl, a.access_token_format, a.signing_alg,
  a.refresh_token_ttl, a.refresh_family_ttl, encode(a.introspection_secret_hash, 'hex') as introspection_secret_hash,
  a.require_redirect_uri, a.require_scope, a.require_approval, a.approvers, a.position, a.managed,
  array(select c.auth_method_id from combinations c where c.api_id = a.id order by c.position, c.auth_method_id)
    as auth_methods,
  coalesce((select json_agg(json_build_object('name', s.name, 'description', s.description) order by s.position, s.name)
    from api_scopes s where s.api_id = a.id), '[]') as scopes
  from apis a order by a.position, a.id`;
const CLIENTS = `select client_id, name as client_name, confidential, application_type, redirect_uris, allowed_origins,
  logo_uri, disabled_at is not null as disabled, encode(config_secret_hash, 'hex') as config_secret_hash, managed
  from clients order by created_at, client_id`;
const SUBSCRIPTIONS = `select client_id, api_id as api, state, trusted, scopes, version, managed, requested_by,
  decided_at is not null as decided, (select email from people where id = decided_by) as decided_by
  from subscriptions order by created_at, client_id, api_id`;
const PEOPLE = `select id, email, name, roles, disabled_at is not null as disabled, config_password, managed
  from people where email is not null and (managed or roles <> '{}' or email = any($1)) order by created_at, email`;

/** Everything the file can name. `emails` are people wanted besides those the file manages and those with a role. */
export async function loadRegistry(db: Db, emails: string[] = []): Promise<Registry> {
  return {
    methods: await db.query<MethodRow>({ text: METHODS }),
    apis: await db.query<ApiRow>({ text: APIS }),
    clients: await db.query<ClientRow>({ text: CLIENTS }),
    subscriptions: await db.query<SubscriptionRow>({ text: SUBSCRIPTIONS }),
    people: await db.query<PersonRow>({ text: PEOPLE, values: [emails] }),
  };
}

/** One apply at a time, on however many hosts. */
export async function lockRegistry(db: Db): Promise<void> {
  await db.query({ text: `select pg_advisory_xact_lock(hashtext('gatehouse.apply'))` });
}

/** What the doctor asks: which PostgreSQL, its clock, and the newest migration (null: none was run). */
export async function inspectDatabase(): Promise<{ version: string; now: Date; schema: string | null }> {
  const [row] = await ownConnection.query<{ version: string; now: Date; migrated: boolean }>({
    text: `select current_setting('server_version') as version, clock_timestamp() as now,
      to_regclass('directory_version') is not null as migrated`,
  });
  if (!row) throw new Error('the database answers nothing');
  const { version, now, migrated } = row;
  if (!migrated) return { version, now, schema: null };
  const [recorded] = await ownConnection.query<{ there: boolean }>({
    text: `select to_regclass('_prisma_migrations') is not null as there`,
  });
  if (!recorded?.there) return { version, now, schema: 'present' };
  const [newest] = await ownConnection.query<{ name: string }>({
    text: `select migration_name as name from _prisma_migrations where finished_at is not null
      order by migration_name desc limit 1`,
  });
  return { version, now, schema: newest?.name ?? 'present' };
}
