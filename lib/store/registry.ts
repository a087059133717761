// The registry as the configuration file sees it: rows in the file's own words (snake_case), for plan and export.
import type { Orm } from './prisma.ts';
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

const IN_ORDER = [{ position: 'asc' }, { id: 'asc' }] as const;
const hex = (hash: Uint8Array | null) => hash && Buffer.from(hash).toString('hex');

/** Everything the file can name. `emails` are people wanted besides those the file manages and those with a role. */
export function loadRegistry(db: Db, emails: string[] = []): Promise<Registry> {
  return db.orm(async (prisma) => ({
    methods: await loadMethods(prisma),
    apis: await loadApis(prisma),
    clients: await loadClients(prisma),
    subscriptions: await loadSubscriptions(prisma),
    people: await loadPeople(prisma, emails),
  }));
}

async function loadMethods(prisma: Orm): Promise<MethodRow[]> {
  const methods = await prisma.authMethod.findMany({ orderBy: [...IN_ORDER] });
  return methods.map(({ id, type, name, config, sealedSecret, position, managed }) => ({
    id,
    type,
    name,
    config: config as Record<string, unknown>,
    sealed_secret: sealedSecret,
    position,
    managed,
  }));
}

async function loadApis(prisma: Orm): Promise<ApiRow[]> {
  const apis = await prisma.api.findMany({
    orderBy: [...IN_ORDER],
    include: {
      combinations: { orderBy: [{ position: 'asc' }, { authMethodId: 'asc' }] },
      scopes: { orderBy: [{ position: 'asc' }, { name: 'asc' }] },
    },
  });
  return apis.map((api) => ({
    id: api.id,
    name: api.name,
    description: api.description,
    url: api.url,
    auth_methods: api.combinations.map((combination) => combination.authMethodId),
    scopes: api.scopes.map(({ name, description }) => ({ name, description })),
    access_token_ttl: api.accessTokenTtl,
    access_token_format: api.accessTokenFormat,
    signing_alg: api.signingAlg,
    refresh_token_ttl: api.refreshTokenTtl,
    refresh_family_ttl: api.refreshFamilyTtl,
    introspection_secret_hash: hex(api.introspectionSecretHash),
    require_redirect_uri: api.requireRedirectUri,
    require_scope: api.requireScope,
    require_approval: api.requireApproval,
    approvers: api.approvers,
    position: api.position,
    managed: api.managed,
  }));
}

async function loadClients(prisma: Orm): Promise<ClientRow[]> {
  const clients = await prisma.client.findMany({ orderBy: [{ createdAt: 'asc' }, { clientId: 'asc' }] });
  return clients.map((client) => ({
    client_id: client.clientId,
    client_name: client.name,
    confidential: client.confidential,
    application_type: client.applicationType,
    redirect_uris: client.redirectUris,
    allowed_origins: client.allowedOrigins,
    logo_uri: client.logoUri,
    disabled: client.disabledAt !== null,
    config_secret_hash: hex(client.configSecretHash),
    managed: client.managed,
  }));
}

async function loadSubscriptions(prisma: Orm): Promise<SubscriptionRow[]> {
  const subscriptions = await prisma.subscription.findMany({
    orderBy: [{ createdAt: 'asc' }, { clientId: 'asc' }, { apiId: 'asc' }],
  });
  const deciders = subscriptions.flatMap(({ decidedBy }) => decidedBy ?? []);
  const people = await prisma.person.findMany({
    where: { id: { in: [...new Set(deciders)] } },
    select: { id: true, email: true },
  });
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  return subscriptions.map((one) => ({
    client_id: one.clientId,
    api: one.apiId,
    state: one.state,
    trusted: one.trusted,
    scopes: one.scopes,
    requested_by: one.requestedBy,
    decided_by: (one.decidedBy && emails.get(one.decidedBy)) ?? null,
    decided: one.decidedAt !== null,
    version: one.version,
    managed: one.managed,
  }));
}

async function loadPeople(prisma: Orm, emails: string[]): Promise<PersonRow[]> {
  const people = await prisma.person.findMany({
    where: {
      email: { not: null },
      OR: [{ managed: true }, { roles: { isEmpty: false } }, { email: { in: emails } }],
    },
    orderBy: [{ createdAt: 'asc' }, { email: 'asc' }],
  });
  return people.map(({ id, email, name, roles, disabledAt, configPassword, managed }) => ({
    id,
    email: email as string,
    name,
    roles,
    disabled: disabledAt !== null,
    config_password: configPassword,
    managed,
  }));
}

/** One apply at a time, on however many hosts. Whoever is before may take longer than a statement may. */
export async function lockRegistry(db: Db): Promise<void> {
  await db.query({ text: `set local statement_timeout = '50s'` });
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
