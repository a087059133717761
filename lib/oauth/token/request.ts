// The token request up to the point where a grant takes over: parameters, none repeated, client and its
// authentication, subscription. No grant can skip or reorder any of it.
import { callerAddress, type HttpRequest, type Params, readBodyParams } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import { approvedSubscription } from '../client.ts';
import { authenticateClient, readClientCredentials } from '../client-authentication.ts';
import { InvalidRequest, UnauthorizedClient } from '../errors.ts';
import type { GrantContext } from '../grants/grant.ts';
import type { Issuer } from '../issuer.ts';

/** Parameters of a form or JSON body, each at most once. */
export async function readSingleParams(request: HttpRequest): Promise<Params> {
  const params = await readBodyParams(request);
  const [twice] = params.repeated;
  if (twice !== undefined) throw new InvalidRequest(`The parameter '${twice.slice(0, 60)}' is repeated.`);
  return params;
}

export async function openTokenRequest(
  request: HttpRequest,
  issuer: Issuer,
): Promise<{ params: Params; grantType: string; context: GrantContext }> {
  const params = await readSingleParams(request);
  const credentials = readClientCredentials(request, params);
  const grantType = params.values.get('grant_type');
  if (grantType === undefined) throw new InvalidRequest('grant_type is missing.');
  const client = await authenticateClient(issuer.snapshot, credentials);
  const subscription = approvedSubscription(issuer.snapshot, client, issuer.api);
  if (!subscription) throw new UnauthorizedClient('This client has no approved subscription to this API.');
  const context = {
    http: request,
    issuer,
    client,
    subscription,
    ip: callerAddress(request, settings().trustProxy),
  };
  return { params, grantType, context };
}
