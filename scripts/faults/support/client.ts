// Simulates an application with long sessions. Each request is recorded in the ledger, the list of all
// requests.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client as Registered } from '#testing/data/fixtures.ts';
import type { Door } from '#testing/net/door.ts';
import { attempt } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { authorizeParams, type Browser, type Params } from '#testing/service/browser.ts';
import { claimsOf, credentialsOf, tokensOf } from '#testing/service/token.ts';
import { digest, type Entry, type Kind, type Ledger } from './ledger.ts';

export type Tokens = { refreshToken: string; accessToken: string; family: string };

type Written = { kind: Kind; presented?: string; family?: string; expected?: true };

/** HTTP client whose requests the ledger records. */
export class Client {
  readonly ledger: Ledger;
  readonly door: Door;
  readonly registered: Registered;
  /** headers that each request contains */
  headers: Record<string, string> = {};
  last: Answer | undefined;

  constructor(ledger: Ledger, door: Door, registered: Registered) {
    this.ledger = ledger;
    this.door = door;
    this.registered = registered;
  }

  async post(path: string, form: Record<string, string>, written: Written): Promise<Answer> {
    const began = performance.now();
    const all = { ...credentialsOf(this.registered), ...form };
    const reply = await attempt(`${this.door.url}${path}`, { form: all, headers: this.headers });
    this.last = reply;
    this.ledger.append({ ...written, at: this.door.url, began, ended: performance.now(), ...factsOf(reply) });
    return reply;
  }

  async tokens(form: Record<string, string>, written: Written): Promise<Tokens | null> {
    const reply = await this.post('/auth/pw/api/orders/token', form, written);
    return reply.status === 200 ? withFamily(tokensOf(reply)) : null;
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

  /** Returns true if introspection reports the token as active; null if the response was missing or unusable. */
  async isActive(token: string, family: string): Promise<boolean | null> {
    const reply = await this.post(
      '/auth/pw/api/orders/introspect',
      { token },
      { kind: 'introspect', family },
    );
    return reply.status === 200 ? reply.json()['active'] === true : null;
  }
}

function factsOf({ status, text, json }: Answer): Partial<Entry> & { status: number } {
  let body: Record<string, unknown> = {};
  try {
    body = json();
  } catch {
    // ignored: the response is an HTML page, or there was no response
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

const familyOf = (accessToken: string) => String(claimsOf(accessToken)['jti']).split('.')[0] ?? '';
const withFamily = (tokens: Omit<Tokens, 'family'>) => ({ ...tokens, family: familyOf(tokens.accessToken) });

/**
 * Gets an authorization code; signs in and consents if required. `null`: another page was shown, or there was no
 * response.
 */
export async function codeOf(
  browser: Browser,
  client: Registered,
  person: { email: string; password: string },
  changes: Params = {},
): Promise<string | null> {
  const page = await browser.finish(authorizeParams(client, changes), person).catch(() => null);
  return new URL(page?.location || 'missing:').searchParams.get('code');
}

/**
 * Starts clients that refresh until they are stopped, and that sign in again after a lost session. Returns a
 * stop function.
 */
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

/** Returns new tokens; unchanged tokens after outages or a 429; `null` after rejection. */
async function keep(client: Client, tokens: Tokens): Promise<Tokens | null> {
  const next = await client.refresh(tokens);
  if (next) return next;
  const status = client.last?.status ?? 0;
  return status === 0 || status >= 500 || status === 429 ? tokens : null;
}
