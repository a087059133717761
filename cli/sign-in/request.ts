// The authorize request of a sign-in. It is tried before a person is sent to it: what the issuer refuses at once is
// said in the terminal, and no one waits for a browser that shows an error. Where it has to be pushed (RFC 9126) it is.
import { RECENT_SECONDS } from '#lib/sessions/proved-sign-in.ts';
import { CommandFailed } from '../typed.ts';
import { inOneLine } from './in-one-line.ts';
import { type Issuer, TIMEOUT_SECONDS } from './issuer.ts';
import { type KeptKey, provingBy } from './key.ts';

/** What the verbs need that work elsewhere; the person's role says which of it they may use. */
const SCOPES = [
  'account:read',
  'people:read',
  'people:write',
  'people:decide',
  'clients:read',
  'clients:write',
  'subscriptions:read',
  'subscriptions:write',
  'subscriptions:decide',
  'registry:read',
  'keys:read',
];

export type Wanted = {
  /** the API that the tokens are for: an issuer gives none for another's (RFC 8707) */
  resource: string;
  redirectUri: string;
  /** in the place of what the verbs need */
  scope: string | undefined;
  /** the scopes that the server has */
  offered: readonly string[];
  /** of the sign-in (RFC 9470) */
  acr: string | undefined;
  /** that the code is bound to (RFC 9449 §10); null: none */
  key: KeptKey | null;
};

/** `scope`: what was asked for; '' leaves it to the client's subscription. */
export type SignInRequest = {
  address: URL;
  state: string;
  verifier: string;
  scope: string;
  resource: string;
  key: KeptKey | null;
};

export async function prepareRequest(issuer: Issuer, wanted: Wanted): Promise<SignInRequest> {
  const needed = SCOPES.filter((scope) => wanted.offered.includes(scope)).join(' ');
  const { request, refused } = await begin(issuer, wanted, wanted.scope ?? needed);
  if (refused === null) return request;
  if (refused.error !== 'invalid_scope' || wanted.scope !== undefined) throw refusal(issuer, refused);
  // the subscription of the client does not reach so far: then as far as it does
  const narrower = await begin(issuer, wanted, '');
  if (narrower.refused !== null) throw refusal(issuer, narrower.refused);
  return narrower.request;
}

type Begun = { request: SignInRequest; refused: Refusal | null };

async function begin(issuer: Issuer, wanted: Wanted, scope: string): Promise<Begun> {
  const client = await import('openid-client');
  const { config } = issuer;
  const state = client.randomState();
  const verifier = client.randomPKCECodeVerifier();
  const proving = await provingBy(issuer, wanted.key);
  const parameters = {
    redirect_uri: wanted.redirectUri,
    resource: wanted.resource,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // what leads to power wants a recent sign-in
    max_age: String(RECENT_SECONDS),
    ...(scope === '' ? {} : { scope }),
    ...(wanted.acr === undefined ? {} : { acr_values: wanted.acr }),
    ...(proving.DPoP && { dpop_jkt: await proving.DPoP.calculateThumbprint() }),
  };
  const address = client.buildAuthorizationUrl(config, parameters);
  const request = { address, state, verifier, scope, resource: wanted.resource, key: wanted.key };
  const refused = await tryOut(issuer, request, wanted);
  const isOffered = config.serverMetadata().pushed_authorization_request_endpoint !== undefined;
  // that a client has to push is in no metadata: only this refusal says it
  if (refused?.error !== 'invalid_request' || !isOffered) return { request, refused };
  try {
    const pushed = await client.buildAuthorizationUrlWithPAR(config, parameters, proving);
    return { request: { ...request, address: pushed }, refused: null };
  } catch (error) {
    if (!(error instanceof client.ResponseBodyError)) throw error;
    return { request, refused: { error: error.error, error_description: error.error_description ?? null } };
  }
}

type Refusal = { error: string; error_description: string | null };

/** As the browser would begin, without its cookies; null: the issuer would ask the person. */
async function tryOut(
  { config, url }: Issuer,
  { address }: SignInRequest,
  { redirectUri }: Wanted,
): Promise<Refusal | null> {
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  const headers = { accept: 'text/html' };
  const answer = await fetch(address, { redirect: 'manual', headers, signal }).catch((error: unknown) => {
    throw new CommandFailed(`${url} is not reachable: ${inOneLine(error)}`);
  });
  await answer.body?.cancel();
  const header = answer.headers.get('location');
  const location = header === null ? null : URL.parse(header, address);
  const { client_id: id } = config.clientMetadata();
  if (location === null)
    throw new CommandFailed(
      answer.status === 400
        ? `${url} has no client ${id} with the redirect address ${withoutPort(redirectUri)}: an administrator registers it, or --client names another (docs/commands.md)`
        : `${url} answers ${answer.status} to a sign-in`,
    );
  const error = location.href.startsWith(redirectUri) ? location.searchParams.get('error') : null;
  return error === null ? null : { error, error_description: location.searchParams.get('error_description') };
}

const refusal = ({ url }: Issuer, refused: Refusal) =>
  new CommandFailed(`${url} refuses the sign-in: ${inOneLine(refused)}`);

const withoutPort = (address: string) => address.replace(/:\d+\//, '/');
