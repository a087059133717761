// The management API for commands: its routes in this process with the operator's permissions, or a remote service
// over HTTP with the permissions of the token's user.
import { findPerson } from '#lib/catalogue/people/operations.ts';
import { type Actor, OPERATOR } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { callRoute } from '#lib/management-api/management-api.ts';
import { CommandFailed, inText, originOf, printable, WrongUsage } from './typed.ts';

/** Credentials for a remote service. */
export type Credentials = {
  /** headers for each request, because a DPoP proof is valid for one method and URL */
  headersFor(request: { method: string; url: string }): Promise<Record<string, string>>;
  /** called after a 401 with this nonce; `true`: the request must be retried (RFC 9449 §9) */
  takeNonce(nonce: string): boolean;
  /** called after a 401; returns true if new credentials allow a retry */
  renew(): Promise<boolean>;
  /** the command that obtains better credentials; null: none */
  again: string | null;
};
export type Remote = { server: string; credentials: Credentials };
/** Values of `--server` and `--token`, from options or the environment; null: not set. */
export type Elsewhere = { server: string | null; token: string | null };
type Row = Record<string, unknown>;

const OPTIONS = ['server', 'token'] as const;
type Env = Readonly<Record<string, string | undefined>>;

/**
 * Removes `--server` and `--token` from the arguments. `asked`: true if the operator typed them; environment
 * variables do not set it.
 */
export function takeRemote(
  argv: readonly string[],
  env: Env,
): { rest: string[]; elsewhere: Elsewhere; asked: boolean } {
  const rest: string[] = [];
  const optionValues: Partial<Record<(typeof OPTIONS)[number], string>> = {};
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] as string;
    const name = OPTIONS.find((option) => word === `--${option}` || word.startsWith(`--${option}=`));
    if (name === undefined) {
      rest.push(word);
      continue;
    }
    const inline = word.includes('=');
    if (!inline) at += 1;
    const value = inline ? word.slice(word.indexOf('=') + 1) : argv[at];
    if (!value) throw new WrongUsage(`--${name} needs a value`);
    optionValues[name] = value;
  }
  const server = optionValues.server ?? env['GATEHOUSE_SERVER'];
  const hasServerOption = optionValues.server !== undefined;
  if (!server && optionValues.token !== undefined) throw new WrongUsage('--token requires --server');
  const token = optionValues.token ?? env['GATEHOUSE_TOKEN'];
  return {
    rest,
    elsewhere: { server: server ? originOf(server) : null, token: token || null },
    asked: hasServerOption,
  };
}

export const bearer = (token: string): Credentials => ({
  headersFor: async () => ({ authorization: `Bearer ${token}` }),
  takeNonce: () => false,
  renew: async () => false,
  again: null,
});

const TIMEOUT_MS = 30_000;

/** Sends a request. Every failure becomes one readable line. */
export async function send(
  { server, credentials }: Remote,
  method: string,
  path: string,
  body?: object,
): Promise<Row> {
  const call = async () => {
    const url = `${server}/api/v1${path}`;
    const headers = await credentials.headersFor({ method, url });
    return request(server, url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const mends = new Set(['use_dpop_nonce', 'invalid_token']);
  let answer = await call();
  while (await isMended(answer, credentials, mends)) answer = await call();
  const answerBody = (await answer.json().catch(() => ({}))) as Row;
  if (answer.ok) return answerBody;
  const errors = (answerBody['errors'] ?? []) as { field: unknown; detail: unknown }[];
  const faults = errors.map(({ field, detail }) => `${inText(field)}: ${inText(detail)}`).join('; ');
  const why =
    faults || inText(answerBody['detail']) || inText(answerBody['title']) || `it answered ${answer.status}`;
  throw new CommandFailed(printable(why) + instead(answer, credentials));
}

async function request(
  server: string,
  url: string,
  { headers, ...init }: { method: string; headers: Record<string, string>; body?: string },
): Promise<Response> {
  const type = init.body === undefined ? {} : { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(url, { ...init, redirect: 'error', signal, headers: { ...headers, ...type } });
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
    throw new CommandFailed(`${server} is not reachable: ${cause?.code ?? cause?.message ?? message}`);
  }
}

/**
 * True if the request should be retried, because the credentials have changed. `mends`: kinds of errors that have
 * already caused a retry; each kind allows one.
 */
async function isMended(answer: Response, credentials: Credentials, mends: Set<string>): Promise<boolean> {
  if (answer.status !== 401) return false;
  const error = [...mends].find((code) => challengeOf(answer).includes(code));
  if (error === undefined) return false;
  mends.delete(error);
  if (error === 'invalid_token') return credentials.renew();
  const nonce = answer.headers.get('dpop-nonce');
  return nonce !== null && credentials.takeNonce(nonce);
}

const challengeOf = ({ headers }: Response): string => headers.get('www-authenticate') ?? '';

/** Suggests the login command if the sign-in has expired or is too weak (RFC 9470 §3). */
function instead(answer: Response, { again }: Credentials): string {
  const challenge = challengeOf(answer);
  if (again === null || !challenge.includes('insufficient_user_authentication')) return '';
  // users copy the command that contains this value into a shell, so only plain characters are accepted
  const acr = /acr_values="([\w:.-]+)"/.exec(challenge)?.[1];
  return ` Sign in again: ${again}${acr === undefined ? '' : ` --acr ${acr}`}`;
}

export type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type ListAsked = { [Name in 'order' | 'limit' | 'cursor']?: string | undefined };
/** A page of a list. `next`, `previous`: cursors of the adjacent pages. */
type Listed = { rows: Json[]; next: string | null; previous: string | null };

export type Service = {
  /**
   * Calls an operation. `path`: below /api/v1. Throws an error with one readable line if the service rejects the
   * request.
   */
  call(method: Method, path: string, body?: object): Promise<Json>;
  /** returns every row of a list, read page by page; if `limit` or `cursor` is set, only that page */
  list(path: string, asked?: ListAsked): Promise<Listed>;
  /** Returns a service that acts as the user that `--by` names. Only the operator on the host can use it. */
  as(email: string | undefined): Promise<Service>;
};

export const hostService = (actor: Actor = OPERATOR): Service =>
  withLists({
    call: (method, path, body) => callRoute(actor, method, path, body),
    as: async (email) => hostService(await actorOf(email)),
  });

export const remoteService = (remote: Remote): Service => {
  const service: Service = withLists({
    call: (method, path, body) => send(remote, method, path, body),
    as: async (email) => {
      if (email !== undefined) throw new WrongUsage('with --server, the person of the token acts: omit --by');
      return service;
    },
  });
  return service;
};

function withLists(service: Omit<Service, 'list'>): Service {
  return {
    ...service,
    async list(path, listQuery = {}) {
      const page = (query: ListAsked) => {
        const parameters = Object.entries(query).filter(
          (entry): entry is [string, string] => entry[1] !== undefined,
        );
        return service.call('GET', `${path}?${new URLSearchParams(parameters)}`) as Promise<Listed>;
      };
      if (listQuery.limit !== undefined || listQuery.cursor !== undefined) return page(listQuery);
      const rows: Json[] = [];
      for (let cursor: string | undefined, next: string | null = ''; next !== null; ) {
        const read: Listed = await page({ ...listQuery, limit: '200', cursor });
        rows.push(...read.rows);
        next = read.next;
        cursor = next ?? undefined;
      }
      return { rows, next: null, previous: null };
    },
  };
}

async function actorOf(email: string | undefined): Promise<Actor> {
  if (email === undefined)
    throw new WrongUsage('--by is missing: set it to the person who requests or decides');
  const person = await findPerson(OPERATOR, { email });
  if (!person?.email) throw new Refused('person.unknown', { person: email });
  if (person.disabled) throw new Refused('person.disabled', { email });
  const { id, roles, locale } = person;
  return { kind: 'person', id, email: person.email, locale, roles, signedInAt: null, request: null };
}
