// APIs: read for lists and pages, written, and their secret.
import { API_LISTS, type ApiRow, type ApiValues, api, plainName } from '#lib/registry/index.ts';
import { endTokens } from './endings.ts';
import { type Db, ownConnection } from './transaction.ts';

type Column = { name: Exclude<keyof ApiValues, (typeof API_LISTS)[number]>; column: string };

const isList = (name: string) => API_LISTS.some((list) => list === name);
/** Every field of the definition that is a column of `apis`. */
export const API_COLUMNS = Object.keys(api.shape)
  .filter((name) => !isList(name))
  .map((name) => ({ name, column: plainName(name) })) as Column[];

/** SQL, of the API `a`. */
export const API_SCOPES = `coalesce((select json_agg(json_build_object('name', s.name, 'description', s.description)
  order by s.position, s.name) from api_scopes s where s.api_id = a.id), '[]')`;

/** SQL: an ApiRow, of the API `a`. */
export const API_ROW = `${API_COLUMNS.map(({ name, column }) => `a.${column} as "${name}"`).join(', ')},
  array(select c.auth_method_id from combinations c where c.api_id = a.id order by c.position, c.auth_method_id)
    as "authMethods", ${API_SCOPES} as scopes, a.introspection_secret_hash is not null as "hasIntrospectionSecret",
  (select count(*)::int from subscriptions s where s.api_id = a.id) as subscriptions,
  (select count(*)::int from subscriptions s where s.api_id = a.id and s.state = 'pending') as pending,
  a.managed, a.created_at as "createdAt", a.updated_at as "updatedAt", a.version`;

type Asked = { search: string | null; after: string | null; limit: number };

/** By id. */
export function selectApis(asked: Asked): Promise<ApiRow[]> {
  return ownConnection.query<ApiRow>({
    text: `select ${API_ROW} from apis a
      where ($1::text is null or position($1 in a.id) > 0 or position($1 in lower(a.name)) > 0)
        and ($2::text is null or a.id > $2) order by a.id limit $3`,
    values: [asked.search, asked.after, asked.limit],
  });
}

export async function findApi(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<ApiRow | null> {
  const [row] = await db.query<ApiRow>({
    text: `select ${API_ROW} from apis a where a.id = $1 ${lock === 'lock' ? 'for update' : ''}`,
    values: [id],
  });
  return row ?? null;
}

/** Is this address another API's already? */
export async function isApiUrlTaken(db: Db, url: string, exceptId: string): Promise<boolean> {
  const rows = await db.query({
    text: 'select from apis where url = $1 and id <> $2',
    values: [url, exceptId],
  });
  return rows.length > 0;
}

const UPSERT = `insert into apis (${API_COLUMNS.map(({ column }) => column).join(', ')}, updated_at)
  values (${API_COLUMNS.map((_, at) => `$${at + 1}`).join(', ')}, now())
  on conflict (id) do update set updated_at = now(),
    ${API_COLUMNS.map(({ column }) => `${column} = excluded.${column}`).join(', ')}`;

/** The row, its scopes and its combinations; the tokens of a combination that is taken away end. */
export async function upsertApi(db: Db, values: ApiValues): Promise<void> {
  await db.query({ text: UPSERT, values: API_COLUMNS.map(({ name }) => values[name]) });
  await replaceScopes(db, values.id, values.scopes);
  await replaceCombinations(db, values.id, values.authMethods);
}

/** Addresses are unique: those that change make room first, so that two APIs can swap theirs. */
export async function setApiUrlsAside(db: Db, ids: string[]): Promise<void> {
  await db.query({ text: `update apis set url = 'moving:' || id where id = any ($1)`, values: [ids] });
}

export async function setIntrospectionSecret(db: Db, id: string, hash: Buffer): Promise<void> {
  await db.query({
    text: 'update apis set introspection_secret_hash = $2, updated_at = now() where id = $1',
    values: [id, hash],
  });
}

async function replaceScopes(db: Db, apiId: string, scopes: ApiValues['scopes']): Promise<void> {
  const names = scopes.map(({ name }) => name);
  await db.query({
    text: 'delete from api_scopes where api_id = $1 and name <> all ($2)',
    values: [apiId, names],
  });
  await db.query({
    text: `insert into api_scopes (api_id, name, description, position)
      select $1, name, description, n - 1 from unnest($2::text[], $3::text[]) with ordinality as s (name, description, n)
      on conflict (api_id, name) do update set description = excluded.description, position = excluded.position`,
    values: [apiId, names, scopes.map(({ description }) => description)],
  });
}

async function replaceCombinations(db: Db, apiId: string, methods: string[]): Promise<void> {
  const gone = await db.query<{ method: string }>({
    text: 'delete from combinations where api_id = $1 and auth_method_id <> all ($2) returning auth_method_id as method',
    values: [apiId, methods],
  });
  for (const { method } of gone) {
    await endTokens(db, { apiId, authMethodId: method }, 'combination removed');
  }
  await db.query({
    text: `insert into combinations (api_id, auth_method_id, position)
      select $1, method, min(n) - 1 from unnest($2::text[]) with ordinality as m (method, n) group by method
      on conflict (auth_method_id, api_id) do update set position = excluded.position`,
    values: [apiId, methods],
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
