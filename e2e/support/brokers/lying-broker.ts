// OpenID Provider with scripted responses, registered as a method for one test.
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listen, textOf } from '#testing/net/listen.ts';
import { sql } from '../service/database.ts';

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown };
type Script = Record<string, (form: URLSearchParams) => Reply | Promise<Reply>>;
type Claims = Record<string, unknown>;

export type Liar = {
  /** the id of its authentication method, valid at orders and billing */
  method: string;
  issuer: string;
  clientId: string;
  /** sets the response for a path; replaces earlier responses */
  say: (path: string, reply: (form: URLSearchParams) => Reply | Promise<Reply>) => void;
  /** returns the number of requests for a path */
  asked: (path: string) => number;
  /** creates a valid ID token with these changes; undefined omits a claim */
  idToken: (claims?: Claims, header?: { kid?: string; typ?: string }, otherKey?: boolean) => Promise<string>;
  publicJwk: Record<string, unknown>;
  /** sets the ID token of the next responses of its token endpoint */
  gives: (idToken: string | undefined) => void;
  close: () => Promise<void>;
};

export async function startLiar(config: Record<string, unknown> = {}): Promise<Liar> {
  const method = `liar-${randomBytes(5).toString('hex')}`;
  const clientId = 'gatehouse-at-the-liar';
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const stranger = await generateKeyPair('RS256');
  const publicJwk = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'true' };
  const counts = new Map<string, number>();
  const script: Script = {};
  const server = http.createServer((request, response) => {
    void answer(request, response, script, counts);
  });
  const { url: issuer, close } = await listen(server);
  script['/.well-known/openid-configuration'] = () => ({
    body: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    },
  });
  script['/jwks'] = () => ({ body: { keys: [publicJwk] } });

  const given = { issuer, client_id: clientId, allow_private_network: true, ...config };
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  // the name is unique, because other specs list all methods on one page, where equal names are a fault
  await sql("insert into auth_methods (id, type, name, config) values ($1, 'broker', $1, $2)", [
    method,
    JSON.stringify(kept),
  ]);
  await sql(
    `insert into combinations (auth_method_id, api_id) select $1, id from apis where id in ('orders', 'billing')`,
    [method],
  );
  const seconds = () => Math.floor(Date.now() / 1000);
  return {
    method,
    issuer,
    clientId,
    publicJwk,
    say: (path, reply) => {
      script[path] = reply;
    },
    asked: (path) => counts.get(path) ?? 0,
    idToken: (claims = {}, header = {}, otherKey = false) =>
      new SignJWT({
        iss: issuer,
        aud: clientId,
        sub: `sub-${method}`,
        iat: seconds(),
        exp: seconds() + 300,
        email: 'somebody@partner.example',
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', kid: 'true', ...header })
        .sign(otherKey ? stranger.privateKey : privateKey),
    gives: (idToken) => {
      script['/token'] = () => ({
        body: { access_token: 'liar', token_type: 'Bearer', expires_in: 60, id_token: idToken },
      });
    },
    close,
  };
}

async function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  script: Script,
  counts: Map<string, number>,
): Promise<void> {
  const path = request.url?.split('?')[0] ?? '/';
  counts.set(path, (counts.get(path) ?? 0) + 1);
  const reply = await script[path]?.(new URLSearchParams(await textOf(request)));
  const { status = 200, headers = {}, body: said } = reply ?? { status: 404, body: {} };
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof said === 'string' ? said : JSON.stringify(said));
}
