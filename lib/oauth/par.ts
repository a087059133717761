// POST ISSUER/par (RFC 9126). Authenticates the client, and validates the request like the authorize endpoint, which
// validates it again when the browser arrives. A push runs no SQL statement that would notice a registry change. Like
// the metadata documents, it relies on the registry watch.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { type Answer, json } from '#lib/http/message.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { parseAs, sealBytes, unsealBytes } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import type { Proof } from '#lib/tokens/dpop.ts';
import { authorizeParameters } from './authorize/declaration.ts';
import type { Interaction } from './authorize/interaction.ts';
import { AuthorizeRefused, identify, keptQuery, validate } from './authorize/request.ts';
import {
  type IssuerRequest,
  nonceHeader,
  optionalProof,
  proofError,
  readSingleParams,
  requireFirstProof,
} from './client.ts';
import { authenticateClient, requireCredentials } from './client-authentication.ts';
import {
  badClient,
  bodyErrors,
  byClient,
  clientBody,
  credentialErrors,
  type Declaration,
  InvalidRequest,
  InvalidRequestUri,
  InvalidScope,
  InvalidTarget,
  issuerPath,
  proofErrors,
  RegistrationNotSupported,
  RequestNotSupported,
  refuses,
  serviceErrors,
  TemporarilyUnavailable,
  tokenHeader,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnmetAuthenticationRequirements,
  UnsupportedResponseType,
  UnusableRequestUri,
  unknownIssuer,
} from './errors.ts';
import { atHost, type Issuer, issuerEndpoints, knowFormerKeys } from './issuer.ts';
import { shortHint } from './openid.ts';
import { followsFapi2, RESOURCE, requireProfiledClient } from './rules.ts';
import { UnregisteredClientRefused, withUnregisteredClient } from './unregistered.ts';

// A request_uri contains the sealed pushed request, deflated if long (RFC 9126 §2.2). Any instance can open it, and a
// push stores nothing. It works only at the issuer's address at which it was pushed. The expiry applies to the first
// visit. Afterwards, an interaction contains the parameters.

const REQUEST_URI_SECONDS = 90;
const MAX_REQUEST_URI = 4_096;
/** Milliseconds after which no code is issued for the request, even if pages renew the interaction. */
const USABLE_MS = 24 * 3_600_000;
/** Maximum size of a pushed request after inflation, in bytes. Gatehouse itself creates only shorter ones. */
const MAX_PLAIN = 65_536;

const PREFIX = 'urn:ietf:params:oauth:request_uri:';
const PURPOSE = 'pushed request';

const request = z.object({ iss: z.string(), query: z.string(), at: z.number() });

/**
 * Returns a request_uri that contains the request. `query`: result of `keptQuery`. Throws InvalidRequest if the
 * request_uri exceeds the address limit.
 */
function requestUriOf({ url }: Issuer, query: string): string {
  const plain: z.output<typeof request> = { iss: url, query, at: now().getTime() };
  const uri = PREFIX + sealBytes(packRequest(JSON.stringify(plain)), PURPOSE, settings().secrets);
  if (uri.length > MAX_REQUEST_URI)
    throw new InvalidRequest(
      `The request is too long: its request_uri would exceed ${MAX_REQUEST_URI} characters.`,
    );
  return uri;
}

/**
 * A request of at most this many characters is not deflated, because deflating takes longer than sealing. A
 * marker letter, with which JSON never starts, precedes deflated data.
 */
const PLAIN_LENGTH = 2_000;
const DEFLATED = 'd';

function packRequest(text: string): Buffer {
  if (text.length <= PLAIN_LENGTH) return Buffer.from(text);
  return Buffer.concat([Buffer.from(DEFLATED), deflateRawSync(text)]);
}

function unpackRequest(bytes: Buffer): string {
  const isDeflated = bytes.subarray(0, 1).toString('latin1') === DEFLATED;
  const plain = isDeflated ? inflateRawSync(bytes.subarray(1), { maxOutputLength: MAX_PLAIN }) : bytes;
  return plain.toString('utf8');
}

function open(uri: string): z.output<typeof request> | null {
  if (uri.length > MAX_REQUEST_URI) return null;
  const plain = unsealBytes(uri.slice(PREFIX.length), PURPOSE, settings().secrets);
  return plain && parseAs(request, unpackRequest(plain));
}

export type Pushed = NonNullable<Interaction['pushed']>;

/**
 * Replaces the request's parameters by the pushed ones. Returns null if Gatehouse did not issue the request_uri.
 * Throws AuthorizeRefused for another client or address.
 */
export function pushedRequest(
  params: Params,
  called: Issuer,
): { params: Params; pushed: Pushed; late: boolean } | null {
  const { values, repeated } = params;
  const uri = values.get('request_uri');
  if (!uri?.startsWith(PREFIX)) return null;
  const requestUriRefused = (why: string) => new AuthorizeRefused(params, null, new UnusableRequestUri(why));
  if (repeated.has('request_uri')) throw requestUriRefused('request_uri is repeated.');
  if (repeated.has('client_id')) throw requestUriRefused('client_id is repeated.');
  const opened = open(uri);
  if (!opened) throw requestUriRefused('request_uri was not issued by this service, or was changed.');
  if (opened.iss !== atHost(called, values.get('issuer_host')).url)
    throw requestUriRefused('request_uri was pushed at another issuer address.');
  const its = parseForm(opened.query);
  if (values.get('client_id') !== its.values.get('client_id'))
    throw requestUriRefused('client_id must be the client that pushed the request.');
  const pushed = { id: sha256(uri).toString('base64url'), until: opened.at + USABLE_MS };
  return { params: its, pushed, late: now().getTime() > opened.at + REQUEST_URI_SECONDS * 1000 };
}

/**
 * Checks the request_uri at the authorize endpoint. `late`: the request_uri has expired. Throws InvalidRequestUri.
 * Throws InvalidRequest for an ordinary request of a client that must push its requests (RFC 9126 §6).
 */
export function requireUsable(
  { issuer, client }: { issuer: Issuer; client: SnapshotClient },
  { pushed, late }: { pushed: Pushed | null; late: boolean },
): void {
  if (late || (pushed !== null && now().getTime() > pushed.until)) throw new InvalidRequestUri();
  if (pushed !== null) return;
  if (client.requirePushedAuthorizationRequests)
    throw new InvalidRequest('This client must push its requests (RFC 9126).');
  if (followsFapi2(issuer.api))
    throw new InvalidRequest('This API requires pushed requests (RFC 9126, FAPI 2.0).');
}

/** Returns the record of the one-time use, for the statement that issues the code. */
export const pushedUse = (pushed: Pushed | null) =>
  pushed && { hash: Buffer.from(pushed.id, 'base64url'), until: new Date(pushed.until) };

export async function handlePush(request: IssuerRequest): Promise<Answer> {
  const { http, ip } = request;
  const params = await readSingleParams(request, [RESOURCE]);
  const { clientId } = await requireCredentials(request);
  if (params.values.has('request_uri'))
    throw new InvalidRequest(
      'request_uri is not accepted at this endpoint: send the parameters themselves (RFC 9126 section 2.1).',
    );
  const address = issuerEndpoints(request.issuer).pushedAuthorizationRequestEndpoint;
  const proof = await optionalProof(request, { address, api: request.issuer.api });
  const jkt = provedKey(proof, params);
  const asker = { address: ip, requestId: http.requestId };
  const issuer = await withUnregisteredClient(request.issuer, clientId, asker);
  const { snapshot } = issuer;
  const isStored = request.snapshot.clients.get(clientId) !== undefined;
  const client = await authenticateClient({ ...request, issuer, snapshot, isStored });
  if (isStored) await requireFirstProof(http, client, proof);
  requireProfiledClient(issuer.api, client);
  await knowFormerKeys(issuer);
  const authorizeParams = pushedParams(params, issuer, client.clientId);
  if (jkt !== null) authorizeParams.values.set('dpop_jkt', jkt);
  validate(identify(issuer, authorizeParams), authorizeParams);
  const request_uri = requestUriOf(issuer, keptQuery(authorizeParams));
  return json(201, { request_uri, expires_in: REQUEST_URI_SECONDS }, nonceHeader(proof));
}

/** Returns the thumbprint of the proof's key, which must redeem the code (RFC 9449 §10.1). */
function provedKey(proof: Proof | null, { values }: Params): string | null {
  const jkt = proof?.jkt.toString('base64url') ?? null;
  if (jkt !== null && (values.get('dpop_jkt') ?? jkt) !== jkt) throw proofError('proof-other-key');
  return jkt;
}

/**
 * Maximum length of an id_token_hint. A longer one is replaced by its content, so that the other parameters fit into
 * the limit.
 */
const LONG_HINT = 1_000;

/** Converts the pushed parameters for the authorize endpoint. */
function pushedParams({ values, repeated, more }: Params, issuer: Issuer, clientId: string) {
  const authorizeValues = new Map(values).set('client_id', clientId);
  const hint = values.get('id_token_hint');
  if (hint !== undefined && hint.length > LONG_HINT)
    authorizeValues.set('id_token_hint', shortHint(issuer, hint));
  if (issuer.host === null) authorizeValues.delete('issuer_host');
  else authorizeValues.set('issuer_host', issuer.host);
  return { values: authorizeValues, repeated, ...(more && { more }) };
}

/** Converts errors of the authorize page to JSON errors for the client. */
export function pushRefusal(error: unknown): unknown {
  if (error instanceof UnidentifiedRequest) return new InvalidRequest(error.forDeveloper ?? error.message);
  if (error instanceof UnregisteredClientRefused) return new UnauthorizedClient(error.forDeveloper);
  return error;
}

// Parameters and responses of the pushed authorization request endpoint (RFC 9126 §2).

const { client_id: _, request_uri: _uri, issuer_host: _host, ...asked } = authorizeParameters.shape;

const PushedResponse = z.object({
  request_uri: z
    .string()
    .describe('For the authorize endpoint, with client_id, for one code. It contains the encrypted request.'),
  expires_in: z.int().describe('Seconds until a browser must have opened it: 90.'),
});

export const pushedDeclaration: Declaration = {
  path: issuerPath,
  header: tokenHeader,
  body: z.object({ ...clientBody, ...asked }),
  answers: { PushedResponse },
  errors: [
    ...bodyErrors,
    ...credentialErrors,
    badClient,
    ...proofErrors,
    ...refuses(InvalidRequest, [
      'request_uri was sent: push the parameters themselves.',
      'redirect_uri is missing although the API requires it or the client has several, or is not one that is registered for the client, character by character.',
      'response_type is missing.',
      'A public client, or any client at an API with the profile oauth-2.1, sent no code_challenge or no code_challenge_method.',
      'code_challenge_method is not `S256`, or code_challenge is not 43 base64url characters.',
      'state is longer than 2,048 bytes.',
      'prompt, max_age, response_mode, nonce, claims or id_token_hint has a value that the authorize endpoint does not accept.',
      'The request is longer than 8,192 characters, or its request_uri would be longer than 4,096.',
      'The document at client_id does not describe a client, or its address is not allowed.',
    ]),
    ...refuses(UnsupportedResponseType, ['response_type is not `code`.']),
    ...refuses(RequestNotSupported, ['A request object was sent with the scope `openid`.']),
    ...refuses(RegistrationNotSupported, ['The parameter registration was sent with the scope `openid`.']),
    ...refuses(InvalidScope, ['A scope is unknown, or none was sent although the API requires it.']),
    ...refuses(InvalidTarget, [
      'A resource is not the API of this issuer, has a fragment, or is not an absolute URI.',
    ]),
    ...refuses(UnauthorizedClient, [
      'The client has no approved subscription to the API, or is described by a document on a host that is not listed.',
    ]),
    ...refuses(UnmetAuthenticationRequirements, [
      'claims requests an essential acr that no sign-in method of this issuer reaches.',
    ]),
    ...refuses(TemporarilyUnavailable, [
      'client_id is the address of a document, and its host does not respond, or was called too often. `Retry-After` contains the seconds to wait.',
    ]),
    unknownIssuer,
    ...serviceErrors,
  ],
  security: byClient,
};
