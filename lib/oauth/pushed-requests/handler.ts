// POST ISSUER/par (RFC 9126): the client authenticates, and its request is checked as at the authorize address, before
// a browser is there, and again when it comes. A push has no statement of its own: like documents it rests on the watch
// of the registry (endpoints.ts).
import { type Answer, json, type Params } from '#lib/http/index.ts';
import type { Proof } from '#lib/tokens/index.ts';
import { identify, keptQuery, validate } from '../authorize-request/index.ts';
import { authenticateClient, requireCredentials } from '../client-authentication/index.ts';
import {
  type IssuerRequest,
  nonceHeader,
  optionalProof,
  proofError,
  readSingleParams,
  requireFirstProof,
} from '../clients/index.ts';
import { InvalidRequest, UnauthorizedClient, UnidentifiedRequest } from '../errors/index.ts';
import { shortHint } from '../openid/index.ts';
import {
  type Issuer,
  issuerEndpoints,
  knowFormerKeys,
  RESOURCE,
  requireProfiledClient,
} from '../rules/index.ts';
import { UnregisteredClientRefused, withUnregisteredClient } from '../unregistered/index.ts';
import { REQUEST_URI_SECONDS, requestUriOf } from './request-uri.ts';

export async function handlePush(request: IssuerRequest): Promise<Answer> {
  const { http, ip } = request;
  const params = await readSingleParams(request, [RESOURCE]);
  const { clientId } = await requireCredentials(request);
  if (params.values.has('request_uri'))
    throw new InvalidRequest('request_uri is not taken here: send its parameters (RFC 9126 section 2.1).');
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
  const asked = pushedParams(params, issuer, client.clientId);
  if (jkt !== null) asked.values.set('dpop_jkt', jkt);
  validate(identify(issuer, asked), asked);
  const request_uri = requestUriOf(issuer, keptQuery(asked));
  return json(201, { request_uri, expires_in: REQUEST_URI_SECONDS }, nonceHeader(proof));
}

/** RFC 9449 §10.1: the key that was proved is the one that has to redeem the code. */
function provedKey(proof: Proof | null, { values }: Params): string | null {
  const jkt = proof?.jkt.toString('base64url') ?? null;
  if (jkt !== null && (values.get('dpop_jkt') ?? jkt) !== jkt) throw proofError('proof-other-key');
  return jkt;
}

/** A longer id_token_hint is replaced by what it says, so that the rest fits beside it. */
const LONG_HINT = 1_000;

/** As the authorize address is to have them. */
function pushedParams({ values, repeated, more }: Params, issuer: Issuer, clientId: string) {
  const asked = new Map(values).set('client_id', clientId);
  const hint = values.get('id_token_hint');
  if (hint !== undefined && hint.length > LONG_HINT) asked.set('id_token_hint', shortHint(issuer, hint));
  if (issuer.host === null) asked.delete('issuer_host');
  else asked.set('issuer_host', issuer.host);
  return { values: asked, repeated, ...(more && { more }) };
}

/** What the authorize address tells people on a page, as JSON for the client. */
export function pushRefusal(error: unknown): unknown {
  if (error instanceof UnidentifiedRequest) return new InvalidRequest(error.forDeveloper ?? error.message);
  if (error instanceof UnregisteredClientRefused) return new UnauthorizedClient(error.forDeveloper);
  return error;
}
