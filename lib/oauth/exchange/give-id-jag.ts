// Gives an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant §4.3): by token exchange, at an issuer's token
// endpoint or at the one of the service, a client gets for a person who signed in to it a grant that another
// authorization server takes. Administrators have said which ones it may ask for; no one else is asked.
import { randomUUID } from 'node:crypto';
import type { Answer } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { json } from '#lib/http/respond.ts';
import { currentKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { countToken } from '#lib/observability/tally.ts';
import { type IdJagAudience, idJagAudienceOf } from '#lib/registry/clients/id-jag-audiences.ts';
import { BUILT_IN_API } from '#lib/registry/objects/api.ts';
import { vouchForSignIn } from '#lib/store/tokens/vouched.ts';
import { ID_JAG_TYPE } from '#lib/tokens/id-jag.ts';
import { signCompact } from '#lib/tokens/jws.ts';
import type { ProvedClient } from '../clients/authenticated-client.ts';
import { InvalidRequest, InvalidScope, InvalidTarget, UnauthorizedClient } from '../errors/errors.ts';
import type { Issuer } from '../rules/issuer.ts';
import { idTokenAlg } from '../rules/profile.ts';
import { isAbsolute } from '../rules/resource.ts';
import { isScope } from '../rules/scope.ts';
import { acrTold } from '../rules/strength.ts';
import { heardBy } from '../rules/subject.ts';
import type { TokenContext } from './context.ts';
import { requireExchangeClient } from './exchange-terms.ts';
import { readSignIn } from './sign-in.ts';

export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

const LIFETIME_SECONDS = 300;
const MAX_RESOURCE = 2_000;

export const asksForIdJag = ({ values }: Params): boolean => values.get('requested_token_type') === ID_JAG;

/** `issuer`: whose token endpoint was called; null: the one of the service, where every issuer counts. */
export async function giveIdJag(
  params: Params,
  context: TokenContext & { issuer: Issuer | null },
): Promise<Answer> {
  const { snapshot, http, ip } = context;
  const client = requireExchangeClient(context.client);
  const audience = audienceOf(params, client);
  const asked = askedOf(params);
  const { issuer, personId, signIn } = await readSignIn(params, { ...context, client });
  if (issuer.api.id === BUILT_IN_API)
    throw new InvalidTarget('Nobody is vouched for by a token of the management API.');
  const vouched = await vouchForSignIn({
    version: snapshot.version,
    personId,
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    issuerHost: issuer.host,
    signIn,
    audience: audience.issuer,
    requestId: http.requestId,
    ip,
  });
  if (!vouched)
    throw new InvalidRequest('The sign-in of the subject_token has ended, or did not take place here.');
  const { authTime, acrLevel, amr } = vouched;
  const acr = acrTold(acrLevel, issuer.method);
  const issuedAt = nowSeconds();
  const payload = {
    iss: issuer.url,
    sub: await heardBy(client, personId, issuer),
    aud: audience.issuer,
    client_id: audience.clientId,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    auth_time: authTime,
    ...asked,
    ...(acr === null ? {} : { acr }),
    ...(amr === null || amr.length === 0 ? {} : { amr }),
  };
  const key = await currentKey(idTokenAlg(issuer.api, client), snapshot);
  countToken({ apiId: issuer.api.id, authMethodId: issuer.method.id }, 'id-jag');
  const answer = {
    access_token: signCompact(ID_JAG_TYPE, payload, key),
    issued_token_type: ID_JAG,
    // RFC 8693 §2.2.1: it is no access token
    token_type: 'N_A',
    expires_in: LIFETIME_SECONDS,
  };
  return json(200, answer, { pragma: 'no-cache' });
}

/** The one that the client may ask for, and its client_id there. */
function audienceOf({ values, repeated }: Params, client: ProvedClient): IdJagAudience {
  const allowed = client.idJagAudiences;
  if (allowed.length === 0)
    throw new UnauthorizedClient('This client may ask for no ID-JAG.', { reason: 'id-jag-not-allowed' });
  const audience = values.get('audience');
  if (audience === undefined) throw new InvalidRequest('audience is missing.');
  const found = allowed
    .map((entry) => idJagAudienceOf(entry, client.clientId))
    .find(({ issuer }) => issuer === audience);
  if (found && !repeated.has('audience')) return found;
  throw new InvalidTarget('audience must be one issuer that this client may get an ID-JAG for.', {
    reason: 'id-jag-audience',
  });
}

/** Resource and scope are the other server's to judge: they go along as they were asked for. */
function askedOf({ values, repeated }: Params): { resource?: string; scope?: string } {
  for (const name of ['actor_token', 'authorization_details'])
    if (values.has(name)) throw new InvalidRequest(`${name} is not supported for an ID-JAG.`);
  const [resource, scope] = [values.get('resource'), values.get('scope')];
  if (
    resource !== undefined &&
    (repeated.has('resource') || resource.length > MAX_RESOURCE || !isAbsolute(resource))
  )
    throw new InvalidTarget('resource must be one absolute URI without a fragment.');
  if (scope !== undefined && !isScope(scope))
    throw new InvalidScope('The scope holds what no scope can have.');
  return { ...(resource === undefined ? {} : { resource }), ...(scope === undefined ? {} : { scope }) };
}
