// Target of the request tables: core with fixtures, signed-in browser, real broker that can stop, functions that
// disconnect the database.
import { randomUUID } from 'node:crypto';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import type { Answer } from '#lib/http/message.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { handleHttp } from '#lib/oauth/endpoints.ts';
import { viewConsent } from '#lib/oauth/pages/consent.ts';
import { viewSignIn } from '#lib/oauth/pages/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { closePool, query } from '#lib/store/pool.ts';
import { snapshotState } from '#lib/store/snapshot.ts';
import { withCookies } from '#testing/in-process/in-process.ts';
import { proofKey, proofOf } from '#testing/net/dpop.ts';
import { type Broker, startBroker } from '../../demo/broker.ts';
import { prepareWorld } from '../../scripts/fuzz/world.ts';

export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
export const CONF = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
export const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };
const BOB = { username: 'bob@example.com', password: 'bob-password-1' };
/** API of the test requests. */
export const ORDERS = 'https://api.example/orders';
export const PW = '/auth/pw/api/orders';

/** Parameters of a request; `undefined` omits a parameter. */
export type Values = Record<string, string | undefined>;
export type Sent = {
  method?: string;
  query?: Values | string;
  form?: Values | string;
  headers?: Record<string, string>;
  ip?: string;
};

export const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  query<Row>({ text, values });

const encode = (values: Values | string) =>
  typeof values === 'string'
    ? values
    : new URLSearchParams(
        Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ).toString();

export async function send(path: string, { method, query = '', form, headers = {}, ip }: Sent = {}) {
  const body = Buffer.from(encode(form ?? ''));
  const answer = await handleHttp({
    method: method ?? (form === undefined ? 'GET' : 'POST'),
    path,
    query: encode(query),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: async () => (body.length > 65_536 ? 'too-large' : body),
    peerAddress: ip,
    requestId: randomUUID(),
  });
  if (!answer) throw new Error(`${path} is no address of the core`);
  return answer;
}

export const bodyOf = (answer: Answer) =>
  answer.body === undefined ? '' : Buffer.from(answer.body).toString('utf8');
export const jsonOf = (answer: Answer) => JSON.parse(bodyOf(answer)) as Record<string, string>;
export const locationOf = (answer: Answer) => new URL(String(answer.headers['location']));
const cookieOf = (answer: Answer) =>
  [answer.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ');

/** Returns a request of the trusted client; `changes` replace or drop parameters. */
export const authorizeQuery = (changes: Values = {}): Values => ({
  client_id: 'tru',
  redirect_uri: 'https://tru.example/cb',
  response_type: 'code',
  scope: 'read',
  state: 'S',
  ...changes,
});
export const CONF_REQUEST = { client_id: 'conf', redirect_uri: 'https://conf.example/cb' };

/**
 * Creates the fixtures, a broker `partner` in addition to the fixtures' `brk` (which never answers), and a
 * session of alice at `pw`.
 */
export async function givenWorld() {
  const world = await prepareWorld();
  const callback = `${settings().baseUrl}/auth/callback/partner`;
  const options = { clientId: 'gatehouse', clientSecret: 'fixture-broker-secret', redirectUris: [callback] };
  let broker: Broker = await startBroker({ port: 0, ...options });
  const port = Number(new URL(broker.issuer).port);
  await createAuthMethod(OPERATOR, {
    id: 'partner',
    type: 'broker',
    name: 'Partner',
    config: { issuer: broker.issuer, client_id: options.clientId, allow_private_network: true },
    secret: options.clientSecret,
  });
  await sql("insert into combinations (auth_method_id, api_id) values ('partner', 'orders')");
  const alice = { cookie: world.cookies.at(-1) ?? '' };

  const authorize = (changes: Values = {}, headers: Record<string, string> = {}, method = 'pw') =>
    send(`/auth/${method}/api/orders/authorize`, { query: authorizeQuery(changes), headers });

  const code = async (changes: Values = {}) =>
    locationOf(await authorize(changes, alice)).searchParams.get('code') ?? '';

  const tokens = async (form: Values = {}) => {
    const redeemed = { ...TRU, grant_type: 'authorization_code', code: await code(form), ...form };
    return jsonOf(await send(`${PW}/token`, { form: redeemed }));
  };

  /** Starts a broker sign-in; returns its state and the browser's cookie. */
  const depart = async () => {
    const answer = await authorize({}, {}, 'partner');
    return { state: locationOf(answer).searchParams.get('state') ?? '', cookie: cookieOf(answer) };
  };

  /** Returns the parameters of the redirect after the user denies consent. */
  const denied = async () => {
    const asked = await authorize(CONF_REQUEST, alice);
    const cookie = withCookies(alice.cookie, cookieOf(asked));
    const interaction = locationOf(asked).searchParams.get('interaction') ?? '';
    const view = await viewConsent({ interaction, cookie });
    if (view.kind !== 'ready') throw new Error('no consent page');
    const form = { interaction: view.interaction, anti_forgery: view.antiForgery, decision: 'deny' };
    const headers = { cookie, origin: settings().authUrl };
    const answered = locationOf(await send('/consent/submit', { form, headers }));
    const query = { interaction: answered.searchParams.get('interaction') ?? '' };
    return send(`${PW}/authorize`, { query, headers: { cookie } });
  };

  /** Returns the parameters that the client receives if bob signs in, although the request names alice. */
  const somebodyElse = async () => {
    const { id_token } = await tokens({ scope: 'openid' });
    const asked = await authorize({ scope: 'openid', prompt: 'login', id_token_hint: id_token });
    const browser = cookieOf(asked);
    const interaction = locationOf(asked).searchParams.get('interaction') ?? '';
    const view = await viewSignIn({ interaction, cookie: browser });
    if (view.kind !== 'ready') throw new Error('no sign-in page');
    const form = { ...BOB, interaction: view.interaction, anti_forgery: view.antiForgery };
    const headers = { cookie: browser, origin: settings().authUrl };
    const signedIn = await send('/login/submit', { form, headers });
    const query = { interaction: locationOf(signedIn).searchParams.get('interaction') ?? '' };
    const cookie = [browser, cookieOf(signedIn)].join('; ');
    return send(`${PW}/authorize`, { query, headers: { cookie } });
  };

  const withoutBroker = async <T>(work: () => Promise<T>): Promise<T> => {
    await broker.close();
    try {
      return await work();
    } finally {
      broker = await startBroker({ port, ...options });
    }
  };

  /** Gets a DPoP-bound token. Returns it with a proof for a request to this URL. */
  const bound = async (method: string, address: string, claims: Record<string, unknown> = {}) => {
    const key = await proofKey();
    const form = { ...TRU, grant_type: 'authorization_code', code: await code({ scope: 'openid' }) };
    const dpop = await proofOf(key, { address: `${settings().authUrl}${PW}/token` });
    const token = jsonOf(await send(`${PW}/token`, { form, headers: { dpop } }))['access_token'] ?? '';
    return { token, proof: await proofOf(key, { method, address, token, claims }) };
  };

  return {
    alice,
    bound,
    authorize,
    code,
    tokens,
    depart,
    denied,
    somebodyElse,
    withoutBroker,
    close: () => broker.close(),
  };
}

export type World = Awaited<ReturnType<typeof givenWorld>>;

/** Runs `work` while the API `orders` follows OAuth 2.1. */
export async function underOAuth21<T>(work: () => Promise<T>): Promise<T> {
  await sql("update apis set profile = 'oauth-2.1' where id = 'orders'");
  try {
    return await work();
  } finally {
    await sql("update apis set profile = null where id = 'orders'");
  }
}

/** Runs `work` while the API requires two factors. */
export async function underMfa<T>(work: () => Promise<T>): Promise<T> {
  await sql("update apis set required_acr = 'urn:gatehouse:acr:mfa' where id = 'orders'");
  try {
    return await work();
  } finally {
    await sql("update apis set required_acr = null where id = 'orders'");
  }
}

/** Restricts client `tru` to users with a later verified address, so no fixture user qualifies. */
export async function forOthers<T>(work: () => Promise<T>): Promise<T> {
  const set = (claim: object | null) =>
    sql("update subscriptions set required_claim = $1 where client_id = 'tru'", [claim]);
  await set({ name: 'email_verified', values: ['true'] });
  try {
    return await work();
  } finally {
    await set(null);
  }
}

/** Runs `work` while no sign-in method stores passwords. */
export async function withoutPasswords<T>(work: () => Promise<T>): Promise<T> {
  await sql("update auth_methods set type = 'external' where id = 'pw'");
  try {
    return await work();
  } finally {
    await sql("update auth_methods set type = 'local' where id = 'pw'");
  }
}

/** Disconnects the database during `work`. `forgotten`: also deletes the registry's snapshot from memory. */
export async function withoutDatabase<T>(work: () => Promise<T>, { forgotten = true } = {}): Promise<T> {
  const { databaseUrl } = settings();
  settings().databaseUrl = 'postgres://localhost:1/none';
  await closePool();
  if (forgotten) delete snapshotState().known;
  try {
    return await work();
  } finally {
    settings().databaseUrl = databaseUrl;
    await closePool();
  }
}

/** Renames tables during `work`, so that statements that use them fail. */
export async function withoutTables<T>(tables: string[], work: () => Promise<T>): Promise<T> {
  for (const table of tables) await sql(`alter table ${table} rename to ${table}_aside`);
  if (tables.includes('directory_version')) delete snapshotState().known;
  try {
    return await work();
  } finally {
    for (const table of tables) await sql(`alter table ${table}_aside rename to ${table}`);
  }
}

/** Sends a request, exhausts its rate limit, sends it again. */
export async function overLimit(limit: string, count: number, ask: () => Promise<Answer>): Promise<Answer> {
  await ask();
  const full = await sql(
    `update attempts set count = $2, failed = $2, expires_at = now() + interval '1 minute'
     where key like $1 returning key`,
    [`${limit}:%`, count],
  );
  if (full.length === 0) throw new Error(`nothing was counted under ${limit}`);
  try {
    return await ask();
  } finally {
    await sql('truncate attempts');
  }
}
