// POST ISSUER/revoke (RFC 7009): 200 whatever the token was, and only its own client's tokens end.
import { type Answer, callerAddress, type HttpRequest, json, type PathParams } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot, revokeAccessToken, revokeByRefreshToken } from '#lib/store/index.ts';
import { hashPresented, readAccessToken } from '#lib/tokens/index.ts';
import { authenticateClient, readClientCredentials } from './client-authentication.ts';
import { InvalidRequest } from './errors.ts';
import { findIssuer } from './issuer.ts';
import { readSingleParams } from './token/request.ts';

export async function handleRevoke(request: HttpRequest, path: PathParams): Promise<Answer> {
  const issuer = await findIssuer(path, currentSnapshot);
  const params = await readSingleParams(request);
  const client = await authenticateClient(issuer.snapshot, readClientCredentials(request, params));
  const token = params.values.get('token');
  if (token === undefined) throw new InvalidRequest('token is missing.');
  const context = {
    clientId: client.clientId,
    requestId: request.requestId,
    ip: callerAddress(request, settings().trustProxy),
  };
  const refreshHash = hashPresented('refresh', token);
  if (refreshHash) {
    await revokeByRefreshToken({ ...context, tokenHash: refreshHash });
  } else {
    const access = readAccessToken(token, issuer.snapshot);
    if (access) await revokeAccessToken({ ...context, access });
  }
  // clients ignore the body (§2.2), but some read it as JSON and stop where there is none
  return json(200, {});
}
