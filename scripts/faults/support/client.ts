// A client application that keeps a sign-in alive, and writes all it does into the ledger.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { digest, type Entry, type Kind, type Ledger } from './ledger.ts';

export type Target = () => string;
export type Reply = { status: number; headers: http.IncomingHttpHeaders; text: string };

const agent = new http.Agent({ keepAlive: true, maxSockets: 600 });
const TIMEOUT_MS = 15_000;

/** One request; status 0 where no answer came. */
export function send(
  url: string,
  options: { form?: Record<string, string>; headers?: Record<string, string>; agent?: http.Agent } = {},
): Promise<Reply> {
  const body = options.form ? new URLSearchParams(options.form).toString() : undefined;
  const { hostname, port, pathname, search } = new URL(url);
  return new Promise((resolve) => {
    const nothing = () => resolve({ status: 0, headers: {}, text: '' });
    const request = http.request(
      {
        hostname,
        port,
        path: pathname + search,
        method: body === undefined ? 'GET' : 'POST',
        agent: options.agent ?? agent,
        timeout: TIMEOUT_MS,
        headers: {
          ...(body === undefined
            ? {}
            : {
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': Buffer.byteLength(body),
              }),
          ...options.headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', nothing);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    request.on('error', nothing);
    request.on('timeout', () => request.destroy());
    request.end(body);
  });
}

export type Credentials = { clientId: string; secret: string };
/** One that people are sent back to. */
export type Application = Credentials & { redirectUri: string };
export type Tokens = { refreshToken: string; accessToken: string; family: string };

type Written = { kind: Kind; presented?: string; family?: string; expected?: true };

/** Requests of one client, each in the ledger. */
export class Client {
  readonly ledger: Ledger;
  readonly target: Target;
  readonly credentials: Credentials;
  /** sent with each request */
  headers: Record<string, string> = {};
  last: Reply | undefined;

  constructor(ledger: Ledger, target: Target, credentials: Credentials) {
    this.ledger = ledger;
    this.target = target;
    this.credentials = credentials;
  }

  async post(path: string, form: Record<string, string>, written: Written): Promise<Reply> {
    const { clientId, secret } = this.credentials;
    const began = performance.now();
    const all = { client_id: clientId, client_secret: secret, ...form };
    const reply = await send(`${this.target()}${path}`, { form: all, headers: this.headers });
    this.last = reply;
    this.ledger.append({ ...written, began, ended: performance.now(), ...factsOf(reply) });
    return reply;
  }

  async tokens(form: Record<string, string>, written: Written): Promise<Tokens | null> {
    const reply = await this.post('/auth/pw/api/orders/token', form, written);
    return reply.status === 200 ? tokensOf(reply) : null;
  }

  signIn(username: string, password: string, expected?: true): Promise<Tokens | null> {
    return this.tokens(
      { grant_type: 'password', username, password },
      { kind: 'password', ...(expected ? { expected } : {}) },
    );
  }

  redeem(code: string): Promise<Tokens | null> {
    return this.tokens(
      { grant_type: 'authorization_code', code },
      { kind: 'redeem', presented: digest(code) },
    );
  }

  refresh({ refreshToken, family }: Tokens, expected?: true): Promise<Tokens | null> {
    return this.tokens(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      { kind: 'refresh', presented: digest(refreshToken), family, ...(expected ? { expected } : {}) },
    );
  }

  async revoke({ refreshToken, family }: Tokens): Promise<boolean> {
    const written: Written = { kind: 'revoke', presented: digest(refreshToken), family };
    return (await this.post('/auth/pw/api/orders/revoke', { token: refreshToken }, written)).status === 200;
  }

  /** null: nobody could say */
  async isActive(token: string, family: string): Promise<boolean | null> {
    const reply = await this.post(
      '/auth/pw/api/orders/introspect',
      { token },
      { kind: 'introspect', family },
    );
    return reply.status === 200 ? (JSON.parse(reply.text) as { active: boolean }).active : null;
  }
}

function factsOf({ status, text }: Reply): Partial<Entry> & { status: number } {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // a page, or nothing
  }
  const refresh = body['refresh_token'];
  const access = body['access_token'];
  return {
    status,
    ...(typeof body['error'] === 'string' ? { error: body['error'] } : {}),
    ...(typeof body['active'] === 'boolean' ? { active: body['active'] } : {}),
    ...(typeof refresh === 'string' ? { given: digest(refresh) } : {}),
    ...(typeof access === 'string' ? { family: familyOf(access) } : {}),
    ...(status >= 500 ? { body: text.slice(0, 2_000) } : {}),
  };
}

export function claimsOf(accessToken: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}

function familyOf(accessToken: string): string {
  return String(claimsOf(accessToken)['jti']).split('.')[0] ?? '';
}

function tokensOf(reply: Reply): Tokens {
  const body = JSON.parse(reply.text) as { access_token: string; refresh_token: string };
  return {
    refreshToken: body.refresh_token,
    accessToken: body.access_token,
    family: familyOf(body.access_token),
  };
}

/** Many clients that refresh as long as they may; a lost sign-in is begun anew. Gives the way to stop them. */
export function load(
  clients: Client[],
  people: { email: string; password: string }[],
  pauseMs = 10,
): () => Promise<void> {
  let going = true;
  const runs = clients.map(async (client, index) => {
    const person = people[index % people.length] ?? { email: '', password: '' };
    let tokens: Tokens | null = null;
    while (going) {
      tokens = tokens ? await keep(client, tokens) : await client.signIn(person.email, person.password);
      const refused = client.last !== undefined && client.last.status !== 200;
      await sleep(refused ? 100 : pauseMs);
    }
  });
  return async () => {
    going = false;
    await Promise.all(runs);
  };
}

/** The next tokens; the same where nobody could say; null where the sign-in is over. */
async function keep(client: Client, tokens: Tokens): Promise<Tokens | null> {
  const next = await client.refresh(tokens);
  if (next) return next;
  const status = client.last?.status ?? 0;
  return status === 0 || status >= 500 || status === 429 ? tokens : null;
}
