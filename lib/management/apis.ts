// APIs in lists and on their page; created, changed and deleted by administrators. The built-in one stays as it is.
import { z } from 'zod';
import { sha256 } from '#lib/kit/index.ts';
import {
  type ApiRow,
  type Db,
  findApi,
  inTransaction,
  isApiUrlTaken,
  isClientIdTaken,
  ownConnection,
  removeFromRegistry,
  replaceCombinations,
  replaceScopes,
  selectApis,
  selectMethods,
  setIntrospectionSecret,
  upsertApi,
} from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { MANAGEMENT_API } from './built-in.ts';
import { changesOf } from './changes.ts';
import { operation } from './operation.ts';
import { type Asked, type Page, readPage, searchOf, TEXT_PART } from './page.ts';
import { type Actor, requireAction } from './policy.ts';
import { record } from './record.ts';
import { type Fault, Refused, refuseFaults, stale, taken } from './refused.ts';
import {
  emailAddress,
  faultsOf,
  label,
  longText,
  registryId,
  scopeName,
  seconds,
  signingAlg,
  tokenFormat,
  webAddress,
} from './registry-rules.ts';

export type { ApiRow } from '#lib/store/index.ts';

const shape = z.strictObject({
  id: registryId,
  name: label,
  description: longText.default(''),
  url: webAddress,
  authMethods: z.array(registryId).max(100).default([]),
  scopes: z
    .array(z.strictObject({ name: scopeName, description: longText }))
    .max(500)
    .default([]),
  accessTokenTtlSeconds: seconds.default(3600),
  accessTokenFormat: tokenFormat.default('jwt'),
  signingAlg: signingAlg.default('ES256'),
  refreshTokenTtlSeconds: seconds.default(2_592_000),
  refreshFamilyTtlSeconds: seconds.default(7_776_000),
  requireRedirectUri: z.boolean().default(true),
  requireScope: z.boolean().default(false),
  requireApproval: z.boolean().default(false),
  approvers: z.array(emailAddress).max(100).default([]),
});
export type ApiInput = z.input<typeof shape>;
export type ApiValues = z.output<typeof shape>;

export const pageApis = operation(
  'pageApis',
  async (actor: Actor, input: Asked = {}): Promise<Page<ApiRow>> => {
    requireAction(actor, 'registry.read');
    return readPage(input, {
      parts: [TEXT_PART],
      select: ({ after, limit }) => selectApis({ search: searchOf(input), after: after?.[0] ?? null, limit }),
      key: (row) => [row.id],
    });
  },
);

export const readApi = operation('readApi', async (actor: Actor, input: { id: string }): Promise<ApiRow> => {
  requireAction(actor, 'registry.read');
  return apiOf(ownConnection, input.id);
});

export const createApi = operation('createApi', async (actor: Actor, input: ApiInput): Promise<ApiRow> => {
  requireAction(actor, 'registry.manage');
  const api = parseApi(input);
  return inTransaction(async (db: Db) => {
    if (await isClientIdTaken(db, api.id)) {
      throw taken('id', `${api.id} is taken by a client or an API`);
    }
    refuseFaults(await registryFaults(db, api));
    await write(db, api);
    const { id, ...after } = api;
    await record(actor, { event: 'api.created', apiId: id, details: { after } }, db);
    return apiOf(db, id);
  });
});

export type ApiChange = { id: string } & Partial<Omit<ApiInput, 'id'>>;

export const changeApi = operation(
  'changeApi',
  async (actor: Actor, input: ApiChange & { version: number }): Promise<ApiRow> => {
    requireAction(actor, 'registry.manage');
    const { version, ...change } = input;
    return inTransaction(async (db: Db) => {
      const before = await apiOf(db, input.id, 'lock');
      refuseBuiltIn(before);
      const after = changedApi(before, change);
      refuseFaults(await registryFaults(db, after));
      if (before.version !== version) throw stale(`the API ${before.id}`);
      const details = changesOf(before, after);
      if (details.changed.length === 0) return before;
      await write(db, after);
      await record(actor, { event: 'api.changed', apiId: before.id, details }, db);
      return apiOf(db, before.id);
    });
  },
);

/** With its subscriptions, consents and tokens. */
export const deleteApi = operation(
  'deleteApi',
  async (actor: Actor, input: { id: string; version?: number | undefined }): Promise<void> => {
    requireAction(actor, 'registry.manage');
    await inTransaction(async (db: Db) => {
      const api = await apiOf(db, input.id, 'lock');
      refuseBuiltIn(api);
      if (input.version !== undefined && input.version !== api.version) throw stale(`the API ${api.id}`);
      await removeFromRegistry(db, 'apis', api.id);
      await record(actor, { event: 'api.removed', apiId: api.id }, db);
    });
  },
);

/** A new credential for the API's own introspection; the one before ends. Answered once. */
export const renewIntrospectionSecret = operation(
  'renewIntrospectionSecret',
  async (actor: Actor, input: { id: string }): Promise<{ secret: string }> => {
    requireAction(actor, 'registry.manage');
    return inTransaction(async (db: Db) => {
      const api = await apiOf(db, input.id, 'lock');
      const secret = mint('clientSecret').value;
      await setIntrospectionSecret(db, api.id, sha256(secret));
      const details = { changed: ['introspectionSecret'] };
      await record(actor, { event: 'api.changed', apiId: api.id, details }, db);
      return { secret };
    });
  },
);

export function changedApi(before: ApiRow, change: ApiChange): ApiValues {
  const known = Object.keys(shape.shape) as (keyof ApiValues)[];
  const now = Object.fromEntries(known.map((key) => [key, before[key]]));
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return parseApi({ ...now, ...given, id: before.id } as ApiInput);
}

function parseApi(input: ApiInput): ApiValues {
  const parsed = shape.safeParse(input);
  if (!parsed.success) refuseFaults(faultsOf(parsed.error));
  return parsed.data as ApiValues;
}

/** What only the registry knows. */
export async function registryFaults(db: Db, api: ApiValues): Promise<Fault[]> {
  const faults: Fault[] = [];
  if (await isApiUrlTaken(db, api.url, api.id)) {
    faults.push({ field: 'url', message: 'another API has this address already' });
  }
  const methods = await selectMethods({ search: null, after: null, limit: 10_000 });
  for (const [at, id] of api.authMethods.entries()) {
    if (!methods.some((method) => method.id === id)) {
      faults.push({ field: `authMethods.${at}`, message: `there is no authentication method ${id}` });
    }
  }
  for (const [at, scope] of api.scopes.entries()) {
    if (api.scopes.findIndex((one) => one.name === scope.name) < at) {
      faults.push({ field: `scopes.${at}.name`, message: `the scope ${scope.name} stands here twice` });
    }
  }
  return faults;
}

export async function apiOf(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<ApiRow> {
  const api = await findApi(db, id, lock);
  if (!api) throw new Refused(`there is no API ${id}`, 'not-found');
  return api;
}

function refuseBuiltIn(api: ApiRow): void {
  if (api.id === MANAGEMENT_API) throw new Refused('this API is built in and stays as it is', 'conflict');
}

async function write(db: Db, api: ApiValues): Promise<void> {
  await upsertApi(db, {
    id: api.id,
    name: api.name,
    description: api.description,
    url: api.url,
    access_token_ttl: api.accessTokenTtlSeconds,
    access_token_format: api.accessTokenFormat,
    signing_alg: api.signingAlg,
    refresh_token_ttl: api.refreshTokenTtlSeconds,
    refresh_family_ttl: api.refreshFamilyTtlSeconds,
    require_redirect_uri: api.requireRedirectUri,
    require_scope: api.requireScope,
    require_approval: api.requireApproval,
    approvers: api.approvers,
  });
  await replaceScopes(db, api.id, api.scopes);
  await replaceCombinations(db, api.id, [...new Set(api.authMethods)]);
}
