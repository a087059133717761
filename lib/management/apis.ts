// APIs in lists and on their page; created, changed and deleted by administrators. The built-in one stays as it is.
import { sha256 } from '#lib/kit/index.ts';
import {
  type ApiInput,
  type ApiRow,
  type ApiValues,
  BUILT_IN_API,
  type Change,
  api as definition,
  type Fault,
  type Unchecked,
} from '#lib/registry/index.ts';
import {
  type Db,
  findApi,
  inTransaction,
  isApiUrlTaken,
  isClientIdTaken,
  ownConnection,
  removeFromRegistry,
  selectApis,
  selectUnknownMethods,
  setIntrospectionSecret,
  upsertApi,
} from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { changesOf } from './changes.ts';
import { operation } from './operation.ts';
import { type Asked, type Page, readPage, searchOf, TEXT_PART } from './page.ts';
import { type Actor, requireAction } from './policy.ts';
import { record } from './record.ts';
import { parseInput, Refused, refuseFaults, stale, taken } from './refused.ts';

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

/** With the introspection secret that the configuration file gives. */
export const createApi = operation(
  'createApi',
  async (actor: Actor, input: ApiInput | Unchecked, introspectionSecret?: string): Promise<ApiRow> => {
    requireAction(actor, 'registry.manage');
    const api = parseApi(input);
    return inTransaction(async (db: Db) => {
      if (await isClientIdTaken(db, api.id)) {
        throw taken('id', `${api.id} is taken by a client or an API`);
      }
      refuseFaults(await registryFaults(db, api));
      await upsertApi(db, api);
      if (introspectionSecret !== undefined)
        await setIntrospectionSecret(db, api.id, sha256(introspectionSecret));
      const { id, ...after } = api;
      await record(actor, { event: 'api.created', apiId: id, details: { after } }, db);
      return apiOf(db, id);
    });
  },
);

export type ApiChange = { id: string } & (Change<Omit<ApiInput, 'id'>> | Unchecked);

export const changeApi = operation(
  'changeApi',
  async (
    actor: Actor,
    input: ApiChange & { version?: number },
    introspectionSecret?: string,
    /** where `apply` has set it aside */
    urlBefore?: string,
  ): Promise<ApiRow> => {
    requireAction(actor, 'registry.manage');
    const { version, ...change } = input;
    return inTransaction(async (db: Db) => {
      const before = await apiOf(db, input.id, 'lock');
      refuseBuiltIn(before);
      const after = changedApi(before, change);
      refuseFaults(await registryFaults(db, after));
      if (version !== undefined && before.version !== version) throw stale(`the API ${before.id}`);
      const details = changesOf({ ...before, url: urlBefore ?? before.url }, after);
      if (details.changed.length > 0) await upsertApi(db, after);
      if (introspectionSecret !== undefined) {
        await setIntrospectionSecret(db, before.id, sha256(introspectionSecret));
        details.changed.push('introspectionSecret');
      }
      if (details.changed.length === 0) return before;
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
  const known = Object.keys(definition.shape) as (keyof ApiValues)[];
  const now = Object.fromEntries(known.map((key) => [key, before[key]]));
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return parseApi({ ...now, ...given, id: before.id });
}

function parseApi(input: object): ApiValues {
  const api = parseInput(definition, input);
  const [authMethods, tokenClaims] = [[...new Set(api.authMethods)], [...new Set(api.tokenClaims)]];
  return { ...api, authMethods, tokenClaims };
}

/** What only the registry knows. */
export async function registryFaults(db: Db, api: ApiValues): Promise<Fault[]> {
  const faults: Fault[] = [];
  if (await isApiUrlTaken(db, api.url, api.id)) {
    faults.push({ field: 'url', message: 'another API has this address already' });
  }
  for (const id of await selectUnknownMethods(db, api.authMethods)) {
    const field = `authMethods.${api.authMethods.indexOf(id)}`;
    faults.push({ field, message: `there is no authentication method ${id}` });
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
  if (api.id === BUILT_IN_API) throw new Refused('this API is built in and stays as it is', 'conflict');
}
