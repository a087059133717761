// Requests sent to a server, with response checks. Requests are independent; a refresh reserves a stored token and
// stores its successor.
import { authorize } from './authorize.ts';
import { get, post, type Reply } from './client.ts';
import type { ScenarioName } from './options.ts';
import { seedProviderCodes } from './provider-world.ts';
import type { Scenario } from './scenario.ts';
import { endpointOf, type TargetName } from './targets.ts';
import { proofFor, tokenNumber } from './tokens.ts';
import * as values from './values.ts';
import { seedCodes } from './world.ts';

const { CLIENT, CLIENT_SECRET, ISSUER_PATH } = values;

/** Refresh tokens of one table: number i, or its current successor. */
class Chains {
  readonly #prefix: string;
  readonly #current = new Map<number, string | null>();
  constructor(prefix: string) {
    this.#prefix = prefix;
  }
  take(size: number): { index: number; token: string } {
    for (;;) {
      const index = Math.floor(Math.random() * size);
      const known = this.#current.get(index);
      if (known === null) continue;
      this.#current.set(index, null);
      return { index, token: known ?? tokenNumber(this.#prefix, index) };
    }
  }
  put(index: number, token: string): void {
    this.#current.set(index, token);
  }
  clear(): void {
    this.#current.clear();
  }
}

const chains = { gatehouse: new Chains('ghr_'), provider: new Chains('') };
const { OPENID_CLIENTS } = values;
type CodeKind = 'gatehouse' | 'provider' | keyof typeof OPENID_CLIENTS;
const codes: Record<CodeKind, { next: number; seeded: number }> = {
  gatehouse: { next: 0, seeded: 0 },
  provider: { next: 0, seeded: 0 },
  'openid-es256': { next: 0, seeded: 0 },
  'openid-rs256': { next: 0, seeded: 0 },
};
const kindOf = (target: TargetName) => (target === 'oidc-provider' ? 'provider' : 'gatehouse');

/** Forgets the tokens of an earlier run. */
export function resetScenarios(): void {
  for (const pool of Object.values(chains)) pool.clear();
  for (const counter of Object.values(codes)) Object.assign(counter, { next: 0, seeded: 0 });
}

type TokenAnswer = {
  access_token?: string;
  id_token?: string;
  refresh_token?: string;
  token_type?: string;
  expires_in?: number;
};

function checkTokens(reply: Reply, previous?: string, type = 'bearer'): TokenAnswer | string {
  if (reply.status !== 200) return `status ${reply.status}: ${reply.body.slice(0, 200)}`;
  const answer = JSON.parse(reply.body) as TokenAnswer;
  if (answer.access_token?.split('.').length !== 3) return 'no JWT';
  if (answer.token_type?.toLowerCase() !== type || answer.expires_in !== 3600) return `not a ${type} token`;
  if (!answer.refresh_token || answer.refresh_token === previous) return 'no new refresh token';
  return answer;
}

/** Refreshes a token. `bound`: the token is bound to a key, so each request contains a DPoP proof. */
function refresh(target: TargetName, bound = false): Scenario {
  const address = endpointOf(target, 'token');
  const pool = chains[kindOf(target)];
  return {
    next: (world) => {
      const { index, token } = pool.take(world.tokens);
      const form = {
        grant_type: 'refresh_token',
        client_id: CLIENT,
        client_secret: CLIENT_SECRET,
        refresh_token: token,
      };
      return {
        text: post(address, form, bound ? { DPoP: proofFor(values.ORIGIN + address) } : {}),
        check: (reply) => {
          const answer = checkTokens(reply, token, bound ? 'dpop' : 'bearer');
          if (typeof answer === 'string') return answer;
          pool.put(index, answer.refresh_token as string);
          return null;
        },
      };
    },
  };
}

function code(target: TargetName, kind: CodeKind = kindOf(target)): Scenario {
  const counter = codes[kind];
  const ofOpenId = kind === 'gatehouse' || kind === 'provider' ? null : OPENID_CLIENTS[kind];
  const { clientId, first } = ofOpenId ?? { clientId: CLIENT, first: 0 };
  return {
    prepare: async (world, requests) => {
      const count = counter.next + requests - counter.seeded;
      if (count <= 0) return;
      const from = first + counter.seeded;
      await (kind === 'provider'
        ? seedProviderCodes(world.databaseUrl, from, count)
        : seedCodes(world.databaseUrl, { from, count, clientId, openid: ofOpenId !== null }));
      counter.seeded += count;
    },
    next: () => {
      const form = {
        grant_type: 'authorization_code',
        client_id: clientId,
        client_secret: CLIENT_SECRET,
        code: tokenNumber(kind === 'provider' ? 'c' : 'ghc_', first + counter.next),
        code_verifier: values.VERIFIER,
        redirect_uri: values.REDIRECT_URI,
      };
      counter.next += 1;
      return {
        text: post(endpointOf(target, 'token'), form),
        check: (reply) => {
          const answer = checkTokens(reply);
          if (typeof answer === 'string') return answer;
          return ofOpenId ? checkIdToken(answer, ofOpenId.alg) : null;
        },
      };
    },
  };
}

function checkIdToken({ id_token = '' }: TokenAnswer, alg: string): string | null {
  const header = Buffer.from(id_token.split('.')[0] ?? '', 'base64url').toString();
  return header.includes(`"alg":"${alg}"`) ? null : `no ID token signed with ${alg}`;
}

let person = 0;

const password: Scenario = {
  next: () => {
    person += 1;
    const form = {
      grant_type: 'password',
      client_id: values.TRUSTED_CLIENT,
      client_secret: CLIENT_SECRET,
      username: values.emailOf(person),
      password: values.PASSWORD,
    };
    return {
      text: post(`${ISSUER_PATH}/token`, form),
      check: (reply) => {
        const answer = checkTokens(reply);
        return typeof answer === 'string' ? answer : null;
      },
    };
  },
};

/** Access tokens for introspection, obtained through refreshes before the measurement. */
export const accessTokens: string[] = [];
const credentials = Buffer.from(`${values.API}:${values.API_SECRET}`).toString('base64');

const introspect: Scenario = {
  next: () => {
    const token = accessTokens[Math.floor(Math.random() * accessTokens.length)] ?? '';
    return {
      text: post(`${ISSUER_PATH}/introspect`, { token }, { Authorization: `Basic ${credentials}` }),
      check: ({ status, body }) =>
        status === 200 && body.includes('"active":true') && body.includes(`"client_id":"${CLIENT}"`)
          ? null
          : `status ${status}: ${body.slice(0, 200)}`,
    };
  },
};

const forwardAuth: Scenario = {
  next: () => {
    const token = accessTokens[Math.floor(Math.random() * accessTokens.length)] ?? '';
    return {
      text: get(`/verify/${values.API}?scope=${values.SCOPES[0]}`, { Authorization: `Bearer ${token}` }),
      check: ({ status, head }) =>
        status === 200 && head.toLowerCase().includes(`x-auth-client-id: ${CLIENT}`)
          ? null
          : `status ${status}: ${head.slice(0, 300)}`,
    };
  },
};

function document(address: string, mark: string): Scenario {
  const text = get(address);
  const check = ({ status, body }: Reply) =>
    status === 200 && body.includes(mark) ? null : `status ${status}: ${body.slice(0, 200)}`;
  return { next: () => ({ text, check }) };
}

/** Returns the scenario for a target. `null`: the target does not support it. */
export function scenarioFor(
  name: Exclude<ScenarioName, 'sign-in' | 'pushed'>,
  target: TargetName,
): Scenario | null {
  const own = target === 'node' || target === 'next';
  switch (name) {
    case 'refresh':
      return refresh(target);
    case 'dpop':
      return own ? refresh(target, true) : null;
    case 'refresh-groups':
    case 'mixed':
      return own ? refresh(target) : null;
    case 'code':
      return code(target);
    case 'openid-es256':
    case 'openid-rs256':
      return own ? code(target, name) : null;
    case 'password':
      return own ? password : null;
    case 'authorize':
      return own || target === 'oidc-provider' ? authorize(target) : null;
    case 'introspect':
      return own ? introspect : null;
    case 'forward-auth':
      return own ? forwardAuth : null;
    case 'metadata':
      if (own) return document(`${ISSUER_PATH}/.well-known/oauth-authorization-server`, '"issuer"');
      return target === 'oidc-provider' ? document('/.well-known/openid-configuration', '"issuer"') : null;
    case 'jwks':
      if (own) return document(`${ISSUER_PATH}/jwks`, '"kid"');
      return target === 'oidc-provider' ? document('/jwks', '"kid"') : null;
  }
}
