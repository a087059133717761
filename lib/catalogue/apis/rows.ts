// APIs: lists, finds and writes them, also in the form that a client's developer sees.

import { z } from 'zod';
import { typesThat } from '#lib/catalogue/methods/questions.ts';
import { SUBSCRIPTION_STATES } from '#lib/catalogue/subscriptions/definition.ts';
import { ACR_VALUES } from '#lib/registry/claims.ts';
import { displayText, plainText } from '#lib/registry/display-text.ts';
import type { IssuerLayout } from '#lib/registry/issuers.ts';
import { dropFormerTokens, endTokens } from '#lib/store/endings.ts';
import { BY_NAME, contains, list } from '#lib/store/list.ts';
import { type Db, database, lockName, readRow, readRows } from '#lib/store/prisma.ts';
import {
  columnsOf,
  displayTextSql,
  joinSql,
  jsonOrNull,
  jsonValue,
  raw,
  selectSql,
  sql,
  textsOf,
} from '#lib/store/sql.ts';
import { narrowTo } from '#lib/store/statement.ts';
import { API_LISTS, type ApiRow, type ApiValues, api, apiRow } from './definition.ts';

export const API_COLUMNS = columnsOf(api, API_LISTS);

/** SQL: scopes of the API `a`. */
export const API_SCOPES = `coalesce((select json_agg(json_strip_nulls(json_build_object('name', s.name, 'description', ${displayTextSql('s.description')},
  'required_acr', s.required_acr, 'groups', case when s.groups <> '{}' then s.groups end))
  order by s.position, s.name) from api_scopes s where s.api_id = a.id), '[]')`;

/** SQL: selects an ApiRow from the API `a`. */
export const API_ROW = sql`${selectSql(API_COLUMNS, 'a')},
  array(select c.auth_method_id from combinations c where c.api_id = a.id order by c.position, c.auth_method_id)
    as "authMethods", ${raw(API_SCOPES)} as scopes, a.introspection_secret_hash is not null as "hasIntrospectionSecret",
  (select count(*)::int from subscriptions s where s.api_id = a.id) as subscriptions,
  (select count(*)::int from subscriptions s where s.api_id = a.id and s.state = 'pending') as pending,
  a.managed, a.created_at as "createdAt", a.updated_at as "updatedAt", a.version`;

/** The list of APIs. Its default order is by id. */
export const APIS = list({
  returns: apiRow.shape,
  rows: sql`${API_ROW} from apis a`,
  orders: {
    id: { key: [['a.id', 'text']] },
    name: {
      key: [
        [`a.name ${BY_NAME}`, 'text'],
        ['a.id', 'text'],
      ],
    },
  },
  where: ({ search }: { search: string | null }) => [contains(search, 'a.id', 'lower(a.name)')],
});

export function findApi(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<ApiRow | null> {
  return readRow(db, apiRow.shape)`
    select ${API_ROW} from apis a where a.id = ${id} ${raw(lock === 'lock' ? 'for update' : '')}`;
}

/** Returns true if another API has this address. */
export const isApiUrlTaken = async (db: Db, url: string, exceptId: string): Promise<boolean> =>
  (await db.api.count({ where: { url, id: { not: exceptId } } })) > 0;

/** Finds a different API whose current or former issuer uses one of these hosts. */
export async function selectHolderOfHosts(
  db: Db,
  hosts: string[],
  exceptId: string,
): Promise<{ id: string; host: string } | null> {
  if (hosts.length === 0) return null;
  // serializes concurrent changes, so the second one finds the host in use
  await lockName(db, 'issuer hosts');
  return readRow(db, { id: 'text', host: 'text' })`
    select a.id, h.host from apis a,
      lateral (
        select regexp_replace(value, '^https?://', '') as host from jsonb_each_text(a.issuer_hosts)
        union all select regexp_replace(one ->> 'issuer', '^https?://([^/]*).*$', '\\1')
        from jsonb_array_elements(a.former_issuers) one) h
    where a.id <> ${exceptId} and h.host = any (${hosts}) limit 1`;
}

/** Finds former issuers (with layout) and issuer hosts of other APIs on these hosts. */
export async function selectAddressesAtHosts(
  db: Db,
  issuers: string[],
  exceptId: string,
): Promise<{ id: string; issuer: string; layout: IssuerLayout | null }[]> {
  if (issuers.length === 0) return [];
  await lockName(db, 'issuer hosts');
  const hosts = issuers.map((issuer) => new URL(issuer).host);
  return readRows(db, { id: 'text', issuer: 'text', layout: narrowTo<IssuerLayout>('text?') })`
    select a.id, f.issuer, f.layout from apis a,
    lateral (
      select one ->> 'issuer' as issuer, one ->> 'layout' as layout from jsonb_array_elements(a.former_issuers) one
      union all select value, null from jsonb_each_text(a.issuer_hosts)) f
    where a.id <> ${exceptId} and regexp_replace(f.issuer, '^https?://([^/]+).*$', '\\1') = any (${hosts})
    order by a.id`;
}

/** Upserts row, scopes and combinations. Revokes tokens of removed combinations. */
export async function upsertApi(db: Db, values: ApiValues): Promise<void> {
  const {
    id,
    scopes,
    authMethods,
    name,
    description,
    brand,
    texts,
    issuerHosts,
    formerIssuers,
    autoApprove,
    roles,
    ...plain
  } = values;
  const data = {
    ...plain,
    ...{ name: plainText(name), nameTexts: textsOf(name) },
    ...{ description: plainText(description), descriptionTexts: textsOf(description) },
    ...{
      brand: jsonOrNull(brand),
      texts: jsonOrNull(texts),
      issuerHosts: jsonOrNull(issuerHosts),
      formerIssuers: jsonOrNull(formerIssuers),
      autoApprove: jsonValue(autoApprove),
      roles: jsonOrNull(roles),
    },
  };
  await db.api.upsert({
    where: { id },
    create: { id, ...data },
    // scopes and combinations belong to the API, so changes increment the API’s version
    update: { ...data, version: { increment: 1 } },
    select: { id: true },
  });
  await replaceScopes(db, id, scopes);
  await replaceCombinations(db, id, authMethods);
}

/** Addresses are unique, so changed addresses are removed first. Two APIs can then swap addresses. */
export async function setApiUrlsAside(db: Db, ids: string[]): Promise<void> {
  if (ids.length > 0)
    await db.$executeRaw(sql`update apis set url = 'moving:' || id where id = any (${ids})`);
}

/** Removes the issuer hosts of these APIs, so that two APIs can then swap their hosts. */
export async function setIssuerHostsAside(db: Db, ids: string[]): Promise<void> {
  if (ids.length > 0)
    await db.api.updateMany({ where: { id: { in: ids } }, data: { issuerHosts: jsonOrNull(null) } });
}

/** Removes former issuers first, so that two APIs can swap them. */
export async function setFormerIssuersAside(db: Db, ids: string[]): Promise<void> {
  if (ids.length > 0)
    await db.api.updateMany({ where: { id: { in: ids } }, data: { formerIssuers: jsonOrNull(null) } });
}

export async function setIntrospectionSecret(db: Db, id: string, hash: Buffer): Promise<void> {
  await db.api.updateMany({ where: { id }, data: { introspectionSecretHash: Uint8Array.from(hash) } });
}

async function replaceScopes(db: Db, apiId: string, scopes: ApiValues['scopes']): Promise<void> {
  const names = scopes.map(({ name }) => name);
  const plain = scopes.map(({ description }) => plainText(description));
  const texts = scopes.map(({ description }) => textsOf(description));
  const acrs = scopes.map((scope) => scope.required_acr ?? null);
  const groups = scopes.map((scope) => JSON.stringify(scope.groups ?? []));
  await db.apiScope.deleteMany({ where: { apiId, name: { notIn: names } } });
  await db.$executeRaw(sql`insert into api_scopes (api_id, name, description, description_texts, required_acr, groups, position)
    select ${apiId}, name, description, texts, acr, array(select jsonb_array_elements_text(groups::jsonb)), n - 1
    from unnest(${names}::text[], ${plain}::text[], ${texts}::text[], ${acrs}::text[], ${groups}::text[])
      with ordinality as s (name, description, texts, acr, groups, n)
    on conflict (api_id, name) do update set description = excluded.description,
      description_texts = excluded.description_texts, required_acr = excluded.required_acr, groups = excluded.groups, position = excluded.position`);
}

async function replaceCombinations(db: Db, apiId: string, methods: string[]): Promise<void> {
  const gone = await readRows(db, { authMethodId: 'text' })`
    delete from combinations
    where api_id = ${apiId} and auth_method_id <> all (${methods}) returning auth_method_id as "authMethodId"`;
  for (const { authMethodId } of gone) {
    await endTokens(db, { apiId, authMethodId }, 'combination removed');
    await dropFormerTokens(db, { apiId, authMethodId });
  }
  await db.$executeRaw(sql`insert into combinations (api_id, auth_method_id, position)
    select ${apiId}, method, min(n) - 1 from unnest(${methods}::text[]) with ordinality as m (method, n) group by method
    on conflict (auth_method_id, api_id) do update set position = excluded.position`);
}

/**
 * Combines the API with every local method, so that local users can sign in to it. Existing combinations are
 * unchanged.
 */
export async function upsertLocalCombinations(db: Db, api: string): Promise<void> {
  const types = typesThat('hasAccounts');
  const missing = { type: { in: types }, combinations: { none: { apiId: api } } };
  if ((await db.authMethod.count({ where: missing })) === 0) return;
  await db.$executeRaw(sql`insert into combinations (auth_method_id, api_id)
    select id, ${api} from auth_methods where type = any(${types}) on conflict do nothing`);
}

const localizedText = displayText(z.string()).describe('a text, or texts by language');
export const catalogueEntry = z.strictObject({
  id: z.string(),
  name: localizedText,
  description: localizedText,
  url: z.string(),
  requireApproval: z.boolean(),
  scopes: z.array(
    z.strictObject({
      name: z.string(),
      description: localizedText,
      required_acr: z.enum(ACR_VALUES).optional(),
    }),
  ),
  methods: z.array(z.strictObject({ id: z.string(), name: localizedText, type: z.string() })),
  /** subscription of the requested client to this API */
  subscription: z
    .strictObject({
      state: z.enum(SUBSCRIPTION_STATES),
      trusted: z.boolean(),
      machine: z.boolean(),
      device: z.boolean(),
      scopes: z.array(z.string()),
      reason: z.string().nullable(),
      version: z.int(),
    })
    .nullable(),
});
export type CatalogueEntry = z.output<typeof catalogueEntry>;

/** Returns the APIs that the client can request, in display order, each with the client's subscription. */
export async function selectCatalogue(filter: {
  clientId: string | null;
  search: string | null;
}): Promise<CatalogueEntry[]> {
  const searchCondition = contains(filter.search, 'a.id', 'lower(a.name)', 'lower(a.description)');
  return readRows(database(), catalogueEntry.shape)`
    select a.id, ${raw(displayTextSql('a.name'))} as name,
      ${raw(displayTextSql('a.description'))} as description, a.url, a.require_approval as "requireApproval",
      ${raw(API_SCOPES)} as scopes,
      coalesce((select json_agg(json_build_object('id', m.id, 'name', ${raw(displayTextSql('m.name'))}, 'type', m.type) order by c.position, m.id)
        from combinations c join auth_methods m on m.id = c.auth_method_id where c.api_id = a.id), '[]') as methods,
      (select json_build_object('state', s.state, 'trusted', s.trusted, 'machine', s.machine, 'device', s.device, 'scopes', s.scopes,
        'reason', s.reason, 'version', s.version) from subscriptions s where s.api_id = a.id and s.client_id = ${filter.clientId}) as subscription
    from apis a where ${joinSql([searchCondition], '', 'true')} order by a.position, a.id limit 1000`;
}
