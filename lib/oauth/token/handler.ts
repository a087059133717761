// POST ISSUER/token (specification 4.6): one address, every grant, the same steps before each of them.
import type { Answer, Params } from '#lib/http/index.ts';
import { requireSubscription } from '../client.ts';
import { authenticateClient, requireCredentials } from '../client-authentication.ts';
import type { ClientRequest, IssuerRequest } from '../client-request.ts';
import { InvalidRequest } from '../errors.ts';
import { asksForIdJag, giveIdJag, TOKEN_EXCHANGE } from '../exchange/id-jag.ts';
import { findGrant } from '../grants/index.ts';
import { RESOURCE, requireOwnResource } from '../resource.ts';
import { machineResponse, tokenResponse } from './response.ts';

export async function handleToken(request: IssuerRequest): Promise<Answer> {
  const { issuer } = request;
  const params = await readSingleParams(request, [RESOURCE]);
  await requireCredentials(request);
  const grantType = requireGrantType(params);
  const client = await authenticateClient(request);
  // its resource is another server's
  if (grantType === TOKEN_EXCHANGE && asksForIdJag(params)) return giveIdJag(params, { ...request, client });
  requireOwnResource(issuer.api, params);
  const subscription = requireSubscription(issuer.api, client);
  const context = { ...request, client, subscription };
  const granted = await findGrant(grantType, issuer)(params, context);
  return 'token' in granted
    ? machineResponse(granted, context, grantType)
    : tokenResponse(granted, context, grantType);
}

export function requireGrantType({ values }: Params): string {
  const grantType = values.get('grant_type');
  if (grantType === undefined) throw new InvalidRequest('grant_type is missing.');
  return grantType;
}

/** The parameters of the body, each at most once but for the `repeatable`, or InvalidRequest. */
export async function readSingleParams(
  request: Pick<ClientRequest, 'params'>,
  repeatable: readonly string[] = [],
): Promise<Params> {
  const params = await request.params();
  const twice = [...params.repeated].find((name) => !repeatable.includes(name));
  if (twice !== undefined) throw new InvalidRequest(`The parameter '${twice.slice(0, 60)}' is repeated.`);
  return params;
}
