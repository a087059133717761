// POST ISSUER/revoke (RFC 7009): 200 for every token, and only the caller's own tokens end.
import type { Answer } from '#lib/http/message.ts';
import { json } from '#lib/http/respond.ts';
import { revokeMachineToken } from '#lib/store/tokens/machine-tokens.ts';
import { revokeAccessToken, revokeByRefreshToken } from '#lib/store/tokens/revocations.ts';
import { hashRefresh } from '#lib/tokens/formats.ts';
import { readMachineToken } from '#lib/tokens/machine-token.ts';
import { readAccessToken } from '#lib/tokens/read-access-token.ts';
import { requireCurrent } from '../authorize-request/current-registry.ts';
import { authenticateClient } from '../client-authentication/client-authentication.ts';
import { type IssuerRequest, readSingleParams } from '../clients/client-request.ts';
import { InvalidRequest } from '../errors/errors.ts';

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
