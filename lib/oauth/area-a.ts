// Area A's addresses (specification 4.1 to 4.4): health and readiness, and the way into the token exchange.
import { type Answer, type HttpRequest, json } from '#lib/http/index.ts';
import { directory, isDatabaseReady } from '#lib/store/index.ts';
import { authenticateClient, readClientCredentials } from './client-authentication.ts';
import { InvalidRequest, UnsupportedGrantType } from './errors.ts';
import { readSingleParams } from './token/request.ts';

export const VERSION = '0.1.0';

/** Liveness: asks nothing of the database. */
export async function handleHealth(): Promise<Answer> {
  return json(200, { status: 'ok', version: VERSION });
}

/** Readiness: each check by name. */
export async function handleReady(): Promise<Answer> {
  const checks = await isDatabaseReady();
  const ready = Object.values(checks).every((check) => check === 'ok');
  return json(ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', version: VERSION, checks });
}

/** POST {base_url}/auth/token: the client is checked, then the grant; none is built yet. */
export async function handleExchange(request: HttpRequest): Promise<Answer> {
  const params = await readSingleParams(request);
  const credentials = readClientCredentials(request, params);
  if (!params.values.has('grant_type')) throw new InvalidRequest('grant_type is missing.');
  authenticateClient(await directory(), credentials);
  throw new UnsupportedGrantType('This grant_type is not supported at this address.');
}
