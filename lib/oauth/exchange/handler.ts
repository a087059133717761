// POST {base_url}/auth/token (specification 4.3, contract section 6): what a broker or this service gave, for a token
// of this service. The client authenticates as at an issuer's token endpoint; its grant finds the issuer.
import type { Answer } from '#lib/http/message.ts';
import { settings } from '#lib/settings/settings.ts';
import { authenticateClient, requireCredentials } from '../client-authentication/client-authentication.ts';
import { requireFirstProof } from '../clients/assertion-use.ts';
import { type ClientRequest, readSingleParams, requireGrantType } from '../clients/client-request.ts';
import { optionalProof, readProof } from '../clients/proof.ts';
import { UnsupportedGrantType } from '../errors/errors.ts';
import { AUTHORIZATION_CODE, TOKEN_EXCHANGE } from '../rules/grant-types.ts';
import { redeemBrokerCode } from './broker-code.ts';
import { apiOfState } from './broker-request.ts';
import type { ExchangeKind } from './context.ts';
import { asksForIdJag, giveIdJag } from './give-id-jag.ts';
import { exchangeSubjectToken, targetNamed } from './token-exchange.ts';

const GRANTS: ReadonlyMap<string, ExchangeKind> = new Map([
  [TOKEN_EXCHANGE, { grant: exchangeSubjectToken, apiOf: targetNamed }],
  [AUTHORIZATION_CODE, { grant: redeemBrokerCode, apiOf: apiOfState }],
]);
/** RFC 8693 §2.1 lets these two come more than once; a token of ours is for one API only (invalid_target). */
const REPEATABLE = ['audience', 'resource'];

export async function handleExchange(request: ClientRequest): Promise<Answer> {
  const params = await readSingleParams(request, REPEATABLE);
  await requireCredentials(request);
  const grantType = requireGrantType(params);
  const vouches = grantType === TOKEN_EXCHANGE && asksForIdJag(params);
  const kind = GRANTS.get(grantType);
  // its rules for proofs and assertions hold before an assertion is used up; any other fault of it is told afterwards
  const api = vouches ? null : ((await kind?.apiOf(params, request)) ?? null);
  const address = `${settings().baseUrl}/auth/token`;
  const proof = await (vouches ? optionalProof : readProof)(request, { address, api });
  const client = await authenticateClient({ ...request, api });
  await requireFirstProof(request.http, client, proof);
  if (vouches) return giveIdJag(params, { ...request, client, proof, issuer: null });
  if (!kind) throw new UnsupportedGrantType('This grant_type is not supported at this address.');
  return kind.grant(params, { ...request, client, proof });
}
