// An OpenID Provider whose responses a test chooses. It records requests, and returns the settings for a broker
// method.
import http from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listen, textOf } from '../net/listen.ts';

type Claims = Record<string, unknown>;
type Reply = { status?: number; headers?: Record<string, string>; body: unknown };

export type ScriptedBroker = Awaited<ReturnType<typeof startScriptedBroker>>;

/** Starts the provider. `clientId`: audience of its ID tokens. The returned `script` changes the responses. */
export async function startScriptedBroker(clientId = 'gatehouse') {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const stranger = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'true' };
  const script = {
    metadata: {} as Claims,
    /** changes of the ID token in addition to iss, aud, sub, iat, exp and nonce; undefined removes a claim */
    idToken: {} as Claims,
    userinfo: null as Reply | null,
    emails: null as Reply | null,
    token: null as ((authorization: string | undefined, form: URLSearchParams) => Reply | null) | null,
    nonce: '',
  };
  const asked: { path: string; method: string; authorization: string | undefined; form: URLSearchParams }[] =
    [];
  const seconds = () => Math.floor(Date.now() / 1000);
  const sign = (claims: Claims, key = privateKey) =>
    new SignJWT({ iss: issuer, aud: clientId, sub: 'somebody', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'true' })
      .sign(key);
  async function reply(
    path: string,
    authorization: string | undefined,
    form: URLSearchParams,
  ): Promise<Reply> {
    if (path === '/.well-known/openid-configuration') {
      const at = (end: string) => `${issuer}/${end}`;
      const [authorization_endpoint, token_endpoint] = [at('authorize'), at('token')];
      const own = { issuer, authorization_endpoint, token_endpoint, jwks_uri: at('jwks') };
      return { body: { ...own, userinfo_endpoint: at('userinfo'), ...script.metadata } };
    }
    if (path === '/jwks') return { body: { keys: [jwk] } };
    if (path === '/userinfo' && script.userinfo) return script.userinfo;
    if (path === '/emails' && script.emails) return script.emails;
    if (path !== '/token') return { status: 404, body: {} };
    const other = script.token?.(authorization, form);
    if (other) return other;
    const times = { iat: seconds(), exp: seconds() + 300 };
    const id_token = await sign({ ...times, nonce: script.nonce, ...script.idToken });
    return { body: { access_token: 'given', token_type: 'Bearer', expires_in: 60, id_token } };
  }
  const server = http.createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '/';
    const { authorization } = request.headers;
    const form = new URLSearchParams(await textOf(request));
    asked.push({ path, method: request.method ?? '', authorization, form });
    const { status = 200, headers = {}, body } = await reply(path, authorization, form);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const { url: issuer, close } = await listen(server);
  const config = { issuer, client_id: clientId, allow_private_network: true };
  /** settings of a method for a broker without discovery */
  const plain = {
    ...{ client_id: clientId, allow_private_network: true, subject_claim: 'id' },
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
  };
  return { issuer, config, plain, script, asked, sign, strangersKey: stranger.privateKey, seconds, close };
}
