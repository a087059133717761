// Fake services of provider presets under their real host names, including their deviations.

import { createHmac } from 'node:crypto';
import type http from 'node:http';
import { decodeProtectedHeader, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { serveNames } from '../net/detour.ts';
import { textOf } from '../net/listen.ts';

type Claims = Record<string, unknown>;
type Asked = { url: URL; headers: http.IncomingHttpHeaders; form: URLSearchParams };
type Reply = { status?: number; body: unknown; type?: string };

export const TENANT = '72f988bf-0000-4000-8000-2d7cd011db47';
export const OTHER_TENANT = '11111111-2222-4333-8444-555555555555';
const MICROSOFT = 'login.microsoftonline.com';
const ADFS = 'fs.a.example';
/** Paths of issuers, by host name. */
const PATHS: Record<string, string> = { 'www.linkedin.com': '/oauth', [ADFS]: '/adfs' };
/** Provider metadata, without issuer. */
const METADATA: Record<string, Claims> = {
  'accounts.google.com': {
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
    jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  },
  [MICROSOFT]: {
    authorization_endpoint: `https://${MICROSOFT}/authorize`,
    token_endpoint: `https://${MICROSOFT}/token`,
    jwks_uri: `https://${MICROSOFT}/keys`,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  },
  'appleid.apple.com': {
    authorization_endpoint: 'https://appleid.apple.com/auth/authorize',
    token_endpoint: 'https://appleid.apple.com/auth/token',
    jwks_uri: 'https://appleid.apple.com/auth/keys',
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  },
  'gitlab.com': {
    authorization_endpoint: 'https://gitlab.com/oauth/authorize',
    token_endpoint: 'https://gitlab.com/oauth/token',
    userinfo_endpoint: 'https://gitlab.com/oauth/userinfo',
    jwks_uri: 'https://gitlab.com/oauth/discovery/keys',
  },
  'www.linkedin.com': {
    authorization_endpoint: 'https://www.linkedin.com/oauth/v2/authorization',
    token_endpoint: 'https://www.linkedin.com/oauth/v2/accessToken',
    userinfo_endpoint: 'https://api.linkedin.com/v2/userinfo',
    jwks_uri: 'https://www.linkedin.com/oauth/openid/jwks',
  },
  [ADFS]: {
    authorization_endpoint: `https://${ADFS}/adfs/oauth2/authorize/`,
    token_endpoint: `https://${ADFS}/adfs/oauth2/token/`,
    userinfo_endpoint: `https://${ADFS}/adfs/userinfo`,
    jwks_uri: `https://${ADFS}/adfs/discovery/keys`,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  },
};
const NAMES = [
  ...Object.keys(METADATA),
  ...[
    'oauth2.googleapis.com',
    'openidconnect.googleapis.com',
    'www.googleapis.com',
    'github.com',
    'api.github.com',
    'api.linkedin.com',
    'graph.facebook.com',
    'discord.com',
    'api.x.com',
  ],
];

export type ProviderFakes = Awaited<ReturnType<typeof startProviderFakes>>;

/** Starts the fake services. `script` changes their responses. */
export async function startProviderFakes() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const apple = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'k' };
  const script = {
    nonce: '' as string | undefined,
    /** claims that are added to the ID token; undefined removes a claim */
    idToken: {} as Claims,
    /** user of a plain OAuth 2.0 provider */
    user: {} as Claims,
    emails: [] as unknown,
    /** response of the token endpoint, sent with status 200 */
    token: null as Claims | null,
  };
  const asked: Asked[] = [];
  const seconds = () => Math.floor(Date.now() / 1000);

  const idToken = (issuer: string) =>
    new SignJWT({ iss: issuer, aud: 'gatehouse', sub: '1', nonce: script.nonce, ...script.idToken })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
  const given = async (issuer: string): Promise<Reply> => ({
    body: { access_token: 'given', token_type: 'Bearer', expires_in: 60, id_token: await idToken(issuer) },
  });
  const refused = (error: string): Reply => ({ status: 400, body: { error } });

  function metadataOf({ hostname, pathname }: URL): Claims {
    const authority = pathname.split('/')[1] ?? '';
    const tenant = ['organizations', 'common'].includes(authority) ? '{tenantid}' : authority;
    const path = hostname === MICROSOFT ? `/${tenant}/v2.0` : (PATHS[hostname] ?? '');
    const issuer = `https://${hostname}${path}`;
    return { ...METADATA[hostname], issuer, id_token_signing_alg_values_supported: ['RS256'] };
  }

  /**
   * True if Apple would accept the secret: it is signed by this team's key, for this client, and currently
   * valid.
   */
  async function isSigned(secret: string): Promise<boolean> {
    try {
      const { payload } = await jwtVerify(secret, apple.publicKey, {
        ...{ algorithms: ['ES256'], audience: 'https://appleid.apple.com', subject: 'gatehouse' },
        ...{ issuer: 'ABCDE12345', maxTokenAge: '180d' },
      });
      return (
        decodeProtectedHeader(secret).kid === 'FGHIJ67890' && Number(payload.exp) - seconds() <= 15_777_000
      );
    } catch {
      return false;
    }
  }

  async function tokenOf({ url, headers, form }: Asked): Promise<Reply> {
    if (form.get('code') !== 'c') return refused('invalid_grant');
    if (script.token) return { body: script.token };
    if (url.hostname === 'appleid.apple.com') {
      // the real Apple accepts secrets only in the body, and rejects PKCE verifiers
      if (form.has('code_verifier') || headers.authorization) return refused('invalid_client');
      if (!(await isSigned(form.get('client_secret') ?? ''))) return refused('invalid_client');
      return given('https://appleid.apple.com');
    }
    if (url.hostname === MICROSOFT)
      return given(`https://${MICROSOFT}/${script.idToken['tid'] ?? TENANT}/v2.0`);
    if (url.hostname === 'www.linkedin.com') {
      // the real Apple rejects PKCE verifiers and HTTP Basic with invalid_client, and its ID tokens lack a nonce
      if (form.has('code_verifier') || headers.authorization) return refused('invalid_client');
      script.nonce = undefined;
    }
    const own = url.hostname in METADATA ? url.hostname : 'accounts.google.com';
    return given(`https://${own}${PATHS[own] ?? ''}`);
  }

  /**
   * Answers like GitHub: errors have status 200, JSON is sent only on request, and a user agent is required.
   */
  function githubOf({ url, headers, form }: Asked): Reply {
    if (!headers['user-agent']) return { status: 403, body: 'Request forbidden by administrative rules.' };
    if (url.pathname === '/user') return { body: script.user };
    if (url.pathname === '/user/emails') return { body: script.emails };
    const good = { access_token: 'given', token_type: 'bearer', scope: 'read:user' };
    const answer = script.token ?? (form.get('code') === 'c' ? good : { error: 'bad_verification_code' });
    if (/application\/json/.test(headers.accept ?? '')) return { body: answer };
    const type = 'application/x-www-form-urlencoded';
    return { body: String(new URLSearchParams(answer as Record<string, string>)), type };
  }

  /** Expected `appsecret_proof`: HMAC of the access token with the client secret. */
  const PROOF = createHmac('sha256', 'a secret').update('given').digest('hex');

  async function plainOf({ url, headers, form }: Asked): Promise<Reply> {
    const { hostname, pathname, searchParams } = url;
    if (/token$/.test(pathname)) {
      if (form.get('code') !== 'c') return refused('invalid_grant');
      // X accepts the secret of a web app only by HTTP Basic
      if (hostname === 'api.x.com' && !headers.authorization?.startsWith('Basic '))
        return refused('unauthorized_client');
      return { body: script.token ?? { access_token: 'given', token_type: 'bearer', expires_in: 60 } };
    }
    if (headers.authorization !== 'Bearer given') return { status: 401, body: {} };
    if (hostname === 'graph.facebook.com' && searchParams.get('appsecret_proof') !== PROOF)
      return {
        status: 400,
        body: { error: { message: 'Invalid appsecret_proof', type: 'GraphMethodException', code: 100 } },
      };
    return { body: hostname === 'api.x.com' ? { data: script.user } : script.user };
  }

  async function replyTo(one: Asked): Promise<Reply> {
    const { hostname, pathname } = one.url;
    if (hostname.endsWith('github.com')) return githubOf(one);
    if (/facebook|discord|api\.x/.test(hostname)) return plainOf(one);
    if (pathname.endsWith('/.well-known/openid-configuration')) return { body: metadataOf(one.url) };
    if (/certs$|keys$|jwks$/.test(pathname)) return { body: { keys: [jwk] } };
    if (/token\/?$/i.test(pathname)) return tokenOf(one);
    if (/userinfo$/.test(pathname)) return { body: { ...script.idToken, sub: script.idToken['sub'] ?? '1' } };
    return { status: 404, body: {} };
  }

  const { close } = await serveNames(NAMES, async (request, response) => {
    const url = new URL(request.url ?? '/', `https://${request.headers.host}`);
    const one = { url, headers: request.headers, form: new URLSearchParams(await textOf(request)) };
    asked.push(one);
    const { status = 200, body, type = 'application/json' } = await replyTo(one);
    response.writeHead(status, { 'content-type': type });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { script, asked, appleKey: apple.privateKey, close };
}
