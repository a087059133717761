// Scripted endpoints used by the verification package, and tokens with arbitrary headers and claims.
import http from 'node:http';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { listen } from '../net/listen.ts';

export const RESOURCE = 'https://api.example/orders';
export const SECRET = 'secret & of the API';

export type Signer = { jwk: JWK & { kid: string }; privateKey: CryptoKey };

export async function givenScriptedIssuer(format: 'jwt' | 'opaque' = 'jwt') {
  const paths: string[] = [];
  const script = {
    /** if set, answers selected requests instead of the documents */
    instead: null as ((path: string, response: http.ServerResponse) => boolean) | null,
    document: {} as Record<string, unknown>,
    metadata: {} as Record<string, unknown>,
    keys: [] as Signer[],
    introspected: {} as Record<string, unknown>,
    /** forms and credentials of the introspection requests */
    credentials: [] as (string | undefined)[],
  };
  const server = await listen(
    http.createServer((request, response) => {
      const path = request.url ?? '';
      paths.push(path.replace(/.*\//, ''));
      if (path.endsWith('/introspect')) script.credentials.push(request.headers.authorization);
      if (script.instead?.(path, response)) return;
      const found = answers()[path];
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found ?? {}));
    }),
  );
  const issuer = `${server.url}/auth/pw/api/orders`;
  const api = `${server.url}/.well-known/oauth-protected-resource/apis/orders`;
  Object.assign(script.document, {
    resource: RESOURCE,
    authorization_servers: [issuer],
    access_token_format: format,
    ...(format === 'jwt' ? { access_token_signing_alg: 'ES256' } : {}),
  });
  Object.assign(script.metadata, {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    introspection_endpoint: `${issuer}/introspect`,
  });
  script.keys.push(await newSigner());

  const answers = (): Record<string, unknown> => ({
    [new URL(api).pathname]: script.document,
    '/.well-known/oauth-authorization-server/auth/pw/api/orders': script.metadata,
    '/auth/pw/api/orders/jwks': { keys: script.keys.map(({ jwk }) => jwk) },
    '/auth/pw/api/orders/introspect': script.introspected,
  });

  return {
    api,
    issuer,
    script,
    /** Returns the last path segments of the requests since the previous call. */
    asked: () => paths.splice(0),
    async token(over: Tokened = {}): Promise<string> {
      const { jwk, privateKey } = over.signer ?? (script.keys.at(-1) as Signer);
      const header = { alg: 'ES256', typ: 'at+jwt', kid: jwk.kid, ...over.header } as JWTHeaderParameters;
      return new SignJWT(claimsFor(issuer, over.claims))
        .setProtectedHeader(header)
        .sign(over.key ?? privateKey);
    },
    close: server.close,
  };
}

type Tokened = {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  signer?: Signer;
  key?: CryptoKey | Uint8Array;
};

export type ScriptedIssuer = Awaited<ReturnType<typeof givenScriptedIssuer>>;

/** Returns the claims of a valid token with the scope `read`; undefined omits a claim. */
export function claimsFor(issuer: string, over: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1_000);
  const times = { iat: now, exp: now + 300, auth_time: now };
  return {
    iss: issuer,
    aud: RESOURCE,
    sub: 'alice',
    client_id: 'shop',
    scope: 'read',
    jti: 'j',
    ...times,
    ...over,
  };
}

export async function newSigner(kid = crypto.randomUUID(), alg = 'ES256'): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  return { jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, privateKey };
}
