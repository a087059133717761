// What a client's request was refused for, noted for its developer after the answer has gone: which facts came, and
// which of them did not fit. Never a code, token, secret, password, verifier or state. A success never comes here.
import {
  addressBlock,
  callerAddress,
  type HttpRequest,
  type Params,
  type PathParams,
  readBodyParams,
} from '#lib/http/index.ts';
import { log, now } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { explainCode, explainRefresh, noteRefusedRequest, type SnapshotClient } from '#lib/store/index.ts';
import { hashPresented } from '#lib/tokens/index.ts';
import { UnidentifiedRequest } from './authorize/request.ts';
import { subscriptionOf } from './client.ts';
import { readClientCredentials } from './client-authentication.ts';
import { InvalidClient, InvalidGrant, UnauthorizedClient } from './errors.ts';
import { findIssuer, type Issuer } from './issuer.ts';
import { challengeOf, isCodeVerifier } from './pkce.ts';
import { toOAuthError } from './respond-error.ts';

type Noted = { issuer: Issuer; client: SnapshotClient; params: Params };
type Details = Record<string, string | string[] | boolean>;

/** A refused authorize request, whether its answer was a redirect or a page. */
export function noteRefusedAuthorize(request: HttpRequest, issuer: Issuer, params: Params, thrown: unknown) {
  inBackground(async () => {
    const client = issuer.snapshot.clients.get(params.values.get('client_id') ?? '');
    if (!client || !isWithinBudget(addressOf(request), client.clientId)) return;
    const { values } = params;
    const details: Details = {
      ...shown(values, ['redirect_uri', 'response_type', 'scope', 'code_challenge_method', 'prompt']),
      code_challenge_sent: values.has('code_challenge'),
    };
    if (thrown instanceof UnidentifiedRequest) {
      details['registered'] = client.redirectUris;
      if (client.disabled) details['reason'] = 'client-disabled';
    }
    note('authorize', request, { issuer, client, params }, thrown, details);
  });
}

/** A refused token request: read a second time, from what is already in memory. */
export function noteRefusedToken(request: HttpRequest, path: PathParams, thrown: unknown) {
  inBackground(async () => {
    const issuer = await findIssuer(path);
    const params = await readBodyParams(request);
    const credentials = readClientCredentials(request, params);
    const client = issuer.snapshot.clients.get(credentials.clientId);
    if (!client || !isWithinBudget(addressOf(request), client.clientId)) return;
    const noted = { issuer, client, params };
    const details: Details = {
      ...shown(params.values, ['grant_type', 'redirect_uri', 'scope']),
      client_authentication: credentials.basic ? 'basic' : credentials.secret === null ? 'none' : 'body',
      code_verifier_sent: params.values.has('code_verifier'),
    };
    const reason = await reasonOf(noted, credentials.secret !== null, thrown);
    if (reason !== null) details['reason'] = reason;
    note('token', request, noted, thrown, details);
  });
}

const LENGTHS: Record<string, number> = { redirect_uri: 500, scope: 300 };

/** Names and values that are no secret, cut to what a page can show. */
function shown(values: ReadonlyMap<string, string>, names: string[]): Details {
  const details: Details = {};
  for (const name of names) {
    const value = values.get(name)?.replaceAll('\u0000', '');
    if (value !== undefined) details[name] = value.slice(0, LENGTHS[name] ?? 80);
  }
  return details;
}

async function reasonOf(
  { issuer, client, params }: Noted,
  secretSent: boolean,
  thrown: unknown,
): Promise<string | null> {
  if (thrown instanceof InvalidClient) {
    if (client.disabled) return 'client-disabled';
    if (!client.confidential) return 'secret-not-expected';
    return secretSent ? 'secret-wrong' : 'secret-missing';
  }
  if (thrown instanceof UnauthorizedClient) {
    const subscription = subscriptionOf(issuer.snapshot, client.clientId, issuer.api.id);
    if (!subscription) return 'not-subscribed';
    return subscription.state === 'approved' ? 'not-trusted' : `subscription-${subscription.state}`;
  }
  if (!(thrown instanceof InvalidGrant)) return null;
  const { values } = params;
  const [code, refresh] = [values.get('code'), values.get('refresh_token')];
  if (values.get('grant_type') === 'refresh_token' && refresh !== undefined) {
    return refreshReason(issuer, client, refresh);
  }
  if (code === undefined) return null;
  return codeReason(issuer, client, values, code);
}

async function codeReason(
  issuer: Issuer,
  client: SnapshotClient,
  values: ReadonlyMap<string, string>,
  code: string,
): Promise<string | null> {
  const codeHash = hashPresented('code', code);
  const verifier = values.get('code_verifier');
  const valid = verifier !== undefined && isCodeVerifier(verifier);
  const asked = { clientId: client.clientId, apiId: issuer.api.id, authMethodId: issuer.method.id };
  const redirectUri = values.get('redirect_uri') ?? null;
  const codeChallenge = valid ? challengeOf(verifier) : null;
  const facts = codeHash && (await explainCode({ ...asked, codeHash, redirectUri, codeChallenge }));
  if (!facts) return 'code-unknown';
  if (!facts.sameIssuer) return 'code-other-issuer';
  if (facts.used) return 'code-used';
  if (facts.revoked) return 'code-revoked';
  if (!facts.sameRedirectUri) return 'code-other-redirect-uri';
  if (!facts.challenged && verifier !== undefined) return 'verifier-not-expected';
  if (facts.challenged && verifier === undefined) return 'verifier-missing';
  if (!facts.sameChallenge) return 'verifier-wrong';
  return facts.expired ? 'code-expired' : null;
}

async function refreshReason(issuer: Issuer, client: SnapshotClient, token: string): Promise<string | null> {
  const tokenHash = hashPresented('refresh', token);
  const asked = { clientId: client.clientId, apiId: issuer.api.id, authMethodId: issuer.method.id };
  const facts = tokenHash && (await explainRefresh({ ...asked, tokenHash }));
  if (!facts) return 'refresh-unknown';
  if (!facts.sameIssuer) return 'refresh-other-issuer';
  if (facts.used) return 'refresh-used';
  if (facts.ended !== null) return 'refresh-ended';
  return facts.expired ? 'refresh-expired' : null;
}

function note(
  endpoint: 'authorize' | 'token',
  request: HttpRequest,
  { issuer, client }: Noted,
  thrown: unknown,
  details: Details,
): void {
  const own = thrown instanceof UnidentifiedRequest;
  const { code: error, message: description } = own
    ? { code: 'invalid_request', message: thrown.message }
    : toOAuthError(thrown);
  noteRefusedRequest({
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    endpoint,
    error,
    description,
    details,
    requestId: request.requestId,
    ip: addressOf(request),
  });
}

const addressOf = (request: HttpRequest) => callerAddress(request, settings().trustProxy);

const PER_MINUTE = 120;
const ALL_PER_MINUTE = 3_000;
let minute = { at: 0, all: 0, counts: new Map<string, number>() };

/** So many from one place in a minute, and no more: a flood of refusals is no flood of statements. */
function isWithinBudget(address: string | null, clientId: string): boolean {
  const at = Math.floor(now().getTime() / 60_000);
  if (minute.at !== at) minute = { at, all: 0, counts: new Map() };
  const from = address === null ? clientId : addressBlock(address);
  const count = (minute.counts.get(from) ?? 0) + 1;
  if (count > PER_MINUTE || minute.all >= ALL_PER_MINUTE) return false;
  minute.all += 1;
  minute.counts.set(from, count);
  return true;
}

function inBackground(work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    // a request that can not be read names no client: there is nobody to tell
    log().debug({ reason: (error as Error).message }, 'a refused request was not noted');
  });
}
