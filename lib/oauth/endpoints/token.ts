// POST ISSUER/token (specification 4.6): one address, every grant, the same steps before each of them.
import type { Answer } from '#lib/http/message.ts';
import { authenticateClient, requireCredentials } from '../client-authentication/client-authentication.ts';
import { requireFirstProof } from '../clients/assertion-use.ts';
import type { AuthenticatedClient } from '../clients/authenticated-client.ts';
import { requireSubscription } from '../clients/client.ts';
import { type IssuerRequest, readSingleParams, requireGrantType } from '../clients/client-request.ts';
import { optionalProof, readProof } from '../clients/proof.ts';
import { requireExchangeClient } from '../exchange/exchange-terms.ts';
import { asksForIdJag, giveIdJag } from '../exchange/give-id-jag.ts';
import { formerGrant } from '../former/redeem.ts';
import { findGrant } from '../grants/grant-table.ts';
import { machineResponse, tokenResponse } from '../grants/response.ts';
import { AUTHORIZATION_CODE, DEVICE_CODE, REFRESH_TOKEN, TOKEN_EXCHANGE } from '../rules/grant-types.ts';
import { issuerEndpoints } from '../rules/issuer.ts';
import { requireProfiledClient } from '../rules/profile.ts';
import { RESOURCE, requireOwnResource } from '../rules/resource.ts';

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
