// What a known client's refused request is noted for, for its developer: which facts came, and which of them did not
// fit. Never a code, token, secret, password, verifier or state. The note is written after the answer, from what the
// request has been read into already; a success is never noted.
import { addressBlock } from '#lib/http/peer-address.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { ownValue } from '#lib/kit/own-value.ts';
import { noteRefusedRequest, type RequestRow } from '#lib/store/log/refused-requests.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import type { AuthorizeRefused } from '../authorize-request/response.ts';
import {
  type ClientCredentials,
  type ClientRequest,
  type IssuerRequest,
  namedClient,
} from '../clients/client-request.ts';
import { OAuthError } from '../errors/errors.ts';
import { toOAuthError } from '../errors/to-oauth-error.ts';
import { UnidentifiedRequest, UnusableRequestUri } from '../errors/unidentified.ts';
import { UnregisteredClientRefused } from '../unregistered/client-refused.ts';

type Details = Record<string, string | string[] | boolean>;
type Noted = Pick<IssuerRequest, 'http' | 'ip' | 'issuer'>;

/** A refused authorize request, whether the answer is a redirect or a page. */
export function noteRefusedAuthorize(request: Noted, { params, clientId, cause }: AuthorizeRefused): void {
  const { values } = params;
  const client = request.issuer.snapshot.clients.get(clientId ?? '');
  if (!client || !isWithinBudget(request.ip, client.clientId)) return;
  const details = shownRequest(values);
  const unidentified = cause instanceof UnidentifiedRequest;
  const unusable = cause instanceof UnusableRequestUri;
  if (unidentified && !unusable) {
    details['registered'] = client.redirectUris;
    if (client.disabled) details['reason'] = 'client-disabled';
  }
  if (cause instanceof OAuthError && cause.reason !== null) details['reason'] = cause.reason;
  const refused = cause instanceof UnregisteredClientRefused && {
    code: 'unauthorized_client',
    message: cause.forDeveloper,
  };
  const error = refused
    ? refused
    : unidentified
      ? { code: unusable ? 'invalid_request_uri' : 'invalid_request', message: cause.message }
      : toOAuthError(cause);
  note('authorize', request, client, error, details);
}

/** A refused token request. */
export function noteRefusedToken(request: IssuerRequest, thrown: unknown): void {
  noteRefusedForm('token', request, thrown, ({ params: { values } }) => ({
    ...shown(values, ['grant_type', 'redirect_uri', 'scope', 'resource']),
    code_verifier_sent: values.has('code_verifier'),
  }));
}

/** A refused pushed request: `thrown` is what was found, of which the client is told less. */
export function noteRefusedPush(request: IssuerRequest, thrown: unknown, told: unknown): void {
  noteRefusedForm('par', request, told, ({ client, params }) => ({
    ...shownRequest(params.values),
    ...(thrown instanceof UnidentifiedRequest && { registered: client.redirectUris }),
  }));
}

/** What an authorize request asked for. */
const shownRequest = (values: ReadonlyMap<string, string>): Details => ({
  ...shown(values, ['redirect_uri', 'response_type', 'scope', 'resource', 'code_challenge_method', 'prompt']),
  code_challenge_sent: values.has('code_challenge'),
});

type Named = NonNullable<Awaited<ReturnType<typeof readNamed>>>;

/** One that cannot be read names no client, so it is not recorded. */
function noteRefusedForm(
  endpoint: 'token' | 'par',
  request: IssuerRequest,
  thrown: unknown,
  facts: (named: Named) => Details,
): void {
  readNamed(request)
    .then((named) => {
      if (!named || !isWithinBudget(request.ip, named.client.clientId)) return;
      const error = toOAuthError(thrown);
      const details: Details = { ...facts(named), client_authentication: wayOf(named.credentials) };
      if (error.reason !== null) details['reason'] = error.reason;
      note(endpoint, request, named.client, error, details);
    })
    .catch((error: Error) => log().debug({ reason: error.message }, 'a refused request was not noted'));
}

function wayOf({ basic, secret, assertion }: ClientCredentials): string {
  if (assertion !== null) return 'assertion';
  return basic ? 'basic' : secret === null ? 'none' : 'body';
}

async function readNamed(request: ClientRequest) {
  const client = await namedClient(request);
  if (!client) return null;
  return { client, params: await request.params(), credentials: await request.credentials() };
}

const LENGTHS: Record<string, number> = { redirect_uri: 500, scope: 300, resource: 500 };

/** Parameters that are no secret, cut to what a page can show. */
function shown(values: ReadonlyMap<string, string>, names: string[]): Details {
  const details: Details = {};
  for (const name of names) {
    const value = values.get(name)?.replaceAll('\u0000', '');
    if (value !== undefined) details[name] = value.slice(0, ownValue(LENGTHS, name) ?? 80);
  }
  return details;
}

function note(
  endpoint: RequestRow['endpoint'],
  { http, ip, issuer }: Noted,
  client: SnapshotClient,
  { code: error, message: description }: { code: string; message: string },
  details: Details,
): void {
  noteRefusedRequest({
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    endpoint,
    error,
    description,
    details,
    requestId: http.requestId,
    ip,
  });
}

const PER_MINUTE = 120;
const ALL_PER_MINUTE = 3_000;
let minute = { at: 0, all: 0, counts: new Map<string, number>() };

/** 120 a minute from one place and 3,000 in all: a flood of refusals must not become a flood of statements. */
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
