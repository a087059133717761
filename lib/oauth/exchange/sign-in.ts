// Who signed in where, by a token that the client was given for it: an ID token of ours
// (draft-ietf-oauth-identity-assertion-authz-grant §4.3.3), or an access token of ours.
import { z } from 'zod';
import type { Params } from '#lib/http/params.ts';
import { findPublicKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { levelOf } from '#lib/registry/fields/acr.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { findLiveToken } from '#lib/store/tokens/live-tokens.ts';
import type { Vouching } from '#lib/store/tokens/vouched.ts';
import type { Proof } from '#lib/tokens/dpop-proof.ts';
import { verifyCompact } from '#lib/tokens/jws.ts';
import { claimedIssuer, readAccessToken } from '#lib/tokens/read-access-token.ts';
import type { ProvedClient } from '../clients/authenticated-client.ts';
import { InvalidRequest } from '../errors/errors.ts';
import { ID_TOKEN_TYPE } from '../openid/id-token.ts';
import { atHost, findIssuer, hasIssuer, type Issuer } from '../rules/issuer.ts';
import { isPairwise, isPossibleSub, personOfSub } from '../rules/subject.ts';
import type { ExchangeContext } from './context.ts';
import { openToken } from './open-token.ts';
import { ACCESS_TOKEN, ID_TOKEN, JWT } from './presented.ts';

const UNACCEPTABLE =
  'The subject_token is expired, revoked, not of the type named, of another issuer, or was not given to this client.';
const PAIRWISE =
  'The sub of this ID token is known to the client alone: send the access token that came with it as subject_token.';

export type PresentedSignIn = {
  issuer: Issuer;
  personId: string;
  signIn: Vouching['signIn'];
};

type Context = ExchangeContext & { client: ProvedClient; proof: Proof | null; issuer: Issuer | null };

export async function readSignIn({ values }: Params, context: Context): Promise<PresentedSignIn> {
  const [token, type] = [values.get('subject_token'), values.get('subject_token_type')];
  if (token === undefined) throw new InvalidRequest('subject_token is missing.');
  if (type === ID_TOKEN) return ofIdToken(token, context);
  if (type === ACCESS_TOKEN || type === JWT) return ofAccessToken(token, context);
  throw new InvalidRequest('subject_token_type must be that of an id_token or an access_token.');
}

const idTokenClaims = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.string(),
  exp: z.number(),
  auth_time: z.int(),
  sid: z.uuid().optional(),
  acr: z.string().optional(),
});

async function ofIdToken(
  token: string,
  { client, snapshot, issuer: called }: Context,
): Promise<PresentedSignIn> {
  const payload = verifyCompact(token, ID_TOKEN_TYPE, (kid) => findPublicKey(snapshot, kid));
  const issuer = called ?? issuerNamed(token, snapshot);
  if (!issuer || payload?.['iss'] !== issuer.url || payload['aud'] !== client.clientId)
    throw new InvalidRequest(UNACCEPTABLE);
  if (isPairwise(client, issuer.api)) throw new InvalidRequest(PAIRWISE);
  const claims = idTokenClaims.safeParse(payload).data;
  if (!claims || claims.exp <= nowSeconds() || !isPossibleSub(client, claims.sub, issuer))
    throw new InvalidRequest(UNACCEPTABLE);
  const { sub, auth_time: authTime, sid = null, acr = '' } = claims;
  const personId = await personOfSub(sub, issuer);
  return { issuer, personId, signIn: { authTime, sid, level: levelOf(acr) ?? 1 } };
}

/** The one that the token says it is of, whose address is still to be compared; null: there is none. */
function issuerNamed(token: string, snapshot: Snapshot): Issuer | null {
  const iss = claimedIssuer(token) ?? '';
  const [, authMethodId = '', apiId = ''] = /\/auth\/([^/]+)\/api\/([^/]+)$/.exec(iss) ?? [];
  const where = hasIssuer(snapshot, { address: iss }) ? { address: iss } : { authMethodId, apiId };
  return hasIssuer(snapshot, where) ? findIssuer(snapshot, where) : null;
}

async function ofAccessToken(
  token: string,
  { client, proof, snapshot, issuer: called }: Context,
): Promise<PresentedSignIn> {
  const access = readAccessToken(token, snapshot);
  const { version } = snapshot;
  const locked =
    access && (await findLiveToken({ version, askedBy: client.clientId, refreshHash: null, access }));
  const live = locked && openToken(locked, { client, proof, snapshot });
  if (live?.clientId !== client.clientId) throw new InvalidRequest(UNACCEPTABLE);
  const ids = { authMethodId: live.authMethodId, apiId: live.apiId };
  if (called && (called.method.id !== ids.authMethodId || called.api.id !== ids.apiId))
    throw new InvalidRequest(UNACCEPTABLE);
  const issuer = called ?? atHost(findIssuer(snapshot, ids), live.issuerHost);
  return { issuer, personId: live.personId, signIn: { familyId: live.familyId } };
}
