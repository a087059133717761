// POST ISSUER/revoke (RFC 7009): 200 for every token, and only the caller's own tokens end.
import { type Answer, json } from '#lib/http/index.ts';
import { revokeAccessToken, revokeByRefreshToken, revokeMachineToken } from '#lib/store/index.ts';
import { hashRefresh, readAccessToken, readMachineToken } from '#lib/tokens/index.ts';
import { requireCurrent } from '../authorize-request/index.ts';
import { authenticateClient } from '../client-authentication/index.ts';
import { type IssuerRequest, readSingleParams } from '../clients/index.ts';
import { InvalidRequest } from '../errors/index.ts';

export async function handleRevoke(request: IssuerRequest): Promise<Answer> {
  const since = performance.now();
  const { http, ip, snapshot } = request;
  const params = await readSingleParams(request);
  const { clientId } = await authenticateClient(request);
  const token = params.values.get('token');
  if (token === undefined) throw new InvalidRequest('token is missing.');
  const context = { clientId, requestId: http.requestId, ip };
  const refreshHash = hashRefresh(token);
  if (refreshHash) {
    await revokeByRefreshToken({ ...context, tokenHash: refreshHash });
  } else {
    const access = readAccessToken(token, snapshot);
    const machine = access ? null : readMachineToken(token, snapshot);
    if (!access && !machine) await requireCurrent(snapshot, clientId, since);
    if (access) await revokeAccessToken({ ...context, access });
    if (machine) await revokeMachineToken({ ...context, tokenHash: machine.hash });
  }
  // clients ignore the body (§2.2), but some parse it as JSON and fail on an empty one
  return json(200, {});
}
