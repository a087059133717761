// The requests that each peer receives, and a check of each peer before its measurement. The token families and the
// sessions come from real code flows, so no peer needs rows in its tables.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { Caller, type Cookies, get, post, type Reply } from '../client.ts';
import type { Request, Scenario, Walk } from '../scenario.ts';
import * as values from '../values.ts';
import { AUTHORIZATION, type Form, locationOf, type PeerScenario, type Running, type Send } from './peer.ts';

type Tokens = { access_token: string; refresh_token?: string };

/** Queue of objects that one caller at a time uses. */
type Queue<T> = T[];
const take = <T>(queue: Queue<T>): T => {
  const one = queue.shift();
  if (one === undefined) throw new Error('there are more callers than sessions');
  return one;
};

export type Load = {
  /** a string: the reason why the peer lacks a scenario */
  scenarios: Record<PeerScenario, Scenario<Request | Walk> | string>;
  /** Issues new access tokens for introspection, because they expire after an hour. Called before each round. */
  renew: () => Promise<void>;
};

/** Number of access tokens that are introspected in turn. */
const INTROSPECTED = 16;

/** Checks the answers of the peer, and creates two sessions and two token families per caller. */
export async function prepareLoad(peer: Running, callers: number): Promise<Load> {
  const caller = await Caller.connect(peer.port);
  const send: Send = (text) => caller.send(text);
  try {
    await checkPeer(peer, send);
    const browsers: Queue<Cookies> = [];
    const families: Queue<string> = [];
    const accessTokens: string[] = [];
    for (let i = 0; i < 2 * callers; i += 1) {
      browsers.push(await peer.signIn(send));
      // separate sessions, because a refresh may revoke the access tokens of its session
      const tokens = await redeem(peer, send, await requestCode(peer, send, await peer.signIn(send)));
      families.push(refreshTokenOf(tokens));
    }
    return {
      scenarios: {
        refresh: refreshes(peer, families),
        code: codes(peer, browsers),
        'client-credentials': machines(peer),
        introspect:
          typeof peer.introspection === 'string'
            ? peer.introspection
            : introspections(peer.introspection, accessTokens),
      },
      renew: async () => {
        if (typeof peer.introspection === 'string') return;
        const tokens = await issueTokens(peer, browsers.slice(0, INTROSPECTED));
        accessTokens.splice(0, Number.POSITIVE_INFINITY, ...tokens);
      },
    };
  } finally {
    caller.close();
  }
}

async function issueTokens(peer: Running, browsers: Cookies[]): Promise<string[]> {
  const caller = await Caller.connect(peer.port);
  const send: Send = (text) => caller.send(text);
  const tokens: string[] = [];
  for (const browser of browsers)
    tokens.push((await redeem(peer, send, await requestCode(peer, send, browser))).access_token);
  caller.close();
  return tokens;
}

async function requestCode(peer: Running, send: Send, browser: Cookies): Promise<string> {
  const { client_id } = peer.client;
  const redirect = await peer.authorize(send, browser, { ...AUTHORIZATION, client_id });
  browser.keep(redirect);
  const location = locationOf(redirect);
  const code = location.startsWith(values.REDIRECT_URI) ? new URL(location).searchParams.get('code') : null;
  if (code === null)
    throw new Error(`no code: status ${redirect.status}: ${location || redirect.body.slice(0, 300)}`);
  return code;
}

const tokenRequest = (peer: Running, form: Form, client = peer.client) =>
  post(peer.token, { ...client, ...form });
const codeForm = (peer: Running, code: string): Form => ({
  grant_type: 'authorization_code',
  code,
  code_verifier: values.VERIFIER,
  redirect_uri: values.REDIRECT_URI,
  ...peer.parameters.code,
});
const refreshForm = (peer: Running, refresh_token: string): Form => ({
  grant_type: 'refresh_token',
  refresh_token,
  ...peer.parameters.refresh,
});
const machineForm = (peer: Running): Form => ({
  grant_type: 'client_credentials',
  ...peer.parameters.machine,
});

/** Returns the tokens of a response. Throws unless the access token is a JWT with ES256. */
function tokensOf({ status, body }: Reply): Tokens {
  if (status !== 200) throw new Error(`status ${status}: ${body.slice(0, 300)}`);
  const tokens = JSON.parse(body) as Tokens;
  const [header = '', , signature] = tokens.access_token.split('.');
  if (signature === undefined || !Buffer.from(header, 'base64url').toString().includes('"alg":"ES256"'))
    throw new Error('the access token is no JWT with ES256');
  return tokens;
}

function refreshTokenOf({ refresh_token }: Tokens, previous?: string): string {
  if (!refresh_token || refresh_token === previous) throw new Error('no new refresh token');
  return refresh_token;
}

const redeem = async (peer: Running, send: Send, code: string): Promise<Tokens> =>
  tokensOf(await send(tokenRequest(peer, codeForm(peer, code))));

/**
 * Checks what the comparison assumes: access tokens are JWTs with a valid ES256 signature, refresh tokens rotate, a
 * used refresh token is rejected, and introspection tells valid from invalid tokens.
 */
async function checkPeer(peer: Running, send: Send): Promise<void> {
  const keys = await send(get(peer.jwks));
  const keySet = createLocalJWKSet(JSON.parse(keys.body) as JSONWebKeySet);
  const verify = ({ access_token }: Tokens) => jwtVerify(access_token, keySet, { algorithms: ['ES256'] });
  const first = await redeem(peer, send, await requestCode(peer, send, await peer.signIn(send)));
  await verify(first);
  await verify(tokensOf(await send(tokenRequest(peer, machineForm(peer)))));
  await checkIntrospection(peer, first.access_token);
  let current = refreshTokenOf(first);
  const used = current;
  // twice, because Gatehouse takes the immediate reuse of a token with an unused successor for a lost response
  for (let i = 0; i < 2; i += 1) {
    const tokens = tokensOf(await send(tokenRequest(peer, refreshForm(peer, current))));
    await verify(tokens);
    current = refreshTokenOf(tokens, current);
  }
  const reuse = await send(tokenRequest(peer, refreshForm(peer, used)));
  if (reuse.status !== 400 && reuse.status !== 401)
    throw new Error(`a used refresh token is not rejected: status ${reuse.status}`);
}

type Introspection = Exclude<Running['introspection'], string>;
const introspectionOf = ({ path, form, headers }: Introspection, token: string) =>
  post(path, { token, ...form }, headers);

async function checkIntrospection({ introspection, port }: Running, token: string): Promise<void> {
  if (typeof introspection === 'string') return;
  const caller = await Caller.connect(introspection.port ?? port);
  for (const [of, expected] of [
    [token, true],
    ['unknown-token', false],
  ] as const) {
    const { status, body } = await caller.send(introspectionOf(introspection, of));
    const { active } = JSON.parse(body || '{}') as { active?: boolean };
    if (status !== 200 || active !== expected)
      throw new Error(`introspection: status ${status}, active ${active} instead of ${expected}`);
  }
  caller.close();
}

function refreshes(peer: Running, families: Queue<string>): Scenario<Walk> {
  return {
    next: () => ({
      walk: async (send) => {
        const token = take(families);
        const tokens = tokensOf(await send(tokenRequest(peer, refreshForm(peer, token))));
        families.push(refreshTokenOf(tokens, token));
        return null;
      },
    }),
  };
}

/** An authorization request of a signed-in browser, and the redemption of its code. */
function codes(peer: Running, browsers: Queue<Cookies>): Scenario<Walk> {
  return {
    next: () => ({
      walk: async (send) => {
        const browser = take(browsers);
        try {
          refreshTokenOf(await redeem(peer, send, await requestCode(peer, send, browser)));
        } finally {
          browsers.push(browser);
        }
        return null;
      },
    }),
  };
}

function machines(peer: Running): Scenario<Walk> {
  const clients = peer.machines ?? [peer.client];
  const texts = clients.map((client) => tokenRequest(peer, machineForm(peer), client));
  let next = 0;
  return {
    next: () => {
      next += 1;
      const text = texts[next % texts.length] as string;
      return {
        walk: async (send) => {
          tokensOf(await send(text));
          return null;
        },
      };
    },
  };
}

function introspections(endpoint: Introspection, tokens: string[]): Scenario {
  let next = 0;
  return {
    next: () => {
      next += 1;
      return {
        text: introspectionOf(endpoint, tokens[next % tokens.length] as string),
        check: ({ status, body }) =>
          status === 200 && /"active":\s*true/.test(body) ? null : `status ${status}: ${body.slice(0, 200)}`,
      };
    },
  };
}
