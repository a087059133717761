// Refresh tokens of Kong, which has them in the clear: rows of oauth2_tokens and oauth2_credentials of its PostgreSQL.
// Only their SHA-256 is written, and none is in the report.
import { hash } from 'node:crypto';
import { now } from '#lib/kit/clock.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import type { TokenLine } from '../people/token-line.ts';
import type { Part } from '../reading/part.ts';
import type { TakePerson } from '../writing/people-file.ts';
import type { Registry } from '../writing/registry-file.ts';
import type { TakeToken } from '../writing/tokens-file.ts';
import { momentOf } from '../writing/values.ts';
import type { Clients } from './clients.ts';
import type { WickedFiles } from './wicked-files.ts';

type Api = { id: string; methods: readonly string[]; scopes: readonly string[]; seconds: number | null };
type Known = { registry: Registry; clients: Clients; people: PeopleKnown };

/** Of each person who comes along, by subject, the methods that they sign in with. */
export class PeopleKnown {
  readonly #isWanted: boolean;
  readonly #local: readonly string[];
  readonly #methods = new Map<string, readonly string[]>();

  /** `isWanted`: there are tokens, so people are to be remembered. */
  constructor(isWanted: boolean, { auth_methods: methods }: Registry) {
    this.#isWanted = isWanted;
    this.#local = methods
      .filter(({ type }) => methodCan({ type: String(type) }, 'hasAccounts'))
      .map(({ id }) => String(id));
  }

  noting(take: TakePerson): TakePerson {
    return async (part, line) => {
      const came = await take(part, line);
      const ways = [
        ...(line.identities ?? []).map(({ auth_method }) => auth_method),
        ...(line.password ? this.#local : []),
      ];
      if (came && this.#isWanted) this.#methods.set(line.subject ?? '', ways);
      return came;
    };
  }

  methodsOf(subject: string): readonly string[] | undefined {
    return this.#methods.get(subject);
  }
}

export async function readTokens(files: WickedFiles, known: Known, take: TakeToken): Promise<void> {
  const credentials = await credentialsIn(files);
  const apis = new Map(known.registry.apis.map((entry) => [String(entry['id']), apiOf(entry)]));
  const apiOfClient = new Map(
    [...known.clients.values()].map(({ clientId, api }) => [clientId, apis.get(api)]),
  );
  for await (const { part } of files.of('oauth2_tokens')) {
    const client = credentials.get(part.text('credential_id') ?? '') ?? '';
    const line = lineOf(part, client, apiOfClient.get(client), known.people);
    if (line === null) part.note();
    else await take(part, line);
  }
}

/** Client ids by the id that tokens name them by. */
async function credentialsIn(files: WickedFiles): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { part } of files.of('oauth2_credentials')) {
    found.set(part.text('id') ?? '', part.text('client_id') ?? '');
    part.leaveOutAll(
      part.keys().filter((key) => COLUMNS_OF_CREDENTIALS.has(key)),
      'a client is made of its subscription',
    );
    part.note();
  }
  return found;
}

const COLUMNS_OF_CREDENTIALS = new Set([
  ...['name', 'consumer_id', 'client_secret', 'hash_secret', 'redirect_uri', 'redirect_uris', 'client_type'],
  ...['created_at', 'tags', 'ws_id', 'cache_key'],
]);
const COLUMNS_OF_TOKENS = [
  ...['id', 'service_id', 'api_id', 'token_type', 'expires_in', 'ws_id', 'cache_key'],
];

function apiOf(entry: Readonly<Record<string, unknown>>): Api {
  const seconds = entry['refresh_token_ttl'];
  return {
    id: String(entry['id']),
    methods: entry['auth_methods'] as string[],
    scopes: (entry['scopes'] as { name: string }[]).map(({ name }) => name),
    seconds: typeof seconds === 'number' ? seconds : null,
  };
}

/** Null: it does not come along. */
function lineOf(part: Part, client: string, api: Api | undefined, people: PeopleKnown): TokenLine | null {
  const leftOut = (because: string) => {
    part.sayOfAll('left out', because);
    return null;
  };
  const [token, named] = [part.text('refresh_token'), part.text('authenticated_userid')];
  if (token === undefined) return leftOut('it has no refresh token');
  if (named === undefined) return leftOut('a token of a machine, which asks for a new one');
  if (api === undefined) return leftOut('its client does not come along');
  if (api.methods.length === 0) return leftOut('its API has no method of signing in');
  // with a pool that has namespaces: sub=ID;namespaces=A,B
  const subject = /^sub=([^;]*);namespaces=/.exec(named)?.[1] ?? named;
  const own = people.methodsOf(subject);
  if (own === undefined) return leftOut('its person does not come along');
  const written = part.text('scope')?.split(/\s+/) ?? [];
  const scopes = written.filter((scope) => api.scopes.includes(scope));
  if (scopes.length === 0) return leftOut('it has no scope of its API, and gives nothing here without one');
  const end = endOf(part, api);
  if (end != null && Date.parse(end) <= now().getTime()) return leftOut('it has expired');
  const method = end == null ? end : methodOf(part, api, own);
  if (method === null) return leftOut('left out as chosen');
  part.say('changed', 'refresh_token', 'only its SHA-256 is written');
  part.leaveOut('access_token', 'access tokens of Kong end with it');
  part.ignoreAll(COLUMNS_OF_TOKENS, 'of its gateway alone');
  if (subject !== named) part.say('changed', 'authenticated_userid', 'namespaces stay there');
  if (scopes.length < written.length) part.say('changed', 'scope', 'without scopes that its API has not');
  if (end == null || method === undefined) return null;
  const sha256 = hash('sha256', token, 'hex');
  return { sha256, client_id: client, api: api.id, auth_method: method, subject, scopes, expires_at: end };
}

/** Undefined: it is still to be chosen. Null: it is left out. */
function endOf(part: Part, { seconds }: Api): string | null | undefined {
  const [given, made] = [momentOf(part, 'ttl'), momentOf(part, 'created_at')];
  if (given !== undefined) return given;
  if (seconds !== null && made !== undefined)
    return new Date(Date.parse(made) + seconds * 1000).toISOString();
  const question = 'it never ends there: name its last moment here, such as 2027-06-30T00:00:00Z';
  return part.decide('ttl', question, (answer) => {
    const moment = /^\d{4}-\d\d-\d\d/.test(String(answer)) ? new Date(String(answer)) : null;
    return moment === null || Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
  });
}

/** Kong does not keep it. Undefined and null as above. */
function methodOf(part: Part, { methods }: Api, own: readonly string[]): string | null | undefined {
  const both = methods.filter((id) => own.includes(id));
  const [only, ...others] = both.length > 0 ? both : methods;
  if (others.length === 0) return only ?? null;
  const all = [only, ...others];
  const question = `Kong does not say by which method the person came: ${all.join(', ')}`;
  return part.decide('authenticated_userid', question, (answer) => all.find((id) => id === answer));
}
