// APIs: listed, created, changed and deleted by administrators, and as developers of clients see them. The built-in one
// stays as it is.

import { sha256 } from '#lib/kit/random.ts';
import { english } from '#lib/language/message.ts';
import { autoApproveFaults } from '#lib/registry/clients/unregistered.ts';
import type { Change, Fault, Unchecked } from '#lib/registry/fields/definition.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import {
  type ApiInput,
  type ApiRow,
  type ApiValues,
  BUILT_IN_API,
  api as definition,
} from '#lib/registry/objects/api.ts';
import { withFlatTexts } from '#lib/registry/texts/own-texts.ts';
import { type Db, lockName } from '#lib/store/database/prisma.ts';
import { endTokensOfSubjects } from '#lib/store/endings/endings.ts';
import { removeFromRegistry } from '#lib/store/endings/removal.ts';
import {
  APIS,
  type CatalogueRow,
  findApi,
  isApiUrlTaken,
  selectCatalogue,
  setIntrospectionSecret,
  upsertApi,
} from '#lib/store/registry/apis.ts';
import { findAuthMethod, selectUnknownMethods } from '#lib/store/registry/auth-methods.ts';
import { isClientIdTaken, isKeptSubject } from '#lib/store/registry/clients.ts';
import { selectRequiredClaims } from '#lib/store/registry/subscriptions.ts';
import { mint } from '#lib/tokens/formats.ts';
import { changesOf, withChange } from '../core/changes.ts';
import { weakenedFaults } from '../core/claim-faults.ts';
import { type Consequences, consequencesOf } from '../core/consequences.ts';
import { type Context, operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, searchOf } from '../core/page.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { parseInput, Refused, refuseFaults, refuseStale, taken } from '../core/refused.ts';
import { unknownGroupFaults } from '../groups/groups.ts';
import { type BrandPart, logoField, releaseLogo, withBrandPart, withKeptLogo } from './brand.ts';
import { reachClient } from './client-access.ts';
import { issuerAddressFaults, pastFaults } from './issuer-addresses.ts';

export const pageApis = operation(
  'pageApis',
  (_, input: Asked = {}): Promise<Page<ApiRow>> => readPage(APIS, input, { search: searchOf(input) }),
);

export const readApi = operation('readApi', ({ db }, input: { id: string }) => apiOf(db, input.id));

export type CatalogueEntry = CatalogueRow;

/** The APIs that a client may subscribe to. */
export const listCatalogue = operation(
  'listCatalogue',
  async (
    context,
    input: { clientId?: string | undefined; search?: string | undefined } = {},
  ): Promise<CatalogueEntry[]> => {
    const { clientId = null } = input;
    if (clientId !== null) await reachClient(context, clientId, 'see');
    return selectCatalogue({ clientId, search: searchOf(input) });
  },
);

/** What only the configuration file sets. */
type Configured = {
  introspectionSecret?: string | undefined;
  /** what stood there before `apply` set it aside */
  before?: Partial<Pick<ApiValues, 'url' | 'issuerHosts' | 'formerIssuers'>>;
};

export const createApi = operation(
  'createApi',
  async (
    { actor, db },
    input: ApiInput | Unchecked,
    { introspectionSecret }: Configured = {},
  ): Promise<ApiRow> => {
    const given = parseApi(input);
    await requireFreeId(db, given.id, 'id');
    refuseFaults([...(await registryFaults(db, given)), ...pastFaults(actor, given, null)]);
    const api = await withKeptLogo(db, given, null);
    const { id, ...after } = api;
    await upsertApi(db, api);
    if (introspectionSecret !== undefined) await setIntrospectionSecret(db, id, sha256(introspectionSecret));
    await record(actor, { event: 'api.created', apiId: id, details: { after: withFlatTexts(after) } }, db);
    return apiOf(db, id);
  },
);

export type ApiChange = { id: string } & BrandPart & (Change<Omit<ApiInput, 'id'>> | Unchecked);

export const changeApi = operation(
  'changeApi',
  async (
    { actor, db },
    { version, ...change }: ApiChange & { version?: number },
    { introspectionSecret, before: setAside }: Configured = {},
  ): Promise<ApiRow> => {
    const before = await ownApiOf(db, change.id);
    const given = changedApi(before, change);
    refuseFaults(await apiChangeFaults({ actor, db }, { ...before, ...setAside }, given));
    refuseStale(`the API ${before.id}`, version, before.version);
    const after = await withKeptLogo(db, given, before, logoField(change));
    const details = changesOf({ ...before, ...setAside }, after);
    if (details.changed.length > 0) await upsertApi(db, after);
    await releaseLogo(db, before, after);
    if (details.changed.includes('pairwiseSubjects')) await endTokensOfSubjects(db, { apiId: before.id });
    if (introspectionSecret !== undefined) {
      await setIntrospectionSecret(db, before.id, sha256(introspectionSecret));
      details.changed.push('introspectionSecret');
    }
    if (details.changed.length === 0) return before;
    await record(actor, { event: 'api.changed', apiId: before.id, details }, db);
    return apiOf(db, before.id);
  },
);

/** Deletes its subscriptions, consents and tokens too. */
export const deleteApi = operation(
  'deleteApi',
  async ({ actor, db }, input: { id: string; version?: number | undefined }): Promise<void> => {
    const api = await ownApiOf(db, input.id);
    const { id, version } = api;
    refuseStale(`the API ${id}`, input.version, version);
    await removeFromRegistry(db, 'apis', id);
    await releaseLogo(db, api, null);
    await record(actor, { event: 'api.removed', apiId: id }, db);
  },
);

/** A new secret for the API's introspection requests; the old one ends. Returned once. */
/** The one that is there stops working. */
export const previewIntrospectionSecret = operation(
  'previewIntrospectionSecret',
  async ({ db }, input: { id: string }): Promise<Consequences> => {
    const { name, accessTokenFormat, hasIntrospectionSecret } = await apiOf(db, input.id);
    return consequencesOf(false, [
      [
        english('{api} can no longer ask about tokens until it has the new one.', { api: plainText(name) }),
        hasIntrospectionSecret,
      ],
      [
        english('Its tokens are opaque: until then it refuses every request.'),
        hasIntrospectionSecret && accessTokenFormat === 'opaque',
      ],
    ]);
  },
);

export const renewIntrospectionSecret = operation(
  'renewIntrospectionSecret',
  async ({ actor, db }, input: { id: string }): Promise<{ secret: string }> => {
    const { id } = await apiOf(db, input.id, 'lock');
    const secret = mint('clientSecret').value;
    await setIntrospectionSecret(db, id, sha256(secret));
    const details = { changed: ['introspectionSecret'] };
    await record(actor, { event: 'api.changed', apiId: id, details }, db);
    return { secret };
  },
);

export const changedApi = (before: ApiRow, change: ApiChange): ApiValues =>
  parseApi(withChange(definition, before, withBrandPart(before, change)));

function parseApi(input: object): ApiValues {
  const api = parseInput(definition, input);
  const [authMethods, tokenClaims] = [[...new Set(api.authMethods)], [...new Set(api.tokenClaims)]];
  return { ...api, authMethods, tokenClaims };
}

/**
 * Faults that only the stored registry and the settings show: a taken url or host, unknown methods, repeated scopes.
 */
async function registryFaults(db: Db, api: ApiValues): Promise<Fault[]> {
  const faults: Fault[] = [];
  if (await isApiUrlTaken(db, api.url, api.id)) {
    faults.push(faultAt('url', 'api.url_taken'));
  }
  faults.push(...(await issuerAddressFaults(db, api)));
  for (const id of await selectUnknownMethods(db, api.authMethods)) {
    const field = `authMethods.${api.authMethods.indexOf(id)}`;
    faults.push(faultAt(field, 'method.unknown', { method: id }));
  }
  faults.push(...(await unknownGroupFaults(db, api)));
  for (const { path, message } of autoApproveFaults(api)) {
    faults.push(faultAt(path.join('.'), 'api.wrong_auto_approve', { why: message }));
  }
  for (const [at, scope] of api.scopes.entries()) {
    if (api.scopes.findIndex((one) => one.name === scope.name) < at) {
      faults.push(faultAt(`scopes.${at}.name`, 'api.scope_twice', { scope: scope.name }));
    }
  }
  return faults;
}

/** Why this change would be refused. */
export async function apiChangeFaults(
  { actor, db }: Pick<Context, 'actor' | 'db'>,
  before: ApiValues,
  after: ApiValues,
): Promise<Fault[]> {
  const faults = [...(await registryFaults(db, after)), ...pastFaults(actor, after, before)];
  // the file is checked as a whole, before its subscriptions get there
  return actor.kind === 'configuration' ? faults : [...faults, ...(await weakClaimFaults(db, before, after))];
}

/** Methods that are added, at which a `required_claim` of the API would prove nothing. */
async function weakClaimFaults(db: Db, before: ApiValues, after: ApiValues): Promise<Fault[]> {
  const added = after.authMethods.filter((id) => !before.authMethods.includes(id));
  const required = added.length > 0 ? await selectRequiredClaims(db, { api: before.id }) : [];
  if (required.length === 0) return [];
  const methods = await Promise.all(added.map((id) => findAuthMethod(db, id)));
  return methods.flatMap((method) =>
    method === null
      ? []
      : weakenedFaults(method, required, { field: `authMethods.${after.authMethods.indexOf(method.id)}` }),
  );
}

/** Of two requests for one id at the same time, the second waits and is refused. */
export async function requireFreeId(db: Db, id: string, field: 'id' | 'clientId'): Promise<void> {
  await lockName(db, `id ${id}`);
  if (await isClientIdTaken(db, id)) throw taken(field, 'api.id_taken', id);
  // its own tokens would have that person's `sub`
  if (field === 'clientId' && (await isKeptSubject(db, id))) throw taken(field, 'api.id_taken', id);
}

export async function apiOf(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<ApiRow> {
  const api = await findApi(db, id, lock);
  if (!api) throw new Refused('api.unknown', { api: id });
  return api;
}

/** Locked for a change. */
async function ownApiOf(db: Db, id: string): Promise<ApiRow> {
  const api = await apiOf(db, id, 'lock');
  if (id === BUILT_IN_API) throw new Refused('api.built_in');
  return api;
}
