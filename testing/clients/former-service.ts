// The previous service of imported users: a real oidc-provider with opaque refresh tokens.
import http from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { listen } from '../net/listen.ts';

type Client = { client_id: string; client_secret: string };
type Saved = { save: () => Promise<string> };
/** Used parts of the package, because it ships without types. */
type Provider = {
  callback: () => http.RequestListener;
  Client: { find: (id: string) => Promise<unknown> };
  Grant: new (of: object) => Saved & { addOIDCScope: (scope: string) => void };
  RefreshToken: new (of: object) => Saved;
};

export type FormerService = {
  issuer: string;
  tokenEndpoint: string;
  /** the public keys of the service */
  keys: JWK[];
  /** number of token endpoint requests */
  asked: () => number;
  /** signs in at the previous service; returns this user's refresh token */
  refreshToken: (clientId: string, sub: string, scope?: string) => Promise<string>;
  /** false: the service closes connections without a response */
  on: boolean;
  close: () => Promise<void>;
};

/** Starts the service. `named`: its issuer, if different from the local URL. */
export async function startFormerService(clients: Client[], named?: string): Promise<FormerService> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { alg: 'RS256', use: 'sig', kid: 'former' };
  let asked = 0;
  let handle: http.RequestListener | null = null;
  const server = http.createServer((request, response) => {
    if (!service.on) return void request.socket.destroy();
    if (request.url === '/token') asked += 1;
    handle?.(request, response);
  });
  const { url, close } = await listen(server);
  const issuer = named ?? url;
  // @ts-expect-error: the package ships no types
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: clients.map((client) => ({
      ...client,
      redirect_uris: ['https://client.example/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    })),
    scopes: ['openid', 'offline_access', 'read', 'write'],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), ...key }] },
    cookies: { keys: ['of a test'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: { Grant: 3_600, RefreshToken: 3_600, AccessToken: 600, IdToken: 600 },
  }) as Provider;
  handle = provider.callback();
  const service: FormerService = {
    issuer,
    tokenEndpoint: `${url}/token`,
    keys: [{ ...(await exportJWK(publicKey)), ...key }],
    asked: () => asked,
    on: true,
    refreshToken: async (clientId, accountId, scope = 'openid offline_access read') => {
      const grant = new provider.Grant({ accountId, clientId });
      grant.addOIDCScope(scope);
      const grantId = await grant.save();
      const client = await provider.Client.find(clientId);
      const authTime = Math.floor(Date.now() / 1000) - 600;
      return new provider.RefreshToken({
        accountId,
        client,
        grantId,
        scope,
        authTime,
        claims: { id_token: { auth_time: null } },
        gty: 'authorization_code',
      }).save();
    },
    close,
  };
  return service;
}
