// Writing authentication methods and APIs. The directory's version follows by trigger.
import type { Db } from './registry-db.ts';

/** `sealedSecret` undefined leaves what is stored. */
export async function upsertMethod(
  db: Db,
  method: { id: string; type: string; name: string; config: object; sealedSecret: string | undefined },
): Promise<void> {
  await db.query({
    text: `insert into auth_methods (id, type, name, config, sealed_secret) values ($1, $2, $3, $4, $5)
      on conflict (id) do update set type = $2, name = $3, config = $4, updated_at = now(),
        sealed_secret = case when $2 = 'local' then null else coalesce($5, auth_methods.sealed_secret) end`,
    values: [method.id, method.type, method.name, JSON.stringify(method.config), method.sealedSecret ?? null],
  });
}

/** The method now asks somebody else: who signed in with it before is not who signs in with it from here on. */
export async function forgetIdentities(db: Db, authMethodId: string): Promise<void> {
  await db.query({
    text: 'delete from external_identities where auth_method_id = $1',
    values: [authMethodId],
  });
  await db.query({
    text: 'update sessions set ended_at = now() where auth_method_id = $1 and ended_at is null',
    values: [authMethodId],
  });
}

export type ApiValues = {
  id: string;
  name: string;
  description: string;
  url: string;
  access_token_ttl: number;
  access_token_format: string;
  signing_alg: string;
  refresh_token_ttl: number;
  refresh_family_ttl: number;
  require_redirect_uri: boolean;
  require_scope: boolean;
  require_approval: boolean;
  approvers: string[];
};
const API_COLUMNS = [
  'id',
  'name',
  'description',
  'url',
  'access_token_ttl',
  'access_token_format',
  'signing_alg',
  'refresh_token_ttl',
  'refresh_family_ttl',
  'require_redirect_uri',
  'require_scope',
  'require_approval',
  'approvers',
] as const;

export async function upsertApi(db: Db, api: ApiValues): Promise<void> {
  const places = API_COLUMNS.map((_, index) => `$${index + 1}`);
  const sets = API_COLUMNS.map((column, index) => `${column} = $${index + 1}`);
  await db.query({
    text: `insert into apis (${API_COLUMNS.join(', ')}) values (${places.join(', ')})
      on conflict (id) do update set ${sets.join(', ')}, updated_at = now()`,
    values: API_COLUMNS.map((column) => api[column]),
  });
}

/** URLs are unique: those that move step aside first, so that two APIs can swap theirs. */
export async function setApiUrlsAside(db: Db, ids: string[]): Promise<void> {
  await db.query({ text: `update apis set url = 'moving:' || id where id = any($1)`, values: [ids] });
}

export async function setIntrospectionSecret(db: Db, id: string, hash: Buffer): Promise<void> {
  await db.query({
    text: 'update apis set introspection_secret_hash = $2 where id = $1',
    values: [id, hash],
  });
}

export async function replaceScopes(
  db: Db,
  apiId: string,
  scopes: { name: string; description: string }[],
): Promise<void> {
  const names = scopes.map((scope) => scope.name);
  await db.query({
    text: 'delete from api_scopes where api_id = $1 and name <> all($2)',
    values: [apiId, names],
  });
  await db.query({
    text: `insert into api_scopes (api_id, name, description, position)
      select $1, name, description, position - 1
      from unnest($2::text[], $3::text[]) with ordinality as t (name, description, position)
      on conflict (api_id, name) do update set description = excluded.description, position = excluded.position`,
    values: [apiId, names, scopes.map((scope) => scope.description)],
  });
}

export async function replaceCombinations(db: Db, apiId: string, methods: string[]): Promise<void> {
  await db.query({
    text: 'delete from combinations where api_id = $1 and auth_method_id <> all($2)',
    values: [apiId, methods],
  });
  await db.query({
    text: `insert into combinations (auth_method_id, api_id, position)
      select id, $1, position - 1 from unnest($2::text[]) with ordinality as t (id, position)
      on conflict (auth_method_id, api_id) do update set position = excluded.position`,
    values: [apiId, methods],
  });
}

/** What the file names is the file's from here on, in the file's order; no change that anybody would see. */
export async function adopt(
  db: Db,
  named: {
    methods: string[];
    apis: string[];
    clients: string[];
    emails: string[];
    subscriptions: [string, string][];
  },
): Promise<void> {
  for (const [table, ids] of [
    ['auth_methods', named.methods],
    ['apis', named.apis],
  ] as const) {
    await db.query({
      text: `update ${table} t set managed = true, position = o.position::int - 1
        from unnest($1::text[]) with ordinality as o (id, position)
        where t.id = o.id and (not t.managed or t.position <> o.position::int - 1)`,
      values: [ids],
    });
  }
  await db.query({
    text: 'update clients set managed = true where client_id = any($1) and not managed',
    values: [named.clients],
  });
  await db.query({
    text: 'update people set managed = true where email = any($1) and not managed',
    values: [named.emails],
  });
  await db.query({
    text: `update subscriptions s set managed = true from unnest($1::text[], $2::text[]) as o (client_id, api_id)
      where s.client_id = o.client_id and s.api_id = o.api_id and not s.managed`,
    values: [named.subscriptions.map(([client]) => client), named.subscriptions.map(([, api]) => api)],
  });
}
