// Test kit for APIs: a local issuer that serves the same documents as Gatehouse, and issues any token that a test
// needs.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { ALGORITHMS } from './proof.ts';

export type IssuerOptions = {
  /** The address of the API, which is also the audience of its tokens. */
  api: string;
  scopes: readonly string[];
  /** Default: `jwt`. */
  format?: 'jwt' | 'opaque';
};

export type Minted = {
  sub?: string;
  /** Scopes of the token, separated by spaces. Default: every scope of the API. */
  scope?: string;
  clientId?: string;
  /** Subject of the token. `machine`: the client is the subject. */
  kind?: 'person' | 'machine';
  act?: Record<string, unknown>;
  acr?: string;
  /** Seconds since the sign-in of the user. Default: 0. */
  signedInAgo?: number;
  /** Lifetime in seconds, by default 300. A negative value creates an expired token. */
  expiresIn?: number;
  /** Thumbprint of the key that the token is bound to by DPoP: `jkt` of `key()`. */
  jkt?: string;
  /** Adds or overrides claims. */
  claims?: Record<string, unknown>;
};

export type Proven = {
  /** Default: `GET`. */
  method?: string;
  url: string;
  /** The access token that is sent with the proof. */
  token: string;
  /** Adds or overrides claims. */
  claims?: Record<string, unknown>;
};

const ID = 'api';
const METHOD = `/auth/local/api/${ID}`;

export async function createIssuer({ api, scopes, format = 'jwt' }: IssuerOptions) {
  const introspectionSecret = randomBytes(16).toString('hex');
  const opaque = new Map<string, Record<string, unknown>>();
  const keys: { publicJwk: JWK; privateKey: CryptoKey }[] = [await newKey()];

  const server = createServer(async (request, response) => {
    const answer = await answerTo(request);
    response
      .writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : ''}`;
  const issuer = `${origin}${METHOD}`;
  const document = `/.well-known/oauth-protected-resource/apis/${ID}`;

  async function answerTo(request: IncomingMessage): Promise<object | null> {
    switch (request.url) {
      case document:
        return {
          resource: api,
          authorization_servers: [issuer],
          scopes_supported: scopes,
          bearer_methods_supported: ['header'],
          dpop_signing_alg_values_supported: ALGORITHMS.split(' '),
          access_token_format: format,
          ...(format === 'jwt' ? { access_token_signing_alg: 'ES256' } : {}),
        };
      case `/.well-known/oauth-authorization-server${METHOD}`:
        return { issuer, jwks_uri: `${issuer}/jwks`, introspection_endpoint: `${issuer}/introspect` };
      case `${METHOD}/jwks`:
        return { keys: keys.map(({ publicJwk }) => publicJwk) };
      case `${METHOD}/introspect`:
        return introspectRequest(request);
      default:
        return null;
    }
  }

  async function introspectRequest(request: IncomingMessage): Promise<object | null> {
    const credential = Buffer.from(`${ID}:${introspectionSecret}`).toString('base64');
    if (request.headers.authorization !== `Basic ${credential}`) return null;
    let body = '';
    for await (const chunk of request) body += chunk;
    const claims = opaque.get(new URLSearchParams(body).get('token') ?? '');
    const lives = claims && Number(claims['exp']) > Date.now() / 1_000;
    const type = claims?.['cnf'] ? 'DPoP' : 'bearer';
    return lives ? { active: true, token_type: type, ...claims } : { active: false };
  }

  return {
    /** The address of the API's protected resource metadata, for the option `api` of `gatehouse`. */
    url: `${origin}${document}`,
    introspectionSecret,
    async token(minted: Minted = {}): Promise<string> {
      const claims = claimsOf(minted);
      if (format === 'opaque') {
        const token = `gha_${randomBytes(32).toString('base64url')}`;
        opaque.set(token, claims);
        return token;
      }
      const { publicJwk, privateKey } = keys.at(-1) ?? (await newKey());
      const header = { alg: 'ES256', typ: 'at+jwt', kid: publicJwk.kid as string };
      return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    },
    /** Creates a key of a client (RFC 9449). `proof` creates the `DPoP` header for one request. */
    key: clientKey,
    /** Makes an opaque token inactive. A JWT stays valid until it expires. */
    revoke: (token: string) => void opaque.delete(token),
    /** Signs all later tokens with a new key. */
    async rotate() {
      keys.push(await newKey());
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  function claimsOf(minted: Minted): Record<string, unknown> {
    const { clientId = 'client', kind = 'person', scope = scopes.join(' ') } = minted;
    const unknown = scope.split(' ').find((word) => word !== '' && !scopes.includes(word));
    if (unknown !== undefined) throw new TypeError(`the API has no scope ${unknown}`);
    const now = Math.floor(Date.now() / 1_000);
    const expiresAt = now + (minted.expiresIn ?? 300);
    const ofPerson = {
      auth_time: now - (minted.signedInAgo ?? 0),
      ...(minted.acr === undefined ? {} : { acr: minted.acr }),
      ...(minted.act === undefined ? {} : { act: minted.act }),
    };
    return {
      iss: issuer,
      aud: api,
      sub: kind === 'machine' ? clientId : (minted.sub ?? 'person'),
      client_id: clientId,
      scope,
      jti: randomUUID(),
      iat: Math.min(now, expiresAt),
      exp: expiresAt,
      ...(kind === 'machine' ? {} : ofPerson),
      ...(minted.jkt === undefined ? {} : { cnf: { jkt: minted.jkt } }),
      ...minted.claims,
    };
  }
}

async function newKey() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const publicJwk = { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: 'ES256', use: 'sig' };
  return { publicJwk, privateKey };
}

async function clientKey() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  return {
    jkt: await calculateJwkThumbprint(jwk),
    proof: ({ method = 'GET', url, token, claims }: Proven): Promise<string> =>
      new SignJWT({
        jti: randomUUID(),
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1_000),
        ath: createHash('sha256').update(token).digest('base64url'),
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey),
  };
}
