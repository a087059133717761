// POST ISSUER/token (specification 4.6): one address, every grant, the same steps before each of them.
import type { Answer } from '#lib/http/index.ts';
import { authenticateClient, requireCredentials } from '../client-authentication/index.ts';
import {
  type AuthenticatedClient,
  type IssuerRequest,
  optionalProof,
  readProof,
  readSingleParams,
  requireFirstProof,
  requireGrantType,
  requireSubscription,
} from '../clients/index.ts';
import { asksForIdJag, giveIdJag, requireExchangeClient } from '../exchange/index.ts';
import { formerGrant } from '../former/index.ts';
import { findGrant, machineResponse, tokenResponse } from '../grants/index.ts';
import {
  AUTHORIZATION_CODE,
  DEVICE_CODE,
  issuerEndpoints,
  REFRESH_TOKEN,
  RESOURCE,
  requireOwnResource,
  requireProfiledClient,
  TOKEN_EXCHANGE,
} from '../rules/index.ts';

/** The grant works once, so its proof is of no use to anybody who repeats it. */
const isSpentByGrant = (grantType: string, { refreshTokenRotation }: AuthenticatedClient): boolean =>
  grantType === REFRESH_TOKEN ? refreshTokenRotation !== 'never' : SPENT.has(grantType);
const SPENT = new Set([AUTHORIZATION_CODE, DEVICE_CODE]);

export async function handleToken(request: IssuerRequest): Promise<Answer> {
  const { issuer } = request;
  const params = await readSingleParams(request, [RESOURCE]);
  await requireCredentials(request);
  const grantType = requireGrantType(params);
  // an assertion for another server is not bound to a key; a proof is only for the token that it is given for
  const vouches = grantType === TOKEN_EXCHANGE && asksForIdJag(params);
  const address = issuerEndpoints(issuer).tokenEndpoint;
  const proof = await (vouches ? optionalProof : readProof)(request, { address, api: issuer.api });
  const client = await authenticateClient(request);
  if (!isSpentByGrant(grantType, client)) await requireFirstProof(request.http, client, proof);
  if (grantType === TOKEN_EXCHANGE) requireExchangeClient(client);
  if (vouches) return giveIdJag(params, { ...request, client, proof });
  requireOwnResource(issuer.api, params);
  requireProfiledClient(issuer.api, client);
  const subscription = requireSubscription(issuer.api, client);
  const context = { ...request, client, subscription, proof };
  const former = grantType === REFRESH_TOKEN ? await formerGrant(params, context) : null;
  const granted = former ?? (await findGrant(grantType, issuer)(params, context));
  return 'token' in granted
    ? machineResponse(granted, context, grantType)
    : tokenResponse(granted, context, grantType);
}
