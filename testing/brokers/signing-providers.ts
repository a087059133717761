// Google, Microsoft, Apple and GitLab, simulated by oidc-provider: its pages redirect back, its token endpoint checks
// Gatehouse's challenge and secret, and its key signs. Each has the real provider's host name, and adds only the
// deviations of the real provider.
import type http from 'node:http';
import { decodeProtectedHeader, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { CookieJar } from '../net/cookie-jar.ts';
import { serveNames } from '../net/detour.ts';
import { textOf } from '../net/listen.ts';
import { TENANT } from './provider-fakes.ts';

type Claims = Record<string, unknown>;
type Request = http.IncomingMessage & { originalUrl?: string; body?: Record<string, string> };
/** Used parts of the package, because it ships without types. */
type Provider = {
  callback: () => http.RequestListener;
  interactionFinished: (request: Request, response: http.ServerResponse, result: object) => Promise<void>;
};
type Context = {
  oidc: {
    provider: {
      Grant: new (of: object) => { save: () => Promise<string>; addOIDCScope: (of: string) => void };
    };
    client: { clientId: string };
    session: { accountId: string };
    params: { scope: string };
  };
};

const CLIENT = 'gatehouse';
/** Client secret in oidc-provider. For Apple, it replaces the signed secret after its verification. */
export const SECRET = 'a secret that both know';
const MICROSOFT = 'https://login.microsoftonline.com';
const APPLE = 'https://appleid.apple.com';
const ISSUERS = {
  google: { issuer: 'https://accounts.google.com', scopes: ['openid', 'email', 'profile'] },
  microsoft: { issuer: `${MICROSOFT}/${TENANT}/v2.0`, scopes: ['openid', 'email', 'profile'] },
  apple: { issuer: APPLE, scopes: ['openid', 'email', 'name'] },
  gitlab: { issuer: 'https://gitlab.com', scopes: ['openid', 'email', 'profile'] },
} as const;
const SAID = ['name', 'hd', 'oid', 'tid', 'xms_edov', 'groups'];

export type SigningProviders = Awaited<ReturnType<typeof startSigningProviders>>;

/** Starts the providers. `redirectUri`: Gatehouse's callback. `script`: changes the user and the claims. */
export async function startSigningProviders(redirectUri: string) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const apple = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'theirs' }] };
  const script = { subject: '1', claims: {} as Claims, cancels: false };
  // @ts-expect-error: the package ships no types
  const { Provider } = await import('oidc-provider');

  function providerOf(name: keyof typeof ISSUERS): Provider {
    const { issuer, scopes } = ISSUERS[name];
    const method = name === 'apple' ? 'client_secret_post' : 'client_secret_basic';
    return new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT,
          client_secret: SECRET,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: method,
        },
      ],
      clientAuthMethods: [method],
      jwks,
      scopes,
      claims: { email: ['email', 'email_verified'], profile: SAID, name: [] },
      conformIdTokenClaims: false,
      pkce: { required: () => name !== 'apple' },
      cookies: { keys: ['of a test'] },
      features: { devInteractions: { enabled: false } },
      interactions: {
        url: (_: unknown, { uid }: { uid: string }) =>
          `${new URL(issuer).pathname.replace(/\/$/, '')}/came/${uid}`,
      },
      findAccount: (_: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ ...script.claims, sub: accountId }),
      }),
      loadExistingGrant: async ({ oidc }: Context) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client.clientId,
          accountId: oidc.session.accountId,
        });
        grant.addOIDCScope(oidc.params.scope);
        await grant.save();
        return grant;
      },
      ttl: { Grant: 600, Interaction: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    }) as Provider;
  }
  const providers = new Map(
    Object.entries(ISSUERS).map(([name, { issuer }]) => [
      new URL(issuer).hostname,
      providerOf(name as keyof typeof ISSUERS),
    ]),
  );

  /** True if Apple would accept the secret: it is signed by this team's key, for this client. */
  async function isSigned(secret = ''): Promise<boolean> {
    const { payload } = await jwtVerify(secret, apple.publicKey, {
      ...{ algorithms: ['ES256'], audience: APPLE, subject: CLIENT, issuer: 'ABCDE12345' },
      maxTokenAge: '180d',
    }).catch(() => ({ payload: null }));
    return payload !== null && decodeProtectedHeader(secret).kid === 'FGHIJ67890';
  }

  /** Answers like Apple, which verifies signed secrets and rejects PKCE verifiers. */
  async function asApple(request: Request): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await textOf(request)));
    const good = (await isSigned(form['client_secret'])) && form['code_verifier'] === undefined;
    request.body = { ...form, client_secret: good ? SECRET : 'another' };
  }

  /**
   * Changes responses as Microsoft does: metadata of authorities for several tenants omit the tenant, and
   * responses omit `iss` (RFC 9207).
   */
  function asMicrosoft(request: Request, response: http.ServerResponse): void {
    const [, authority = ''] = request.url?.split('/') ?? [];
    request.originalUrl = request.url ?? '';
    request.url = request.originalUrl.replace(/^\/[^/]+\/v2\.0/, '') || '/';
    if (!request.url.startsWith('/.well-known/')) return;
    const issuer = `${MICROSOFT}/${authority === TENANT ? TENANT : '{tenantid}'}/v2.0`;
    const end = response.end.bind(response) as (body: string) => http.ServerResponse;
    response.end = ((body: string) => {
      response.removeHeader('content-length');
      const metadata = { ...JSON.parse(body), authorization_response_iss_parameter_supported: false };
      return end(JSON.stringify({ ...metadata, issuer }));
    }) as typeof response.end;
  }

  const names = [...providers.keys()];
  const { close } = await serveNames(names, async (request: Request, response) => {
    const host = request.headers.host ?? '';
    const provider = providers.get(host);
    if (host === new URL(MICROSOFT).host) asMicrosoft(request, response);
    if (request.url === '/token' && host === new URL(APPLE).host) await asApple(request);
    if (/\/came\//.test(request.url ?? '')) {
      const login = { accountId: script.subject };
      const result = script.cancels ? { error: 'access_denied' } : { login };
      return provider?.interactionFinished(request, response, result);
    }
    provider?.callback()(request, response);
  });

  /** Follows the provider's pages to Gatehouse's callback. Returns the query or the form fields of the callback. */
  async function browse(from: string): Promise<{ query: string } | { form: [string, string][] }> {
    const jar = new CookieJar();
    let address = from;
    for (let step = 0; step < 8; step += 1) {
      const headers: Record<string, string> = jar.header === undefined ? {} : { cookie: jar.header };
      const answer = await fetch(address, { redirect: 'manual', headers });
      jar.keep(answer.headers.getSetCookie());
      const text = await answer.text();
      const location = answer.headers.get('location');
      if (location === null) {
        const fields = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g)];
        if (fields.length === 0) throw new Error(`${answer.status} at ${address}: ${text.slice(0, 300)}`);
        return { form: fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]) };
      }
      address = new URL(location, address).href;
      if (!address.startsWith(redirectUri)) continue;
      const { searchParams } = new URL(address);
      if (from.startsWith(MICROSOFT)) searchParams.delete('iss');
      return { query: searchParams.toString() };
    }
    throw new Error(`it goes round in circles: ${address}`);
  }

  return { script, browse, appleKey: apple.privateKey, close };
}
