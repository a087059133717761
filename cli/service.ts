// Management API for commands: its routes in this process with operator permissions, or a remote service over HTTP with
// the token user's permissions.
import { findPerson } from '#lib/management/people.ts';
import { type Actor, OPERATOR } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { callRoute } from '#lib/management-api/management-api.ts';
import { CommandFailed, originOf, printable, WrongUsage } from './typed.ts';

/** What proves who acts. */
export type Credentials = {
  /** headers per request: a DPoP proof covers method and URL */
  headersFor(request: { method: string; url: string }): Promise<Record<string, string>>;
  /** called after a 401 with this nonce; `true`: retry the request (RFC 9449 §9) */
  takeNonce(nonce: string): boolean;
  /** called after a 401; returns whether new credentials allow a retry */
  renew(): Promise<boolean>;
  /** command that obtains better credentials, if any */
  again: string | null;
};
export type Remote = { server: string; credentials: Credentials };
/** Values from command line or environment. */
export type Elsewhere = { server: string | null; token: string | null };
type Row = Record<string, unknown>;

const OPTIONS = ['server', 'token'] as const;
type Env = Readonly<Record<string, string | undefined>>;

/**
 * Removes `--server` and `--token` from the arguments. `asked`: the operator typed them; environment variables do not
 * count.
 */
export function takeRemote(
  argv: readonly string[],
  env: Env,
): { rest: string[]; elsewhere: Elsewhere; asked: boolean } {
  const rest: string[] = [];
  const given: Partial<Record<(typeof OPTIONS)[number], string>> = {};
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] as string;
    const name = OPTIONS.find((one) => word === `--${one}` || word.startsWith(`--${one}=`));
    if (name === undefined) {
      rest.push(word);
      continue;
    }
    const inline = word.includes('=');
    if (!inline) at += 1;
    const value = inline ? word.slice(word.indexOf('=') + 1) : argv[at];
    if (!value) throw new WrongUsage(`--${name} needs a value`);
    given[name] = value;
  }
  const server = given.server ?? env['GATEHOUSE_SERVER'];
  const asked = given.server !== undefined;
  if (!server && given.token !== undefined) throw new WrongUsage('--token requires --server');
  const token = given.token ?? env['GATEHOUSE_TOKEN'];
  return { rest, elsewhere: { server: server ? originOf(server) : null, token: token || null }, asked };
}

export const bearer = (token: string): Credentials => ({
  headersFor: async () => ({ authorization: `Bearer ${token}` }),
  takeNonce: () => false,
  renew: async () => false,
  again: null,
});

const TIMEOUT_MS = 30_000;

const text = (value: unknown): string => String(value ?? '');

/** Every failure is one readable line. */
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
  const given = (await answer.json().catch(() => ({}))) as Row;
  if (answer.ok) return given;
  const errors = (given['errors'] ?? []) as { field: string; detail: string }[];
  const faults = errors.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
  const why = faults || text(given['detail']) || text(given['title']) || `it answered ${answer.status}`;
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

/** `true` if credentials changed and the request should be retried. Each error in `mends` allows one retry. */
async function isMended(answer: Response, credentials: Credentials, mends: Set<string>): Promise<boolean> {
  if (answer.status !== 401) return false;
  const error = [...mends].find((one) => challengeOf(answer).includes(one));
  if (error === undefined) return false;
  mends.delete(error);
  if (error === 'invalid_token') return credentials.renew();
  const nonce = answer.headers.get('dpop-nonce');
  return nonce !== null && credentials.takeNonce(nonce);
}

const challengeOf = ({ headers }: Response): string => headers.get('www-authenticate') ?? '';

/** Suggested login command after an expired or weak sign-in (RFC 9470 §3). */
function instead(answer: Response, { again }: Credentials): string {
  const challenge = challengeOf(answer);
  if (again === null || !challenge.includes('insufficient_user_authentication')) return '';
  // users run this command: accept only plain characters
  const acr = /acr_values="([\w:.-]+)"/.exec(challenge)?.[1];
  return ` Sign in again: ${again}${acr === undefined ? '' : ` --acr ${acr}`}`;
}

export type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type ListAsked = { [Name in 'order' | 'limit' | 'cursor']?: string | undefined };
/** Cursors of adjacent pages. */
type Listed = { rows: Json[]; next: string | null; previous: string | null };

export type Service = {
  /** `path`: below /api/v1. Throws an error of one readable line if the service rejects the request. */
  call(method: Method, path: string, body?: object): Promise<Json>;
  /** Every row of a list, page by page; with `limit` or `cursor` only that page. */
  list(path: string, asked?: ListAsked): Promise<Listed>;
  /** Acts for the `--by` user. Reserved for the host's operator. */
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
    async list(path, asked = {}) {
      const page = (query: ListAsked) => {
        const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
        return service.call('GET', `${path}?${new URLSearchParams(given)}`) as Promise<Listed>;
      };
      if (asked.limit !== undefined || asked.cursor !== undefined) return page(asked);
      const rows: Json[] = [];
      for (let cursor: string | undefined, next: string | null = ''; next !== null; ) {
        const read: Listed = await page({ ...asked, limit: '200', cursor });
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
