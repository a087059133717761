// The APIs of a realm: its bearer-only clients, and what audience mappers of clients and client scopes name.
import { apiScopeName } from '#lib/registry/objects/api.ts';
import type { Part } from '../reading/part.ts';
import type { Registry } from '../writing/registry-file.ts';
import { idOfName } from '../writing/values.ts';
import type { GroupNames } from './group-names.ts';

const ADDRESS = 'the address of this API, which is the aud of its tokens (https)';
/** Of OpenID Connect, and of Keycloak itself. */
const BUILT_IN_SCOPES = new Set([
  ...['profile', 'email', 'address', 'phone', 'offline_access', 'roles', 'web-origins', 'microprofile-jwt'],
  ...['acr', 'basic', 'service_account', 'role_list', 'organization', 'openid'],
]);

type Entry = Record<string, unknown>;
type Api = { id: string; entry: Entry; scopes: Map<string, Entry> };
type ClientScope = { part: Part; name: string; description: string; audiences: string[] };

export class Audiences {
  readonly #clients: ReadonlyMap<string, Part>;
  readonly #clientScopes: ClientScope[];
  readonly #registry: Registry;
  readonly #settings: Entry;
  readonly #groups: GroupNames;
  /** by what tokens name it; null: it is left out, or not decided */
  readonly #apis = new Map<string, Api | null>();

  constructor(about: Part, clients: ReadonlyMap<string, Part>, groups: GroupNames, registry: Registry) {
    this.#clients = clients;
    this.#registry = registry;
    this.#groups = groups;
    this.#settings = lifetimesOf(about);
    this.#clientScopes = about.parts('clientScopes').flatMap((part) => this.#readScope(part) ?? []);
    for (const [id, client] of clients) if (client.flag('bearerOnly')) this.#api(id, client);
  }

  /** The APIs of a client, each with the scopes of it that the client may have. */
  of(client: Part): { api: string; scopes: string[] }[] {
    const assigned = [...client.texts('defaultClientScopes'), ...client.texts('optionalClientScopes')];
    const scopes = this.#clientScopes.filter(({ name }) => assigned.includes(name));
    const named = [...this.audiencesIn(client), ...scopes.flatMap(({ audiences }) => audiences)];
    const apis = [...new Set(named)].flatMap(
      (audience) => this.#api(audience, this.#clients.get(audience)) ?? [],
    );
    return apis.map((api) => {
      const own = scopes.filter(
        ({ audiences }) =>
          audiences.length === 0 || audiences.some((audience) => this.#apis.get(audience) === api),
      );
      return { api: api.id, scopes: own.flatMap((scope) => scopeAt(api, scope) ?? []) };
    });
  }

  hasScopes(id: string): boolean {
    return this.#registry.apis.some((api) => api['id'] === id && (api['scopes'] as unknown[]).length > 0);
  }

  /** The API whose tokens are for clients that name no audience. */
  rest(about: Part): string | null {
    const name = about.text('realm') ?? 'api';
    const known = () => this.#registry.apis.map(({ id }) => id);
    const answer = about.decide(
      'realm',
      'some clients name no audience: the id of an API above, or the address (https) of a new API, that their tokens are for',
      (given) => (known().includes(given) || isAddress(given) ? String(given) : undefined),
    );
    if (answer == null) return null;
    return known().includes(answer) ? answer : this.#add(name, idOfName(name) ?? 'api', answer).id;
  }

  /** What the audience mappers of a client or a client scope name. */
  audiencesIn(part: Part): string[] {
    return part.parts('protocolMappers').flatMap((mapper) => {
      const type = mapper.text('protocolMapper') ?? '';
      if (type !== 'oidc-audience-mapper') {
        const because = type.includes('pairwise')
          ? 'pairwise subjects stay with Keycloak'
          : 'claims come by the claim map of a method';
        mapper.sayOfAll('left out', `the mapper ${mapper.text('name')}: ${because}`);
        return [];
      }
      mapper.ignoreAll(['id', 'name', 'protocol', 'consentRequired'], 'of Keycloak alone');
      const config = mapper.part('config');
      const named = [config.text('included.client.audience'), config.text('included.custom.audience')];
      config.ignoreAll(
        ['id.token.claim', 'access.token.claim', 'introspection.token.claim'],
        'of Keycloak alone',
      );
      return named.flatMap((audience) => audience ?? []);
    });
  }

  #api(audience: string, client: Part | undefined): Api | null {
    const known = this.#apis.get(audience);
    if (known !== undefined) return known;
    const url = isAddress(audience) ? audience : client && this.#addressOf(client, audience);
    const id = idOfName(isAddress(audience) ? new URL(audience).host + new URL(audience).pathname : audience);
    const isClient = client && !client.flag('bearerOnly') && id === audience;
    const made =
      url && id ? this.#add(client?.text('name') ?? audience, isClient ? `${id}-api` : id, url) : null;
    this.#apis.set(audience, made);
    if (!made) return null;
    const roles = this.#groups.clientRoles.get(audience) ?? [];
    if (roles.length > 0)
      made.entry['roles'] = Object.fromEntries(roles.map(({ role, group }) => [role, [group]]));
    const secret = client?.flag('bearerOnly') ? client.text('secret') : undefined;
    if (secret !== undefined) made.entry['introspection_secret'] = secret;
    return made;
  }

  #addressOf(client: Part, audience: string): string | null | undefined {
    const given = ['rootUrl', 'adminUrl', 'baseUrl'].map((key) => client.text(key)).find(isAddress);
    if (client.flag('bearerOnly') && given !== undefined) return given;
    return client.decide('clientId', `${audience} is an API: ${ADDRESS}`, (answer) =>
      isAddress(answer) ? answer : undefined,
    );
  }

  #add(name: string, id: string, url: string): Api {
    const methods = this.#registry.auth_methods.map((method) => method['id']);
    const entry: Entry = { id, name, url, auth_methods: methods, ...this.#settings, scopes: [] };
    this.#registry.apis.push(entry);
    return { id, entry, scopes: new Map() };
  }

  #readScope(part: Part): ClientScope | null {
    const name = part.text('name') ?? '';
    if (BUILT_IN_SCOPES.has(name))
      part.sayOfAll('left out', 'a scope of OpenID Connect, or of Keycloak itself');
    else if (part.text('protocol') === 'saml') part.sayOfAll('left out', 'a scope of SAML');
    if (BUILT_IN_SCOPES.has(name) || part.text('protocol') === 'saml') return null;
    part.ignoreAll(['id'], 'of Keycloak alone');
    const attributes = part.part('attributes');
    const shown = attributes.text('consent.screen.text')?.replace(/^\$\{.*\}$/, '');
    attributes.leaveOutAll(
      ['display.on.consent.screen', 'include.in.token.scope', 'gui.order'],
      'scopes are shown at consent, and in tokens',
    );
    const written = apiScopeName.safeParse(name).success
      ? name
      : part.decide(
          'name',
          'is no scope here: name another',
          (answer) => apiScopeName.safeParse(answer).data,
        );
    if (written == null) return null;
    const description = shown || part.text('description') || written;
    return { part, name, description, audiences: this.audiencesIn(part) };
  }
}

function scopeAt(api: Api, { name, description }: ClientScope): string {
  if (!api.scopes.has(name)) {
    const scope = { name, description };
    api.scopes.set(name, scope);
    (api.entry['scopes'] as Entry[]).push(scope);
  }
  return name;
}

function lifetimesOf(about: Part): Entry {
  const from = {
    access_token_ttl: 'accessTokenLifespan',
    refresh_token_ttl: 'ssoSessionIdleTimeout',
    refresh_family_ttl: 'ssoSessionMaxLifespan',
  };
  return Object.fromEntries(
    Object.entries(from).flatMap(([ours, theirs]) => {
      const seconds = about.number(theirs);
      return seconds === undefined || seconds < 1 ? [] : [[ours, seconds]];
    }),
  );
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[^\s#@]+$/i.test(value) && URL.canParse(value);
}
