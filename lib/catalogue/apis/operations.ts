// APIs: administrators list, create, change and delete them, and developers list them. The built-in API cannot be
// changed. An API determines its sign-in methods and its approvers, so a change requires a recent sign-in.

import { z } from 'zod';
import { reachClient } from '#lib/catalogue/clients/access.ts';
import { newSecret } from '#lib/catalogue/clients/definition.ts';
import { isClientIdTaken, isKeptSubject } from '#lib/catalogue/clients/rows.ts';
import { unknownGroupFaults } from '#lib/catalogue/groups/operations.ts';
import { findAuthMethod, selectUnknownMethods } from '#lib/catalogue/methods/rows.ts';
import { sameSet } from '#lib/catalogue/subscriptions/definition.ts';
import { selectRequiredClaims, selectSubscriptionsOf } from '#lib/catalogue/subscriptions/rows.ts';
import { now } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { english } from '#lib/language/message.ts';
import {
  type BrandPart,
  logoField,
  releaseLogo,
  withBrandPart,
  withKeptLogo,
} from '#lib/management/brand.ts';
import {
  approvedPairs,
  type Consequences,
  consequencesOf,
  consequencesOutput,
  countEnding,
  type Holding,
  weakenedFaults,
} from '#lib/management/consequences.ts';
import {
  type Asked,
  type Page,
  readPage,
  searchedPage,
  searchOf,
  searchQuery,
} from '#lib/management/lists.ts';
import { type Context, one, operation, page, wholeList } from '#lib/management/operations.ts';
import type { Actor } from '#lib/management/policy.ts';
import { changesOf, record, withChange } from '#lib/management/record.ts';
import {
  faultAt,
  parseInput,
  Refused,
  refuseFaults,
  refuseStale,
  valueTaken,
  wrongAt,
} from '#lib/management/refused.ts';
import { type Change, changeOf, type Fault, type Unchecked } from '#lib/registry/definition.ts';
import { plainText } from '#lib/registry/display-text.ts';
import {
  type FormerIssuer,
  formerIssuerBase,
  formerIssuerFaults,
  hostOf,
  isPast,
  issuerHostFaults,
  sharedAddress,
  sharedAddressFault,
} from '#lib/registry/issuers.ts';
import { withFlatTexts } from '#lib/registry/own-texts.ts';
import { autoApproveFaults } from '#lib/registry/unregistered.ts';
import { settings } from '#lib/settings/settings.ts';
import { countWaitingDevices, endTokensOfSubjects, removeFromRegistry } from '#lib/store/endings.ts';
import { type Db, lockName } from '#lib/store/prisma.ts';
import { mint } from '#lib/tokens/formats.ts';
import {
  type ApiInput,
  type ApiRow,
  type ApiValues,
  apiRow,
  BUILT_IN_API,
  api as definition,
  profileExcludes,
  underProfile,
} from './definition.ts';
import {
  APIS,
  type CatalogueEntry,
  catalogueEntry,
  findApi,
  isApiUrlTaken,
  selectAddressesAtHosts,
  selectCatalogue,
  selectHolderOfHosts,
  setIntrospectionSecret,
  upsertApi,
} from './rows.ts';

// Checks of the addresses of an API's issuers that need the stored registry, the settings or the clock: separate
// hosts, and former issuers.

/** Faults of separate hosts and of former issuers. Faults of separate hosts come first. */
async function issuerAddressFaults(db: Db, api: ApiValues): Promise<Fault[]> {
  const { baseUrl, authUrl } = settings();
  const faults = issuerHostFaults(api, [baseUrl, authUrl]).map(({ method, ...why }) =>
    wrongAt(`issuerHosts.${method}`, 'api.wrong_host', why),
  );
  const hosts = Object.values(api.issuerHosts ?? {}).map(hostOf);
  const holder = await selectHolderOfHosts(db, hosts, api.id);
  if (holder) faults.push(faultAt('issuerHosts', 'api.host_taken', { host: holder.host, api: holder.id }));
  return [...faults, ...(await formerIssuerFaultsOf(db, api, [baseUrl, authUrl]))];
}

async function formerIssuerFaultsOf(db: Db, api: ApiValues, ownIssuers: string[]): Promise<Fault[]> {
  const faults = formerIssuerFaults(api, ownIssuers).map(({ at, ...why }) =>
    wrongAt(`formerIssuers.${at}.issuer`, 'api.wrong_former_issuer', why),
  );
  const formers = api.formerIssuers ?? [];
  const others = await selectAddressesAtHosts(
    db,
    formers.map(({ issuer }) => issuer),
    api.id,
  );
  for (const [at, former] of formers.entries()) {
    for (const { id, issuer, layout } of others) {
      const isSame = formerIssuerBase(issuer) === formerIssuerBase(former.issuer);
      const shared = layout === null ? null : sharedAddress(former, { issuer, layout });
      if (isSame || (layout === null && hostOf(issuer) === new URL(former.issuer).host))
        faults.push(faultAt('formerIssuers', 'api.former_issuer_taken', { issuer, api: id }));
      else if (shared !== null)
        faults.push(
          wrongAt(
            `formerIssuers.${at}.issuer`,
            'api.wrong_former_issuer',
            sharedAddressFault({ issuer, api: id, address: shared }),
          ),
        );
    }
  }
  return faults;
}

/**
 * Rejects a former issuer whose last day has passed, unless the API already has it. The configuration file may contain
 * such dates, because it can be an older export.
 */
function pastFaults(
  actor: Actor,
  after: ApiValues,
  before: { formerIssuers?: ApiValues['formerIssuers'] | undefined } | null,
): Fault[] {
  const isKnownIssuer = (formerIssuer: FormerIssuer) =>
    before?.formerIssuers?.some(
      ({ issuer, until }) => issuer === formerIssuer.issuer && until === formerIssuer.until,
    );
  if (actor.kind === 'configuration') return [];
  return (after.formerIssuers ?? []).flatMap((formerIssuer, at) =>
    isPast(formerIssuer, now()) && !isKnownIssuer(formerIssuer)
      ? [faultAt(`formerIssuers.${at}.until`, 'api.former_until_past')]
      : [],
  );
}

export const pageApis = operation(
  { name: 'pageApis', right: 'registry.read', shape: searchedPage('apis'), output: page('Api', apiRow) },
  (_, input: Asked = {}): Promise<Page<ApiRow>> => readPage(APIS, input, { search: searchOf(input) }),
);

export const readApi = operation(
  { name: 'readApi', right: 'registry.read', output: one('Api', apiRow) },
  ({ db }, input: { id: string }) => apiOf(db, input.id),
);

const catalogueFilter = z.strictObject({ ...searchQuery, clientId: z.string().max(300).optional() });

/** APIs that a client can subscribe to. */
export const listCatalogue = operation(
  {
    name: 'listCatalogue',
    right: 'subscriptions.see-own',
    shape: catalogueFilter,
    output: wholeList('CatalogueEntry', catalogueEntry),
  },
  async (context, input: z.output<typeof catalogueFilter> = {}): Promise<CatalogueEntry[]> => {
    const { clientId = null } = input;
    if (clientId !== null) await reachClient(context, clientId, 'see');
    return selectCatalogue({ clientId, search: searchOf(input) });
  },
);

/** Values that only the configuration file sets. */
type Configured = {
  introspectionSecret?: string | undefined;
  /** the values before `apply` temporarily removed them */
  before?: Partial<Pick<ApiValues, 'url' | 'issuerHosts' | 'formerIssuers'>>;
};

export const createApi = operation(
  {
    name: 'createApi',
    right: 'registry.manage',
    fresh: 'always',
    runsOn: 'transaction',
    shape: definition,
    output: one('Api', apiRow),
  },
  async (
    { actor, db },
    input: ApiInput | Unchecked,
    { introspectionSecret }: Configured = {},
  ): Promise<ApiRow> => {
    const values = parseApi(input);
    await requireFreeId(db, values.id, 'id');
    refuseFaults([...(await registryFaults(db, values)), ...pastFaults(actor, values, null)]);
    const api = await withKeptLogo(db, values, null);
    const { id, ...after } = api;
    await upsertApi(db, api);
    if (introspectionSecret !== undefined) await setIntrospectionSecret(db, id, sha256(introspectionSecret));
    await record(actor, { event: 'api.created', apiId: id, details: { after: withFlatTexts(after) } }, db);
    return apiOf(db, id);
  },
);

const apiChange = changeOf(definition.omit({ id: true }));
export type ApiChange = { id: string } & BrandPart & (Change<Omit<ApiInput, 'id'>> | Unchecked);

export const changeApi = operation(
  {
    name: 'changeApi',
    right: 'registry.manage',
    fresh: 'always',
    runsOn: 'transaction',
    shape: apiChange,
    output: one('Api', apiRow),
  },
  async (
    { actor, db },
    { version, ...change }: ApiChange & { version?: number },
    { introspectionSecret, before: setAside }: Configured = {},
  ): Promise<ApiRow> => {
    const before = await ownApiOf(db, change.id);
    const values = changedApi(before, change);
    refuseFaults(await apiChangeFaults({ actor, db }, { ...before, ...setAside }, values));
    refuseStale(before.id, version, before.version);
    const after = await withKeptLogo(db, values, before, logoField(change));
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

/** Deletes an API with its subscriptions, consents and tokens. */
export const deleteApi = operation(
  { name: 'deleteApi', right: 'registry.manage', runsOn: 'transaction' },
  async ({ actor, db }, input: { id: string; version?: number | undefined }): Promise<void> => {
    const api = await ownApiOf(db, input.id);
    const { id, version } = api;
    refuseStale(id, input.version, version);
    await removeFromRegistry(db, 'apis', id);
    await releaseLogo(db, api, null);
    await record(actor, { event: 'api.removed', apiId: id }, db);
  },
);

/** Previews a new introspection secret: the previous secret stops working. */
export const previewIntrospectionSecret = operation(
  { name: 'previewIntrospectionSecret', right: 'registry.read' },
  async ({ db }, input: { id: string }): Promise<Consequences> => {
    const { name, accessTokenFormat, hasIntrospectionSecret } = await apiOf(db, input.id);
    return consequencesOf(false, [
      [
        english('{api} cannot introspect tokens until it has the new secret.', { api: plainText(name) }),
        hasIntrospectionSecret,
      ],
      [
        english('The tokens of this API are opaque: until then the API rejects every request.'),
        hasIntrospectionSecret && accessTokenFormat === 'opaque',
      ],
    ]);
  },
);

/** Returns a new secret for introspection requests of the API. It is shown once. */
export const renewIntrospectionSecret = operation(
  {
    name: 'renewIntrospectionSecret',
    right: 'registry.manage',
    fresh: 'always',
    runsOn: 'transaction',
    output: one('Secret', newSecret),
  },
  async ({ actor, db }, input: { id: string }): Promise<{ secret: string }> => {
    const { id } = await apiOf(db, input.id, 'lock');
    const secret = mint('clientSecret').value;
    await setIntrospectionSecret(db, id, sha256(secret));
    const details = { changed: ['introspectionSecret'] };
    await record(actor, { event: 'api.changed', apiId: id, details }, db);
    return { secret };
  },
);

const changedApi = (before: ApiRow, change: ApiChange): ApiValues =>
  parseApi(withChange(definition, before, withBrandPart(before, change)));

function parseApi(input: object): ApiValues {
  const api = parseInput(definition, input);
  const [authMethods, tokenClaims] = [[...new Set(api.authMethods)], [...new Set(api.tokenClaims)]];
  return { ...api, authMethods, tokenClaims };
}

/**
 * Faults that depend on the stored registry and the settings: a url or host that is in use, unknown methods, repeated
 * scopes.
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
  for (const { path, ...why } of autoApproveFaults(api))
    faults.push(wrongAt(path.join('.'), 'api.wrong_auto_approve', why));
  for (const [at, scope] of api.scopes.entries()) {
    if (api.scopes.findIndex((entry) => entry.name === scope.name) < at) {
      faults.push(faultAt(`scopes.${at}.name`, 'api.scope_twice', { scope: scope.name }));
    }
  }
  return faults;
}

/** The reasons why this change would be rejected. */
async function apiChangeFaults(
  { actor, db }: Pick<Context, 'actor' | 'db'>,
  before: ApiValues,
  after: ApiValues,
): Promise<Fault[]> {
  const faults = [...(await registryFaults(db, after)), ...pastFaults(actor, after, before)];
  // `apply` checks the complete file before it writes subscriptions
  return actor.kind === 'configuration' ? faults : [...faults, ...(await weakClaimFaults(db, before, after))];
}

/** Returns faults for added methods that could not prove an existing `required_claim`. */
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

/** Rejects an id that is in use. Of two concurrent requests for one id, the second waits and is rejected. */
export async function requireFreeId(db: Db, id: string, field: 'id' | 'clientId'): Promise<void> {
  await lockName(db, `id ${id}`);
  if (await isClientIdTaken(db, id)) throw valueTaken(field, 'api.id_taken', id);
  // the id must not be the kept subject of a user: otherwise the tokens of the client would have that user's
  // `sub`
  if (field === 'clientId' && (await isKeptSubject(db, id))) throw valueTaken(field, 'api.id_taken', id);
}

async function apiOf(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<ApiRow> {
  const api = await findApi(db, id, lock);
  if (!api) throw new Refused('api.unknown', { api: id });
  return api;
}

/** Reads the API and locks it for a change. */
async function ownApiOf(db: Db, id: string): Promise<ApiRow> {
  const api = await apiOf(db, id, 'lock');
  if (id === BUILT_IN_API) throw new Refused('api.built_in');
  return api;
}

export const previewApiChange = operation(
  { name: 'previewApiChange', right: 'registry.read', shape: apiChange, output: consequencesOutput },
  async ({ actor, db }, input: ApiChange): Promise<Consequences> => {
    const before = await apiOf(db, input.id);
    const after = changedApi(before, input);
    const faults = await apiChangeFaults({ actor, db }, before, after);
    const { id: api, managed } = before;
    const subscriptions = await selectSubscriptionsOf(db, { api });
    const clients = approvedPairs(subscriptions).length;
    const differs = (field: keyof typeof after) => before[field] !== after[field];
    const goneMethods = before.authMethods.filter((id) => !after.authMethods.includes(id));
    const goneScopes = before.scopes
      .map(({ name }) => name)
      .filter((gone) => !after.scopes.some(({ name }) => name === gone));
    const otherPeople = after.scopes.flatMap(({ name, groups = [] }) => {
      const scope = before.scopes.find((apiScope) => apiScope.name === name);
      return scope && !sameSet(scope.groups ?? [], groups) ? [name] : [];
    });
    const shut = after.scopes.flatMap(({ name, groups = [] }) => {
      const scope = before.scopes.find((apiScope) => apiScope.name === name);
      if (!scope || groups.length === 0) return [];
      const had = scope.groups ?? [];
      return had.length === 0 || had.some((group) => !groups.includes(group)) ? [name] : [];
    });
    const opens = before.groups.length > 0 && after.groups.length === 0;
    const asking = subscriptions.filter((row) => row.scopes.some((scope) => goneScopes.includes(scope)));
    const endsDevices =
      underProfile(before).deviceGrant === 'on' && underProfile(after).deviceGrant === 'off';
    const waitingDevices = endsDevices ? await countWaitingDevices(db, api) : 0;
    const breaks = consequencesOf(managed, [
      ...goneMethods.map(
        (method): Holding => [
          english('No one can sign in to this API with {method} any more: that issuer is removed.', {
            method,
          }),
          true,
        ],
      ),
      [
        english(
          'The scopes {scopes} are removed: requests that contain one of them fail ({count, plural, one {# subscription is} other {# subscriptions are}} affected).',
          { scopes: goneScopes.join(', '), count: asking.length },
        ),
        goneScopes.length > 0,
      ],
      [
        english(
          'Tokens get another audience: the API must expect {url} ({clients, plural, one {# client} other {# clients}}).',
          { url: after.url, clients },
        ),
        differs('url'),
      ],
      [
        english('Tokens are {format} from now on: the API must understand them.', {
          format: after.accessTokenFormat,
        }),
        differs('accessTokenFormat'),
      ],
      [
        english('Tokens are signed with {alg}: the API must accept this algorithm.', {
          alg: after.signingAlg,
        }),
        differs('signingAlg') && after.accessTokenFormat === 'jwt',
      ],
      [
        english(
          'From now on clients know people by other identifiers (sub), and everyone must sign in again.',
        ),
        differs('pairwiseSubjects'),
      ],
      [english('Requests without a scope fail.'), differs('requireScope') && after.requireScope],
      [
        english('The password grant and requests without PKCE fail. Everything issued before remains valid.'),
        differs('profile') && after.profile !== null,
      ],
      [
        english('Requests without a redirect address fail.'),
        differs('requireRedirectUri') && after.requireRedirectUri,
      ],
      [english('Devices cannot be connected by a code.'), endsDevices],
      [
        english(
          '{count, plural, one {# code on a device is no longer valid.} other {# codes on devices are no longer valid.}}',
          { count: waitingDevices },
        ),
        waitingDevices > 0,
      ],
      [
        english(
          'From now on, only people in these groups can use the API: {groups}. Others lose their access.',
          {
            groups: after.groups.join(', '),
          },
        ),
        after.groups.length > 0 && !sameSet(before.groups, after.groups),
      ],
      [english('From now on, everyone can use the API, regardless of their groups.'), opens],
      [
        english('From now on, other people can have these scopes: {scopes}.', {
          scopes: otherPeople.join(', '),
        }),
        otherPeople.length > 0,
      ],
      [
        english('People outside their groups lose these scopes immediately: {scopes}.', {
          scopes: shut.join(', '),
        }),
        shut.length > 0,
      ],
      [
        english('From now on, other people decide on requests, including pending ones.'),
        !sameSet(before.approvers, after.approvers),
      ],
    ]);
    if (differs('profile'))
      breaks.losesAccess = approvedPairs(
        subscriptions.filter(({ clientAuthMethod }) => profileExcludes(after, clientAuthMethod)),
      );
    if (differs('pairwiseSubjects')) return { ...breaks, ...(await countEnding(db, { api })), faults };
    const endings = [
      ...goneMethods.map((authMethodId) => ({ api, authMethodId })),
      ...(endsDevices ? [{ api, basis: 'device' as const, exceptMethods: goneMethods }] : []),
    ];
    for (const ending of endings) {
      const { endsTokens, people } = await countEnding(db, ending);
      breaks.endsTokens += endsTokens;
      breaks.people += people;
    }
    return { ...breaks, faults };
  },
);

export const previewApiDeletion = operation(
  { name: 'previewApiDeletion', right: 'registry.read', output: consequencesOutput },
  async ({ db }, input: { id: string }): Promise<Consequences> => {
    const { id: api, managed } = await apiOf(db, input.id);
    return {
      ...consequencesOf(managed),
      losesAccess: approvedPairs(await selectSubscriptionsOf(db, { api })),
      ...(await countEnding(db, { api })),
    };
  },
);
