// POST {base_url}/auth/token (specification 4.3, contract section 6): something that a broker or this service gave, for
// a token of this service. The client is authenticated as at the token address; its grant finds the issuer.
import { type Answer, callerAddress, type HttpRequest, readBodyParams } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot } from '#lib/store/index.ts';
import { authenticateClient, readClientCredentials } from '../client-authentication.ts';
import { InvalidRequest, UnsupportedGrantType } from '../errors.ts';
import { redeemBrokerCode } from './broker-code.ts';
import type { ExchangeGrant } from './context.ts';
import { TOKEN_EXCHANGE } from './declaration.ts';
import { exchangeSubjectToken } from './token-exchange.ts';

const GRANTS: ReadonlyMap<string, ExchangeGrant> = new Map([
  [TOKEN_EXCHANGE, exchangeSubjectToken],
  ['authorization_code', redeemBrokerCode],
]);
/** RFC 8693 §2.1 lets these two come more than once; a token of ours is for one API only (invalid_target). */
const REPEATABLE = ['audience', 'resource'];

export async function handleExchange(http: HttpRequest): Promise<Answer> {
  const snapshot = await currentSnapshot();
  const params = await readBodyParams(http);
  const twice = [...params.repeated].find((name) => !REPEATABLE.includes(name));
  if (twice !== undefined) throw new InvalidRequest(`The parameter '${twice.slice(0, 60)}' is repeated.`);
  const credentials = readClientCredentials(http, params);
  const grantType = params.values.get('grant_type');
  if (grantType === undefined) throw new InvalidRequest('grant_type is missing.');
  const client = await authenticateClient(snapshot, credentials);
  const grant = GRANTS.get(grantType);
  if (!grant) throw new UnsupportedGrantType('This grant_type is not supported at this address.');
  return grant(params, { http, snapshot, client, ip: callerAddress(http, settings().trustProxy) });
}
