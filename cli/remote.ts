import { CommandFailed, WrongUsage } from './typed.ts';

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

const TIMEOUT_MS = 30_000;

const text = (value: unknown): string => String(value ?? '');

/** Every failure is one readable line. */
export async function send(
  { server, token }: Remote,
  method: string,
  path: string,
  body?: object,
): Promise<Row> {
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
    throw new CommandFailed(`${server} is not reachable: ${cause?.code ?? cause?.message ?? message}`);
  }
  const given = (await answer.json().catch(() => ({}))) as Row;
  if (answer.ok) return given;
  const errors = (given['errors'] ?? []) as { field: string; detail: string }[];
  const faults = errors.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
  const why = faults || text(given['detail']) || text(given['title']) || `it answered ${answer.status}`;
  throw new CommandFailed(why);
}
