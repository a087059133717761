// The verbs of people, clients and subscriptions at a service elsewhere, through its management API. The token's person
// is who asks and decides.
import { Refused } from '#lib/management/index.ts';
import { WrongUsage } from './command.ts';
import type { Operations } from './operations.ts';

export type Remote = { server: string; token: string };
type Row = Record<string, unknown>;

const OPTIONS = ['server', 'token'] as const;
type Env = Readonly<Record<string, string | undefined>>;

/** Takes --server and --token out of what was typed; `asked`: they were typed, not only in the environment. */
export function takeRemote(
  argv: readonly string[],
  env: Env,
): { rest: string[]; remote: Remote | null; asked: boolean } {
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
  if (!server) {
    if (given.token !== undefined) throw new WrongUsage('--token goes with --server');
    return { rest, remote: null, asked };
  }
  const token = given.token ?? env['GATEHOUSE_TOKEN'];
  if (!token)
    throw new WrongUsage('--token is missing (or GATEHOUSE_TOKEN, which no list of processes shows)');
  return { rest, remote: { server: originOf(server), token }, asked };
}

function originOf(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : null;
  const local = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && local))) {
    throw new WrongUsage('--server must be an https address (or http on localhost)');
  }
  return url.origin;
}

export function remoteOperations(remote: Remote): Operations {
  const call = (method: string, path: string, body?: object) => send(remote, method, path, body);
  const done = async (method: string, path: string, body?: object) => {
    await call(method, path, body);
  };
  const person = (email: string) => `/people/${encodeURIComponent(email)}`;
  const client = (id: string) => `/clients/${encodeURIComponent(id)}`;
  const refuseBy = (by: string | undefined) => {
    if (by !== undefined) throw new WrongUsage('with --server the token’s person acts: leave --by out');
  };
  return {
    createPerson: async (one) => ({ email: text((await call('POST', '/people', one))['email']) }),
    listPeople: async () => {
      const json = await all(remote, '/people');
      const rows = json.map((one) => ({
        email: one['email'] as string | null,
        id: text(one['id']),
        name: text(one['name']),
        roles: one['roles'] as string[],
        disabled: one['disabled'] === true,
      }));
      return { rows, json };
    },
    disablePerson: (email) => done('POST', `${person(email)}/disable`),
    enablePerson: (email) => done('POST', `${person(email)}/enable`),
    setPassword: (email, password) => done('PUT', `${person(email)}/password`, { password }),
    grantRole: (email, role) => done('PUT', `${person(email)}/roles/${encodeURIComponent(role)}`),
    revokeRole: (email, role) => done('DELETE', `${person(email)}/roles/${encodeURIComponent(role)}`),
    createClient: async ({ clientId, name, kind, redirectUris, allowedOrigins, ownerEmail }) => {
      const values = { client_id: clientId, name, kind, redirect_uris: redirectUris };
      const more = { allowed_origins: allowedOrigins, owner_email: ownerEmail };
      const made = await call('POST', '/clients', { ...values, ...more });
      return { clientId: text(made['client_id']), secret: made['secret'] as string | null };
    },
    listClients: async () => {
      const json = await all(remote, '/clients');
      const rows = json.map((one) => ({
        clientId: text(one['client_id']),
        name: text(one['name']),
        kind: text(one['kind']),
        secrets: null,
        disabled: one['disabled'] === true,
        owner: one['owner_email'] as string | null,
      }));
      return { rows, json };
    },
    disableClient: (id) => done('POST', `${client(id)}/disable`),
    enableClient: (id) => done('POST', `${client(id)}/enable`),
    rotateClientSecret: async (id, overlapSeconds) => {
      const body = { overlap_seconds: overlapSeconds };
      return { secret: text((await call('POST', `${client(id)}/secret-rotation`, body))['secret']) };
    },
    listSubscriptions: async () => {
      const json = await all(remote, '/subscriptions');
      const rows = json.map((one) => ({
        clientId: text(one['client_id']),
        api: text(one['api']),
        state: text(one['state']),
        trusted: one['trusted'] === true,
        scopes: one['scopes'] as string[],
        decidedBy: one['decided_by_email'] as string | null,
        reason: one['reason'] as string | null,
      }));
      return { rows, json };
    },
    requestSubscription: async ({ by, clientId, api, trusted, scopes, message }) => {
      refuseBy(by);
      const asked = { client_id: clientId, api, trusted, scopes, message };
      return text((await call('POST', '/subscriptions', asked))['state']);
    },
    decideSubscription: async ({ by, clientId, api, action, reason }) => {
      refuseBy(by);
      const path = `/subscriptions/${encodeURIComponent(clientId)}/${encodeURIComponent(api)}/decision`;
      return text((await call('POST', path, { action, reason }))['state']);
    },
  };
}

const text = (value: unknown): string => String(value ?? '');

/** Every page of a list. */
async function all(remote: Remote, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', ...(cursor === null ? {} : { cursor }) });
    const page: Row = await send(remote, 'GET', `${path}?${query}`);
    rows.push(...(page['rows'] as Row[]));
    cursor = page['next'] as string | null;
  } while (cursor !== null);
  return rows;
}

const TIMEOUT_MS = 30_000;

async function send({ server, token }: Remote, method: string, path: string, body?: object): Promise<Row> {
  let answer: Response;
  try {
    answer = await fetch(`${server}/api/v1${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
    throw new Refused(`${server} is not reachable: ${cause?.code ?? cause?.message ?? message}`);
  }
  const given = (await answer.json().catch(() => ({}))) as Row;
  if (answer.ok) return given;
  const errors = (given['errors'] ?? []) as { field: string; detail: string }[];
  const faults = errors.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
  const why = faults || text(given['detail']) || text(given['title']) || `it answered ${answer.status}`;
  throw new Refused(why);
}
