// The authorize request of a sign-in. It is tried before a person is sent to it: what the issuer refuses at once is
// said in the terminal, and no one waits for a browser that shows an error.
import type * as openid from 'openid-client';
import { RECENT_SECONDS } from '#lib/sessions/index.ts';
import { CommandFailed } from '../typed.ts';
import { inOneLine } from './in-one-line.ts';
import { type Issuer, TIMEOUT_SECONDS } from './issuer.ts';

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
};

/** `scope`: what was asked for; '' leaves it to the client's subscription. */
export type SignInRequest = {
  address: URL;
  state: string;
  verifier: string;
  scope: string;
  resource: string;
};

export async function prepareRequest(issuer: Issuer, wanted: Wanted): Promise<SignInRequest> {
  const needed = SCOPES.filter((scope) => wanted.offered.includes(scope)).join(' ');
  const request = await write(issuer.config, wanted, wanted.scope ?? needed);
  const refused = await tryOut(issuer, request, wanted);
  if (refused === null) return request;
  if (refused.error !== 'invalid_scope' || wanted.scope !== undefined) throw refusal(issuer, refused);
  // the subscription of the client does not reach so far: then as far as it does
  const narrower = await write(issuer.config, wanted, '');
  const still = await tryOut(issuer, narrower, wanted);
  if (still !== null) throw refusal(issuer, still);
  return narrower;
}

async function write(config: openid.Configuration, wanted: Wanted, scope: string): Promise<SignInRequest> {
  const client = await import('openid-client');
  const state = client.randomState();
  const verifier = client.randomPKCECodeVerifier();
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: wanted.redirectUri,
    resource: wanted.resource,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // what leads to power wants a recent sign-in
    max_age: String(RECENT_SECONDS),
    ...(scope === '' ? {} : { scope }),
    ...(wanted.acr === undefined ? {} : { acr_values: wanted.acr }),
  });
  return { address, state, verifier, scope, resource: wanted.resource };
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
