// POST ISSUER/par (RFC 9126): the client authenticates, and its request is checked as at the authorize address, before
// a browser is there, and again when it comes. A push has no statement of its own: like documents it rests on the watch
// of the registry (endpoints.ts).
import type { Answer } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { json } from '#lib/http/respond.ts';
import type { Proof } from '#lib/tokens/dpop-proof.ts';
import { identify, keptQuery, validate } from '../authorize-request/request.ts';
import { authenticateClient, requireCredentials } from '../client-authentication/client-authentication.ts';
import { requireFirstProof } from '../clients/assertion-use.ts';
import { type IssuerRequest, readSingleParams } from '../clients/client-request.ts';
import { nonceHeader, optionalProof, proofError } from '../clients/proof.ts';
import { InvalidRequest, UnauthorizedClient } from '../errors/errors.ts';
import { UnidentifiedRequest } from '../errors/unidentified.ts';
import { shortHint } from '../openid/hint.ts';
import { knowFormerKeys } from '../rules/former-keys.ts';
import { type Issuer, issuerEndpoints } from '../rules/issuer.ts';
import { requireProfiledClient } from '../rules/profile.ts';
import { RESOURCE } from '../rules/resource.ts';
import { UnregisteredClientRefused } from '../unregistered/client-refused.ts';
import { withUnregisteredClient } from '../unregistered/resolve-client.ts';
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
